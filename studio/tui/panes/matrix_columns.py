"""The columns of the matrix: which of them have room, and how a cell is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from engine.study.matrix import RowOrder
from engine.study.matrix_view import CellInk, MatrixCell, MatrixLine, MatrixView
from engine.text.record import Record, replace
from engine.text.spans import visible
from studio.tui.pieces import Piece, fit
from studio.tui.tall_list import DIM, YOURS

BEST, WORST = "▴", "▾"
_WIDEST_LABEL, _USUAL_LABEL, _LEAST_LABEL = 80, 48, 24
_WIDEST_NAME = 16
"""Cells that the name of a column takes at most where its figures take fewer."""
_INKS = {ink: YOURS if ink is CellInk.OPEN else f"list--{ink}" for ink in CellInk}


class Geometry(Record):
    """The widths of the parts of a row, and which columns are drawn.

    A cell has what it `was`, its `figure` with the mark of the best or the worst, and a `word`; 0 for what is left out.
    """

    number: int
    was: int
    figure: int
    word: int
    order: int
    cell: int = 0
    label: int = 0
    first: int = 0
    last: int = 0

    @classmethod
    def of(cls, view: MatrixView, width: int, first: int, column: int) -> Geometry:
        """The parts of a row of `width` cells, with the selected column among those drawn. No figure is ever cut."""
        count = len(view.labels)
        longest = max([cell_len(visible(line.label)) + 2 for line in view.lines], default=0)
        wanted = min(max(longest, len(view.total_label) + 2), _WIDEST_LABEL)
        least = min(wanted, _LEAST_LABEL)
        parts, room = cls._whole(view), 0
        for left_out in ({}, {"was": 0}, {"order": 0}, {"word": 0}):
            parts = replace(parts, **left_out)
            room = width - parts.number - parts.order
            if room - least >= parts._least_cell * (count if parts.was else 1):
                break
        shown = min(max((room - least) // parts._least_cell, 1), count)
        names = min(max(map(cell_len, view.labels), default=0), _WIDEST_NAME) + 2
        cell = max(parts._least_cell, min(names, (room - min(wanted, _USUAL_LABEL)) // max(shown, 1)))
        first = min(max(first, column - shown + 1, 0), column, count - shown)
        label = max(min(wanted, room - cell * shown), 1)
        return replace(parts, cell=cell, label=label, first=first, last=first + shown)

    @classmethod
    def _whole(cls, view: MatrixView) -> Geometry:
        """The widths of all parts, without those of columns and labels."""
        every = [*view.totals, *(cell for line in view.lines for cell in line.cells)]
        with_figures = [each for each in every if each.figure]
        word = max((len(each.word) + 1 for each in with_figures if each.word), default=0)
        was = max((len(each.was) + 2 for each in with_figures if each.was), default=0)
        alone = max((len(each.word) for each in every if not each.figure), default=0)
        figure = max([alone - word, *(len(figure_of(each)) for each in with_figures)])
        title = order_title(view)
        orders = [len(order_figure(view, line)) for line in view.lines] if title else [0]
        order = max(len(title), *orders) + 2 if any(orders) else 0
        number = len(str(max([line.row.number for line in view.lines], default=1))) + 2
        return cls(number, was, figure, word, order)

    @property
    def _least_cell(self) -> int:
        """What the parts of a cell take, with a blank and the mark of the selection before them."""
        return 2 + self.was + self.figure + self.word

    @property
    def width(self) -> int:
        """The cells of a row."""
        return self.number + self.label + (self.last - self.first) * self.cell + self.order


def order_title(view: MatrixView) -> str:
    """The name of the figure that rows are sorted by, which stands at their ends; "" for none."""
    if view.options.order is RowOrder.SPREAD:
        return "spread" if len(view.labels) > 1 and not view.is_second_shown else ""
    return "cost" if view.options.order is RowOrder.COST else ""


def order_figure(view: MatrixView, line: MatrixLine) -> str:
    """That figure of a row."""
    return line.spread if view.options.order is RowOrder.SPREAD else line.cost


def figure_of(cell: MatrixCell) -> str:
    """The figure of a cell, with the mark of the best or the worst of its row."""
    return f"{BEST} {cell.figure}" if cell.is_best else f"{WORST} {cell.figure}" if cell.is_worst else cell.figure


def cell_pieces(cell: MatrixCell, parts: Geometry) -> Iterator[Piece]:
    """`100 → 0  ▾ −33.3 answer`: the figure at the right of its column, the word at the left."""
    ink, room = _INKS[cell.ink], parts.was + parts.figure + parts.word
    yield " " * (parts.cell - room), ""
    if not cell.figure:
        yield fit(cell.word, room).rjust(room), ink
        return
    if parts.was:
        yield cell.was.rjust(parts.was - 2) + "  ", DIM
    yield figure_of(cell).rjust(parts.figure), "" if cell.word else ink
    if parts.word:
        yield f" {cell.word}".ljust(parts.word), ink
