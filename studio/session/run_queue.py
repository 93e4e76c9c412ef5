"""The queue of runs, which are started together and stopped together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from engine.text.record import Record
from studio.session.run import Run
from studio.session.session_tasks import Tasks

if TYPE_CHECKING:
    from engine.asking.planner import Approval, PlannedRuns
    from engine.evaluation.events import Event
    from studio.session.evaluator import Evaluator, Launch

AT_ONCE = 16
"""How many runs are in progress at the same time. Each provider limits its own requests."""

_GROUP = "runs"

Evaluate: TypeAlias = "Callable[[Run, asyncio.Event], AsyncGenerator[Event]]"
"""The events of one run; they end soon after the `asyncio.Event` is set."""


class Progress(Record):
    """The progress of runs that were started together `seconds` ago: `done` of `total`."""

    done: int
    total: int
    seconds: float

    @property
    def remaining(self) -> float | None:
        """The estimated seconds left, at the present rate; None if no run is done."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None

    def __str__(self) -> str:
        text = f"{self.done} of {self.total}"
        return text if self.remaining is None else f"{text} · {duration(self.remaining)} left"


def duration(seconds: float) -> str:
    """`12 s`, `3 min`, `1.5 h`."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


@dataclass(slots=True)
class _Batch:
    """Runs that were started together. `left` have not ended; `done` ended without being stopped."""

    total: int
    left: int
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=time.monotonic)
    done: int = 0


class RunQueue:
    """Runs evaluations, at most `at_once` at the same time."""

    def __init__(
        self,
        tasks: Tasks,
        on_change: Callable[[Run, Event | None], None],
        on_end: Callable[[], None],
        *,
        at_once: int | None = None,
    ) -> None:
        """`on_change` is called with a run after each event, and the event (None at its start).

        `on_end` is called when all runs have ended. Both are called on the event loop.
        """
        self._tasks = tasks
        self._on_change = on_change
        self._on_end = on_end
        self._at_once = AT_ONCE if at_once is None else at_once
        self._batch: _Batch | None = None

    @property
    def is_running(self) -> bool:
        """Whether any run is in progress, or waits."""
        return self._batch is not None

    @property
    def progress(self) -> Progress | None:
        """The progress of the runs; None if nothing is running."""
        batch = self._batch
        return None if batch is None else Progress(batch.done, batch.total, time.monotonic() - batch.began)

    def start(self, runs: Collection[Run], evaluate: Evaluate) -> None:
        """Start `runs`, in their order, unless others are in progress."""
        if self._batch is not None or not runs:
            return
        batch = self._batch = _Batch(len(runs), len(runs))
        free = asyncio.Semaphore(self._at_once)
        for run in runs:
            self._tasks.start(_GROUP, self._one(batch, free, run, evaluate))

    def stop(self) -> bool:
        """Ask the runs to end; whether there were any. What has arrived stays."""
        if self._batch is None:
            return False
        self._batch.stop.set()
        return True

    def abandon(self) -> None:
        """Cancel the runs at once, without further calls."""
        if self._batch is not None:
            self._batch = None
            self._tasks.cancel(_GROUP)

    async def _one(self, batch: _Batch, free: asyncio.Semaphore, run: Run, evaluate: Evaluate) -> None:
        try:
            async with free:
                if not batch.stop.is_set():
                    await self._follow(batch, run, evaluate)
        finally:
            batch.left -= 1
            if not batch.left and self._batch is batch:
                self._batch = None
                self._on_end()

    async def _follow(self, batch: _Batch, run: Run, evaluate: Evaluate) -> None:
        self._on_change(run, None)
        async with aclosing(evaluate(run, batch.stop)) as events:
            async for event in events:
                run = run.after(event)
                if not run.running:
                    batch.done += 1
                self._on_change(run, event)


async def start_runs(launch: Launch, evaluator: Evaluator, queue: RunQueue, approval: Approval) -> PlannedRuns | None:
    """Start runs in `queue` once they are approved; their plan, None if they do not start."""
    planned = await approval.approve(evaluator.wanted(launch))
    if planned is not None:
        queue.start(launch.runs, lambda run, stop: evaluator.run(run, planned, stop, is_judged=launch.is_judged))
    return planned
