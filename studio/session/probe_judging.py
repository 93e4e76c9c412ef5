"""Asking judges the questions of a deletion test: their plan, and their replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing

from engine.blueprint import Blueprint, Prompt
from engine.deletion_test import ROUNDS, Probe
from engine.evaluation.sources import WrittenSource
from engine.judging.consensus import Consensus
from engine.judging.judge_runner import PointJudged, judge_points
from engine.judging.panel import Panel
from engine.planning import NOTHING_CACHED, Job
from engine.record import replace
from studio.session.planned_runs import PlannedRuns


def in_rounds(panel: Panel) -> Panel:
    """`panel`, asked as often as a deletion test compares."""
    return replace(panel, rounds=ROUNDS)


async def plan_probes(
    blueprint: Blueprint, prompt: Prompt, probes: Sequence[Probe], panel: Panel, *, keyless: bool = False
) -> PlannedRuns:
    """What the questions cost. Every verdict is asked for: a cached one would be the same one again."""
    places: dict[int | None, set[int]] = {}
    threads = {probe.sentence: probe.question.thread for probe in probes}
    for probe in probes:
        places.setdefault(probe.sentence, set()).add(probe.place)
    every = frozenset(range(len(prompt.points())))
    jobs = [
        Job(prompt, WrittenSource(""), thread=threads[sentence], settled=every - asked)
        for sentence, asked in places.items()
    ]
    return await PlannedRuns.of(blueprint, jobs, panel, (), NOTHING_CACHED, keyless=keyless)


async def judge_probes(
    blueprint: Blueprint,
    probes: Sequence[Probe],
    panel: Panel,
    planned: PlannedRuns,
    judged: Callable[[int, int], None] = lambda _done, _total: None,
) -> Mapping[Probe, Consensus]:
    """The replies to all questions, past every cache. `judged` is called with how many are done, of how many."""
    replies: dict[Probe, Consensus] = {}
    asked = {number: probe.question for number, probe in enumerate(probes)}
    judging = judge_points(asked, panel, providers=planned.models, custom=blueprint.header.models)
    async with aclosing(judging) as events:
        async for event in events:
            if isinstance(event, PointJudged):
                replies[probes[event.index]] = event.consensus
                judged(len(replies), len(probes))
    return replies
