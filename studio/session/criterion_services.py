"""A check by a service on chosen answers: the consent to its host, and its replies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from engine.asking.exchanges import NOTHING_CACHED, Job
from engine.blueprint import Blueprint
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import subject_of
from engine.evaluation.sources import Candidate, WrittenSource
from engine.scoring.assessment import Assessment
from engine.study.wordings import FoundPoint, LoopAnswer
from engine.text.record import replace
from studio.session.allowed_services import ServiceAccess, services_for
from studio.session.cache import Cache
from studio.session.criterion_turn import alone
from studio.session.planned_runs import PlannedRuns
from studio.session.run import Run
from studio.session.run_launcher import Launch

if TYPE_CHECKING:
    from engine.store import PromptPlace
    from studio.session.run_launcher import Approval


async def access_for(
    blueprint: Blueprint,
    place: PromptPlace,
    found: FoundPoint,
    answers: Sequence[LoopAnswer],
    approval: Approval,
) -> ServiceAccess | None:
    """What a check may send about `answers`; None if the author does not agree to it."""
    prompt = alone(found).prompt
    runs = [
        Run(
            place,
            prompt,
            "",
            0,
            Candidate(WrittenSource(each.subject)),
            response=Response(each.subject, each.thread),
        )
        for each in answers
    ]

    async def plan(hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        jobs = [Job(prompt, WrittenSource(each.subject), thread=each.thread) for each in answers]
        return await PlannedRuns.of(blueprint, jobs, None, hosts, NOTHING_CACHED, keyless=keyless)

    approved = await approval.approve(Launch(blueprint, runs, None), plan)
    if approved is None:
        return None
    approved.planned.limit(approved.cap)
    return replace(approved.access, counter=approved.planned.spending)


async def with_replies(
    checks: Mapping[str, Assessment],
    blueprint: Blueprint,
    found: FoundPoint,
    answers: Sequence[LoopAnswer],
    cache: Cache,
    access: ServiceAccess | None,
) -> Mapping[str, Assessment]:
    """`checks`, by the digests of `answers`, with replies of the service: cached ones alone without `access`."""
    from engine.evaluation.service_assessment import service_verdicts

    prompt = alone(found).prompt
    services = await services_for(blueprint, prompt, cache, access)
    if services is None:
        return checks
    replies = dict(checks)
    for answer in answers:
        subject = subject_of(prompt, answer.subject, answer.thread, answer.model or answer.label)
        async with aclosing(service_verdicts([checks[answer.key]], subject, services)) as verdicts:
            async for _, assessment in verdicts:
                replies[answer.key] = assessment
    return replies
