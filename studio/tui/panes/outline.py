"""The outline: the prompts of the file in their own words, what is wrong in each, and how each scores."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import ClassVar

from engine.text.spans import Span
from studio.session.prompt_names import told_apart
from studio.session.views.outline_view import OutlineRow
from studio.tui.action import Place
from studio.tui.paragraphs import Line, cells, paragraph
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, ERROR, STRONG, WARNING, TallList, lowest_first

_LEAST_COLUMN = 6
"""Cells of a score such as `33–67` and a blank: the first scores wrap no words anew."""
_MOST_AT_ONCE = 4_000
"""Characters: more are laid out off the event loop."""


class Outline(TallList[OutlineRow], place=Place.OUTLINE):
    """The outline of one file. The text follows the selected prompt, and Enter goes there."""

    LEAST = 2
    ORDERS: ClassVar = {"as in the file": None, "lowest score first": lambda row: lowest_first(row.least)}
    HEADS = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Reading the file …", id=id)
        self._columns = 1, _LEAST_COLUMN
        self._names: tuple[tuple[str, str], ...] = ()
        self._short: dict[tuple[int, int], Sequence[str]] = {}

    def show(self, rows: Sequence[OutlineRow], *, empty: str | None = None, selected: Hashable = None) -> None:
        """Show the rows, the words of all at one width between number and score."""
        if rows is self._all:
            return
        names = tuple([(row.name, row.id) for row in rows])
        if names != self._names:
            self._names, self._short = names, {}
        column = max([_LEAST_COLUMN, *(cells(end) + 1 for row in rows for end in _ends(row))])
        before, self._columns = self._columns, (len(str(len(rows) - 1)), column)
        super().show(rows, empty=empty, selected=selected)
        if self._columns != before:
            self.draw_again()

    def takes_long(self, rows: Sequence[OutlineRow], width: int) -> bool:
        new = (row for row in rows if self._drawn_before(row, width, None) is None)
        return sum(len(row.name) for row in new) > _MOST_AT_ONCE

    def key(self, row: OutlineRow) -> Hashable:
        return row.number or 0

    def facets(self, row: OutlineRow) -> str:
        return " ".join((row.id, row.name, *row.notes))

    def draw(self, row: OutlineRow, width: int, most: int | None) -> Sequence[Line]:
        """`3 How does … 2000 address requests for    75`, with the counts of problems below the score."""
        digits, column = self._columns
        lead = "" if row.number is None else f"{row.number:>{digits}} "
        ends = [((" " * (column - cells(end)), ""), *end) for end in _ends(row)]
        room = width - len(lead) - (column if ends else 0)
        words = paragraph(row.name, room)
        if most is not None and len(words) > most:
            words = paragraph(self._shortened(room, most)[row.number or 0], room, most=most)
        return [
            ((" " * len(lead) if at else lead, DIM), *line, (" " * (room - cells(line)), ""), *end)
            for at, (line, end) in enumerate(zip_longest(words, ends, fillvalue=()))
        ]

    def _shortened(self, room: int, most: int) -> Sequence[str]:
        """What to say of each row in so many lines of this width, so that no two say the same."""
        if (room, most) not in self._short:
            names, ids = zip(*self._names, strict=True)
            self._short[room, most] = told_apart(names, ids, lambda name: _seen(name, room, most), room * most)
        return self._short[room, most]

    def least_foot(self, width: int) -> int:
        feet = [_noted(notes, width) for notes in {row.notes for row in self.rows}]
        return min((len(lines) + bool(lines) for lines in feet), default=0)

    def foot(self, row: OutlineRow, width: int) -> Sequence[Line]:
        """All words of a row that is cut, and what is to know of the prompt."""
        return [*(paragraph(row.name, width) if self.is_cut else ()), *_noted(row.notes, width)]

    def on_tall_list_selected(self) -> None:
        """Let the text show the prompt that was selected here."""
        if self.has_focus:
            self._find(studio_of(self).show_text_at)

    def action_choose(self) -> None:
        """Go to the selected prompt in the text."""
        self._find(studio_of(self).go_to)

    def _find(self, go: Callable[..., None]) -> None:
        analysis = studio_of(self).session.state.analysis
        if analysis is not None and self.row is not None:
            number = self.row.number or 0
            prompts = analysis.blueprint.prompts[:number]
            span = prompts[-1].span if prompts else Span(0, 0)
            go(span.start, analysis.revision, until=span.end)


@lru_cache(maxsize=4096)  # while a prompt is typed, the others stay
def _seen(name: str, room: int, most: int) -> str:
    return str(paragraph(name[: (most + 1) * room], room, most=most))


def _ends(row: OutlineRow) -> Sequence[Line]:
    """What stands at the right of a row: its score, or why there is none, and the counts of its problems."""
    kinds = (("●", row.tally.errors, ERROR), ("▲", row.tally.warnings, WARNING))
    counts = [(f"{mark}{number}", ink) for mark, number, ink in kinds if number]
    score = ("!", ERROR) if row.failed else (row.score, STRONG) if row.score else ("–", DIM)
    return [*([] if row.number is None else [(score,)]), *([tuple(counts)] if counts else [])]


def _noted(notes: Sequence[str], width: int) -> Sequence[Line]:
    return [line for note in notes for line in paragraph(note, width, ink=DIM)]
