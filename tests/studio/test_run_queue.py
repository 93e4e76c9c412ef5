"""Runs are begun together, so many at once, and stopped together; without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from engine.blueprint.conversation import Variant
from engine.evaluation.events import Event, Failed
from engine.evaluation.sources import Candidate, WrittenSource
from engine.parsing import parse
from engine.store import PromptPlace
from studio.session.evaluator import AT_ONCE, RunQueue
from studio.session.run import Run
from studio.session.state import Tasks

MANY = AT_ONCE + 3


class Bench:
    """Runs that last until `go_on` is set, and what was begun and changed of them."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended = 0
        self.go_on = asyncio.Event()
        self.newest: dict[str, Run] = {}
        self.faults: list[BaseException] = []
        self.tasks = Tasks(self.faults.append)
        self.queue = RunQueue(self.tasks, self._went_on, self._all_ended)

    def _went_on(self, run: Run, _event: Event | None) -> None:
        self.newest[run.prompt.id] = run

    def _all_ended(self) -> None:
        self.ended += 1

    async def evaluate(self, run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
        self.begun.append(run.prompt.id)
        waiting = [asyncio.create_task(event.wait()) for event in (self.go_on, stop)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        yield Failed("It ended.", stopped=stop.is_set())

    async def all_begun(self, count: int) -> None:
        while len(self.begun) < count:
            await asyncio.sleep(0)

    async def all_over(self) -> None:
        await self.tasks.settle()


def runs(count: int) -> Sequence[Run]:
    text = "".join(f"- id: p{number}\n  prompt: x\n" for number in range(count))
    prompts = parse(text).blueprint.prompts
    candidate = Candidate(WrittenSource("x"), Variant())
    return [Run(PromptPlace.of(Path("a.yml"), each), each, "", 0, candidate) for each in prompts]


async def test_what_waits_is_never_begun_after_a_stop() -> None:
    bench = Bench()
    bench.queue.start(runs(MANY), bench.evaluate)
    await bench.all_begun(AT_ONCE)
    bench.queue.stop()
    await bench.all_over()
    assert len(bench.begun) == AT_ONCE


async def test_nothing_begins_while_others_go_on() -> None:
    bench = Bench()
    bench.queue.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.queue.start(runs(2), bench.evaluate)
    bench.go_on.set()
    await bench.all_over()
    assert bench.begun == ["p0", "p1"]


async def test_of_what_is_abandoned_nothing_is_told() -> None:
    bench = Bench()
    bench.queue.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.tasks.close()
    await bench.all_over()
    assert (bench.ended, bench.queue.is_running) == (0, False)
