"""Having judges give the verdicts that a comparison lacks: their plan, and their replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from engine.asking.exchanges import CacheLookup
from engine.blueprint import Blueprint, Header
from engine.judging.judge_prompt import Question, questions
from engine.judging.judge_runner import JudgeAnswered, PointJudged, judge_points
from engine.study.two_runs import UnjudgedAnswer
from studio.session.planned_runs import PlannedRuns

if TYPE_CHECKING:
    from engine.judging.panel import Panel
    from studio.session.cache import Cache


async def plan_judging(
    header: Header, answers: Sequence[UnjudgedAnswer], panel: Panel, cache: Cache, *, keyless: bool = False
) -> PlannedRuns:
    """What judging `answers`, all by rubrics of one version, costs beside the verdicts that are cached."""
    blueprint = Blueprint(header, tuple(each.prompt for each in answers))
    cached = CacheLookup(judgement=cache.judgement)
    return await PlannedRuns.of(blueprint, [each.job for each in answers], panel, (), cached, keyless=keyless)


async def judge_answers(
    header: Header,
    answers: Sequence[UnjudgedAnswer],
    panel: Panel,
    planned: PlannedRuns,
    cache: Cache,
    judged: Callable[[int, int], None],
) -> None:
    """Ask the judges, and cache each verdict as it arrives. `judged` is called with how many are done, of how many."""
    asked: dict[int, Question] = {}
    for answer in answers:
        every = questions(answer.prompt, answer.response.thread, header.description)
        asked.update(enumerate((every[place] for place in sorted(answer.places) if place in every), len(asked)))
    done = 0
    judging = judge_points(asked, panel, providers=planned.models, cached=cache.judgement, custom=header.models)
    async with aclosing(judging) as events:
        async for event in events:
            match event:
                case JudgeAnswered(judgement=judgement) if not judgement.reused:
                    await asyncio.to_thread(cache.save_judgement, judgement)
                case PointJudged():
                    done += 1
                    judged(done, len(asked))
                case JudgeAnswered():
                    pass
