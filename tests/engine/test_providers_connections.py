"""Connections to a model server: those whose answer was read to its end are used again; closing leaves none open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from engine.models import http
from engine.models.http import close_clients, shared_client
from engine.models.server import ChatServer
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import text_of
from tests.still_clock import standing_still

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class CountingServer:
    """Streams one word in chunks, after all of `together` have asked, and counts connections. `ends` tells whether it
    closes what it has said is done, `hangs_up` whether it leaves after one answer, without a word, and `silent` whether
    it answers nothing."""

    def __init__(self, *, ends: bool = True, hangs_up: bool = False, together: int = 1, silent: bool = False) -> None:
        self.connections = 0
        self.open = 0
        self.requests = 0
        self._ends = ends
        self._hangs_up = hangs_up
        self._silent = silent
        self._together = asyncio.Barrier(together)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while length := await self._asked(reader):
                await reader.readexactly(length)
                self.requests += 1
                if self._silent:
                    continue
                await self._together.wait()
                await self._answer(writer)
                if self._hangs_up:
                    break
        except asyncio.IncompleteReadError:
            pass  # cancelled before it was sent to its end
        finally:
            self.open -= 1
            writer.close()

    async def until(self, done: Callable[[CountingServer], bool]) -> None:
        """Waits until it has come to that."""
        async with asyncio.timeout(30):
            while not done(self):
                await asyncio.sleep(0.001)

    async def _asked(self, reader: asyncio.StreamReader) -> int:
        length = 0
        while line := (await reader.readline()).strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return length

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD)
        for data in (json.dumps({"choices": [{"delta": {"content": "Hello"}, "finish_reason": "stop"}]}), "[DONE]"):
            line = f"data: {data}\n\n".encode()
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        if self._ends:
            writer.write(b"0\r\n\r\n")
        await writer.drain()


@asynccontextmanager
async def asked(counting: CountingServer) -> AsyncGenerator[ChatServer]:
    """A provider that asks the server; its connections are closed at the end, while the server still listens."""
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0, backlog=256) as server:
        yield chat_server(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        await close_clients()


pytestmark = pytest.mark.usefixtures("own_connections")


async def test_one_connection_serves_several_requests() -> None:
    counting = CountingServer()
    async with asked(counting) as provider:
        assert [await text_of(provider) for _ in range(3)] == ["Hello"] * 3
    assert counting.connections == 1


async def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    counting = CountingServer(hangs_up=True)
    said: list[str] = []
    async with asked(counting) as provider:
        for _ in range(3):
            said.append(await text_of(provider))
            await asyncio.sleep(0.05)
    assert (said, counting.connections) == (["Hello"] * 3, 3)


@pytest.mark.parametrize("count", [5, 40, 64])
async def test_requests_at_once_have_a_connection_each_that_serves_the_next(count: int) -> None:
    counting = CountingServer(together=count)
    async with asked(counting) as provider:
        for _ in range(2):
            await asyncio.gather(*(text_of(provider) for _ in range(count)))
    assert counting.connections == count


@pytest.mark.parametrize("count", [1, 40])
async def test_closing_leaves_no_connection_open(count: int) -> None:
    counting = CountingServer(together=count)
    async with asked(counting) as provider:
        await asyncio.gather(*(text_of(provider) for _ in range(count)))
        assert counting.open == count
        await close_clients()
        await counting.until(lambda server: not server.open)


async def test_forty_answers_that_are_cancelled_end_at_once_with_their_connections() -> None:
    counting = CountingServer(silent=True)
    async with asked(counting) as provider:
        answers = [asyncio.create_task(text_of(provider)) for _ in range(40)]
        await counting.until(lambda server: server.requests == 40)
        await _cancel(answers)
        await counting.until(lambda server: not server.open)


@pytest.mark.parametrize("connected", [0, 1, 20, 40])
async def test_closing_leaves_no_connection_open_that_was_cancelled_on_its_way(connected: int) -> None:
    counting = CountingServer(silent=True)
    async with asked(counting) as provider:
        answers = [asyncio.create_task(text_of(provider)) for _ in range(40)]
        await counting.until(lambda server: server.connections >= connected)
        await _cancel(answers)
        await close_clients()
        await counting.until(lambda server: not server.open)


async def _cancel(answers: list[asyncio.Task[str]]) -> None:
    with standing_still():
        for answer in answers:
            answer.cancel()
        await asyncio.wait(answers)
    assert all(answer.cancelled() for answer in answers)


async def test_a_connection_that_stays_open_after_the_answer_is_not_waited_for() -> None:
    counting = CountingServer(ends=False)
    async with asked(counting) as provider, asyncio.timeout(30):
        assert [await text_of(provider) for _ in range(2)] == ["Hello"] * 2
    assert counting.connections == 2


# Connections to models are closed once nothing has been asked for a while, and at the end


class Server:
    """Answers requests on loopback, and counts the connections that are open, and all that were opened."""

    def __init__(self) -> None:
        self.open = 0
        self.opened = 0

    async def start(self) -> str:
        """Listen; the address."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.opened += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except asyncio.IncompleteReadError:
            self.open -= 1
        writer.close()

    async def closed(self) -> None:
        """Wait until no connection is open."""
        async with asyncio.timeout(30):
            while self.open:
                await asyncio.sleep(0.005)


async def ask(host: str) -> None:
    async with shared_client(host, direct=True) as client:
        assert (await client.get(f"http://{host}/")).text == "ok"


async def test_a_connection_that_nobody_uses_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE_SECONDS", 0.05)
    server = Server()
    await ask(await server.start())
    await server.closed()


async def test_a_connection_is_used_again_before_that() -> None:
    server = Server()
    host = await server.start()
    await ask(host)
    await ask(host)
    assert server.opened == 1
    await close_clients()
    await server.closed()


async def test_a_connection_in_use_outlasts_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE_SECONDS", 0.02)
    server = Server()
    host = await server.start()
    await ask(host)
    async with shared_client(host, direct=True) as client:
        await asyncio.sleep(0.1)
        assert (await client.get(f"http://{host}/")).text == "ok"
    await server.closed()
