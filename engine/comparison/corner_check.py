"""An answer by a rubric that it was not run with, as far as that is known without a request."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.cases.case_verdicts import cached_verdicts
from engine.evaluation.events import Response
from engine.evaluation.judge_assessment import with_verdicts
from engine.evaluation.point_assessment import Grades, assess
from engine.judging.judge_prompt import questions
from engine.judging.panel import Panel
from engine.providers.chat import Resolve
from engine.scoring.assessment import Assessment

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner
    from engine.judging.judgement import Judgement


@dataclass(frozen=True)
class CornerCheck:
    """Assesses answers by the rubrics of one version of a blueprint. Its methods block while checks run.

    Checks run and grades of people count; of verdicts, those on the very request that a judge of `panel` would be
    sent, which `cached` finds by its key; without `cached`, none does. Checks by a service stay open.
    """

    header: Header
    panel: Panel
    providers: Resolve
    javascript: Callable[[], TaskRunner]
    cached: Callable[[str], Judgement | None] | None = None

    def assessments(
        self, prompt: Prompt, response: Response, wanted: Collection[int], grades: Grades | None = None
    ) -> tuple[Assessment, ...]:
        """One assessment for each point of `prompt`. Verdicts are looked up for the points at the places `wanted`."""
        assessed = assess(
            prompt,
            response.subject,
            self.javascript(),
            thread=response.thread,
            model=response.model or "",
            grades=grades,
        )
        if self.cached is None:
            return assessed
        asked = questions(prompt, response.thread, self.header.description)
        looked_up = [question for index, question in asked.items() if index in wanted]
        if not looked_up:
            return assessed
        blueprint = Blueprint(self.header, (prompt,))
        verdicts = cached_verdicts(looked_up, self.panel, blueprint, self.providers, self.cached)
        return with_verdicts(assessed, verdicts, asked)[0] if verdicts else assessed
