"""A table of scores with a selected cell: it draws only visible rows and as many columns as there is room for."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from engine.study.grid_view import CellInk, GridCell, GridMode, GridView
from engine.text.record import Record
from engine.text.spans import visible
from studio.tui.pieces import Piece, fit
from studio.tui.row_list import Rows

_CELL = 10
"""The least cells of a column."""
_SECOND_CELL = 17
"""The least cells of a column with differences and their causes."""
_WIDEST_CELL = 16
_FIGURE = 8
"""Cells of the columns of spread and cost."""
_NOTE = 10
_LEAST_LABEL = 18
_BEST, _WORST = "▴", "▾"
_WIDEST_LABEL = 60
_INKS = {CellInk.PLAIN: "", CellInk.DIM: "rows--dim", CellInk.OPEN: "grid--open", CellInk.ERROR: "rows--error"}


class Geometry(Record):
    """The widths of the parts of a row, and which columns are drawn."""

    number: int
    label: int
    cell: int
    first: int
    last: int
    spread: int
    cost: int
    note: int

    @classmethod
    def of(cls, view: GridView, width: int, first: int, selected: int) -> Geometry:
        """The parts of a row of `width` cells, with the selected column among those drawn."""
        columns = len(view.labels)
        number = len(str(max(len(view.grid.rows), len(view.rows)))) + 2
        least = _SECOND_CELL if view.is_second_shown else _CELL
        is_wide = view.options.mode is GridMode.CRITERIA
        note = _NOTE if is_wide and columns > 1 and width >= 100 else 0
        spread = _FIGURE if columns > 1 else 0
        room = width - number - spread - _FIGURE - note
        wanted = _WIDEST_LABEL if is_wide else max((cell_len(row.name) for row in view.grid.rows), default=0) + 2
        label = min(max(wanted, _LEAST_LABEL), max(room * 2 // 5, _LEAST_LABEL))
        shown = min(columns, max((room - label) // least, 1))
        first = min(max(first, selected - shown + 1, 0), selected, max(columns - shown, 0))
        longest = max((cell_len(each) for each in view.labels), default=0)
        widest = max(min(longest + 2, _WIDEST_CELL), least)
        cell = max(min((room - label) // max(shown, 1), widest), min(least, room - 1))
        label = max(min(wanted, room - cell * shown), _LEAST_LABEL if room > 2 * _LEAST_LABEL else 1)
        return cls(number, label, cell, first, first + shown, spread, _FIGURE, note)


class GridTable(Rows[int], inherit_bindings=False):
    """The rows of a grid by index."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "grid--open", "grid--cell", "grid--heat-0", "grid--heat-1", "grid--heat-2", "grid--heat-3", "grid--heat-4",
    }  # fmt: skip
    DEFAULT_CSS = """
    GridTable > .grid--open { color: $ink-yours; }
    GridTable > .grid--cell { text-style: bold underline; }
    GridTable > .grid--heat-0 { background: $heat-0; }
    GridTable > .grid--heat-1 { background: $heat-1; }
    GridTable > .grid--heat-2 { background: $heat-2; }
    GridTable > .grid--heat-3 { background: $heat-3; }
    GridTable > .grid--heat-4 { background: $heat-4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move_to(0)", "First", show=False),
        Binding("end", "move_to(-1)", "Last", show=False),
        Binding("left", "column(-1)", "Column to the left", show=False),
        Binding("right", "column(1)", "Column to the right", show=False),
    ]

    column: reactive[int] = reactive(0)

    class ColumnSelected(Message):
        """Another column was selected."""

    def __init__(self, empty: str, *, id: str | None = None) -> None:
        super().__init__(empty, id=id)
        self.view: GridView | None = None
        self.first_column = 0

    def show(self, view: GridView) -> None:
        """Show a grid. The selection stays on the row with the same key."""
        before = None if self.view is None or self.row is None else self.view.line(self.row).key
        mode = None if self.view is None else (self.view.options.mode, self.view.options.prompt)
        self.view = view
        self.show_rows(range(len(view.rows)))
        if mode != (view.options.mode, view.options.prompt):
            self.select(0)
        elif before is not None:
            keys = (row.name if view.prompt is None else f"{row.number}" for row in view.rows)
            self.select(next((at for at, key in enumerate(keys) if key == before), self.selected))
        self.column = min(self.column, max(len(view.labels) - 1, 0))
        self.refresh()

    def geometry(self, width: int) -> Geometry:
        """The parts of a row of `width` cells."""
        assert self.view is not None
        found = Geometry.of(self.view, width, self.first_column, self.column)
        self.first_column = found.first
        return found

    def validate_column(self, column: int) -> int:
        """Keep the column within the grid."""
        return max(0, min(column, len(self.view.labels) - 1 if self.view is not None else 0))

    def watch_column(self) -> None:
        """Report the column."""
        self.refresh()
        self.post_message(self.ColumnSelected())

    def action_column(self, by: int) -> None:
        """One column to the right, or to the left."""
        self.column += by

    def on_click(self, event: events.Click) -> None:
        """A click selects a cell; on the selected one it opens it."""
        line = event.y + round(self.scroll_y)
        if self.view is None or line >= len(self.rows):
            return
        parts = self.geometry(self.scrollable_content_region.width - 1)
        at = (event.x - 1 - parts.number - parts.label) // parts.cell
        column = parts.first + at if 0 <= at < parts.last - parts.first else self.column
        was = self.selected, self.column
        self.selected, self.column = line, column
        if was == (line, column):
            self.choose()

    def draw(self, row: int, width: int) -> list[Piece]:
        """One row: its label, its cells, spread and cost."""
        assert self.view is not None
        parts, line = self.geometry(width), self.view.line(row)
        pieces: list[Piece] = [
            (f"{line.number:>{parts.number - 2}}  ", "rows--dim"),
            (_padded(fit(line.label, parts.label - 1), parts.label), ""),
        ]
        for column in range(parts.first, parts.last):
            is_selected = row == self.selected and column == self.column
            pieces += _cell_pieces(line.cells[column], parts.cell, is_selected=is_selected)
        if parts.spread:
            pieces.append((line.spread.rjust(parts.spread), "rows--dim"))
        pieces.append((line.cost.rjust(parts.cost), ""))
        if parts.note:
            pieces.append((line.note.rjust(parts.note), "rows--dim"))
        return pieces

    def _strip(self, pieces: list[Piece], base: object, width: int) -> Strip:
        """A piece may have several styles, separated by blanks."""
        segments = []
        for text, names in pieces:
            style = base
            for name in names.split():
                style += self.get_component_rich_style(name, partial=True)  # pyright: ignore[reportOperatorIssue]
            segments.append(Segment(text, style))  # pyright: ignore[reportArgumentType]
        return Strip(segments).adjust_cell_length(width, base)  # pyright: ignore[reportArgumentType]


def _cell_pieces(cell: GridCell, width: int, *, is_selected: bool) -> list[Piece]:
    heat = "" if cell.heat is None else f"grid--heat-{cell.heat + 2}"
    extreme = f"{_BEST} " if cell.is_best else f"{_WORST} " if cell.is_worst else ""
    text = fit(f"{extreme}{cell.text}", width - 2)
    mark = "▸" if is_selected else ""
    blank = " " * (width - 1 - cell_len(text) - len(mark))
    styles = f"{heat} {_INKS[cell.ink]}{' grid--cell' if is_selected else ''}"
    return [(" ", ""), (blank, heat), (mark + text, styles)]


class GridHead(Widget):
    """The names of the columns, and the line of the means."""

    DEFAULT_CSS = """
    GridHead { height: 4; border-bottom: solid $line; padding: 0 1 0 1; }
    """

    def __init__(self, table: GridTable) -> None:
        super().__init__()
        self._table = table

    def render(self) -> Content:
        """Two lines of names, and the totals."""
        view = self._table.view
        if view is None:
            return Content()
        parts = self._table.geometry(self.size.width)
        lines = [self._names(view, parts, number) for number in (0, 1)]
        return Content("\n").join([*lines, self._totals(view, parts)])

    def _names(self, view: GridView, parts: Geometry, number: int) -> Content:
        more = len(view.labels) - (parts.last - parts.first)
        hidden = f"{more} more: ← →" if more else ""
        is_marked = len(view.labels) > 1 and not (view.options.is_difference or view.is_second_shown)
        legend = f"{_BEST} best  {_WORST} worst" if is_marked else ""
        left = hidden if number else legend
        pieces = [
            Content.styled(_padded(fit(left, parts.number + parts.label - 1), parts.number + parts.label), "$ink-dim")
        ]
        for column in range(parts.first, parts.last):
            text = _two_lines(visible(view.labels[column]), parts.cell - 1)[number].rjust(parts.cell)
            style = "bold $foreground" if column == self._table.column else "$ink-dim"
            pieces.append(Content.styled(text, style))
        if number:
            spread = "spread".rjust(parts.spread) if parts.spread else ""
            pieces.append(Content.styled(f"{spread}{'cost'.rjust(parts.cost)}{' ' * parts.note}", "$ink-dim"))
        return Content("").join(pieces)

    def _totals(self, view: GridView, parts: Geometry) -> Content:
        label = _padded(f"{' ' * parts.number}{view.total_label}", parts.number + parts.label)
        pieces = [Content.styled(label, "$ink-dim")]
        for column in range(parts.first, parts.last):
            cell = view.totals[column]
            style = {CellInk.PLAIN: "bold", CellInk.OPEN: "$ink-yours", CellInk.ERROR: "$ink-error"}.get(
                cell.ink, "$ink-dim"
            )
            pieces.append(Content.styled(fit(cell.text, parts.cell - 1).rjust(parts.cell), style))
        return Content("").join(pieces)


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - cell_len(text), 0)


def _two_lines(label: str, width: int) -> tuple[str, str]:
    """A name on two lines, broken at a sign between its parts; what fits into one stands on the second."""
    if cell_len(label) <= width:
        return "", label
    breaks = [at + 1 for at, sign in enumerate(label[:width]) if sign in "-/:. _,"]
    at = next((each for each in reversed(breaks) if cell_len(label[each:]) <= width), breaks[-1] if breaks else width)
    return label[:at].strip(), fit(label[at:].strip(), width)
