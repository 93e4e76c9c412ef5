"""The view of two runs of a prompt compared: scores, criteria, and the words of the answers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engine.scoring.explanation_text import point_label
from engine.study.two_runs import (
    TwoRuns,
    WordEdit,
    change_text,
    criterion_changes,
    extent_of,
    missing_text,
    part_text,
    two_runs_rows,
    word_difference,
)
from engine.text.record import Record

if TYPE_CHECKING:
    from studio.session.run_comparison import ComparedPair

_LONGEST = 400


class CriterionLine(Record):
    """One criterion: its extents, its part in the difference, its text, and what else changed."""

    old: str
    new: str
    part: str
    label: str
    change: str


class CompareView(Record, eq=False, dict=True):
    """Two runs of the prompt `title`, which `old` and `new` name.

    `answers` are the two texts, None where one is unknown. `can_judge`: judges could give verdicts that are missing.
    `notes` are sentences about what cannot be told. `pair` is what it was made of.
    """

    title: str
    old: str
    new: str
    runs: TwoRuns
    answers: tuple[str, str] | None
    can_judge: bool = False
    notes: tuple[str, ...] = ()
    pair: ComparedPair | None = None

    @cached_property
    def rows(self) -> list[tuple[str, str, str]]:
        """Each answer by each rubric, and the difference of the two results: a name, a figure, and what to add."""
        return two_runs_rows(self.runs)

    @cached_property
    def criteria(self) -> tuple[CriterionLine, ...]:
        """The criteria of both rubrics, and their sum as the last line."""
        changes = criterion_changes(self.runs.old.assessments, self.runs.new.assessments)
        lines: list[CriterionLine] = []
        for change in changes:
            assessment = change.new or change.old
            assert assessment is not None
            label = point_label(assessment.point, _LONGEST)
            where = "not: " if assessment.placed.inverted else ""
            lines.append(
                CriterionLine(
                    extent_of(change.old),
                    extent_of(change.new),
                    part_text(change.part),
                    f"{where}{label}",
                    change_text(change),
                )
            )
        if lines:
            lines.append(CriterionLine("", "", part_text(*(each.part for each in changes)), "all criteria", ""))
        return tuple(lines)

    @cached_property
    def edits(self) -> tuple[WordEdit, ...]:
        """The difference of the answers by words; () if one is unknown."""
        return () if self.answers is None else word_difference(*self.answers)

    @property
    def missing(self) -> str:
        """How many verdicts are missing, and how to have them; "" if none is."""
        return missing_text(sum(map(len, self.runs.missing.values())), " a asks judges." if self.can_judge else "")
