"""# comment-ate-text: Text cut off by `#`

Text without quotation marks that contains ` #`: the rest of the line is a comment.

The criterion of `- Ranks Nairobi #1 of the region` is "Ranks Nairobi" only, so an answer earns the point without the
rank. A prompt that is cut this way is sent without its end. A point that begins with `#` is empty, or begins in the
line below.

Bad:

    - id: cities
      prompt: Which city of East Africa has the largest economy?
      should:
        - Ranks Nairobi #1 of the region

Good:

    - id: cities
      prompt: Which city of East Africa has the largest economy?
      should:
        - 'Ranks Nairobi #1 of the region'

Fix (unsafe): put the whole text in quotation marks.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.parsing.findings import Finding, Kind
from engine.parsing.keys import KEYS, Names, Part, Shape
from engine.rules.rule import Report, file_rule
from engine.rules.source.written_texts import key_of
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit, in_quotes
from engine.yaml.layout import line_end, line_start
from engine.yaml.node_search import nodes_around
from engine.yaml.nodes import MappingNode, ScalarNode, SequenceNode, Style

_MARK = lazy(r"#[^\W_][^\r\n]*")
_NOTES = lazy(r"#[ \t]*(?:todo|fixme|note|xxx|noqa|nosec|hack)\b", re.IGNORECASE)
_ALL = lazy(r"[ \t]+(#[^\r\n]*[^\W_][^\r\n]*)")
_COMMENT_PROPER = lazy(r"[ \t]+#(?=[ \t#]|\Z).*")
_BEGINS_ITEM = lazy(r"(?P<margin>[ \t]*)-(?:[ \t]+-)*[ \t]+#[^\r\n]*\r?\n(?P=margin)[ \t]+[^\s#-]")
"""A comment behind the dash of an item whose text is in the next line."""
_IDENTIFIERS = {"id", "role", "fn", "render_as"}
_TEXTS = {
    name
    for part in (Part.PROMPT, Part.MESSAGE, Part.POINT, Part.HEADER)
    for key in KEYS[part]
    if key.name not in _IDENTIFIERS
    and (key.shape is Shape.TEXT or key.part in (Part.POINT, Part.MESSAGE))
    and key.names not in (Names.MODELS, Names.TOOLS)
    for name in key.read_as
} | {"citation", "reference"}


@file_rule("Y012", Severity.WARNING, why="The text after the # is a comment: no judge and no model ever sees it.")
def comment_ate_text(view: FileView) -> Iterator[Report]:
    if view.is_json:
        return
    for finding in view.findings_of(Kind.NOT_WRITTEN):
        yield from _of_empty(finding, view)
    for mark in _MARK.finditer(view.text):
        if view.text[mark.start() - 1 : mark.start()] not in (" ", "\t") or _NOTES.match(mark[0]) is not None:
            continue
        node = _text_before(view, mark.start())
        if node is not None:
            yield _report(view, node, Span(*mark.span()))
        elif _BEGINS_ITEM.match(view.text, line_start(view.text, mark.start())):
            yield Report(Span(*mark.span()), "this is a comment, so the point begins in the line below")


def _of_empty(finding: Finding, view: FileView) -> Iterator[Report]:
    """The report of a point of which nothing is left."""
    mark = _ALL.match(view.text, finding.span.end)
    if mark is not None and _NOTES.match(mark[1]) is None:
        place, written = Span(*mark.span(1)), "'" + mark[1].rstrip().replace("'", "''") + "'"
        fix = Fix("quote the whole text", False, (TextEdit(place, written),))
        level = Severity.ERROR if finding.refused else None
        yield Report(place, "this is a comment, so the point is empty", severity=level, fixes=(fix,))


def _text_before(view: FileView, mark: int) -> ScalarNode | None:
    """The plain scalar that ends before the `#` at `mark`, with only spaces or tabs between."""
    start = line_start(view.text, mark)
    end = start + len(view.text[start:mark].rstrip(" \t"))
    if end == start:
        return None
    around = list(nodes_around(view.tree, Span(end - 1, end)))
    node = around[-1] if around else None
    if not isinstance(node, ScalarNode) or node.style is not Style.PLAIN or node.span.end != end:
        return None
    if any(isinstance(each, MappingNode | SequenceNode) and each.flow for each in around):
        return None
    key = key_of(node, around)
    is_text = key in _TEXTS or key.startswith("$") or " " in key  # before a citation, the key is the criterion
    return node if isinstance(node.value, str) and is_text else None


def _report(view: FileView, node: ScalarNode, rest: Span) -> Report:
    text, lost = " ".join(node.text.split()), rest.of(view.text).rstrip()
    whole = Span(node.span.start, rest.start + len(_COMMENT_PROPER.sub("", lost)))
    written = "'" + whole.of(view.text).replace("'", "''") + "'"
    return Report(
        Span(rest.start, min(rest.start + len(lost), line_end(view.text, rest.start))),
        f"this is a comment, so the text ends at {in_quotes(text if len(text) <= 40 else '…' + text[-39:])}",
        fixes=(Fix("quote the whole text", False, (TextEdit(whole, written),)),),
    )
