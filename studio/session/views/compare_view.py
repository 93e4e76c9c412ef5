"""The view of two runs of a prompt compared: four corners, criteria, and the words of the answers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engine.comparison.answer_words import WordEdit, word_difference
from engine.comparison.comparison_text import (
    CAUSES,
    change_text,
    corner_texts,
    difference_text,
    extent_of,
    part_text,
)
from engine.comparison.corners import Cause, FourCorners
from engine.comparison.criterion_changes import criterion_changes
from engine.record import Record
from engine.scoring.explanation_text import point_label

if TYPE_CHECKING:
    from studio.session.compared_run import ComparedPair

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

    `answers` are the two texts, None where one is unknown. `price` is what judges would cost that close the missing
    verdicts, "" if none could. `notes` are sentences about what cannot be told. `pair` is what it was made of, None
    if judges cannot be asked.
    """

    title: str
    old: str
    new: str
    corners: FourCorners
    answers: tuple[str, str] | None
    price: str = ""
    notes: tuple[str, ...] = ()
    pair: ComparedPair | None = None

    @cached_property
    def scores(self) -> tuple[str, str, str, str]:
        """The four corners: old on old, new on old, old on new, new on new (answer on rubric)."""
        return corner_texts(self.corners)

    @cached_property
    def difference(self) -> str:
        """The difference of the two scores."""
        return difference_text(self.corners.total)

    @cached_property
    def parts(self) -> tuple[tuple[Cause, str, str, str], ...]:
        """Each part of the difference: its cause, its name, its figure, and what it is."""
        parts = self.corners.parts
        return tuple((cause, CAUSES[cause][0], difference_text(parts[cause]), CAUSES[cause][1]) for cause in Cause)

    @cached_property
    def criteria(self) -> tuple[CriterionLine, ...]:
        """The criteria of both rubrics, and their sum as the last line."""
        changes = criterion_changes(self.corners.old.assessments, self.corners.new.assessments)
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

    @cached_property
    def missing(self) -> str:
        """How many verdicts are missing, and what closing them would take; "" if none is."""
        count = len(self.corners.missing)
        if not count:
            return ""
        verdicts = "1 verdict is" if count == 1 else f"{count} verdicts are"
        price = f" Closing them would take judges {self.price}." if self.price else ""
        key = " a asks them." if self.can_close else ""
        return f"{verdicts} missing: that is why there are ranges.{price}{key}"

    @property
    def can_close(self) -> bool:
        """Whether judges could give verdicts that are missing."""
        return bool(self.price) and self.pair is not None
