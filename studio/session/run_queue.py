"""The runs that go on, and a way to stop them. Runs are begun together and stopped together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from studio.session.run import Run
from studio.session.session_tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from engine.evaluation.events import Event

AT_ONCE = 16
"""How many runs are under way at the same time. How many requests one provider gets at once is that one's limit."""

_GROUP = "runs"

Evaluate: TypeAlias = "Callable[[Run, asyncio.Event], AsyncGenerator[Event]]"
"""The events of one run, which end soon after the event is set."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the runs that were begun together have come. `seconds` is the time since, `total` counts them all."""

    done: int
    total: int
    seconds: float

    @property
    def remaining(self) -> float | None:
        """Seconds that are left if the others take as long as those that are done; None where none is."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None

    def __str__(self) -> str:
        text = f"{self.done} of {self.total}"
        return text if self.remaining is None else f"{text} · {_duration(self.remaining)} left"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


@dataclass(slots=True)
class _Batch:
    """Runs that were begun together. `left` are those that have not ended, `done` those that ended by themselves."""

    total: int
    left: int
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=time.monotonic)
    done: int = 0


class RunQueue:
    """Runs evaluations, so many at once."""

    def __init__(
        self,
        tasks: Tasks,
        went_on: Callable[[Run, Event | None], None],
        ended: Callable[[], None],
        *,
        at_once: int = AT_ONCE,
    ) -> None:
        """`went_on` is called on the event loop with a run after each event, and the event (None at its start).

        `ended` is called when nothing goes on any more.
        """
        self._tasks = tasks
        self._went_on = went_on
        self._ended = ended
        self._at_once = at_once
        self._batch: _Batch | None = None

    @property
    def is_running(self) -> bool:
        """Whether any run goes on, or waits for its turn."""
        return self._batch is not None

    @property
    def progress(self) -> Progress | None:
        """How far those that go on have come; None where nothing does."""
        batch = self._batch
        return None if batch is None else Progress(batch.done, batch.total, time.monotonic() - batch.began)

    def start(self, runs: Collection[Run], evaluate: Evaluate) -> None:
        """Begin `runs`, in their order, unless others go on."""
        if self._batch is not None or not runs:
            return
        batch = self._batch = _Batch(len(runs), len(runs))
        free = asyncio.Semaphore(self._at_once)
        for run in runs:
            self._tasks.start(_GROUP, self._one(batch, free, run, evaluate))

    def stop(self) -> bool:
        """Ask what goes on to end; whether there was anything. What had arrived stays."""
        if self._batch is None:
            return False
        self._batch.stop.set()
        return True

    def abandon(self) -> None:
        """End what goes on at once, with nobody left to tell."""
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
                self._ended()

    async def _follow(self, batch: _Batch, run: Run, evaluate: Evaluate) -> None:
        self._went_on(run, None)
        async with aclosing(evaluate(run, batch.stop)) as events:
            async for event in events:
                run = run.after(event)
                if not run.running:
                    batch.done += 1
                self._went_on(run, event)
