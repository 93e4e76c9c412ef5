"""The view of the list of problems: one row for each cause, at the first of its places in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from engine.text.diagnostics import Diagnostic
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Position
from studio.session.analysis import Analysis

if TYPE_CHECKING:
    from engine.rules.causes import Cause

_LINE = lazy(r"[^\r\n]*")


class Problem(Record):
    """A diagnostic, and where it begins."""

    diagnostic: Diagnostic
    position: Position

    @property
    def start(self) -> int:
        """The offset at which it begins."""
        return self.diagnostic.span.start

    def line_in(self, text: str) -> str:
        """The line of `text`, in which this was found, without the blanks around it."""
        line = _LINE.match(text, self.start - self.position.column)
        return "" if line is None else line[0].strip()


class ProblemRow(Record):
    """A cause, and its places in the order of the text: one, or all where the file repeats it."""

    cause: Cause
    places: tuple[Problem, ...]

    @property
    def start(self) -> int:
        """The offset of its first place."""
        return self.places[0].start

    def number_from(self, offset: int) -> int:
        """The number, from 0, of the place at `offset` or after it; of the first if there is none after."""
        return bisect_left(self.places, offset, key=lambda place: place.start) % len(self.places)


class ProblemsView(Record):
    """The problems of `text`, which is that at `revision`, in its order, and the rows that show them.

    `row_of` has the number of its row for each problem. `fixed_in_bulk` are the codes of the rules that are reported
    several times and have a fix. `may_be_run` says that a prompt has a question.
    """

    revision: int
    text: str
    problems: tuple[Problem, ...]
    rows: tuple[ProblemRow, ...]
    row_of: tuple[int, ...]
    fixed_in_bulk: frozenset[str]
    may_be_run: bool

    def nearest(self, offset: int) -> Problem | None:
        """The problem at `offset`, or the nearest one; of two, the one after it."""
        after = bisect_left(self.problems, offset, key=lambda problem: problem.start)
        around = self.problems[max(after - 1, 0) : after + 1]
        return min(reversed(around), key=lambda each: _distance(each, offset), default=None)

    def row_from(self, offset: int) -> ProblemRow | None:
        """The row of the first problem that begins at `offset` or after it; of the last, if there is none after."""
        number = bisect_left(self.problems, offset, key=lambda problem: problem.start)
        return self.rows[self.row_of[min(number, len(self.problems) - 1)]] if self.problems else None

    def row_like(self, row: ProblemRow, here: int) -> ProblemRow | None:
        """The row that shows what `row` of an older text showed, the nearest to `here` if several do; None if it is
        gone."""
        like = (each for each in self.rows if each.cause.key == row.cause.key)
        same = (each for each in like if each.cause.is_repeated or each.cause.message == row.cause.message)
        return min(same, key=lambda each: abs(each.start - here), default=None)


def _distance(problem: Problem, offset: int) -> int:
    span = problem.diagnostic.span
    return max(span.start - offset, offset - span.end, 0)


def problems_view(analysis: Analysis) -> ProblemsView | None:
    """The problems of `analysis`; None if it is not checked yet."""
    if analysis.diagnostics is None:
        return None
    found, parsed = analysis.diagnostics, analysis.parsed
    problems = tuple(map(Problem, found, analysis.positions))
    rows = tuple(
        [ProblemRow(cause, tuple([problems[number] for number in cause.reports])) for cause in analysis.causes]
    )
    row_of = {number: row for row, cause in enumerate(analysis.causes) for number in cause.reports}
    counts = Counter([each.code for each in found])
    return ProblemsView(
        analysis.revision,
        parsed.text,
        problems,
        rows,
        tuple([row_of[number] for number in range(len(problems))]),
        frozenset([each.code for each in found if each.fixes and counts[each.code] > 1]),
        any(message.content for prompt in parsed.blueprint.prompts for message in prompt.messages),
    )
