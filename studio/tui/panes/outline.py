"""The outline: the header and the prompts of the file, what is wrong in each, and how each last scored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content

from engine.text import visible
from studio.session.views.outline_view import OutlineRow, OutlineView
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.row_list import Piece, Rows, fit

_LEAST_SCORE_WIDTH = 5
_SHORT_ID = 14
"""Cells that an id has at least, beside a count of problems."""
_SEPARATORS = "-_./: "


def common_prefix(ids: Sequence[str]) -> str:
    """What all `ids` begin with, up to a separator; "" unless one of them is too long for the outline."""
    if len(ids) < 2 or max(map(cell_len, ids)) <= _SHORT_ID:
        return ""
    ends = zip(min(ids), max(ids), strict=False)
    shared = "".join(one for one, other in takewhile(lambda pair: pair[0] == pair[1], ends))
    end = max(shared.rfind(separator) for separator in _SEPARATORS) + 1
    return shared[:end] if all(len(id) > end for id in ids) else ""


class Outline(Rows[OutlineRow]):
    """The outline of one file. Enter goes to the selected prompt."""

    place = Place.OUTLINE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.OUTLINE)]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Reading the file …", id=id)
        self._score_width = _LEAST_SCORE_WIDTH
        self._view: OutlineView | None = None
        self._prefix = ""

    @property
    def title(self) -> str:
        """The title above the list, with the prefix that all ids share and that the rows leave out."""
        return f"Outline  {visible(self._prefix)}…" if self._prefix else "Outline"

    def show(self, view: OutlineView | None) -> None:
        """Show the rows; the score column is as wide as the longest score."""
        if view is None or view is self._view:
            return
        self._view = view
        self._prefix = common_prefix([row.name for row in view.rows if row.number is not None])
        self._score_width = max(_LEAST_SCORE_WIDTH, *(len(row.score) + 1 for row in view.rows))
        self.show_rows(view.rows)

    def action_go_to_prompt(self) -> None:
        """Choose the selected prompt."""
        self.choose()

    def same(self, old: OutlineRow, new: OutlineRow) -> bool:
        """Rows are the same if they show the prompt with the same number."""
        return old.number == new.number

    def _shown_name(self, row: OutlineRow) -> str:
        return row.name if row.number is None else row.name.removeprefix(self._prefix)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the full id of the row under the mouse."""
        index = event.y + round(self.scroll_y)
        hovered = self.rows[index] if index < len(self.rows) else None
        tooltip = None if hovered is None or hovered.number is None else Content(visible(hovered.name))
        if tooltip != self.tooltip:
            self.tooltip = tooltip

    def draw(self, row: OutlineRow, width: int) -> list[Piece]:
        """`  3 censorship    ▲2  38`, with a headline's marks; `!` if the run failed, `–` without a run.

        Counts of problems stand in one column, beside the score column. Only a row that has some keeps it free: any
        other name goes up to its own score.
        """
        digits = len(str(max(len(self.rows) - 1, 1)))
        number = "" if row.number is None else str(row.number)
        marks: list[Piece] = []
        if row.tally.errors:
            marks.append((f" ●{row.tally.errors}", "rows--error"))
        if row.tally.warnings:
            marks.append((f" ▲{row.tally.warnings}", "rows--warning"))
        score = "" if row.number is None else row.score or ("!" if row.failed else "–")
        right = f"{score:>{self._score_width}}" if marks else score
        room = width - digits - 2 - sum(len(text) for text, _ in marks) - len(right)
        name = fit(self._shown_name(row), room)
        return [
            (f"{number:>{digits}} ", "rows--dim"),
            (name, "rows--dim" if row.number is None else ""),
            (" " * (room - cell_len(name) + 1), ""),
            *marks,
            (right, "" if row.score else "rows--error" if row.failed else "rows--dim"),
        ]
