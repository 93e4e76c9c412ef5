"""A line of the source, cut to fit around a place in it, and the position of the mark below."""

from __future__ import annotations

from engine.models.secret import without_keys
from engine.text.record import Record
from engine.text.spans import LineIndex, Span, visible

_TAB = "    "
_CUT = "…"


class Frame(Record):
    """`line` as shown; the mark begins `start` cells into it and is `length` cells long, at least one.

    `last_line` is the line on which the marked span ends, from 0.
    """

    line: str
    start: int
    length: int
    last_line: int


def frame(lines: LineIndex, span: Span, width: int) -> Frame:
    """The first line of `span` in at most `width` cells of a terminal (at least 20), control characters made visible.

    A long line is cut around the place, with `…` for the parts that are left out.
    """
    place = lines.position(span.start)
    last = lines.position(max(span.end - 1, span.start)).line
    source = without_keys(lines.line(place.line))
    end = len(source) if last > place.line else min(len(source), place.column + span.end - span.start)
    before, marked, after = (
        visible(part).replace("\t", _TAB) for part in (source[: place.column], source[place.column : end], source[end:])
    )
    if cells(before) + cells(marked) + cells(after) > width:
        if cells(before) > width // 3 and cells(before) + cells(marked) > width * 2 // 3:
            before = _CUT + _last_cells(before, width // 3 - 1)
        marked = cut(marked, width - cells(before))
        after = cut(after, width - cells(before) - cells(marked))
    return Frame(before + marked + after, cells(before), max(1, cells(marked)), last)


def cut(text: str, room: int) -> str:
    """The start of `text` in at most `room` cells, with an ellipsis where it is cut."""
    if cells(text) <= room:
        return text
    return _first_cells(text, room - 1) + _CUT if room > 0 else ""


def _first_cells(text: str, room: int) -> str:
    """The start of `text`, without a part of a character that would be hidden at the cut."""
    if text.isascii():
        return text[: max(room, 0)]
    cut = text[: max(room, 0)]
    while cells(cut) > room or visible(cut) != cut:
        cut = cut[:-1]
    return cut


def _last_cells(text: str, room: int) -> str:
    """The end of `text`, without a part of a character that would be hidden at the cut."""
    cut = text[max(len(text) - room, 0) :]
    while cells(cut) > room or visible(cut) != cut:
        cut = cut[1:]
    return cut


def cells(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
