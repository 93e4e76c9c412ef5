"""# colon-made-citation: Text cut in two by a colon

A criterion with a colon and without quotation marks: `- Mentions the fee: 100 shillings` is the criterion `Mentions
the fee` with the citation `100 shillings`.

A judge sees only the part before the colon. A citation is shown beside the score and does not count.

Bad:

    - id: fee
      prompt: What does the licence cost?
      should:
        - Mentions the fee: that it is due each year

Good:

    - id: fee
      prompt: What does the licence cost?
      should:
        - "Mentions the fee: that it is due each year"

If the part before the colon is the name of a function, `icontains: INR`, a check was meant: see unknown-function.

Fix (unsafe): put the whole point in quotation marks. For a real citation, put only the part before the colon in
quotation marks, as the documents do.

Documents: Blueprint format, Point Definition Formats 2, "Point with Citation".
"""

from __future__ import annotations

import re

from engine.parsing.demands import Finding, Kind
from engine.rules.refusals import cut
from engine.rules.rule import FileView, Report, finding_rule, fix_at
from engine.rules.source.misspelt_checks import check_of_mapping
from engine.text import Severity, in_quotes, lazy
from engine.yaml.keys import is_like_text, is_named
from engine.yaml.layout import is_one_line, quoted
from engine.yaml.nodes import property_name
from engine.yaml.tree_loader import enclosing_mapping

_PLACE = lazy(
    r"""https?://|www\.|\bdoi\b|§|¶
    |\b(?:1[5-9]|20)\d\d\b                                                   # a year
    |\b(?:art|article|sec|section|clause|para|paragraph|chapter|ch|no|vol|rule|reg|regulation|act|law|code|p|pp|s)\b\.?\s*\d""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = lazy(
    r"""\b(?:act|law|code|rule|rules|treaty|convention|directive|regulation|guidelines?|handbook|manual|report|standard|charter|
       constitution|et\ al|ibid|source|study|journal|wikipedia)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SMALL_WORDS = "a an and at by de for from in la of on or the to v vs with"
_VERBS = """
    says states mentions names cites explains notes tells gives lists describes includes quotes identifies refers
    adds suggests recommends discusses indicates asks answers argues claims reports defines acknowledges points
    nennt erwähnt zitiert erklärt verweist mentionne cite nomme indique explique menciona cita nombra indica explica
    menziona nomina spiega
"""
"""Verbs that want an object: a criterion that is one alone, “Cites”, goes on behind the colon."""
_CURLY = {"“": "”", "„": "“", "«": "»", "‘": "’"}


@finding_rule(Kind.COLON_CITATION)
def colon_made_citation(finding: Finding, view: FileView) -> Report | None:
    mapping = enclosing_mapping(view.tree, finding.span)
    if len(mapping.pairs) != 1:
        return None  # the same key twice: `duplicate-key` reports it
    if check_of_mapping(view.text, mapping, is_json=view.is_json) is not None:
        return None  # a check was meant: `unknown-function` reports it
    key, cited = mapping.pairs[0].key, in_quotes(cut(finding.detail))
    if is_like_text(property_name(key)):
        message = f"{cited} is the citation here, and the key its criterion: write `text:`"
        return Report(key.span, message, fixes=fix_at("write text", key.span, '"text"' if view.is_json else "text"))
    criterion = " ".join(key.span.of(view.text).split())
    is_cut = is_named(criterion.strip("\"'")) or criterion.count("(") > criterion.count(")")
    if not is_cut and _reads_like_a_source(finding.detail) and criterion.casefold() not in _VERBS.split():
        fixes = fix_at("quote the criterion", key.span, quoted(key.span.of(view.text), is_json=True), safe=True)
        fixes = fixes if is_one_line(view.text, key.span) else ()
        return Report(key.span, f"{cited} is the citation of this point", severity=Severity.HINT, fixes=fixes)
    written, is_whole = finding.span.of(view.text), is_one_line(view.text, finding.span)
    if written[:1] in _CURLY and written.endswith(_CURLY[written[0]]) and is_whole:
        message = f'`{written[0]}` is no quotation mark of YAML: use `"`, as the colon ends the criterion here'
        fixes = fix_at("use plain quotes", finding.span, quoted(written[1:-1], is_json=True), safe=True)
        return Report(finding.span, message, fixes=fixes)
    fixes = fix_at("quote the whole point", finding.span, quoted(written, is_json=True)) if is_whole else ()
    message = f"the colon ends the criterion at {in_quotes(cut(criterion))}; {cited} became its citation"
    return Report(finding.span, message, fixes=fixes)


def _reads_like_a_source(citation: str) -> bool:
    if citation[:1].islower():  # as within a sentence
        if _PLACE.match(citation) or "://" in citation:
            return True
    elif _PLACE.search(citation) or _NAME.search(citation):
        return True
    words = [word for word in re.findall(r"[^\W\d_][\w'’.-]*", citation) if word.lower() not in _SMALL_WORDS.split()]
    return bool(words) and all(word[0].isupper() for word in words)
