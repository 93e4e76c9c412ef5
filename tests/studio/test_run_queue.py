"""Runs are begun together, so many at once, and stopped together; without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from engine.conversation import Variant
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Event, Failed
from engine.evaluation.sources import WrittenSource
from engine.parsing import parse
from engine.store import PromptPlace
from studio.session.run import Run
from studio.session.run_queue import AT_ONCE, UnderWay

MANY = AT_ONCE + 3


class Bench:
    """Runs that last until `go_on` is set, and what was begun and changed of them."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended = 0
        self.go_on = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.under_way = UnderWay(lambda _run, _event: None, self._spawn, self._all_ended)

    def _spawn(self, work: object) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)  # pyright: ignore[reportArgumentType]
        self.tasks.append(task)
        return task

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
        await asyncio.gather(*self.tasks, return_exceptions=True)


def runs(count: int) -> Sequence[Run]:
    text = "".join(f"- id: p{number}\n  prompt: x\n" for number in range(count))
    prompts = parse(text).blueprint.prompts
    candidate = Candidate(WrittenSource("x"), Variant())
    return [Run(PromptPlace.of(Path("a.yml"), each), each, "", 0, candidate) for each in prompts]


async def test_no_more_begin_at_once_than_may() -> None:
    bench = Bench()
    bench.under_way.start(runs(MANY), bench.evaluate)
    await bench.all_begun(AT_ONCE)
    began_at_once = len(bench.begun)
    bench.go_on.set()
    await bench.all_over()
    assert (began_at_once, len(bench.begun)) == (AT_ONCE, MANY)


async def test_what_waits_is_never_begun_after_a_stop() -> None:
    bench = Bench()
    bench.under_way.start(runs(MANY), bench.evaluate)
    await bench.all_begun(AT_ONCE)
    bench.under_way.stop()
    await bench.all_over()
    assert len(bench.begun) == AT_ONCE


async def test_nothing_begins_while_others_go_on() -> None:
    bench = Bench()
    bench.under_way.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.under_way.start(runs(2), bench.evaluate)
    bench.go_on.set()
    await bench.all_over()
    assert bench.begun == ["p0", "p1"]


async def test_the_end_of_all_is_told_once() -> None:
    bench = Bench()
    bench.under_way.start(runs(3), bench.evaluate)
    bench.go_on.set()
    await bench.all_over()
    assert (bench.ended, bench.under_way.running) == (1, False)


async def test_what_was_stopped_says_so() -> None:
    bench = Bench()
    bench.under_way.start(runs(1), bench.evaluate)
    await bench.all_begun(1)
    bench.under_way.stop()
    await bench.all_over()
    [run] = bench.under_way.all
    assert run.state == "stopped"


async def test_the_newest_run_is_that_of_its_prompt_and_candidate() -> None:
    bench = Bench()
    first, second = runs(2)
    bench.under_way.put(first)
    bench.under_way.put(second)
    assert bench.under_way.newest(first.place, first.candidate.key) is first


async def test_of_what_is_abandoned_nothing_is_told() -> None:
    bench = Bench()
    bench.under_way.start(runs(2), bench.evaluate)
    await bench.all_begun(2)
    bench.under_way.abandon()
    await bench.all_over()
    assert (bench.ended, bench.under_way.running) == (0, False)


async def test_without_runs_nothing_goes_on() -> None:
    bench = Bench()
    bench.under_way.start((), bench.evaluate)
    assert not bench.under_way.running
