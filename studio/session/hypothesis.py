"""Changes of a rubric and of verdicts that the author tries on a result, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping

from engine.blueprint import Prompt
from engine.scoring.assessment import Assessment, Grade
from engine.scoring.sums import PointExtent
from engine.scoring.what_if import RubricChanges, WhatIfScore, stepped, what_if
from engine.study.case import CaseOutcome
from engine.study.criterion_counts import ChangedCase, changed_case
from engine.text.record import Record, field, replace

NO_CHANGES = RubricChanges()


class LoosenedCheck(Record):
    """A check that accepts what the answer has instead: `title` says how.

    `forms` are its texts with their other forms, `extent` is that of the answer that is shown with it, and `of_cases`
    those of the labelled answers, in their order; after inversion, None where the check cannot run.
    """

    title: str
    forms: tuple[tuple[str, str], ...]
    extent: float | None
    of_cases: tuple[float | None, ...]


class Hypothesis(Record):
    """The changes that are tried on an answer, and the labelled answers beside it.

    `assessments` are in the order of `Prompt.points()`. `cases` end with the ideal, unless one of them has it. `misses`
    are the texts of checks that the answer nearly has, with what it has instead, by place.
    """

    prompt: Prompt
    assessments: tuple[Assessment, ...]
    cases: tuple[CaseOutcome, ...]
    misses: Mapping[int, tuple[tuple[str, str], ...]]
    changes: RubricChanges = NO_CHANGES
    grades: Mapping[int, Grade] = field(default_factory=dict[int, Grade])
    loosened: Mapping[int, LoosenedCheck] = field(default_factory=dict[int, LoosenedCheck])

    @property
    def count(self) -> int:
        """How many changes are tried."""
        return self.changes.count + len(self.grades) + len(self.loosened)

    # --- Scores

    @property
    def points(self) -> tuple[PointExtent, ...]:
        """The points of the answer, unchanged."""
        return tuple(map(PointExtent.of, self.assessments))

    @property
    def extents(self) -> dict[int, float | None]:
        """The extents of the answer that other verdicts and loosened checks give it, after inversion."""
        graded = {
            place: 1 - grade.extent if self.assessments[place].placed.inverted else grade.extent
            for place, grade in self.grades.items()
        }
        return {**graded, **{place: check.extent for place, check in self.loosened.items()}}

    def score(self, *, changed: bool = True) -> WhatIfScore:
        """The score of the answer, with or without the changes."""
        if not changed:
            return what_if(self.points, NO_CHANGES, is_partial=self.prompt.is_cut_off)
        return what_if(self.points, self.changes, self.extents, is_partial=self.prompt.is_cut_off)

    def case(self, index: int, *, changed: bool = True) -> ChangedCase:
        """A labelled answer, with or without the changes of the rubric."""
        if not changed:
            return changed_case(self.cases[index], self.prompt, NO_CHANGES, {})
        extents = {place: check.of_cases[index] for place, check in self.loosened.items()}
        return changed_case(self.cases[index], self.prompt, self.changes, extents)

    # --- Changes

    def weight(self, place: int) -> float:
        """The weight of a point, with the changes."""
        return self.changes.weights.get(place, self.assessments[place].point.multiplier)

    def weighed(self, place: int, by: int) -> Hypothesis:
        """With the next weight above (`by` 1) or below (−1)."""
        weight = stepped(self.weight(place), by)
        weights = {at: each for at, each in self.changes.weights.items() if at != place}
        if weight != self.assessments[place].point.multiplier:
            weights[place] = weight
        return replace(self, changes=replace(self.changes, weights=weights))

    def graded(self, place: int, grade: Grade | None) -> Hypothesis:
        """With another verdict on a point in words; None takes it back."""
        grades = {at: each for at, each in self.grades.items() if at != place}
        return replace(self, grades=grades if grade is None else {**grades, place: grade})

    def switched(self, place: int) -> Hypothesis:
        """With a point off, or on again."""
        return replace(self, changes=replace(self.changes, off=self.changes.off ^ {place}))

    def flattened(self, path_id: str) -> Hypothesis:
        """With all points of a path required, or on the path again."""
        return replace(self, changes=replace(self.changes, flat=self.changes.flat ^ {path_id}))

    def with_loosened(self, place: int, check: LoosenedCheck | None) -> Hypothesis:
        """With a check loosened, or as it is written again."""
        loosened = {at: each for at, each in self.loosened.items() if at != place}
        return replace(self, loosened=loosened if check is None else {**loosened, place: check})

    def without(self, place: int) -> Hypothesis:
        """With all changes of one point taken back."""
        weights = {at: each for at, each in self.changes.weights.items() if at != place}
        changes = replace(self.changes, weights=weights, off=self.changes.off - {place})
        return replace(self.graded(place, None).with_loosened(place, None), changes=changes)
