"""Lines, columns and indentation of a file, and edits that fit its layout."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from engine.text import Span, TextEdit, apply_edits, lazy
from engine.yaml.nodes import ScalarNode, Style

_CHARACTERS = {
    Style.SINGLE: lazy(r"''|."),
    Style.DOUBLE: lazy(r"\\x..|\\u.{4}|\\U.{8}|\\.|."),
}
"""A character of a quoted text, as it is written."""
_BREAK = lazy(r"[\r\n]")
_COMMENT = lazy(r"(?:^|(?<=[ \t]))#.*", re.DOTALL)
_USUAL_LINE = 500
"""Characters in which the start of a line is looked for first."""
_MAX_GAP = 2000
"""The most characters of blanks and comments between a `-` and the content of its item."""


def quoted(text: str, *, is_json: bool = False) -> str:
    """`text` as a YAML scalar on one line that reads as exactly this text, in single quotes if possible.

    With `is_json`, as a JSON string.
    """
    if is_json:
        return json.dumps(text, ensure_ascii=False)
    return in_single_quotes(text) if text.isprintable() else json.dumps(text, ensure_ascii=True)


def in_single_quotes(text: str) -> str:
    """`text` in single quotes, whatever its characters and line breaks mean there."""
    return "'" + text.replace("'", "''") + "'"


def column(text: str, offset: int) -> int:
    """The number of code points before `offset` on its line."""
    return offset - line_start(text, offset)


def line_start(text: str, offset: int) -> int:
    """The start of the line of `offset`."""
    near = max(offset - _USUAL_LINE, 0)  # the whole text has not to be searched for a break that it does not use
    found = max(text.rfind("\n", near, offset), text.rfind("\r", near, offset))
    if found < 0 < near:
        found = text.rfind("\n", 0, near)
        found = max(found, text.rfind("\r", found + 1, near))
    return found + 1


def line_end(text: str, offset: int) -> int:
    """The end of the line of `offset`, before its line break."""
    found = _BREAK.search(text, offset)
    return len(text) if found is None else found.start()


def first_line(text: str, span: Span) -> Span:
    """The part of `span` on its first line."""
    found = _BREAK.search(text, span.start, span.end)
    return span if found is None else Span(span.start, found.start())


def place_of(text: str, written: str, span: Span) -> Span:
    """The place of `written` in `span`; the first line of `span` where it is written otherwise."""
    at = text.find(written, span.start, span.end)
    return first_line(text, span) if at < 0 else Span(at, at + len(written))


def first_content_line(text: str) -> Span:
    """The first line that is neither blank nor a comment, or the first line; where a problem of the file is shown."""
    offset = 0
    while offset < len(text):
        line = Span(offset, line_end(text, offset))
        if line.of(text).strip() and not line.of(text).lstrip().startswith("#"):
            return line
        offset = next_line_start(text, offset)
    return Span(0, line_end(text, 0))


def next_line_start(text: str, offset: int) -> int:
    """The start of the line after that of `offset`, or the end of the text."""
    end = line_end(text, offset)
    return end + (2 if text.startswith("\r\n", end) else 1) if end < len(text) else end


@lru_cache(maxsize=2)
def newline_of(text: str) -> str:
    """The first line break of the text; `\\n` if it has none."""
    found = re.search(r"\r\n|\r|\n", text)
    return "\n" if found is None else found[0]


def dash_before(text: str, offset: int) -> int | None:
    """The offset of the `-` of the block list item whose content begins at `offset`; None in a flow list.

    Blanks, line breaks and comments may be between, but not a tab, after which no mapping may begin.
    """
    before = text[max(offset - _MAX_GAP, 0) : offset].rstrip(" \t")
    if before and before[-1] != "-" and not before[-1].isspace():  # quick: lines in brackets may be long
        return None
    line = ""
    start = end = offset
    while not line and end > 0:
        if offset - end > _MAX_GAP:
            return None
        start = line_start(text, end)
        line = _COMMENT.sub("", text[start:end], count=1).rstrip()
        end = start - 1
    dash = start + len(line) - 1
    if not line.endswith("-") or line.endswith("--") or not text[dash + 1 : min(dash + 2, offset)].isspace():
        return None
    ahead = line[:-1]
    begins_item = not ahead.strip(" \t-?:") or ahead.rstrip().endswith((":", "-"))
    return dash if begins_item and "\t" not in text[dash:offset] else None


def least_indent(text: str, span: Span) -> int | None:
    """The smallest indentation of the lines that begin within `span`; None if all are blank."""
    lines = re.split(r"\r\n|\r|\n", span.of(text))[1:]
    return min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=None)


def reindented(text: str, span: Span, by: int) -> list[TextEdit]:
    """Edits that indent every line that begins within `span` by `by` more blanks (fewer if negative)."""
    edits: list[TextEdit] = []
    start = next_line_start(text, span.start)
    while start < span.end:
        end = line_end(text, start)
        if by > 0 and text[start:end].strip():
            edits.append(TextEdit(Span(start, start), " " * by))
        elif by < 0:
            blanks = len(text[start:end]) - len(text[start:end].lstrip(" "))
            edits.append(TextEdit(Span(start, start + min(-by, blanks)), ""))
        start = next_line_start(text, start)
        if start >= len(text):
            break
    return edits


def moved_below(text: str, part: Span, above: Span, margin: int) -> tuple[TextEdit, ...]:
    """Edits that move the lines of `part` below those of `above`, to the column `margin`; none if they begin before it.

    Nor if they would go further right, or the text ends without a line break.
    """
    lines = Span(line_start(text, part.start), next_line_start(text, part.end - 1))
    offset, by = next_line_start(text, above.end - 1), part.start - lines.start - margin
    if by < 0 or text[lines.start : part.start].strip() or text[offset - 1] not in "\r\n":
        return ()
    left = (TextEdit(Span(lines.start, lines.start + by), ""), *reindented(text, lines, -by))
    moved = apply_edits(lines.of(text), [edit.shifted(-lines.start) for edit in left])
    if offset == lines.end:
        return (TextEdit(lines, moved),)
    return (TextEdit(lines, ""), TextEdit(Span(offset, offset), moved))


def is_one_line(text: str, span: Span) -> bool:
    """Whether the span is on one line."""
    return _BREAK.search(text, span.start, span.end) is None


def source_offset(text: str, node: ScalarNode, offset: int) -> int | None:
    """The offset in the source of the character `offset` of a scalar's text; None if it is unknown."""
    source = node.span.of(text)
    if node.style is Style.LITERAL:
        return _in_literal_block(source, node, offset)
    if not is_one_line(text, node.span):
        return None
    if node.style is Style.PLAIN:
        return node.span.start + offset if source == node.text else None
    if node.style not in _CHARACTERS:
        return None
    inside = _CHARACTERS[node.style].finditer(source, 1, len(source) - 1)
    places = (*(found.start() for found in inside), len(source) - 1)
    return node.span.start + places[offset] if offset < len(places) else None


def _in_literal_block(source: str, node: ScalarNode, offset: int) -> int | None:
    """The same for a `|` block, whose lines are those of its text plus indentation."""
    before = node.text[:offset].split("\n")
    line, within = len(before) - 1, len(before[-1])
    lines = list(re.finditer(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)", source))
    wanted = node.text.split("\n")[line]
    if line + 1 >= len(lines) or not lines[line + 1][1].endswith(wanted):
        return None
    return node.span.start + lines[line + 1].end(1) - len(wanted) + within
