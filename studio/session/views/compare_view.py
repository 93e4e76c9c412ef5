"""The view of two runs of a prompt compared: scores, criteria, and the words of the answers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engine.study.two_runs import (
    ComparedRun,
    CriterionLine,
    TwoRuns,
    WordEdit,
    criterion_lines,
    missing_text,
    two_runs_rows,
    unjudged_answers,
    verdicts_text,
    word_difference,
)
from engine.text.record import Record

if TYPE_CHECKING:
    from engine.asking.planner import UnjudgedAnswer
    from engine.store import PromptPlace

_LONGEST = 400


class CompareView(Record, eq=False, dict=True):
    """Two runs of the prompt `title` at `place`, which `old` and `new` name. `note` is what to know of the old one."""

    place: PromptPlace
    title: str
    old: str
    new: str
    both: tuple[ComparedRun, ComparedRun]
    runs: TwoRuns
    note: str = ""

    @cached_property
    def rows(self) -> list[tuple[str, str, str]]:
        """Each answer by each rubric, and the difference of the two results: a name, a figure, and what to add."""
        return two_runs_rows(self.runs)

    @cached_property
    def criteria(self) -> tuple[CriterionLine, ...]:
        """The criteria of both rubrics, and their sum as the last line."""
        return tuple(criterion_lines(self.runs, _LONGEST))

    @cached_property
    def edits(self) -> tuple[WordEdit, ...]:
        """The difference of the answers by words."""
        return word_difference(self.runs.old.answer[-1], self.runs.new.answer[-1])

    @cached_property
    def unjudged(self) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
        """What judges could be asked, with the run whose rubric it is by."""
        both = zip(self.both, unjudged_answers([(self.runs, *self.both)]), strict=True)
        return [(run, answers) for run, answers in both if answers]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what cannot be told, and about verdicts, those that are missing last."""
        advice = " a asks judges." if self.unjudged else ""
        missing = missing_text(sum(map(len, self.runs.missing.values())), advice)
        return tuple(filter(None, (self.note, verdicts_text(self.runs), missing)))
