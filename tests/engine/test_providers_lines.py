"""A line to a server that answered to its end is used again: the next request pays for no new one."""

from __future__ import annotations

import asyncio
import json

import pytest

from engine.providers.http import close_clients
from engine.providers.openai import OpenAIShaped
from tests.engine.provider_server import text_of

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class CountingServer:
    """Streams one word in chunks, and counts lines. `ends` tells whether it closes what it has said is done, `hangs_up`
    whether it leaves after one answer, without a word."""

    def __init__(self, *, ends: bool = True, hangs_up: bool = False) -> None:
        self.lines = 0
        self._ends = ends
        self._hangs_up = hangs_up

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines += 1
        while length := await self._asked(reader):
            await reader.readexactly(length)
            writer.write(_HEAD)
            for data in (json.dumps({"choices": [{"delta": {"content": "Hello"}, "finish_reason": "stop"}]}), "[DONE]"):
                line = f"data: {data}\n\n".encode()
                writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            if self._ends:
                writer.write(b"0\r\n\r\n")
            await writer.drain()
            if self._hangs_up:
                break
        writer.close()

    async def _asked(self, reader: asyncio.StreamReader) -> int:
        length = 0
        while line := (await reader.readline()).strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return length


pytestmark = pytest.mark.usefixtures("own_connections")


async def test_one_line_serves_several_requests() -> None:
    counting = CountingServer()
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0) as server:
        provider = OpenAIShaped(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        assert [await text_of(provider) for _ in range(3)] == ["Hello"] * 3
        await close_clients()
    assert counting.lines == 1


async def test_a_line_that_the_server_has_closed_is_not_used_again() -> None:
    counting = CountingServer(hangs_up=True)
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0) as server:
        provider = OpenAIShaped(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        said: list[str] = []
        for _ in range(3):
            said.append(await text_of(provider))
            await asyncio.sleep(0.05)
        await close_clients()
    assert (said, counting.lines) == (["Hello"] * 3, 3)


async def test_requests_at_once_have_a_line_each_which_serve_the_next() -> None:
    counting = CountingServer()
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0) as server:
        provider = OpenAIShaped(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        for _ in range(2):
            await asyncio.gather(*(text_of(provider) for _ in range(5)))
        await close_clients()
    assert counting.lines <= 5


async def test_a_line_that_stays_open_after_the_answer_is_not_waited_for() -> None:
    counting = CountingServer(ends=False)
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0) as server:
        provider = OpenAIShaped(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        async with asyncio.timeout(2):
            assert [await text_of(provider) for _ in range(2)] == ["Hello"] * 2
        await close_clients()
    assert counting.lines == 2
