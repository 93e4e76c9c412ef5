"""The queue of runs, which are started together and stopped together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
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


class RunQueue:
    """Runs evaluations, at most `at_once` at the same time. Cancelling its tasks ends them without further calls."""

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
        self._stop: asyncio.Event | None = None
        self._began = 0.0
        self._done = self._total = 0

    @property
    def is_running(self) -> bool:
        """Whether any run is in progress, or waits."""
        return self._stop is not None

    @property
    def progress(self) -> Progress | None:
        """The progress of the runs; None if nothing is running."""
        return Progress(self._done, self._total, time.monotonic() - self._began) if self.is_running else None

    def start(self, runs: Collection[Run], evaluate: Evaluate) -> None:
        """Start `runs`, in their order, unless others are in progress."""
        if not self.is_running and runs:
            self._stop, self._began, self._done, self._total = asyncio.Event(), time.monotonic(), 0, len(runs)
            self._tasks.start(_GROUP, self._all(runs, evaluate, self._stop))

    def stop(self) -> bool:
        """Ask the runs to end; whether there were any. What has arrived stays."""
        if self._stop is not None:
            self._stop.set()
        return self.is_running

    async def _all(self, runs: Collection[Run], evaluate: Evaluate, stop: asyncio.Event) -> None:
        free = asyncio.Semaphore(self._at_once)
        try:
            await asyncio.wait([self._tasks.start(_GROUP, self._one(run, evaluate, stop, free)) for run in runs])
        finally:
            self._stop = None
        self._on_end()

    async def _one(self, run: Run, evaluate: Evaluate, stop: asyncio.Event, free: asyncio.Semaphore) -> None:
        async with free:
            if stop.is_set():
                return
            self._on_change(run, None)
            async with aclosing(evaluate(run, stop)) as events:
                async for event in events:
                    run = run.after(event)
                    self._done += not run.running
                    self._on_change(run, event)


async def start_runs(launch: Launch, evaluator: Evaluator, queue: RunQueue, approval: Approval) -> PlannedRuns | None:
    """Start runs in `queue` once they are approved; their plan, None if they do not start."""
    planned = await approval.approve(evaluator.wanted(launch))
    if planned is not None:
        queue.start(launch.runs, lambda run, stop: evaluator.run(run, planned, stop))
    return planned
