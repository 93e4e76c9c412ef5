"""The what-if mode: begins with the result that is shown, and ends by writing the changes or dropping them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from engine import functions
from engine.evaluation.point_assessment import check_assessment, subject_of
from engine.parsing import parse
from engine.rules.rubric_edits import Refusal, loosened_check, rubric_edits
from engine.rules.rule import FileView
from engine.scoring.assessment import Assessment, Grade
from engine.scoring.sums import PointExtent, Sums
from engine.scoring.sums import place as placed
from engine.scoring.what_if import RubricChanges, WhatIfScore, stepped, what_if
from engine.study.case import Case, CaseOutcome, has_ideal, prompt_names, response_of
from engine.study.criterion_counts import ChangedCase, PairState, changed_case, ranked
from engine.text.record import Record, replace
from engine.text.spans import apply_edits
from studio.session.fixes import TextChange
from studio.session.followed_criterion import cases_of_prompt
from studio.session.host import NotDone, Severity
from studio.session.run import Run
from studio.session.state import Part
from studio.session.views.result_view import is_stale

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.functions.point_function import Subject
    from studio.session.analysis import Analysis

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


class TriedPoint(Record):
    """A point of the answer, and what is tried on it: another `weight`, `grade` or check, or without it.

    `misses` are the texts of its check that the answer nearly has, with what it has instead.
    """

    assessment: Assessment
    weight: float
    misses: tuple[tuple[str, str], ...] = ()
    grade: Grade | None = None
    loosened: LoosenedCheck | None = None
    is_off: bool = False

    @property
    def is_reweighed(self) -> bool:
        """Whether it has another weight."""
        return self.weight != self.assessment.point.multiplier

    @property
    def extent(self) -> float | None:
        """Its extent as it would be (0–1, after inversion)."""
        if self.loosened is not None:
            return self.loosened.extent
        if self.grade is not None:
            return 1 - self.grade.extent if self.assessment.placed.inverted else self.grade.extent
        return self.assessment.extent

    @property
    def count(self) -> int:
        """How many changes are tried on it."""
        return (self.is_off or self.is_reweighed) + (self.grade is not None) + (self.loosened is not None)


class TriedCase(Record):
    """A labelled answer, without and with the changes of the rubric."""

    case: Case
    before: ChangedCase
    after: ChangedCase


class Hypothesis(Record, eq=False, dict=True):
    """The changes that are tried on an answer, and the labelled answers beside it.

    `points` are in the order of `Prompt.points()`. `outcomes` end with the ideal, unless one of them has it. `flat` are
    the paths whose points are all required.
    """

    prompt: Prompt
    points: tuple[TriedPoint, ...]
    outcomes: tuple[CaseOutcome, ...] = ()
    flat: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        prompt: Prompt,
        assessments: Iterable[Assessment],
        outcomes: tuple[CaseOutcome, ...] = (),
        misses: Mapping[int, tuple[tuple[str, str], ...]] | None = None,
    ) -> Hypothesis:
        """Without any change; `misses` are by the place of the point."""
        known = misses or {}
        points = (TriedPoint(each, each.point.multiplier, known.get(at, ())) for at, each in enumerate(assessments))
        return cls(prompt, tuple(points), outcomes)

    @property
    def count(self) -> int:
        """How many changes are tried."""
        return sum(each.count for each in self.points) + len(self.flat)

    # --- Scores

    @property
    def changes(self) -> RubricChanges:
        """Those of the rubric."""
        weights = {at: each.weight for at, each in enumerate(self.points) if each.is_reweighed}
        return RubricChanges(weights, frozenset(at for at, each in enumerate(self.points) if each.is_off), self.flat)

    @property
    def before(self) -> WhatIfScore:
        """The score of the answer without the changes."""
        return what_if(self._extents, NO_CHANGES, is_partial=self.prompt.is_cut_off)

    @cached_property
    def after(self) -> WhatIfScore:
        """The score of the answer with the changes."""
        changed = {at: each.extent for at, each in enumerate(self.points) if each.grade or each.loosened}
        return what_if(self._extents, self.changes, changed, is_partial=self.prompt.is_cut_off)

    @property
    def _extents(self) -> tuple[PointExtent, ...]:
        return tuple(PointExtent.of(each.assessment) for each in self.points)

    def mean(self, path_id: str) -> float | None:
        """The mean of a path as it would be; None if no point is judged or all are off."""
        on = (each for each in self.points if each.assessment.placed.path_id == path_id and not each.is_off)
        return Sums.of([PointExtent(each.extent, each.weight) for each in on]).mean

    @cached_property
    def cases(self) -> tuple[TriedCase, ...]:
        """The labelled answers without and with the changes."""
        changes, found = self.changes, list[TriedCase]()
        for index, outcome in enumerate(self.outcomes):
            extents = {at: each.loosened.of_cases[index] for at, each in enumerate(self.points) if each.loosened}
            before = changed_case(outcome, self.prompt, NO_CHANGES, {})
            found.append(TriedCase(outcome.case, before, changed_case(outcome, self.prompt, changes, extents)))
        return tuple(found)

    @property
    def pairs(self) -> tuple[int, int, int]:
        """How many pairs of a good answer, or the ideal, and a bad one there are; and how many are ranked rightly
        without, and with, the changes."""
        sides = ((each.before.bounds for each in self.cases), (each.after.bounds for each in self.cases))
        now, then = (ranked(zip(self.outcomes, side, strict=True)) for side in sides)
        return len(now), now.count(PairState.RIGHT), then.count(PairState.RIGHT)

    # --- Changes

    def with_point(self, place: int, **changes: object) -> Hypothesis:
        """With other fields of a point."""
        points = list(self.points)
        points[place] = replace(points[place], **changes)
        return replace(self, points=tuple(points))

    def weighed(self, place: int, by: int) -> Hypothesis:
        """With the next weight of a point above (`by` 1) or below (−1)."""
        return self.with_point(place, weight=stepped(self.points[place].weight, by))

    def switched(self, place: int) -> Hypothesis:
        """With a point off, or on again."""
        return self.with_point(place, is_off=not self.points[place].is_off)

    def flattened(self, path_id: str) -> Hypothesis:
        """With all points of a path required, or on the path again."""
        return replace(self, flat=self.flat ^ {path_id})

    def without(self, place: int) -> Hypothesis:
        """With all changes of one point taken back."""
        weight = self.points[place].assessment.point.multiplier
        return self.with_point(place, weight=weight, grade=None, loosened=None, is_off=False)


class Tried(Record, eq=False):
    """What is tried on the result of `run`, which is of the text of `analysis`.

    `subjects` are what checks examine: the shown answer, then the labelled ones.
    """

    changes: Hypothesis
    run: Run
    analysis: Analysis
    subjects: tuple[Subject, ...]


class WhatIf(Part):
    """The changes that the author tries on the result that is shown."""

    async def begin(self) -> None:
        """Begin with the result that is shown. Raises `NotDone` if there is none."""
        run, analysis, prompt = self.runs.selection.run, self.state.analysis, self.state.prompt
        if run is None or run.explanation is None or run.response is None or run.running or not run.assessments:
            raise NotDone("There is no score to try changes on: F5 runs this prompt.")
        if analysis is None or prompt is None or is_stale(analysis, prompt, run) or not self._is_current(analysis):
            raise NotDone("The prompt changed since this result: F5 runs it again.")
        search = self.runs.evidence
        evidence = search.of(run) or await asyncio.to_thread(search.collected, run.prompt, run.response)
        cases, subjects = await asyncio.to_thread(self._read_cases, analysis, prompt, run)
        if self.runs.selection.run is not run or not self._is_current(analysis):
            raise NotDone
        answer = run.response.subject
        misses = {
            place: tuple((miss.wanted, miss.span.of(answer)) for miss in each.misses)
            for place, each in evidence.items()
        }
        changes = Hypothesis.of(prompt, run.assessments, cases, misses)
        self.change(tried=Tried(changes, run, analysis, subjects))

    def drop(self) -> None:
        """Forget the changes."""
        if self.state.tried is not None:
            self.change(tried=None)

    def follow(self, tried: Tried) -> None:
        """Forget the changes if the text, or the result that is shown, is another one now."""
        run = self.runs.selection.run
        if run is None or run.started != tried.run.started or not self._is_current(tried.analysis):
            if tried.changes.count:
                text = "The text or the result is another one now: the changes that were tried are dropped."
                self.host.notify(text, seconds=4)
            self.drop()

    def attempt(self, change: Callable[[Hypothesis], Hypothesis]) -> None:
        """Try one more change, or take one back."""
        if self.state.tried is not None:
            self.change(tried=replace(self.state.tried, changes=change(self.state.tried.changes)))

    async def loosen(self, place: int) -> None:
        """Loosen a check to its nearest miss, or take that back."""
        if (tried := self.state.tried) is None:
            return
        point = tried.changes.points[place]
        if not point.misses:
            raise NotDone("This check found what it looks for, or nothing is near it: there is nothing to loosen.")
        found = None if point.loosened else await asyncio.to_thread(self._loosened, tried, place, point.misses)
        if found is None and point.loosened is None:
            raise NotDone("This check cannot be loosened where it is written: change it in the text.")
        self.attempt(lambda now: now.with_point(place, loosened=found))

    async def apply(self) -> TextChange | None:
        """The edits of the text that make the changes, as one step; grades are saved. None if nothing is edited.

        Raises `NotDone` if the changes cannot be made.
        """
        before = self.state.tried
        if before is None:
            return None
        tried, analysis = before.changes, before.analysis
        if tried.count == 0:
            raise NotDone("There is no change to apply yet.")
        forms = {place: each.loosened.forms for place, each in enumerate(tried.points) if each.loosened}
        edits = await asyncio.to_thread(rubric_edits, analysis.parsed, tried.prompt, tried.changes, forms)
        if isinstance(edits, Refusal):
            raise NotDone(f"Nothing was changed: {edits.message}.", Severity.WARNING, seconds=5)
        if self.state.tried is not before or not self._is_current(analysis):
            return None
        for place, point in enumerate(tried.points):
            if point.grade is not None:
                await self.runs.selection.grade(place, point.grade)
        self.drop()
        return TextChange(analysis.revision, edits) if edits else None

    def _is_current(self, analysis: Analysis) -> bool:
        return analysis.revision == self.state.text.revision

    # --- In threads

    def _read_cases(
        self, analysis: Analysis, prompt: Prompt, run: Run
    ) -> tuple[tuple[CaseOutcome, ...], tuple[Subject, ...]]:
        """The labelled answers to `prompt`, its ideal last, and what checks examine: the shown answer, then these."""
        blueprint = analysis.blueprint
        assert run.response is not None
        shown = subject_of(prompt, run.response.subject, run.response.thread, run.response.model or "")
        name = prompt_names(blueprint)[prompt.index]
        cases, check = cases_of_prompt(self.state.path, name), self.runs.cases.check(blueprint)
        ideal = check.ideal(name)
        if cases and ideal is not None and not has_ideal(cases, ideal.turns[0]):
            cases = (*cases, ideal)
        found: list[CaseOutcome] = []
        subjects: list[Subject] = [shown]
        for case in cases:
            outcome = check.outcome(case)
            if outcome.points:
                response = response_of(case, prompt, blueprint.header)
                found.append(outcome)
                subjects.append(subject_of(prompt, response.subject, response.thread, case.model or "case"))
        return tuple(found), tuple(subjects)

    def _loosened(self, tried: Tried, place: int, forms: Sequence[tuple[str, str]]) -> LoosenedCheck | None:
        parsed, prompt = tried.analysis.parsed, tried.changes.prompt
        fix = loosened_check(FileView(parsed), prompt.points()[place], forms)
        edits = rubric_edits(parsed, prompt, RubricChanges(), {place: forms})
        if fix is None or isinstance(edits, Refusal):
            return None
        after = parse(apply_edits(parsed.text, edits), parsed.path).blueprint.prompts[prompt.index]
        call = after.points()[place].function
        if call is None:
            return None
        extents: list[float | None] = []
        for subject in tried.subjects:
            (result,) = functions.run([call], subject, self.resources.javascript())
            extents.append(check_assessment(placed(after)[place], call, result).extent)
        return LoosenedCheck(fix.title, tuple(forms), extents[0], tuple(extents[1:]))
