"""Criteria in the deletion test of a command: the plan on stderr, then judges."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import click

from engine.cases.case import ideal_case
from engine.cases.case_scoring import known_verdicts
from engine.deletion_test import DeletionTest, Probe, criterion_trials, probes
from engine.text import visible
from studio.session.cache import Cache
from studio.session.probe_judging import in_rounds, judge_probes, plan_probes
from studio.session.resources import Resources
from studio.session.run_launcher import Launch

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from engine.blueprint import Blueprint, Prompt
    from engine.judging.consensus import Consensus
    from engine.judging.panel import Panel
    from engine.store import StoreUnavailable
    from studio.session.planned_runs import PlannedRuns
    from studio.session.run_launcher import Approval


def judged_test(
    blueprint: Blueprint, prompt: Prompt, test: DeletionTest, panel: Panel, approval: Approval
) -> DeletionTest | None:
    """`test` with its criteria judged; None without approval, as for a dry run. Blocks."""
    asked, test = probes(prompt, blueprint.header, test, _known(blueprint, prompt, panel))
    if not asked:
        return test
    return asyncio.run(_judged(blueprint, prompt, test, asked, in_rounds(panel), approval))


def _known(blueprint: Blueprint, prompt: Prompt, panel: Panel) -> Mapping[int, Consensus]:
    """The stored verdicts of `panel` on the ideal, by the present rubric, by place."""
    resources = Resources()
    try:
        stored = partial(Cache(resources.store, _report).judgements, None)
        return known_verdicts(ideal_case(prompt.id, prompt.ideal or ""), prompt, blueprint.header, panel, stored).today
    finally:
        resources.close()


async def _judged(
    blueprint: Blueprint,
    prompt: Prompt,
    test: DeletionTest,
    asked: Sequence[Probe],
    panel: Panel,
    approval: Approval,
) -> DeletionTest | None:
    async def plan(hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        del hosts  # criteria call no service
        return await plan_probes(blueprint, prompt, asked, panel, keyless=keyless)

    approved = await approval.approve(Launch(blueprint, [], panel), plan)
    if approved is None:
        return None
    approved.planned.limit(approved.cap)
    replies = await judge_probes(blueprint, asked, panel, approved.planned, partial(_progress, prompt.id))
    return criterion_trials(test, prompt, asked, replies)


def _progress(name: str, done: int, total: int) -> None:
    click.echo(visible(f"{done} of {total}: {' '.join(name.split())}"), err=True)


def _report(error: StoreUnavailable) -> None:
    click.echo(visible(f"Cached verdicts cannot be read: {error}"), err=True)
