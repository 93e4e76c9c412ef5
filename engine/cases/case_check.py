"""The outcome of every case of a file, as far as it is known without a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.cases.case import Case, ideal_case
from engine.cases.case_outcome import CaseOutcome, orphaned, outcome_of
from engine.cases.case_scoring import questions_of, scored_case
from engine.cases.case_verdicts import cached_verdicts, recorded_verdicts
from engine.cases.prompt_names import prompt_names

if TYPE_CHECKING:
    from engine.evaluation.judge_assessment import EarlierVerdicts
    from engine.javascript.tasks import TaskRunner
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from engine.providers.chat import Resolve


def _nothing(_: str) -> None:
    return None


@dataclass(frozen=True)
class CaseCheck:
    """Scores cases by the rubrics of one blueprint. Its methods block while checks run.

    `panel` are the judges whose verdicts count, `providers` resolves their models, and `cached` finds a verdict by its
    request (`engine.providers.request_key`).
    """

    blueprint: Blueprint
    javascript: TaskRunner
    panel: Panel
    providers: Resolve
    cached: Callable[[str], Judgement | None] = _nothing

    @cached_property
    def prompts(self) -> dict[str, Prompt]:
        """The prompts by the names that cases use."""
        names = prompt_names(self.blueprint)
        return {names[prompt.index]: prompt for prompt in self.blueprint.prompts}

    def outcomes(self, cases: Iterable[Case]) -> tuple[CaseOutcome, ...]:
        """The outcome of each case, in order."""
        return tuple(map(self.outcome, cases))

    def outcome(self, case: Case) -> CaseOutcome:
        """The outcome of one case."""
        prompt = self.prompts.get(case.prompt)
        if prompt is None:
            return orphaned(case)
        verdicts = self.verdicts(case, prompt)
        scored = scored_case(case, prompt, self.blueprint.header, self.javascript, verdicts)
        return outcome_of(case, prompt, scored)

    def ideals(self, prompts: Iterable[str]) -> tuple[CaseOutcome, ...]:
        """The ideals of those of the named prompts that have one, as good answers."""
        named = ((name, self.prompts.get(name)) for name in prompts)
        return tuple(
            self.outcome(ideal_case(name, prompt.ideal))
            for name, prompt in named
            if prompt is not None and prompt.ideal is not None
        )

    def verdicts(self, case: Case, prompt: Prompt) -> EarlierVerdicts:
        """The verdicts on the answer of a case that are known, by criterion; those of the file come first."""
        asked = questions_of(case, prompt, self.blueprint.header).values()
        cached = cached_verdicts(asked, self.panel, self.blueprint, self.providers, self.cached)
        return {**cached, **recorded_verdicts(case, asked, self.panel)}
