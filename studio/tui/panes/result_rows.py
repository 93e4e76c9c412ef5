"""The list of a result: rows under headings."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.message import Message

from studio.tui.panes.result_row import Cell, ResultRow
from studio.tui.row_list import Piece, Rows, fit

NARROW = 64
"""Below this many cells, columns that a row can do without are left out."""
WIDE = 100
"""From so many cells on, there is room for a column more."""


class ResultRows(Rows[ResultRow]):
    """The rows of a result. Headings and gaps cannot be selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "result--met", "result--partly", "result--unmet", "result--yours",
        "result--cost", "result--left", "result--edge",
    }  # fmt: skip

    DEFAULT_CSS = """
    ResultRows > .result--met { color: $ink-met; }
    ResultRows > .result--partly { color: $ink-partly; }
    ResultRows > .result--unmet { color: $ink-unmet; }
    ResultRows > .result--yours { color: $ink-yours; }
    ResultRows > .result--cost { color: $ink-unmet; }
    ResultRows > .result--left { color: $line; }
    ResultRows > .result--edge { color: $line; background: $ink-unmet; }
    """

    class HeadingClicked(Message):
        """A heading was clicked, `from_right` cells from the right edge."""

        def __init__(self, row: ResultRow, from_right: int) -> None:
            super().__init__()
            self.row = row
            self.from_right = from_right

    def draw(self, row: ResultRow, width: int) -> list[Piece]:
        """The lead, the text cut to the remaining width, and the columns at the right."""
        cells = _columns(row, width)
        lead = sum(cell_len(cell.text) for cell in row.lead)
        tail = sum(cell_len(cell.text) for cell in cells)
        text = fit(row.text, width - lead - tail)
        pad = " " * max(width - lead - cell_len(text) - tail, 0)
        pieces = [*((cell.text, cell.ink) for cell in row.lead), (text, row.ink), (pad, "")]
        return [*((str(text), str(ink)) for text, ink in pieces), *((cell.text, str(cell.ink)) for cell in cells)]

    def same(self, old: ResultRow, new: ResultRow) -> bool:
        """Rows with the same key are the same; their figures may change."""
        return old.key == new.key

    def action_move(self, by: int) -> None:
        """Select the next selectable row."""
        index = self.selected + by
        while 0 <= index < len(self.rows):
            if self.rows[index].selectable:
                self.selected = index
                return
            index += by

    def validate_selected(self, index: int) -> int:
        """The nearest selectable row; of two, the one below."""
        index = super().validate_selected(index)
        for away in range(len(self.rows)):
            for place in (index + away, index - away):
                if 0 <= place < len(self.rows) and self.rows[place].selectable:
                    return place
        return index

    def select_first(self) -> None:
        """Select the first selectable row."""
        self.select(0)

    def on_click(self, event: events.Click) -> None:
        """Select and choose the clicked row; post a click on a heading."""
        line = event.y + round(self.scroll_y)
        if line < len(self.rows) and not self.rows[line].selectable:
            event.prevent_default()
            self.post_message(self.HeadingClicked(self.rows[line], self.scrollable_content_region.width - event.x - 1))


def _columns(row: ResultRow, width: int) -> tuple[Cell, ...]:
    """The columns at the right edge of a row of this width."""
    if width >= WIDE and row.wide_tail is not None:
        return row.wide_tail
    return row.tail if row.short_tail is None or width >= NARROW else row.short_tail
