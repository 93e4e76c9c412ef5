"""From what a line holds to the cells that are drawn for it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from studio.editor.cells import line_cells


class Stroke(NamedTuple):
    """A style for the columns from `start` up to `end`; a column past the line's end is an empty cell there."""

    start: int
    end: int
    style: Style


class Look(NamedTuple):
    """All that decides how one row looks; equal looks are drawn equal. Later strokes lie over earlier ones."""

    line: str
    number: str
    number_style: Style
    sign: str
    sign_style: Style
    base: Style
    strokes: tuple[Stroke, ...]


def paint(look: Look, scroll_x: int, width: int) -> Strip:
    """One row of `width` cells: the gutter, and beside it the text from cell `scroll_x` on."""
    gutter = Strip(
        [Segment(look.number, look.number_style), Segment(look.sign, look.sign_style)],
        len(look.number) + len(look.sign),
    )
    text = _text(look)
    room = max(0, width - gutter.cell_length)
    if scroll_x or text.cell_length > room:
        text = text.crop(scroll_x, scroll_x + room)
    return Strip.join([gutter, text.extend_cell_length(room, look.base)])


def _text(look: Look) -> Strip:
    cells = line_cells(look.line)
    past = max((stroke.end for stroke in look.strokes), default=0) - len(look.line)
    shown = cells.shown + " " * max(0, past)
    width = cells.width + max(0, past)
    if not look.strokes:
        return Strip([Segment(shown, look.base)], width)
    strokes = [(cells.index(stroke.start), cells.index(stroke.end), stroke.style) for stroke in look.strokes]
    borders = sorted({0, len(shown), *(at for start, end, _ in strokes for at in (start, end))})
    segments: list[Segment] = []
    for start, end in pairwise(borders):
        style = look.base
        for from_index, to_index, over in strokes:
            if from_index <= start and to_index >= end:
                style += over
        segments.append(Segment(shown[start:end], style))
    return Strip(segments, width)
