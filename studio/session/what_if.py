"""The what-if mode: begins with the result that is shown, and ends by writing the changes or dropping them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine import functions
from engine.evaluation.point_assessment import check_assessment, subject_of
from engine.parsing import Parsed, parse
from engine.rules.rubric_edits import Refusal, loosened_check, rubric_edits
from engine.rules.rule import FileView
from engine.scoring.assessment import Assessment
from engine.scoring.sums import place as placed
from engine.scoring.what_if import RubricChanges
from engine.study.case import CaseOutcome, has_ideal, prompt_names, response_of
from engine.text.record import Record, replace
from engine.text.spans import apply_edits
from studio.session.fixes import TextChange
from studio.session.host import Severity
from studio.session.hypothesis import Hypothesis, LoosenedCheck
from studio.session.parts import Part, selector
from studio.session.prompt_answers import cases_of_prompt
from studio.session.run import Run
from studio.session.views.result_view import is_stale
from studio.session.views.what_if_view import WhatIfView, what_if_view

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall, Prompt
    from engine.evidence.prompt_evidence import CheckEvidence
    from engine.functions.point_function import Subject
    from studio.session.analysis import Analysis


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

    @selector(lambda of: of.state.tried)
    def view(self) -> WhatIfView | None:
        """What is shown in the mode; None outside of it."""
        return None if self.state.tried is None else what_if_view(self.state.tried.changes)

    async def begin(self) -> bool:
        """Begin with the result that is shown, unless there is none; whether the mode is on."""
        run, analysis, prompt = self.runs.selection.run, self.state.analysis, self.state.prompt
        if run is None or run.explanation is None or run.response is None or run.running or not run.assessments:
            self._notify("There is no score to try changes on: F5 runs this prompt.")
            return False
        if analysis is None or prompt is None or is_stale(analysis, prompt, run) or not self._is_current(analysis):
            self._notify("The prompt changed since this result: F5 runs it again.")
            return False
        search = self.runs.evidence
        evidence = search.of(run) or await asyncio.to_thread(search.collected, run.prompt, run.response)
        cases, subjects = await asyncio.to_thread(self._read_cases, analysis, prompt, run)
        if self.runs.selection.run is not run or not self._is_current(analysis):
            return False
        misses = {place: forms for place, each in evidence.items() if (forms := _forms(each, run.response.subject))}
        changes = Hypothesis(prompt, run.assessments, cases, misses)
        self.change(tried=Tried(changes, run, analysis, subjects))
        return True

    def drop(self) -> None:
        """Forget the changes."""
        if self.state.tried is not None:
            self.change(tried=None)

    def follow(self, tried: Tried) -> None:
        """Forget the changes if the text, or the result that is shown, is another one now."""
        run = self.runs.selection.run
        if run is None or run.started != tried.run.started or not self._is_current(tried.analysis):
            if tried.changes.count:
                self._notify("The text or the result is another one now: the changes that were tried are dropped.")
            self.drop()

    def attempt(self, change: Callable[[Hypothesis], Hypothesis]) -> None:
        """Try one more change, or take one back."""
        if self.state.tried is not None:
            self.change(tried=replace(self.state.tried, changes=change(self.state.tried.changes)))

    async def loosen(self, place: int) -> None:
        """Loosen a check to its nearest miss, or take that back."""
        if self.state.tried is None:
            return
        tried, analysis, subjects = self.state.tried.changes, self.state.tried.analysis, self.state.tried.subjects
        if place in tried.loosened:
            self.attempt(lambda now: now.with_loosened(place, None))
            return
        forms = tried.misses.get(place)
        if forms is None:
            self._notify("This check found what it looks for, or nothing is near it: there is nothing to loosen.")
            return
        found = await asyncio.to_thread(self._loosened, analysis.parsed, tried.prompt, place, forms, subjects)
        if found is None:
            self._notify("This check cannot be loosened where it is written: change it in the text.")
        else:
            self.attempt(lambda now: now.with_loosened(place, found))

    async def apply(self) -> TextChange | None:
        """The edits of the text that make the changes, as one step; grades are saved. None if nothing is edited."""
        before = self.state.tried
        if before is None:
            return None
        tried, analysis = before.changes, before.analysis
        if tried.count == 0:
            self._notify("There is no change to apply yet.")
            return None
        forms = {place: check.forms for place, check in tried.loosened.items()}
        edits = await asyncio.to_thread(rubric_edits, analysis.parsed, tried.prompt, tried.changes, forms)
        if isinstance(edits, Refusal):
            self.host.notify(f"Nothing was changed: {edits.message}.", Severity.WARNING)
            return None
        if self.state.tried is not before or not self._is_current(analysis):
            return None
        for place, grade in tried.grades.items():
            await self.runs.selection.grade(place, grade)
        self.drop()
        return TextChange(analysis.revision, edits) if edits else None

    def _is_current(self, analysis: Analysis) -> bool:
        return analysis.revision == self.state.text.revision

    def _notify(self, message: str) -> None:
        self.host.notify(message, seconds=4)

    # --- In threads

    def _read_cases(
        self, analysis: Analysis, prompt: Prompt, run: Run
    ) -> tuple[tuple[CaseOutcome, ...], tuple[Subject, ...]]:
        """The labelled answers to `prompt`, its ideal last, and what checks examine: the shown answer, then these."""
        blueprint = analysis.blueprint
        assert run.response is not None
        shown = subject_of(prompt, run.response.subject, run.response.thread, run.response.model or "")
        name = prompt_names(blueprint)[prompt.index]
        cases, problem = cases_of_prompt(self.state.path, name)
        if problem:
            return (), (shown,)
        judges = self.runs.evaluator.counted_panel(blueprint.header)
        javascript = self.resources.javascript()
        check = self.session.cache.case_check(self.state.path, blueprint, javascript, judges)
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

    def _loosened(
        self,
        parsed: Parsed,
        prompt: Prompt,
        place: int,
        forms: Sequence[tuple[str, str]],
        subjects: tuple[Subject, ...],
    ) -> LoosenedCheck | None:
        fix = loosened_check(FileView(parsed), prompt.points()[place], forms)
        edits = rubric_edits(parsed, prompt, RubricChanges(), {place: forms})
        if fix is None or isinstance(edits, Refusal):
            return None
        after = parse(apply_edits(parsed.text, edits), parsed.path).blueprint.prompts[prompt.index]
        call = after.points()[place].function
        if call is None:
            return None
        shown, *others = [self._extent(after, place, call, subject) for subject in subjects]
        return LoosenedCheck(fix.title, tuple(forms), shown, tuple(others))

    def _extent(self, prompt: Prompt, place: int, call: FunctionCall, subject: Subject) -> float | None:
        (result,) = functions.run([call], subject, self.resources.javascript())
        assessment: Assessment = check_assessment(placed(prompt)[place], call, result)
        return assessment.extent


def _forms(evidence: CheckEvidence, answer: str) -> tuple[tuple[str, str], ...]:
    """The texts that a check does not find, with what the answer has instead."""
    return tuple((miss.wanted, miss.span.of(answer)) for miss in evidence.misses)
