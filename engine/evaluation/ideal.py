"""The score of a prompt's ideal on its rubric: evidence on where to look, at the rubric or the answer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import AllJudged, Response, Scored
from engine.evaluation.headline import headline
from engine.evaluation.point_assessment import Grades
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import IdealSource
from engine.scoring.explanation import IdealScore
from engine.text.record import replace

if TYPE_CHECKING:
    from engine.evaluation.service_assessment import Services
    from engine.evaluation.verdicts import KnownVerdicts
    from engine.javascript import JavaScript


async def ideal_score(
    prompt: Prompt,
    blueprint: Blueprint,
    *,
    javascript: JavaScript,
    grades: Grades | Callable[[str], Grades] | None = None,
    verdicts: Callable[[Response], KnownVerdicts] | None = None,
    services: Services | None = None,
) -> IdealScore | None:
    """The score of the ideal of `prompt`, by the author's grades and `verdicts`; None where there is no ideal.

    Nothing is requested: of `services` only cached replies are used. The other parameters are as in `evaluate`.
    """
    if prompt.ideal is None:
        return None
    cached_services = None if services is None else replace(services, may_send=False)
    events = evaluate(
        prompt,
        blueprint,
        IdealSource(),
        javascript=javascript,
        grades=grades,
        verdicts=verdicts,
        services=cached_services,
    )
    scored: Scored | None = None
    async with aclosing(events):
        async for event in events:
            match event:
                case Scored():
                    scored = event
                case AllJudged():
                    scored = event.scored
                case _:
                    pass
    if scored is None or not scored.assessments:
        return None
    head = headline(scored.explanation, scored.response)
    return IdealScore(scored.explanation.bounds, head.judged or 0, head.figure, head.details)
