"""Beginning runs: what they would send, whether they may, and their events."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.evaluation.sources import WrittenSource
from studio.session.allowed_services import ServiceAccess
from studio.session.evaluator import Evaluator, Permit
from studio.session.run import Run
from studio.session.run_queue import RunQueue

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection

    from engine.blueprint import Blueprint
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from engine.planning import Cap
    from studio.session.planned_runs import PlannedRuns

_LOADED_FIRST = "studio.session.planned_runs"
"""Takes longer to load than a frame, so that it is loaded off the event loop."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Runs that are to begin together, by the judges of `panel`, nobody where it is None."""

    blueprint: Blueprint
    runs: Sequence[Run]
    panel: Panel | None

    @property
    def is_of_several_prompts(self) -> bool:
        """Whether several prompts are run."""
        return len({run.place for run in self.runs}) > 1


@dataclass(frozen=True, slots=True)
class Approved:
    """What a launch may do: which services it asks, and where it stops."""

    access: ServiceAccess
    cap: Cap
    planned: PlannedRuns


class Approval(Protocol):
    """Who says whether a launch may begin: the author in the studio, the options of a command."""

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What `launch` may do; None where it is not to begin. `plan` makes its plan, as often as it is wanted."""
        ...


class Planner(Protocol):
    """Makes the plan of a launch where checks may ask `hosts`; None: all that they would ask."""

    async def __call__(self, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        """The plan; `keyless` for one of which nothing is sent, which needs no key."""
        ...


class RunLauncher:
    """Begins runs of one file where they are approved."""

    def __init__(
        self, evaluator: Evaluator, queue: RunQueue, approval: Approval, begins: Callable[[Sequence[Run]], None]
    ) -> None:
        """`begins` is called with runs that begin together."""
        self._evaluator = evaluator
        self._queue = queue
        self._approval = approval
        self._begins = begins

    async def run(self, launch: Launch) -> Approved | None:
        """Begin the runs, each with a new answer; what they may do, None where they do not begin."""
        approved = await self._approve(launch)
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.run(run, launch.blueprint, permit, stop))

            self._begins(launch.runs)
            self._queue.start(launch.runs, evaluate)
        return approved

    async def judge(self, launch: Launch) -> None:
        """Begin to judge the answers that the runs have; nobody is asked for another."""
        there = [_as_written(run) for run in launch.runs]
        approved = await self._approve(replace(launch, runs=there))
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.judge(run, launch.blueprint, permit, stop))

            self._begins(launch.runs)
            self._queue.start(launch.runs, evaluate)

    async def preview(self, launch: Launch) -> PlannedRuns:
        """The plan of a launch of which nothing is sent."""
        return await self._plan(launch, None, keyless=True)

    async def _approve(self, launch: Launch) -> Approved | None:
        return await self._approval.approve(launch, partial(self._plan, launch))

    async def _plan(self, launch: Launch, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        await asyncio.to_thread(importlib.import_module, _LOADED_FIRST)
        from studio.session.planned_runs import PlannedRuns, job_of

        jobs = [job_of(run, self._evaluator) for run in launch.runs]
        cached = self._evaluator.cached()
        return await PlannedRuns.of(launch.blueprint, jobs, launch.panel, hosts, cached, keyless=keyless)


def _permit(launch: Launch, approved: Approved) -> Permit:
    planned = approved.planned
    planned.limit(approved.cap)
    return Permit(planned.models, launch.panel, replace(approved.access, count=planned.spending.count_request))


def _as_written(run: Run) -> Run:
    """The run as one that is given its answer, so that the plan counts what its judging takes."""
    assert run.response is not None
    return replace(run, candidate=replace(run.candidate, source=WrittenSource(run.response.subject)))
