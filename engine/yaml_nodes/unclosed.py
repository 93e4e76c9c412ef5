"""Quotation marks and brackets that are never closed, reported where they open, and where they may have to close."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import KEY
from engine.yaml_nodes.line_spans import first_line, line_end
from engine.yaml_nodes.quoting import begins_with_elision, without_comment
from engine.yaml_nodes.slips import Line, Lines, Slip

_QUOTED_KEY = re.compile(rf"[\"']{KEY}:(?=[ \t]|\Z)")
_MOST_LINES = 40
"""How many lines below the opening are tried as the end of the text."""


def unclosed(text: str, opening: int) -> Iterator[Slip]:
    """The slips for the mark at `opening`, each with another place at which it may close; the last has no fix."""
    mark = text[opening]
    place = first_line(text, opening, line_end(text, opening))
    if mark in "[{":
        closing = "]" if mark == "[" else "}"
        message = f"this `{mark}` is never closed: add the `{closing}`"
        for at in _ends(text, opening):
            yield Slip(place, message, f"close it with `{closing}`", (TextEdit(Span(at, at), closing),))
        yield Slip(place, message)
        return
    message = f"this quotation mark ({mark}) is never closed, or closed too late: close it where the text ends"
    if _QUOTED_KEY.match(text, opening) is not None:
        at = Span(opening, opening + 1)
        yield Slip(place, f"this quotation mark ({mark}) is never closed: remove it", "remove it", (TextEdit(at, ""),))
    if begins_with_elision(text, opening):
        end = opening + len(without_comment(text[opening : line_end(text, opening)]))
        written = text[opening:end].replace('"', '\\"')
        yield Slip(place, message, "quote the text", (TextEdit(Span(opening, end), f'"{written}"'),))
    other = "'" if mark == '"' else '"'
    for at in _ends(text, opening):
        inner = text[opening + 1 : at]
        if inner.endswith(other) and inner.count(other) % 2:
            closed = TextEdit(Span(at - 1, at), mark)
            yield Slip(
                place,
                f"this quotation mark ({mark}) is never closed: the text ends with {other}",
                f"close it with `{mark}`",
                (closed,),
            )
        if mark in inner if mark == "'" else _has_quote(inner):
            continue
        yield Slip(place, message, f"close it with `{mark}`", (TextEdit(Span(at, at), mark),))
    yield Slip(place, message)


def _has_quote(inner: str) -> bool:
    return '"' in re.sub(r"\\.", "", inner, flags=re.DOTALL)


def _ends(text: str, opening: int) -> Iterator[int]:
    """The ends of lines where what opens at `opening` may close: of its own line, if a key or an item follows."""
    lines = Lines(text, opening)
    column = lines.lines[lines.at].column
    for index in range(lines.at, min(lines.at + _MOST_LINES, len(lines.lines))):
        line = lines.lines[index]
        if line.column < 0:
            continue
        if index > lines.at and line.column <= column:
            return
        following = next((each for each in lines.lines[index + 1 :] if each.column >= 0), None)
        if following is None or _may_follow(following, column):
            yield line.start + len(without_comment(line.written))


def _may_follow(line: Line, column: int) -> bool:
    """Whether `line` begins something new, so that the text before it may end."""
    return line.is_structure or line.column <= column
