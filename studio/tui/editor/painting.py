"""From a line and its styles, which are read once from the theme, to the cells that are drawn."""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from engine.text.diagnostics import Severity
from engine.text.record import Record, field
from studio.tui.editor.syntax import Kind
from studio.tui.editor.wrapping import LineCells, line_cells

SIGNS = {Severity.ERROR: "●", Severity.WARNING: "▲", Severity.HINT: "·"}
"""The sign in the gutter of a line on which a diagnostic of that severity begins."""

SCORE_INKS = ("list--met", "list--partly", "list--unmet")
"""The meanings of scores, as in lists."""


class PaintStyles(Record):
    """Rich styles for all that the editor paints."""

    base: Style
    current: Style
    number: Style
    current_number: Style
    cursor: Style
    selection: Style
    bracket: Style
    match: Style
    found: Style
    syntax: dict[Kind, Style] = field(default_factory=dict)
    marks: dict[Severity, Style] = field(default_factory=dict)
    signs: dict[Severity, Style] = field(default_factory=dict)
    scores: dict[str, Style] = field(default_factory=dict)

    @classmethod
    def of(cls, widget: Widget) -> PaintStyles:
        """The styles of the component classes of `widget`: over its own style, or alone."""
        full = widget.get_component_rich_style
        partial = functools.partial(full, partial=True)
        current = full("text-area--cursor-line").bgcolor
        marks = {severity: partial(f"blueprint-editor--{severity.value}") for severity in Severity}
        return cls(
            base=widget.rich_style,
            current=Style(bgcolor=current),
            number=full("text-area--gutter"),
            current_number=full("text-area--cursor-gutter"),
            cursor=full("text-area--cursor"),
            selection=full("text-area--selection"),
            bracket=Style(bgcolor=full("text-area--matching-bracket").bgcolor, bold=True),
            match=full("blueprint-editor--match"),
            found=full("blueprint-editor--found"),
            syntax={kind: partial(f"blueprint-editor--{kind.value}") for kind in Kind},
            marks={severity: style + Style(underline=True) for severity, style in marks.items()},
            signs=marks,
            scores={ink: partial(ink) for ink in SCORE_INKS},
        )


_SHORTEST_NOTE = 10
"""Cells: a note is cut off where there is less room than it needs, and left out where there are fewer than these."""


class Stroke(NamedTuple):
    """A style for the columns from `start` up to `end`; a column past the line's end is an empty cell there."""

    start: int
    end: int
    style: Style


class Look(NamedTuple):
    """Everything that determines how a row is drawn. Later strokes are over earlier ones.

    The row shows columns `start` up to `end` of `line`, from cell `indent` on, beside the pieces of its gutter. `note`
    follows the text where it has room, at need cut off. `score` stands at the right end, else in the gutter.
    """

    line: str
    start: int
    end: int
    indent: int
    gutter: tuple[tuple[str, Style], ...]
    base: Style
    strokes: tuple[Stroke, ...]
    note: tuple[str, Style] | None = None
    score: tuple[str, Style] | None = None


def paint(look: Look, scroll_x: int, width: int) -> Strip:
    """One row of `width` cells: the gutter, and beside it the text from cell `scroll_x` on."""
    gutter = Strip([Segment(text, style) for text, style in look.gutter], sum(len(text) for text, _ in look.gutter))
    text, score = _text(look), _score(look)
    room = max(0, width - gutter.cell_length)
    if score.cell_length and (scroll_x or text.cell_length + score.cell_length + 2 > room):
        gutter, score = score.extend_cell_length(gutter.cell_length - 1, look.base), Strip([])
        gutter = gutter.extend_cell_length(gutter.cell_length + 1, look.base)
    room -= score.cell_length
    if scroll_x or text.cell_length > room:
        text = text.crop(scroll_x, scroll_x + room)
    elif look.note is not None:
        text = _with_note(text, look, room - bool(score), *look.note)
    return Strip.join([gutter, text.extend_cell_length(room, look.base), score])


def _score(look: Look) -> Strip:
    if look.score is None:
        return Strip([])
    text, style = look.score
    return Strip([Segment(text, look.base + style)], len(text))


def _with_note(text: Strip, look: Look, room: int, note: str, style: Style) -> Strip:
    """`text` with its note two cells behind the line, whether or not the cursor is between them."""
    cells = line_cells(look.line)
    at = look.indent + cells.cell(look.end) - cells.cell(look.start) + 2
    shown, left = f"← {note}", room - at
    if len(shown) > left:
        shown = f"{shown[: left - 1]}…" if left >= _SHORTEST_NOTE else ""
    before = text.extend_cell_length(min(at, room), look.base)
    return Strip.join([before, Strip([Segment(shown, look.base + style)])])


def _text(look: Look) -> Strip:
    """The row's text with its strokes. Strokes past the end of the line get empty cells."""
    cells = line_cells(look.line)
    first, last = cells.index(look.start), cells.index(look.end)
    past = 0
    if look.end == len(look.line):
        past = max(0, max((stroke.end for stroke in look.strokes), default=0) - look.end)
    shown = cells.shown[first:last] + " " * past
    width = cells.cell(look.end) - cells.cell(look.start) + past
    indent = [Segment(" " * look.indent, look.base)] if look.indent else []
    return Strip([*indent, *_stroked(shown, first, look, cells)], look.indent + width)


def _stroked(shown: str, first: int, look: Look, cells: LineCells) -> list[Segment]:
    """`shown`, which begins at index `first` of its line, in segments of one style each."""
    size = len(shown)
    strokes: list[tuple[int, int, Style]] = []
    for stroke in look.strokes:
        start, end = cells.index(stroke.start) - first, cells.index(stroke.end) - first
        if start < size and end > 0:
            strokes.append((max(0, start), min(size, end), stroke.style))
    if not strokes:
        return [Segment(shown, look.base)]
    borders = sorted({0, size, *(at for start, end, _ in strokes for at in (start, end))})
    segments: list[Segment] = []
    for start, end in pairwise(borders):
        style = look.base
        for from_index, to_index, over in strokes:
            if from_index <= start and to_index >= end:
                style += over
        segments.append(Segment(shown[start:end], style))
    return segments
