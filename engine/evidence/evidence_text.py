"""The text of evidence: misses, list entries, groups and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from engine.evidence.argument_differences import ArgumentDifference
from engine.evidence.check_evidence import MOST_MATCHES, CheckEvidence, Entry, Match
from engine.evidence.nearest_miss import MissKind, NearestMiss
from engine.functions.function_text import count, quoted, times
from engine.text import Span, in_quotes

MOST_LISTED = 5
"""How many matches of one text are quoted."""
_AROUND = 18
_LONGEST_MATCH = 60
_DIFFERENCES = {
    MissKind.CASE: "upper and lower case",
    MissKind.FORM: "punctuation or spacing",
    MissKind.ACCENT: "accents",
    MissKind.PLURAL: "singular and plural",
    MissKind.DIGITS: "digits",
}


def miss_text(miss: NearestMiss, answer: str) -> str:
    """`found “Paraná” inside “Paranáense”`, or `found “Parana”, which differs in accents`."""
    found = f"found {quoted(miss.span.of(answer))}"
    match miss.kinds:
        case (MissKind.BOUNDARY,):
            return f"{found} inside {quoted(miss.within.of(answer))}"
        case (MissKind.PLACE,):
            return f"{found}, but not at the {'end' if miss.at_end else 'start'}"
        case (MissKind.SPELLING,) if miss.distance:
            return f"{found}, which differs by {count(miss.distance, 'character')}"
        case (MissKind.SPELLING,):
            return f"most similar is {quoted(miss.span.of(answer))}"
        case (MissKind.ACCENT,) if _composed(answer[miss.span.start :]).startswith(_composed(miss.wanted)):
            return f"{found}, which is stored in another form of Unicode"
        case kinds:
            return f"{found}, which differs in {' and in '.join(_DIFFERENCES[kind] for kind in kinds)}"


def _composed(text: str) -> str:
    return normalize("NFC", text.lower())


def evidence_lines(evidence: CheckEvidence, answer: str) -> Iterator[str]:
    """The lines on what a check found, one for each entry, its matches with groups, and each argument that differs."""
    is_list = len(evidence.entries) > 1
    indent = "  " if is_list else ""
    for entry in evidence.entries:
        if is_list:
            yield entry_text(entry)
        if entry.miss is not None:
            yield f"{indent}{miss_text(entry.miss, answer)}"
        yield from (f"{indent}{match_text(match, answer)}" for match in entry.matches[:MOST_LISTED])
        if len(entry.matches) > MOST_LISTED:
            least = "at least " if len(entry.matches) == MOST_MATCHES else ""
            yield f"{indent}and {least}{len(entry.matches) - MOST_LISTED} more"
    yield from map(difference_text, evidence.differences)


def entry_text(entry: Entry) -> str:
    """`● “lawful” twice`, `○ “covenant” not found`."""
    if not entry.matches:
        return f"○ {quoted(entry.wanted)} not found"
    found = times(len(entry.matches))
    return f"● {quoted(entry.wanted)} {'at least ' if len(entry.matches) == MOST_MATCHES else ''}{found}"


def match_text(match: Match, answer: str) -> str:
    """A match among the words around it, and its groups: `… must be ⟦lawful⟧ and …`."""
    text = _in_context(match.span, answer)
    groups = " · ".join(f"{name}: {'–' if value is None else quoted(value)}" for name, value in match.groups)
    return f"{text}   groups {groups}" if groups else text


def quote_text(span: Span, answer: str) -> str:
    """A passage that a judge quotes: `quoted: “on the Seine”`."""
    return f"quoted: {in_quotes(_cut(' '.join(span.of(answer).split())))}"


def _in_context(span: Span, answer: str) -> str:
    start, end = max(span.start - _AROUND, 0), min(span.end + _AROUND, len(answer))
    before, after = answer[start : span.start], answer[span.end : end]
    before = before.partition(" ")[2] if start and " " in before else before
    after = after.rpartition(" ")[0] if end < len(answer) and " " in after else after
    found = span.of(answer)
    shown = found if len(found) <= _LONGEST_MATCH else f"{found[: _LONGEST_MATCH - 1]}…"
    text = f"{'… ' if start else ''}{before}⟦{shown}⟧{after}{' …' if end < len(answer) else ''}"
    return " ".join(text.split())


def difference_text(difference: ArgumentDifference) -> str:
    """`argument filters.year is 2019, wanted 2020`."""
    found = "is missing" if difference.found is None else f"is {_cut(difference.found)}"
    return f"argument {difference.path} {found}, wanted {_cut(difference.wanted)}"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
