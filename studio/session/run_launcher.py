"""Starting runs: their plan, its approval, and their events."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.evaluation.sources import WrittenSource
from engine.text.record import Record, replace
from studio.session.allowed_services import ServiceAccess
from studio.session.evaluator import Evaluator, Permit
from studio.session.run import Run
from studio.session.run_queue import RunQueue

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection

    from engine.asking.spending import Cap
    from engine.blueprint import Blueprint
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from studio.session.planned_runs import PlannedRuns

_LOADED_FIRST = "studio.session.planned_runs"
"""Loading this module takes longer than a frame, so it is loaded off the event loop."""


class Launch(Record):
    """Runs to start together. `panel` judges points in words; None for no judges."""

    blueprint: Blueprint
    runs: Sequence[Run]
    panel: Panel | None

    @property
    def is_of_several_prompts(self) -> bool:
        """Whether it runs several prompts."""
        return len({run.place for run in self.runs}) > 1


class Approved(Record):
    """What a launch may do: the services that it may ask, its cap, and its plan."""

    access: ServiceAccess
    cap: Cap
    planned: PlannedRuns


class Approval(Protocol):
    """Approves launches: the author in the studio, the options of a command."""

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What `launch` may do; None if it may not start. `plan` makes its plan, and can be called again."""
        ...


class Planner(Protocol):
    """Makes the plan of a launch whose checks may ask `hosts`; None for all hosts that they name."""

    async def __call__(self, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        """The plan. `keyless`: nothing will be sent, so no key is needed."""
        ...


class RunLauncher:
    """Starts runs of one file once they are approved."""

    def __init__(
        self, evaluator: Evaluator, queue: RunQueue, approval: Approval, on_start: Callable[[Sequence[Run]], None]
    ) -> None:
        """`on_start` is called with runs that start together."""
        self._evaluator = evaluator
        self._queue = queue
        self._approval = approval
        self._on_start = on_start

    async def run(self, launch: Launch) -> Approved | None:
        """Start the runs, each with a new answer; what they may do, None if they do not start."""
        approved = await self._approve(launch)
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.run(run, launch.blueprint, permit, stop))

            self._on_start(launch.runs)
            self._queue.start(launch.runs, evaluate)
        return approved

    async def judge(self, launch: Launch) -> Approved | None:
        """Start judging the present answers of the runs, and request no others; as `run` does."""
        there = [_as_written(run) for run in launch.runs]
        approved = await self._approve(replace(launch, runs=there))
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.judge(run, launch.blueprint, permit, stop))

            self._on_start(launch.runs)
            self._queue.start(launch.runs, evaluate)
        return approved

    async def preview(self, launch: Launch) -> PlannedRuns:
        """The plan of a launch, of which nothing is sent."""
        return await self._plan(launch, None, keyless=True)

    async def _approve(self, launch: Launch) -> Approved | None:
        return await self._approval.approve(launch, partial(self._plan, launch))

    async def _plan(self, launch: Launch, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        await asyncio.to_thread(importlib.import_module, _LOADED_FIRST)
        from studio.session.planned_runs import PlannedRuns, job_of

        jobs = [job_of(run, self._evaluator, launch.blueprint.header, launch.panel) for run in launch.runs]
        return await PlannedRuns.of(
            launch.blueprint, jobs, launch.panel, hosts, self._evaluator.cached(), keyless=keyless
        )


def _permit(launch: Launch, approved: Approved) -> Permit:
    planned = approved.planned
    planned.limit(approved.cap)
    return Permit(planned.models, launch.panel, replace(approved.access, counter=planned.spending))


def _as_written(run: Run) -> Run:
    """The run with its answer as a written source, so that the plan counts only its judging."""
    assert run.response is not None
    return replace(run, candidate=replace(run.candidate, source=WrittenSource(run.response.subject)))
