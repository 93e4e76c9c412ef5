"""The outline: the header and the prompts of the file, what is wrong in each, and how each last scored."""

from __future__ import annotations

from enum import Enum, auto
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content

from engine.text.spans import visible
from studio.session.views import figures
from studio.session.views.figures import ago
from studio.session.views.outline_view import OutlineRow, OutlineView
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.panes.shared_prefix import common_prefix
from studio.tui.row_list import Piece, Rows, fit

_LEAST_SCORE_WIDTH = 4
"""A blank and 100: the column does not move with the first scores."""
_SHORTEST_ID = 16
"""Cells that an id has at least, beside marks of what is left to do."""


def _described(row: OutlineRow) -> str:
    """The full id, and what its score is from."""
    progress = "" if row.progress is None else f"\n{row.progress.text}"
    if row.last is None:
        return row.name + progress
    rubric = ", by another rubric" if row.score.startswith("≠") else ""
    age = ago(row.last, figures.now())
    return f"{row.name}\n{row.score.removeprefix('≠')} in the last run, {age}{rubric}{progress}"


class _Detail(Enum):
    """How a row tells what is done for its prompt, the most first: all rows alike, as far as they have room."""

    WORDS = auto()
    MARKS = auto()
    LEFT_TO_DO = auto()
    NOTHING = auto()


def _progress_text(row: OutlineRow, detail: _Detail) -> str:
    if row.progress is None:
        return ""
    match detail:
        case _Detail.WORDS:
            return row.progress.text
        case _Detail.MARKS:
            return row.progress.marks
        case _Detail.LEFT_TO_DO:
            return row.progress.left_to_do
        case _Detail.NOTHING:
            return ""


def _from(detail: _Detail) -> list[_Detail]:
    """`detail` and what tells less, the most first."""
    return list(_Detail)[detail.value - 1 :]


class Outline(Rows[OutlineRow]):
    """The outline of one file. Enter goes to the selected prompt."""

    place = Place.OUTLINE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.OUTLINE)]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Reading the file …", id=id)
        self._score_width = _LEAST_SCORE_WIDTH
        self._view: OutlineView | None = None
        self._prefix = ""
        self._detailed: tuple[OutlineView | None, int, _Detail] | None = None

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
        tooltip = None if hovered is None or hovered.number is None else Content(visible(_described(hovered)))
        if tooltip != self.tooltip:
            self.tooltip = tooltip

    def _ends(self, row: OutlineRow) -> tuple[list[Piece], str]:
        """The counts of problems of a row, and its score, each behind a blank."""
        marks: list[Piece] = []
        if row.tally.errors:
            marks.append((f" ●{row.tally.errors}", "rows--error"))
        if row.tally.warnings:
            marks.append((f" ▲{row.tally.warnings}", "rows--warning"))
        score = "" if row.number is None else row.score or ("!" if row.failed else "–")
        return marks, f"{score:>{self._score_width}}" if marks else f" {score}" if score else ""

    def _room(self, row: OutlineRow, width: int) -> int:
        """The cells for the name of a row and what is done for it."""
        marks, right = self._ends(row)
        return width - self._digits - 1 - sum(len(text) for text, _ in marks) - len(right)

    @property
    def _digits(self) -> int:
        return len(str(max(len(self.rows) - 1, 1)))

    def _detail(self, width: int) -> _Detail:
        """The most detail for which every row without problems has room; for what is left to do, ids are cut."""
        if self._detailed is None or self._detailed[:2] != (self._view, width):
            sound = [row for row in self.rows if not row.tally.errors and not row.tally.warnings]
            fitting = (each for each in _Detail if all(self._has_room(row, width, each) for row in sound))
            self._detailed = self._view, width, next(fitting, _Detail.LEFT_TO_DO)
        return self._detailed[2]

    def _progress(self, row: OutlineRow, width: int) -> str:
        """What is done for the prompt of a row: as all rows tell it, or in less if its problems take the room."""
        fitting = (each for each in _from(self._detail(width)) if self._has_room(row, width, each))
        return _progress_text(row, next(fitting, _Detail.NOTHING))

    def _has_room(self, row: OutlineRow, width: int, detail: _Detail) -> bool:
        needed = cell_len(_progress_text(row, detail))
        name = cell_len(self._shown_name(row))
        least = min(name, _SHORTEST_ID) if detail is _Detail.LEFT_TO_DO else name
        return not needed or needed + 2 + least <= self._room(row, width)

    def draw(self, row: OutlineRow, width: int) -> list[Piece]:
        """`  3 censorship    ▲2  38`, with a headline's marks; `!` if the run failed, `–` without a run.

        Between them: what is done for the prompt. Scores of earlier sessions are dim, with `≠` if their rubric was
        another one.

        Counts of problems stand in one column, beside the score column. Only a row that has some keeps it free: any
        other name goes up to its own score.
        """
        number = "" if row.number is None else str(row.number)
        marks, right = self._ends(row)
        room, digits = self._room(row, width), self._digits
        progress = self._progress(row, width)
        name = fit(self._shown_name(row), room - cell_len(progress) - (2 if progress else 0))
        return [
            (f"{number:>{digits}} ", "rows--dim"),
            (name, "rows--dim" if row.number is None else ""),
            (" " * (room - cell_len(name) - cell_len(progress)), ""),
            (progress, "rows--dim"),
            *marks,
            (right, "rows--error" if row.failed else "" if row.score and row.last is None else "rows--dim"),
        ]
