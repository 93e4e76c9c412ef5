"""The outline: the header and the prompts of the file, what is wrong in each, and how each last scored."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.binding import BindingType

from engine.text import visible
from studio.session.views.outline_view import OutlineRow, OutlineView
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.row_list import Piece, Rows, fit

_LEAST_SCORE_WIDTH = 5


def fit_id(id: str, width: int) -> str:
    """`id` in at most `width` cells. Where it is too long its middle goes: ids begin alike, and their ends differ."""
    shown = " ".join(visible(id).split())
    if cell_len(shown) <= width or width < 8:
        return fit(id, width)
    head = set_cell_size(shown, width // 3).rstrip()
    room = width - cell_len(head) - 1
    tail = shown[-room:]
    while cell_len(tail) > room:
        tail = tail[1:]
    return f"{head}…{tail}"


class Outline(Rows[OutlineRow]):
    """The outline of one file. Enter goes to the selected prompt."""

    BORDER_TITLE = "Outline"
    place = Place.OUTLINE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.OUTLINE)]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Reading the file …", id=id)
        self._score_width = _LEAST_SCORE_WIDTH
        self._view: OutlineView | None = None

    def show(self, view: OutlineView | None) -> None:
        """Show the rows; the score gets as much room as the longest needs."""
        if view is None or view is self._view:
            return
        self._view = view
        self._score_width = max(_LEAST_SCORE_WIDTH, *(len(row.score) + 1 for row in view.rows))
        self.show_rows(view.rows)

    def action_go_to_prompt(self) -> None:
        """Choose the selected prompt."""
        self.choose()

    def same(self, old: OutlineRow, new: OutlineRow) -> bool:
        """A prompt keeps its place."""
        return old.number == new.number

    def draw(self, row: OutlineRow, width: int) -> list[Piece]:
        """`  3 censorship    ▲2  38`, with a headline's marks; `!` where the run failed, `–` where there was none."""
        digits = len(str(max(len(self.rows) - 1, 1)))
        number = "" if row.number is None else str(row.number)
        marks: list[Piece] = []
        if row.tally.errors:
            marks.append((f" ●{row.tally.errors}", "rows--error"))
        if row.tally.warnings:
            marks.append((f" ▲{row.tally.warnings}", "rows--warning"))
        score = "" if row.number is None else row.score or ("!" if row.failed else "–")
        right = f"{score:>{self._score_width}}" if marks or row.number is not None else ""
        room = width - digits - 2 - sum(len(text) for text, _ in marks) - len(right)
        name = fit_id(row.name, room)
        return [
            (f"{number:>{digits}} ", "rows--dim"),
            (name, "rows--dim" if row.number is None else ""),
            (" " * (room - cell_len(name) + 1), ""),
            *marks,
            (right, "" if row.score else "rows--error" if row.failed else "rows--dim"),
        ]
