"""An answer by a rubric that it was not run with, as far as that is known without a request."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import Grades, assess
from engine.evaluation.verdicts import KnownVerdicts, StoredJudgements
from engine.judging.panel import Panel
from engine.record import Record
from engine.scoring.assessment import Assessment

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner


class CornerCheck(Record):
    """Assesses answers by the rubrics of one version of a blueprint. Its methods block while checks run.

    Checks run and grades of people count, and the verdicts that `stored` finds; without it, none does. Checks by a
    service stay open.
    """

    header: Header
    panel: Panel
    javascript: Callable[[], TaskRunner]
    stored: StoredJudgements | None = None

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
        if self.stored is None or not any(prompt.points()[place].text is not None for place in wanted):
            return assessed
        known = KnownVerdicts.on(prompt, self.header, response, self.panel, self.stored)
        judged = known.assessed(assessed)
        return tuple(judged[place] if place in wanted else each for place, each in enumerate(assessed))
