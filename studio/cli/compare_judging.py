"""Judges for the verdicts that two result files lack: the plan on stderr, then the replies into the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint
from studio.cli.frame import Unusable, tell
from studio.cli.limit_options import Limits, OptionsApproval
from studio.cli.service_options import Permissions
from studio.session.cache import Cache
from studio.session.comparison_judging import judge_answers, plan_judging
from studio.session.resources import Resources
from studio.session.run_starts import Launch

if TYPE_CHECKING:
    from engine.asking.spending import Spending
    from engine.store import StoreUnavailable
    from engine.study.two_runs import ResultVersion, UnjudgedAnswer
    from studio.session.planned_runs import PlannedRuns


def judge_missing(missing: Sequence[tuple[ResultVersion, Sequence[UnjudgedAnswer]]], limits: Limits) -> None:
    """Have the judges of each version judge its answers, within `limits` for all together. Blocks.

    A dry run prints the plans alone. Raises `Unusable` if there is no judge.
    """
    resources = Resources()
    cache = Cache(resources.store, _report)
    try:
        for version, answers in missing:
            if not version.panel.judges:
                raise Unusable(f"There is no judge to ask: {'; '.join(version.panel.left_out)}.")
            spent = asyncio.run(_judge(version, answers, limits, cache))
            if spent is not None:
                limits = _left(limits, spent)
    finally:
        resources.close()


async def _judge(
    version: ResultVersion, answers: Sequence[UnjudgedAnswer], limits: Limits, cache: Cache
) -> Spending | None:
    async def plan(hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        del hosts  # criteria call no service
        return await plan_judging(version.header, answers, version.panel, cache, keyless=keyless)

    blueprint = Blueprint(version.header, tuple(each.prompt for each in answers))
    approved = await OptionsApproval(limits, Permissions()).approve(Launch(blueprint, [], version.panel), plan)
    if approved is None:
        return None
    approved.planned.limit(approved.cap)
    await judge_answers(version.header, answers, version.panel, approved.planned, cache, _progress)
    return approved.planned.spending


def _left(limits: Limits, spent: Spending) -> Limits:
    dollars, requests = limits.most_usd, limits.most_requests
    return replaced(
        limits,
        most_usd=None if dollars is None else max(dollars - spent.dollars, 0.0),
        most_requests=None if requests is None else max(requests - spent.requests, 0),
    )


def _progress(done: int, total: int) -> None:
    tell(f"{done} of {total} questions answered")


def _report(error: StoreUnavailable) -> None:
    tell(f"Verdicts cannot be cached, so they are lost: {error}")
