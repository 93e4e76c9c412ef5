"""Connections to models are closed once nothing has been asked for a while, and at the end."""

from __future__ import annotations

import asyncio

import pytest

from engine.models import http
from engine.models.http import close_clients, shared_client


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
