"""The runs of one open file: the newest of each prompt and candidate, those that go on, and a way to stop them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from engine.store import PromptPlace
from studio.session.run import Run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from engine.evaluation.events import Event

AT_ONCE = 16
"""How many runs are under way at the same time. How many requests one provider gets at once is that one's limit."""

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
        said = f"{self.done} of {self.total}"
        return said if self.remaining is None else f"{said} · {_in_words(self.remaining)} left"


def _in_words(seconds: float) -> str:
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


class Work(Protocol):
    """Something that goes on by itself; Textual's `Worker`."""

    def cancel(self) -> object:
        """End it at once."""
        ...


Spawn: TypeAlias = "Callable[[Coroutine[Any, Any, None]], Work]"
"""Lets something go on by itself. What it raises is the spawner's to tell."""


@dataclass(slots=True)
class _Going:
    """Runs that were begun together. `left` are those that have not ended, `done` those that ended by themselves."""

    total: int
    left: int
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    work: list[Work] = field(default_factory=list[Work])


class UnderWay:
    """What was run of one file. Runs are begun together and stopped together."""

    def __init__(self, changed: Callable[[Run, Event | None], None], spawn: Spawn, ended: Callable[[], None]) -> None:
        """`changed` is called on the event loop with a run after each event, and the event (None at its start).

        `ended` is called when nothing goes on any more.
        """
        self._changed = changed
        self._spawn = spawn
        self._all_ended = ended
        self._newest: dict[tuple[str, str], Run] = {}
        self._going: _Going | None = None
        self.version = 0
        """Another one whenever a run is another."""

    @property
    def any(self) -> bool:
        """Whether any prompt was run."""
        return bool(self._newest)

    @property
    def running(self) -> bool:
        """Whether any run goes on, or waits for its turn."""
        return self._going is not None

    @property
    def progress(self) -> Progress | None:
        """How far those that go on have come; None where nothing does."""
        going = self._going
        return None if going is None else Progress(going.done, going.total, time.monotonic() - going.began)

    def newest(self, place: PromptPlace, key: str) -> Run | None:
        """The newest run of a prompt with one candidate, by its key."""
        return self._newest.get((place.prompt, key))

    def of(self, place: PromptPlace) -> tuple[Run, ...]:
        """The newest run of a prompt with each candidate, in the order in which these were first run."""
        return tuple(run for (prompt, _), run in self._newest.items() if prompt == place.prompt)

    @property
    def all(self) -> tuple[Run, ...]:
        """The newest run of every prompt with each candidate."""
        return tuple(self._newest.values())

    def put(self, run: Run, event: Event | None = None) -> None:
        """Let `run` be the newest of its prompt and candidate."""
        self._newest[run.place.prompt, run.candidate.key] = run
        self.version += 1
        self._changed(run, event)

    def start(self, runs: Collection[Run], evaluate: Evaluate) -> None:
        """Begin `runs`, in their order, unless others go on."""
        if self._going is not None or not runs:
            return
        going = self._going = _Going(len(runs), len(runs))
        free = asyncio.Semaphore(AT_ONCE)
        going.work += [self._spawn(self._one(going, free, run, evaluate)) for run in runs]

    def stop(self) -> bool:
        """Ask what goes on to end; whether there was anything. What had arrived stays."""
        if self._going is None:
            return False
        self._going.stop.set()
        return True

    def abandon(self) -> None:
        """End what goes on at once, with nobody left to tell."""
        if self._going is not None:
            for work in self._going.work:
                work.cancel()
            self._going = None

    async def _one(self, going: _Going, free: asyncio.Semaphore, run: Run, evaluate: Evaluate) -> None:
        try:
            async with free:
                if not going.stop.is_set():
                    await self._follow(going, run, evaluate)
        finally:
            going.left -= 1
            if not going.left and self._going is going:
                self._going = None
                self._all_ended()

    async def _follow(self, going: _Going, run: Run, evaluate: Evaluate) -> None:
        self.put(run)
        async with aclosing(evaluate(run, going.stop)) as events:
            async for event in events:
                run = run.after(event)
                if not run.running:
                    going.done += 1
                self.put(run, event)
