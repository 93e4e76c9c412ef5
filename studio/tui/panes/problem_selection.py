"""Which problem is selected while diagnostics come and go. Pure.

The checks that need V8 report later than the others, so a problem may be missing for a moment. Once all have reported,
the selection depends on the text alone: it is the problem that was selected before, or, if that is gone, the next one
after its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.text.record import Record
from studio.session.views.problems_view import ProblemRow, ProblemsView, Row, ShownRows

Carry: TypeAlias = Callable[[int, int], "int | None"]
"""Where an offset of the text at a revision is in the present one; None if that is no longer known."""


class HeldProblem(Record):
    """The problem that stays selected, as a row of the text at `revision`."""

    row: Row
    revision: int

    @property
    def start(self) -> int:
        """The offset of the problem in that text."""
        return self.row.diagnostic.span.start


def is_same(one: Row, other: Row) -> bool:
    """Whether two rows of lists show the same problem: cause and message are the same, edits may have moved it."""
    if isinstance(one, ProblemRow) and isinstance(other, ProblemRow):
        return one.cause.key == other.cause.key and one.diagnostic.message == other.diagnostic.message
    return one.cause.key == other.cause.key


def row_of_held(held: HeldProblem, rows: Sequence[Row], here: int) -> int | None:
    """The number of the row that shows the held problem, the nearest to `here` if several do; None if it is gone."""

    def distance(number: int) -> tuple[bool, int]:
        row = rows[number]
        return type(row) is not type(held.row), abs(row.diagnostic.span.start - here)

    return min((number for number, row in enumerate(rows) if is_same(held.row, row)), key=distance, default=None)


def row_after(view: ProblemsView, shown: ShownRows, here: int) -> int:
    """The number of the row of the first problem at or after `here`; of the last problem if there is none after."""
    number = bisect_left(view.places, here, key=lambda place: place.diagnostic.span.start)
    return shown.row_of[min(number, len(view.places) - 1)] if view.places else 0
