"""How many requests of a provider run at once: the state without a clock, and the limiter against a real server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import provider_registry
from engine.models.chat import LOOPBACK_AT_ONCE, ChatRequest, Failure, ProviderError
from engine.models.limits import LONGEST_WAIT, Limit, Place, RateLimiter, TooLongError, rate_limiter_of
from engine.models.provider_registry import resolve
from engine.models.server import ChatServer
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import TALK, failure_of, text_of
from tests.engine.short_cases import assert_lines_say
from tests.still_clock import standing_still

pytestmark = pytest.mark.usefixtures("own_connections")


# The state


def running(limit: Limit, count: int) -> Limit:
    for _ in range(count):
        limit = limit.started()
    return limit


def told_of_steps(line: str) -> Iterator[str]:
    """Where a limit of MOST requests is after what happened: start and end a NUMBER, answer at a time, refuse at a time
    what was sent at another, perhaps with a pause; `may` asks whether one more may begin at a time."""
    most, steps = line.split(": ")
    limit = Limit.starting_at(int(most))
    for step in steps.split(", "):
        name, first, *others = step.split()
        match name:
            case "start":
                limit = running(limit, int(first))
            case "end":
                for _ in range(int(first)):
                    limit = limit.ended()
            case "answer":
                limit = limit.succeeded(float(first))
            case "refuse":
                sent, *pause = map(float, others)
                limit = limit.pushed_back(float(first), sent, pause[0] if pause else None)
            case _:
                yield f"at {first} one more {'begins' if limit.may_begin(float(first)) else 'waits'}"
    pause = "" if limit.not_before < 0 else f", not before {limit.not_before:g}"
    yield f"{limit.allowed} allowed, {limit.running} running{pause}{', exhausted' * limit.exhausted}"


def test_a_limit_follows_what_happened_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "limits-of-requests.txt", told_of_steps, pytestconfig)


STEPS = st.lists(st.tuples(st.sampled_from(["begin", "answer", "refuse"]), st.floats(0, 90)), max_size=60)


@given(st.integers(1, 64), STEPS)
def test_it_stays_within_one_and_its_most(most: int, steps: list[tuple[str, float]]) -> None:
    limit, now = Limit.starting_at(most), 0.0
    for step, passed in steps:
        now += passed
        match step:
            case "begin" if limit.may_begin(now):
                limit = limit.started()
            case "answer" if limit.running:
                limit = limit.succeeded(now).ended()
            case "refuse" if limit.running:
                limit = limit.pushed_back(now, now - passed, None).ended()
            case _:
                pass
        assert 1 <= limit.allowed <= most
        assert 0 <= limit.running <= most


def test_this_machine_starts_at_64_at_once() -> None:
    assert {row.at_once for row in provider_registry.LOOPBACK.values()} == {64}
    assert LOOPBACK_AT_ONCE == 64


# The limiter


@dataclass
class Turn:
    place: Place
    leave: Callable[[], Awaitable[None]]


async def enter(limiter: RateLimiter, model: str = "m", *, again: bool = False) -> Turn:
    stack = AsyncExitStack()
    place = await stack.enter_async_context(limiter.turn(model, again=again, too_long=TooLongError))
    return Turn(place, stack.aclose)


async def soon() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_turns_come_in_order() -> None:
    limiter = rate_limiter_of("order", 1)
    first = await enter(limiter)
    order: list[int] = []

    async def ask(number: int) -> None:
        place = await enter(limiter)
        order.append(number)
        await place.leave()

    tasks = [asyncio.create_task(ask(number)) for number in range(4)]
    await soon()
    await first.leave()
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3]


async def test_of_those_who_come_together_the_first_is_ahead_of_the_last() -> None:
    limiter = rate_limiter_of("ahead", 8)
    steps: list[tuple[int, str]] = []

    async def ask(number: int) -> None:
        place = await enter(limiter)
        steps.append((number, "begun"))
        await asyncio.sleep(0)
        steps.append((number, "sent"))
        await place.leave()

    await asyncio.gather(*map(ask, range(8)))
    assert steps.index((0, "sent")) < steps.index((7, "begun"))


async def test_who_was_pushed_back_goes_first() -> None:
    limiter = rate_limiter_of("first", 1)
    held = await enter(limiter)
    waits = asyncio.create_task(enter(limiter))
    await soon()
    again = asyncio.create_task(enter(limiter, again=True))
    await soon()
    await held.leave()
    await soon()
    assert (again.done(), waits.done()) == (True, False)
    await again.result().leave()
    await (await waits).leave()


async def test_cancelling_a_wait_leaves_no_trace() -> None:
    limiter = rate_limiter_of("wait", 1)
    held = await enter(limiter)
    waits = asyncio.create_task(enter(limiter))
    await soon()
    waits.cancel()
    await asyncio.gather(waits, return_exceptions=True)
    assert limiter.waiting == 0
    await held.leave()
    assert limiter.limit.running == 0


async def test_cancelling_in_the_moment_of_one_s_turn_gives_it_on() -> None:
    limiter = rate_limiter_of("moment", 1)
    held = await enter(limiter)
    one, other = asyncio.create_task(enter(limiter)), asyncio.create_task(enter(limiter))
    await soon()
    await held.leave()
    one.cancel()
    await asyncio.gather(one, return_exceptions=True)
    await (await asyncio.wait_for(other, 30)).leave()
    assert limiter.limit.running == 0


async def test_a_pause_too_long_to_wait_for_ends_the_wait_of_those_for_the_same_model() -> None:
    limiter = rate_limiter_of("long", 1)
    held = await enter(limiter)
    same, other = asyncio.create_task(enter(limiter)), asyncio.create_task(enter(limiter, "n"))
    await soon()
    held.place.pushed_back(LONGEST_WAIT + 1)
    with pytest.raises(TooLongError):
        await same
    await held.leave()
    await (await asyncio.wait_for(other, 30)).leave()


async def test_providers_do_not_wait_for_each_other() -> None:
    one = await enter(rate_limiter_of("a.example", 1))
    other = await asyncio.wait_for(enter(rate_limiter_of("b.example", 1)), 30)
    await one.leave()
    await other.leave()


# Against a server


@dataclass
class Busy:
    """A server that answers so many at a time and refuses the rest; what it saw."""

    allows: int
    retry_after: str = "0.05"
    seconds: float = 0.02
    refuses: Callable[[Busy], bool] = field(default=lambda server: server.inside > server.allows)
    free: asyncio.Event = field(default_factory=asyncio.Event)
    inside: int = 0
    most_inside: int = 0
    answered: int = 0
    refused: list[float] = field(default_factory=list[float])
    asked: list[float] = field(default_factory=list[float])
    port: int = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # who asked has gone
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(size)
        self.asked.append(time.monotonic())
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            if self.refuses(self):
                self.refused.append(time.monotonic())
                wait = f"Retry-After: {self.retry_after}\r\n".encode() if self.retry_after else b""
                writer.write(
                    b"HTTP/1.1 429 Too Many\r\nConnection: close\r\n" + wait + b"Content-Length: 4\r\n\r\nbusy"
                )
                return
            await self.free.wait()
            await asyncio.sleep(self.seconds)
            body = b'{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
            head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n"
            writer.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
            self.answered += 1
        finally:
            self.inside -= 1

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[ChatServer]:
        self.free.set()
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0, backlog=200)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield chat_server(f"http://127.0.0.1:{self.port}/v1", read_seconds=60.0)
        finally:
            server.close()

    @property
    def limiter(self) -> RateLimiter:
        return rate_limiter_of(f"127.0.0.1:{self.port}", LOOPBACK_AT_ONCE)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def asked_of(provider: ChatServer, count: int) -> list[asyncio.Task[str]]:
    return [asyncio.create_task(text_of(provider, ChatRequest("tiny", TALK))) for _ in range(count)]


@pytest.mark.parametrize("allows", [1, 20])
async def test_fifty_requests_all_get_their_answer_from_a_server_that_allows_few(allows: int) -> None:
    server = Busy(allows)
    async with server.listening() as provider:
        assert await asyncio.gather(*asked_of(provider, 50)) == ["Hi"] * 50
        assert server.limiter.limit.running == 0
    assert server.answered == 50


async def test_the_limit_falls_and_rises_again() -> None:
    server = Busy(5, seconds=0.0)
    async with server.listening() as provider:
        assert server.limiter.limit.allowed == LOOPBACK_AT_ONCE
        server.free.clear()
        tasks = asked_of(provider, 50)
        await until(lambda: server.limiter.limit.allowed <= server.allows)
        lowest = server.limiter.limit.allowed
        server.allows = 50
        server.free.set()
        await asyncio.gather(*tasks)
        assert lowest >= 1
        assert server.limiter.limit.allowed > lowest


async def test_a_willing_server_gets_64_at_once_and_no_more() -> None:
    server = Busy(1000, seconds=0.0)
    async with server.listening() as provider:
        server.free.clear()
        tasks = asked_of(provider, 100)
        await until(lambda: server.inside >= LOOPBACK_AT_ONCE)
        await asyncio.sleep(0.1)
        assert (server.inside, server.limiter.waiting) == (LOOPBACK_AT_ONCE, 36)
        server.free.set()
        await asyncio.gather(*tasks)
    assert (server.most_inside, server.answered) == (LOOPBACK_AT_ONCE, 100)


async def test_nobody_asks_while_the_server_wants_a_pause() -> None:
    server = Busy(0, retry_after="0.4", refuses=lambda server: len(server.asked) == 1)
    async with server.listening() as provider:
        first = asked_of(provider, 1)
        await until(lambda: server.limiter.limit.falls == 1)
        await asyncio.gather(*first, *asked_of(provider, 10))
    assert min(server.asked[1:]) - server.refused[0] >= 0.39


async def test_a_server_that_only_refuses_ends_all_requests_soon() -> None:
    server = Busy(0, retry_after="0.05")
    async with server.listening() as provider:
        failed = await asyncio.gather(*asked_of(provider, 50), return_exceptions=True)
    assert {type(error) for error in failed} == {ProviderError}
    assert len(server.asked) <= 150


async def test_without_a_named_pause_it_is_tried_again_all_the_same() -> None:
    server = Busy(0, retry_after="", refuses=lambda server: len(server.asked) == 1)
    async with server.listening() as provider:
        assert await text_of(provider) == "Hi"
    assert server.asked[1] - server.asked[0] >= 0.95


async def test_cancelling_frees_the_place() -> None:
    server = Busy(1000, seconds=0.0)
    async with server.listening() as provider:
        server.free.clear()
        tasks = asked_of(provider, 100)
        await until(lambda: server.inside >= LOOPBACK_AT_ONCE)
        with standing_still():
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert (server.limiter.limit.running, server.limiter.waiting) == (0, 0)
        server.free.set()
        assert await text_of(provider) == "Hi"


async def test_a_pause_too_long_is_told_to_all_who_wait() -> None:
    server = Busy(0, retry_after="3600")
    async with server.listening() as provider:
        errors = await asyncio.gather(*asked_of(provider, 100), return_exceptions=True)
    told = {(error.failure, error.advice) for error in errors if isinstance(error, ProviderError)}
    assert told == {(Failure.RATE_LIMITED, "Try again in 60 minutes, or choose another model.")}
    assert len(server.asked) <= LOOPBACK_AT_ONCE


async def test_a_custom_model_shares_the_limit_of_its_host() -> None:
    server = Busy(0)
    async with server.listening() as provider:
        own: dict[str, Any] = {
            "id": "a:b",
            "url": f"http://127.0.0.1:{server.port}/x",
            "modelName": "t",
            "inherit": "openai",
        }
        assert (await failure_of(provider)).failure is Failure.RATE_LIMITED
        assert server.limiter.limit.allowed < LOOPBACK_AT_ONCE
        custom, name = resolve("a:b", custom=[own])
        asked = len(server.asked)
        await failure_of(custom, ChatRequest(name, TALK))
        assert len(server.asked) > asked
        assert server.limiter.limit.running == 0
