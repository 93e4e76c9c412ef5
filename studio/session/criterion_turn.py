"""One turn: the present wording of a criterion on all chosen answers, by judges or by its check."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.asking.exchanges import Job
from engine.asking.planned import Approval, Wanted
from engine.asking.planner import Access
from engine.asking.unjudged import UnjudgedAnswer
from engine.blueprint import Blueprint, Header, Rubric
from engine.evaluation.point_assessment import assess, subject_of
from engine.evaluation.service_assessment import service_verdicts
from engine.evaluation.sources import WrittenSource
from engine.judging.judge_prompt import Question, questions
from engine.judging.panel import Approach
from engine.scoring.assessment import Assessment
from engine.study.case import Case, prompt_names
from engine.study.criterion_counts import Freshness, UnitCounts, criterion_counts
from engine.study.wordings import FoundPoint, LoopAnswer, context_of_wording
from engine.text.record import replace
from studio.session.cache import Cache

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.study.case_scoring import CaseCheck


def unjudged(found: FoundPoint, answers: Sequence[LoopAnswer]) -> Mapping[UnjudgedAnswer, LoopAnswer]:
    """The answers as judges are asked about them."""
    places = frozenset((found.index,))
    return {UnjudgedAnswer(found.prompt, each.subject, each.thread, places): each for each in answers}


def question_about(answer: LoopAnswer, found: FoundPoint, header: Header) -> Question:
    """What judges are asked about an answer. Holistic ones see all criteria, as in a full run."""
    return questions(found.prompt, answer.thread, header.description)[found.index]


def contexts_today(answers: Sequence[LoopAnswer], found: FoundPoint, header: Header) -> Mapping[str, frozenset[str]]:
    """The digests of what judges of any approach would be shown today, by answer; {} for a check."""
    if found.point.function is not None:
        return {}
    asked = {each.key: question_about(each, found, header) for each in answers}
    return {
        key: frozenset(context_of_wording(approach, question) for approach in Approach)
        for key, question in asked.items()
    }


async def checked(found: FoundPoint, answers: Sequence[LoopAnswer], javascript: JavaScript) -> Mapping[str, Assessment]:
    """The assessments of a check on all answers, by digest. Nothing is sent: a check by a service stays open."""
    return await asyncio.to_thread(partial(_check, found, answers, javascript))


def _check(found: FoundPoint, answers: Sequence[LoopAnswer], javascript: JavaScript) -> Mapping[str, Assessment]:
    by_itself = alone(found)
    return {
        each.key: replace(
            assess(by_itself.prompt, each.subject, javascript, thread=each.thread, model=each.model or each.label)[0],
            placed=found.placed,
        )
        for each in answers
    }


def alone(found: FoundPoint) -> FoundPoint:
    """The point in a prompt that has no other one, so that only it is checked."""
    rubric = Rubric(found.placed.rubric.block, found.placed.rubric.span, (found.point,))
    is_inverted = found.placed.inverted
    prompt = replace(found.prompt, should=None if is_inverted else rubric, should_not=rubric if is_inverted else None)
    return FoundPoint(prompt, 0, found.placed)


async def access_for(
    blueprint: Blueprint, found: FoundPoint, answers: Sequence[LoopAnswer], approval: Approval
) -> Access | None:
    """What a check may send about `answers`; None if the author does not agree to it."""
    prompt = alone(found).prompt
    jobs = [Job(prompt, WrittenSource(each.subject), thread=each.thread) for each in answers]
    planned = await approval.approve(Wanted(blueprint, jobs))
    return None if planned is None else planned.access


async def with_replies(
    checks: Mapping[str, Assessment],
    blueprint: Blueprint,
    found: FoundPoint,
    answers: Sequence[LoopAnswer],
    cache: Cache,
    access: Access | None,
) -> Mapping[str, Assessment]:
    """`checks`, by the digests of `answers`, with replies of the service: cached ones alone without `access`."""
    prompt = alone(found).prompt
    services = cache.services(blueprint.header, prompt, access)
    if services is None:
        return checks
    replies = dict(checks)
    for answer in answers:
        subject = subject_of(prompt, answer.subject, answer.thread, answer.model or answer.label)
        async with aclosing(service_verdicts([checks[answer.key]], subject, services)) as verdicts:
            async for _, assessment in verdicts:
                replies[answer.key] = assessment
    return replies


def unit_counts(
    check: CaseCheck, found: FoundPoint, cases: Sequence[Case], is_fresh: Freshness | None = None
) -> UnitCounts | None:
    """The counts of the unit of a point; None if nothing is labelled. Blocks while checks run."""
    prompt = found.prompt
    name = prompt_names(check.blueprint)[prompt.index]
    if not any(case.is_bad is not None for case in cases):
        return None
    outcomes = (*check.outcomes(cases), *check.ideals([name]))
    units = criterion_counts(name, prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)
