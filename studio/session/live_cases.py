"""The cases of the open blueprint, checked while its author works, as far as functions and stored verdicts reach."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import ControlKind, control_answer
from engine.scoring.sums import place
from engine.study.case import Case, CaseOutcome
from engine.study.case_reader import CaseProblemKind, read_cases
from engine.study.criterion_counts import untested_points
from engine.study.file_places import beside, read_case_text
from engine.text.record import text_digest
from studio.session.parts import Part
from studio.session.views.case_view import CaseLine, CasesView, PromptCases, RubricLine

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from engine.study.case_scoring import CaseCheck
    from studio.session.analysis import Analysis
    from studio.session.session import Session

_SECONDS = 0.4
"""How long the text rests before its cases are checked."""


class LiveCases(Part):
    """Checks the cases after each edit, and after each run, whose verdicts may decide some. Sends nothing."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._known: dict[tuple[object, ...], CaseOutcome] = {}
        self._evidence: object = None
        """What the good answers depend on that problems are checked with."""
        self._answers: Mapping[int, tuple[PromptPlace, tuple[str, ...]]] = {}

    def check_soon(self, analysis: Analysis) -> None:
        """Check the cases of a text, and count the answers that were read, once the text rests."""
        self.effect("cases", self._check(analysis), exclusive=True)

    def cases_shown(self, prompt: int) -> None:
        """Record that the outcomes of the cases of a prompt, by its index, are in the result that is shown."""
        if prompt in self._answers:
            self.runs.shown.mark(*self._answers[prompt], read=False)

    def verdicts_came(self) -> None:
        """Check again: a run has ended, the author has graded, or the file of cases has changed."""
        self._known, self._evidence = {}, None
        if self.state.analysis is not None and self.state.analysis.complete:
            self.check_soon(self.state.analysis)

    async def _check(self, analysis: Analysis) -> None:
        await asyncio.sleep(_SECONDS)
        judges = self.runs.evaluator.counted_panel(analysis.header)
        check = self.session.cache.case_check(self.state.path, analysis.blueprint, self.resources.javascript(), judges)
        checked = _Checked(analysis, check, self._known, self.state.read)
        view = await asyncio.to_thread(checked.view, self.state.path)
        self._known, self._answers = checked.used, checked.answers
        self._check_again(analysis, (checked.cases, judges, analysis.header.span.of(analysis.parsed.text)))
        if view != self.state.cases:
            self.change(cases=view)

    def _check_again(self, analysis: Analysis, evidence: object) -> None:
        """Have a text with paths checked again if `evidence` is new: good answers show how paths are meant."""
        has_paths = any(rubric.paths for prompt in analysis.blueprint.prompts for rubric in prompt.rubrics)
        if has_paths and evidence != self._evidence:
            self._evidence = evidence
            judges = self.runs.evaluator.counted_panel
            self.session.check_with(self.session.cache.good_answers(self.state.path, judges))


def answers_read(prompt: Prompt, shown: Collection[str], tests: Iterable[str] = ()) -> int:
    """How many of the answers with the digests `shown` are neither the ideal nor a test answer.

    `tests` are the texts of the cases that are test answers.
    """
    known = [*tests, *(control_answer(kind, prompt) for kind in ControlKind)]
    known += [] if prompt.ideal is None else [prompt.ideal]
    return len(frozenset(shown) - frozenset(map(text_digest, known)))


@dataclass
class _Checked:
    """One check. Outcomes of earlier ones are used again while their prompt, its header and the judges are the same.

    `shown` are the digests of the answers that were shown, by `PromptPlace.prompt`, and `answers` those of the cases of
    each prompt, by its index.
    """

    analysis: Analysis
    check: CaseCheck
    known: dict[tuple[object, ...], CaseOutcome]
    shown: Mapping[str, frozenset[str]]
    used: dict[tuple[object, ...], CaseOutcome] = field(default_factory=dict[tuple[object, ...], CaseOutcome])
    cases: tuple[Case, ...] = ()
    answers: dict[int, tuple[PromptPlace, tuple[str, ...]]] = field(default_factory=dict)

    def view(self, blueprint: Path) -> CasesView:
        """How the cases stand. Blocks while checks run."""
        text, problem = read_case_text(blueprint)
        file, problems = read_cases(text)
        if text and any(each.slug == CaseProblemKind.UNREADABLE for each in problems):
            problem = f"{beside(blueprint).name} cannot be read"
        self.cases = file.cases
        by_name: dict[str, list[Case]] = {}
        for case in file.cases:
            by_name.setdefault(case.prompt, []).append(case)
        prompts: dict[int, PromptCases] = {}
        read: dict[int, int] = {}
        for name, prompt in self.check.prompts.items():
            of_prompt = by_name.pop(name, [])
            guards = sum(placed.inverted for placed in place(prompt))
            shown = self.shown.get(self.analysis.place(prompt).prompt, frozenset())
            outcomes = [self._outcome(case, prompt) for case in of_prompt]
            subjects = tuple(each.scored.response.subject for each in outcomes if each.scored is not None)
            self.answers[prompt.index] = self.analysis.place(prompt), subjects
            if shown:
                tests = (each.scored.response.subject for each in outcomes if each.test and each.scored)
                read[prompt.index] = answers_read(prompt, shown, tests)
            if of_prompt or guards:
                ideal = self.check.ideal(name) if of_prompt else None
                rubric = RubricLine.all_of(
                    name, prompt, outcomes, [] if ideal is None else [self._outcome(ideal, prompt)]
                )
                untested = len(untested_points(prompt, of_prompt))
                prompts[prompt.index] = PromptCases(tuple(map(CaseLine.of, outcomes)), guards, untested, rubric)
        return CasesView(prompts, sum(map(len, by_name.values())), problem, read)

    def _outcome(self, case: Case, prompt: Prompt) -> CaseOutcome:
        header = self.analysis.header
        text = prompt.span.of(self.analysis.parsed.text)
        key = (case, text, header.span.of(self.analysis.parsed.text), self.check.panel)
        outcome = self.known.get(key)
        if outcome is None:
            outcome = self.check.outcome(case)
        self.used[key] = outcome
        return outcome
