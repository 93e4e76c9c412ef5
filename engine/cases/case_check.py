"""The outcome of every case of a file, as far as it is known without a request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.cases.case import Case, ideal_case
from engine.cases.case_outcome import CaseOutcome, orphaned, outcome_of
from engine.cases.case_scoring import grades_of, known_verdicts, response_of, scored_case
from engine.cases.case_verdicts import Recorded
from engine.cases.prompt_names import prompt_names
from engine.evaluation.point_assessment import Grades
from engine.evaluation.verdicts import as_machines_read
from engine.record import Record

if TYPE_CHECKING:
    from engine.evaluation.verdicts import KnownVerdicts
    from engine.javascript.tasks import TaskRunner
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel


class CaseCheck(Record, dict=True):
    """Scores cases by the rubrics of one blueprint. Its methods block while checks run.

    `panel` are the judges whose verdicts count. `judgements` finds the stored ones on an answer to a prompt, its
    subject text, and those with one of these keys (`engine.evaluation.verdicts.StoredJudgements`); `grades` finds the
    author's grades of it. `recorded` reads the verdicts in the case file. `for_people`: verdicts from
    before an edit count.
    """

    blueprint: Blueprint
    javascript: TaskRunner
    panel: Panel
    judgements: Callable[[Prompt, str, Collection[str]], Sequence[Judgement]] | None = None
    grades: Callable[[Prompt, str], Grades] | None = None
    recorded: Callable[[], Recorded] = dict
    for_people: bool = False

    @cached_property
    def prompts(self) -> dict[str, Prompt]:
        """The prompts by the names that cases use."""
        names = prompt_names(self.blueprint)
        return {names[prompt.index]: prompt for prompt in self.blueprint.prompts}

    @cached_property
    def _recorded(self) -> Recorded:
        return self.recorded()

    def outcomes(self, cases: Iterable[Case]) -> tuple[CaseOutcome, ...]:
        """The outcome of each case, in order."""
        return tuple(map(self.outcome, cases))

    def outcome(self, case: Case) -> CaseOutcome:
        """The outcome of one case."""
        prompt = self.prompts.get(case.prompt)
        if prompt is None:
            return orphaned(case)
        grades = self.graded(case, prompt)
        known = self.known(case, prompt)
        scored = scored_case(case, prompt, self.blueprint.header, self.javascript, known, grades)
        return outcome_of(case, prompt, scored if self.for_people else as_machines_read(prompt, scored))

    def ideal(self, name: str) -> Case | None:
        """The ideal of the prompt with this name as a case, a good answer; None without one."""
        prompt = self.prompts.get(name)
        if prompt is None or prompt.ideal is None:
            return None
        return ideal_case(name, prompt.ideal)

    def ideals(self, prompts: Iterable[str]) -> tuple[CaseOutcome, ...]:
        """The outcomes of the ideals of those of the named prompts that have one."""
        return self.outcomes(each for each in map(self.ideal, prompts) if each is not None)

    def graded(self, case: Case, prompt: Prompt) -> Grades:
        """The grades of the answer of a case: those of its file, and before these the author's."""
        mine: Grades = (
            {} if self.grades is None else self.grades(prompt, response_of(case, prompt, self.blueprint.header).subject)
        )
        return {**grades_of(case, prompt), **mine}

    def known(self, case: Case, prompt: Prompt) -> KnownVerdicts:
        """The verdicts on the answer of a case, stored ones and those of the file."""
        stored = None if self.judgements is None else partial(self.judgements, prompt)
        return known_verdicts(case, prompt, self.blueprint.header, self.panel, stored, self._recorded)
