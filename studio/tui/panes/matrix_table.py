"""The table of the matrix: rows as tall as their text, and as many columns of figures as have room."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from engine.study.matrix import RowOrder
from engine.study.matrix_view import CellInk, MatrixCell, MatrixLine, MatrixView
from engine.study.two_runs import Edit, WordEdit, words_summary
from engine.text.record import Record, replace
from engine.text.spans import visible
from studio.tui.paragraphs import Line, beside, cells, paragraph
from studio.tui.pieces import Piece, fit
from studio.tui.tall_list import DIM, MET, SELECTED, STRONG, UNMET, WARNING, YOURS, TallList, rule

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


_LEGEND = f"{BEST}\N{NO-BREAK SPACE}best {WORST}\N{NO-BREAK SPACE}worst"
_EDITS = {Edit.SAME: ("", "", ""), Edit.REMOVED: ("[-", "-]", UNMET), Edit.ADDED: ("{+", "+}", MET)}
_MOST_LINES = 3
"""Lines of the name of a column."""
_SELECTED = "▸"


class MatrixTable(TallList[MatrixLine]):
    """The rows of a matrix, with a selected column."""

    LEAST = 2
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "column(-1)", "Column to the left", show=False),
        Binding("right", "column(1)", "Column to the right", show=False),
    ]
    column: reactive[int] = reactive(0)

    def __init__(self, empty: str) -> None:
        super().__init__(empty)
        self.view: MatrixView | None = None
        self._progress = ""
        self.geometry: Geometry | None = None
        """The parts of a row at the present width; None without a view."""

    def show_view(self, view: MatrixView, *, selected: Hashable = None) -> None:
        """Show a matrix. Of the same prompt the row stays selected; else the first one is, or that with this key."""
        before, self.view = self.view, view
        self._known.clear()
        self.set_reactive(MatrixTable.column, self.validate_column(self.column))
        if selected is None and view.lines and (before is None or _prompt_of(before) != _prompt_of(view)):
            selected = self.key(view.lines[0])
        self.show(view.lines, selected=selected)

    def show_progress(self, progress: str) -> None:
        """Show behind the title how far the judges have come; "" for nothing."""
        self._progress = progress
        self.draw_head()

    def key(self, row: MatrixLine) -> Hashable:
        return row.row.name

    def facets(self, row: MatrixLine) -> str:
        return " ".join((str(row.row.name), row.label, row.note, *(cell.word for cell in row.cells)))

    # --- The selected cell

    def validate_column(self, column: int) -> int:
        """Keep the column within the matrix."""
        return max(0, min(column, len(self.view.labels) - 1 if self.view is not None else 0))

    def watch_column(self) -> None:
        """Bring the column into view."""
        self.draw_again()

    def action_column(self, by: int) -> None:
        """One column to the right, or to the left."""
        self.column += by

    def on_click(self, event: events.Click) -> None:
        """A click in another column selects a cell; else the list selects the row, or opens the selected one."""
        parts = self.geometry
        at = -1 if parts is None else (event.x - 1 - parts.number - parts.label) // parts.cell
        if parts is not None and 0 <= at < parts.last - parts.first and parts.first + at != self.column:
            event.prevent_default()
            self.column = parts.first + at
            self.at = self.at if (row := self.row_at(event.y)) is None else row

    # --- Drawing

    def head(self, width: int) -> Sequence[Line]:
        """What is shown, the names of the columns, and the totals."""
        view, before = self.view, self.geometry
        if view is None:
            return ()
        self.geometry = parts = Geometry.of(view, width, before.first if before else 0, self.column)
        if parts != before:
            self._known.clear()
        hidden = len(view.labels) - (parts.last - parts.first)
        has_best = any(cell.is_best for line in view.lines for cell in line.cells)
        said = (
            view.matrix.title,
            view.title,
            view.state,
            _LEGEND if has_best else "",
            f"{hidden} more: ← →" if hidden else "",
            f"… = {view.matrix.phrase}" if view.matrix.phrase and view.prompt is None else "",
            self._progress,
        )
        total = self._cells(view.totals, parts)
        return [
            *paragraph([("Models  ", STRONG), (" · ".join(filter(None, said)), DIM)], width),
            *self._names(view, parts),
            *beside(((" " * parts.number, ""),), ((view.total_label, DIM),), total, parts.width - parts.order),
            rule(width),
        ]

    def _names(self, view: MatrixView, parts: Geometry) -> Iterator[Line]:
        """The names of the columns at the right of each, their last lines beside each other."""
        labels = enumerate(view.labels[parts.first : parts.last], parts.first)
        inks = ((label, STRONG if column == self.column else DIM) for column, label in labels)
        names = [paragraph(label, parts.cell - 1, ink=ink, most=_MOST_LINES) for label, ink in inks]
        height = max(map(len, names), default=0)
        for at in range(height):
            lines = [name[at - height] if height - at <= len(name) else () for name in names]
            padded = [((" " * (parts.cell - cells(line)), ""), *line) for line in lines]
            order = order_title(view).rjust(parts.order) if at == height - 1 and parts.order else ""
            yield (" " * (parts.number + parts.label), ""), *chain.from_iterable(padded), (order, DIM)

    def draw(self, row: MatrixLine, width: int, most: int | None) -> Sequence[Line]:
        """`2  How does … address requests    ▴ 100 all    ▾ 0 none     100`."""
        view, parts = self.view, self.geometry
        if view is None or parts is None:
            return ()
        order = order_figure(view, row).rjust(parts.order) if parts.order else ""
        lead = ((f"{row.row.number:>{parts.number - 2}}  ", DIM),)
        tail = [*self._cells(row.cells, parts), (order, DIM)]
        return beside(lead, row.label, tail, parts.width, most=most if view.prompt is None else None)

    def _cells(self, row: Sequence[MatrixCell], parts: Geometry) -> list[Piece]:
        return [piece for cell in row[parts.first : parts.last] for piece in cell_pieces(cell, parts)]

    def foot(self, row: MatrixLine, width: int) -> Sequence[Line]:
        """All words of a row that is cut, and what is to know of the selected cell; of a prompt with a second result,
        the answers by words."""
        view = self.view
        if view is None or not view.labels:
            return ()
        column = self.column
        first, *more = view.detail(row.row, column)
        compared = None if view.prompt is None else view.compared(view.prompt, column)
        return [
            *(paragraph(row.label, width) if self.is_cut else ()),
            *paragraph(first, width),
            *(line for text in more if text for line in paragraph(text, width, ink=DIM)),
            *(line for note in view.notes(row.row, column) for line in paragraph(note, width, ink=WARNING)),
            *(() if compared is None else _words(compared.edits, width)),
        ]

    def _row_strip(self, at: int, part: int) -> Strip:
        strip, parts = super()._row_strip(at, part), self.geometry
        if at != self.at or part or parts is None:
            return strip
        start = 1 + parts.number + parts.label + (self.column - parts.first) * parts.cell
        text = strip.crop(start, start + parts.cell).text
        mark = start + len(text) - len(text.lstrip()) - 1
        style = self._style("") + self._style(SELECTED) + self._style(STRONG)
        cell = strip.crop(mark + 1, start + parts.cell).apply_style(self._style(STRONG))
        pieces = [strip.crop(0, mark), Strip([Segment(_SELECTED, style)]), cell, strip.crop(start + parts.cell)]
        return Strip.join(pieces).crop(0, strip.cell_length)


def _prompt_of(view: MatrixView) -> str:
    return "" if view.prompt is None else view.prompt.name


def _words(edits: Sequence[WordEdit], width: int) -> Iterator[Line]:
    """The answers by words: removed and added ones have marks as well as colours."""
    yield from paragraph([("Answers  ", STRONG), (words_summary(edits), DIM)], width)
    lines: list[list[Piece]] = [[]]
    for edit in edits:
        before, behind, ink = _EDITS[edit.edit]
        for at, text in enumerate(edit.text.split("\n")):
            lines += [[]] if at else []
            lines[-1] += [(f"{before}{text}{behind}", ink)] if text else []
    for line in lines:
        yield from paragraph(line or "", width)
