"""The view of the problems pane and the editor: all problems of the file, in the order of the text.

A cause that the file repeats is one row with its number of places, at the first of them; opened, its places follow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.text.diagnostics import Diagnostic
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Position
from studio.session.analysis import Analysis

if TYPE_CHECKING:
    from engine.rules.causes import Cause, CauseKey

_LINE = lazy(r"[^\r\n]*")


class ProblemRow(Record):
    """A diagnostic, its start, and its cause, which may have other places too."""

    diagnostic: Diagnostic
    position: Position
    cause: Cause

    @property
    def place(self) -> str:
        """Line and column, from 1."""
        return f"{self.position.line + 1}:{self.position.column + 1}"

    def line_in(self, text: str) -> str:
        """The line of `text`, in which this was found, without the blanks around it."""
        line = _LINE.match(text, self.diagnostic.span.start - self.position.column)
        return "" if line is None else line[0].strip()


class RepeatedRow(Record):
    """A cause that the file repeats, and its places in the order of the text."""

    cause: Cause
    places: tuple[ProblemRow, ...]

    @property
    def diagnostic(self) -> Diagnostic:
        """The first of its problems."""
        return self.places[0].diagnostic


Row: TypeAlias = ProblemRow | RepeatedRow


class ShownRows(Record):
    """The rows of the list from top to bottom, and for each problem of the file the number of its row."""

    rows: Sequence[Row] = ()
    row_of: Sequence[int] = ()


class ProblemsView(Record):
    """The problems of `text`, which is that at `revision`: each with its place, and their causes.

    `fixed_in_bulk` are the codes of the rules that are reported several times and have a fix. `may_be_run` says that a
    prompt has a question.
    """

    revision: int
    text: str
    places: tuple[ProblemRow, ...]
    causes: tuple[Cause, ...]
    fixed_in_bulk: frozenset[str]
    may_be_run: bool

    def shown(self, opened: Collection[CauseKey]) -> ShownRows:
        """The rows of the list; the repeated causes with the keys `opened` are open."""
        rows: list[Row] = []
        row_of = [0] * len(self.places)
        for cause in self.causes:
            places = tuple([self.places[number] for number in cause.reports])
            for number in cause.reports:
                row_of[number] = len(rows)
            if not cause.is_repeated:
                rows += places
                continue
            rows.append(RepeatedRow(cause, places))
            if cause.key in opened:
                for number in cause.reports:
                    row_of[number] = len(rows)
                    rows.append(self.places[number])
        return ShownRows(rows, row_of)


def problems_view(analysis: Analysis) -> ProblemsView | None:
    """The problems of `analysis`; None if it is not checked yet."""
    if analysis.diagnostics is None:
        return None
    found = analysis.diagnostics
    cause_of = {number: cause for cause in analysis.causes for number in cause.reports}
    places = [
        ProblemRow(diagnostic, position, cause_of[number])
        for number, (diagnostic, position) in enumerate(zip(found, analysis.positions, strict=True))
    ]
    counts = Counter([each.code for each in found])
    bulk = frozenset([each.code for each in found if each.fixes and counts[each.code] > 1])
    parsed = analysis.parsed
    may_be_run = any(message.content for prompt in parsed.blueprint.prompts for message in prompt.messages)
    return ProblemsView(analysis.revision, parsed.text, tuple(places), analysis.causes, bulk, may_be_run)
