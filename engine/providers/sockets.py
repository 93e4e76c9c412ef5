"""What `httpcore` reads and writes through: the event loop's own streams.

Those that it brings are for any event loop, and open a scope of cancellation for each read and each write, which takes
a twelfth of the time of a run with judges.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import httpcore

_HAPPY_EYEBALLS_SECONDS = 0.25
"""How long one of several addresses of a host has before the next is tried too (RFC 8305)."""


class Sockets(httpcore.AsyncNetworkBackend):
    """Connects by TCP, in the running event loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A stream to `host`. Raises `httpcore.ConnectTimeout` and `httpcore.ConnectError`."""
        del local_address, socket_options  # nobody asks for any
        with _failures(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                return _Stream(*await asyncio.open_connection(host, port, happy_eyeballs_delay=_HAPPY_EYEBALLS_SECONDS))


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _failures(httpcore.ReadTimeout, httpcore.ReadError):
            async with asyncio.timeout(timeout):
                return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            with _failures(httpcore.WriteTimeout, httpcore.WriteError):
                self._writer.write(buffer)
                async with asyncio.timeout(timeout):
                    await self._writer.drain()

    async def aclose(self) -> None:
        self._writer.close()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        with _failures(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        return self

    def get_extra_info(self, info: str) -> Any:
        """What `httpcore` asks for: whether the other side has closed a line that rests, and the objects behind it."""
        if info == "is_readable":
            return self._reader.at_eof() or self._writer.is_closing()
        return self._writer.get_extra_info(info)


@contextmanager
def _failures(late: type[Exception], failed: type[Exception]) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except (OSError, ssl.SSLError) as error:
        raise failed(str(error)) from error
