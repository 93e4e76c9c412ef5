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
    """Streams one word in chunks, and counts lines. `ends` tells whether it closes what it has said is done."""

    def __init__(self, *, ends: bool = True) -> None:
        self.lines = 0
        self._ends = ends

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


async def test_a_line_that_stays_open_after_the_answer_is_not_waited_for() -> None:
    counting = CountingServer(ends=False)
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0) as server:
        provider = OpenAIShaped(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        async with asyncio.timeout(2):
            assert [await text_of(provider) for _ in range(2)] == ["Hello"] * 2
        await close_clients()
    assert counting.lines == 2
