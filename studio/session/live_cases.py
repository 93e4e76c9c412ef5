"""The cases of the open blueprint, checked while its author works, as far as functions and stored verdicts reach."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import ControlKind, control_answer
from engine.scoring.sums import place
from engine.study.case import CaseFile
from engine.study.case_reader import CaseProblemKind, read_cases
from engine.study.criterion_counts import untested_points
from engine.study.file_places import beside, read_case_text
from engine.text.record import text_digest
from studio.session.cache import Cache
from studio.session.changes import Change
from studio.session.run_configuration import RunConfiguration
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord
from studio.session.views.case_view import CaseLine, CasesView, PromptCases, RubricLine

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.functions.tasks import TaskRunner
    from engine.judging.panel import Panel
    from engine.store import PromptPlace
    from engine.study.case import Case
    from engine.study.case_outcome import CaseOutcome
    from engine.study.case_scoring import CaseCheck
    from engine.study.good_answers import GoodAnswers
    from studio.session.analysis import Analysis

_SECONDS = 0.4
"""How long the text rests before its cases are checked."""


class LiveCases:
    """Checks the cases after each edit, and after each run, whose verdicts may decide some. Sends nothing."""

    def __init__(
        self, context: SessionContext, configuration: RunConfiguration, cache: Cache, shown: ShownRecord
    ) -> None:
        self._context = context
        self._configuration = configuration
        self._cache = cache
        self._shown = shown
        shown.changed = self.answers_shown
        self._known: dict[tuple[object, ...], CaseOutcome] = {}
        self.view = CasesView()
        """How the cases stand; those of the text that was checked last."""
        self.check_with: Callable[[GoodAnswers], object] = lambda _: None
        """Checks the text with other good answers; set by the session."""
        self._evidence: object = None
        """What the good answers depend on that problems are checked with."""
        self._answers: Mapping[int, tuple[PromptPlace, tuple[str, ...]]] = {}
        self.version = 0
        """Increases with every change of `view`."""

    def follow(self, analysis: Analysis) -> None:
        """Check the cases once the text rests."""
        self._context.tasks.start("cases", self._check(analysis), exclusive=True)

    def cases_shown(self, prompt: int) -> None:
        """Record that the outcomes of the cases of a prompt, by its index, are in the result that is shown."""
        if prompt in self._answers:
            self._shown.mark(*self._answers[prompt], read=False)

    def answers_shown(self) -> None:
        """Count again the answers that were read."""
        analysis = self._context.document.analysis
        if analysis is not None and analysis.complete:
            self.follow(analysis)

    def verdicts_came(self) -> None:
        """Check again: a run has ended, the author has graded, or the file of cases has changed."""
        analysis = self._context.document.analysis
        self._known, self._evidence = {}, None
        if analysis is not None and analysis.complete:
            self.follow(analysis)

    async def _check(self, analysis: Analysis) -> None:
        await asyncio.sleep(_SECONDS)
        judges = self._configuration.counted_panel(analysis.header)
        checked = _Checked(analysis, judges, self._cache, self._known, self._shown.read)
        javascript = self._context.resources.javascript
        path = self._context.document.path
        view = await asyncio.to_thread(lambda: checked.view(path, javascript()))
        self._known, self._answers = checked.used, checked.answers
        self._check_again(analysis, (checked.cases, judges, analysis.header.span.of(analysis.parsed.text)))
        if view != self.view:
            self.view = view
            self.version += 1
            self._context.changes.publish(Change.RUNS)

    def _check_again(self, analysis: Analysis, evidence: object) -> None:
        """Have a text with paths checked again if `evidence` is new: good answers show how paths are meant."""
        has_paths = any(rubric.paths for prompt in analysis.blueprint.prompts for rubric in prompt.rubrics)
        if has_paths and evidence != self._evidence:
            self._evidence = evidence
            self.check_with(self._cache.good_answers(self._context.document.path, self._configuration.counted_panel))


def answers_read(prompt: Prompt, shown: Collection[str], tests: Iterable[str] = ()) -> int:
    """How many of the answers with the digests `shown` are neither the ideal nor a test answer.

    `tests` are the texts of the cases that are test answers.
    """
    known = [*tests, *(control_answer(kind, prompt) for kind in ControlKind)]
    known += [] if prompt.ideal is None else [prompt.ideal]
    return len(frozenset(shown) - frozenset(map(text_digest, known)))


class _Checked:
    """One check. Outcomes of earlier ones are used again while their prompt, its header and the judges are the same."""

    def __init__(
        self,
        analysis: Analysis,
        panel: Panel,
        cache: Cache,
        known: dict[tuple[object, ...], CaseOutcome],
        shown: Mapping[str, frozenset[str]],
    ) -> None:
        """`shown` are the digests of the answers that were shown, by `PromptPlace.prompt`."""
        self._analysis = analysis
        self._panel = panel
        self._cache = cache
        self._known = known
        self._shown = shown
        self.used: dict[tuple[object, ...], CaseOutcome] = {}
        self.cases: tuple[Case, ...] = ()
        self.answers: dict[int, tuple[PromptPlace, tuple[str, ...]]] = {}
        """The answers of the cases of each prompt, by its index."""

    def view(self, blueprint: Path, javascript: TaskRunner) -> CasesView:
        """How the cases stand. Blocks while checks run."""
        text, problem = read_case_text(blueprint)
        file, problems = read_cases(text)
        if text and any(each.slug == CaseProblemKind.UNREADABLE for each in problems):
            problem = f"{beside(blueprint).name} cannot be read"
        return self._view(blueprint, file, problem, javascript)

    def _view(self, blueprint: Path, file: CaseFile, problem: str, javascript: TaskRunner) -> CasesView:
        self.cases = file.cases
        check = self._cache.case_check(blueprint, self._analysis.blueprint, javascript, self._panel)
        by_name: dict[str, list[Case]] = {}
        for case in file.cases:
            by_name.setdefault(case.prompt, []).append(case)
        prompts: dict[int, PromptCases] = {}
        read: dict[int, int] = {}
        for name, prompt in check.prompts.items():
            of_prompt = by_name.pop(name, [])
            guards = sum(placed.inverted for placed in place(prompt))
            shown = self._shown.get(self._analysis.place(prompt).prompt, frozenset())
            outcomes = [self._outcome(check, case, prompt) for case in of_prompt]
            subjects = tuple(each.scored.response.subject for each in outcomes if each.scored is not None)
            self.answers[prompt.index] = self._analysis.place(prompt), subjects
            if shown:
                tests = (each.scored.response.subject for each in outcomes if each.test and each.scored)
                read[prompt.index] = answers_read(prompt, shown, tests)
            if of_prompt or guards:
                ideal = check.ideal(name) if of_prompt else None
                rubric = RubricLine.all_of(
                    name, prompt, outcomes, [] if ideal is None else [self._outcome(check, ideal, prompt)]
                )
                untested = len(untested_points(prompt, of_prompt))
                prompts[prompt.index] = PromptCases(tuple(map(CaseLine.of, outcomes)), guards, untested, rubric)
        return CasesView(prompts, sum(map(len, by_name.values())), problem, read)

    def _outcome(self, check: CaseCheck, case: Case, prompt: Prompt) -> CaseOutcome:
        header = self._analysis.header
        text = prompt.span.of(self._analysis.parsed.text)
        key = (case, text, header.span.of(self._analysis.parsed.text), self._panel)
        outcome = self._known.get(key)
        if outcome is None:
            outcome = check.outcome(case)
        self.used[key] = outcome
        return outcome
