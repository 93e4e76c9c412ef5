"""Connections to one server, for many requests at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import httpcore
import httpx

from engine.providers.sockets import Sockets

if TYPE_CHECKING:
    from ssl import SSLContext

_FAILURES = (
    "ConnectTimeout",
    "ReadTimeout",
    "WriteTimeout",
    "ConnectError",
    "ReadError",
    "WriteError",
    "LocalProtocolError",
    "RemoteProtocolError",
    "UnsupportedProtocol",
)
_IN_HTTPX: dict[type[Exception], type[httpx.TransportError]] = {
    getattr(httpcore, name): getattr(httpx, name) for name in _FAILURES
}
"""What fails on a connection, by the class of `httpcore`, as the class of `httpx` that everybody else knows."""


class Lines(httpx.AsyncBaseTransport):
    """Opens a connection for a request that finds none free, and uses the one that was used last first.

    A pool of `httpx` looks at all its connections for each request and for each answer: with 40 requests at once that
    takes longer than all else together.
    """

    def __init__(self, trusted: Callable[[], SSLContext], open_seconds: float) -> None:
        """`trusted` reads the certificates, for a server that is asked by https; a free line is good for so long."""
        self._trusted = trusted
        self._open_seconds = open_seconds
        self._sockets = Sockets()
        self._free: list[httpcore.AsyncHTTPConnection] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request on a line of its own, which is free again once the answer is closed."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = httpcore.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=cast("AsyncIterable[bytes]", request.stream),
            extensions=request.extensions,
        )
        line = await self._line(url.origin)
        try:
            with _failures():
                answer = await line.handle_async_request(sent)
        except BaseException:
            await line.aclose()
            raise
        extensions = cast("dict[str, Any]", answer.extensions)
        stream = _Answer(answer, self, line)
        return httpx.Response(answer.status, headers=answer.headers, stream=stream, extensions=extensions)

    async def aclose(self) -> None:
        """Close the lines that are free; the others close with their answers."""
        while self._free:
            await self._free.pop().aclose()

    async def give_back(self, line: httpcore.AsyncHTTPConnection) -> None:
        """Keep a line for the next request, if it can be used again."""
        if line.is_idle():
            self._free.append(line)
        else:
            await line.aclose()

    async def _line(self, origin: httpcore.Origin) -> httpcore.AsyncHTTPConnection:
        while self._free:
            line = self._free.pop()
            if line.can_handle_request(origin) and line.is_available() and not line.has_expired():
                return line
            await line.aclose()
        trusted = await asyncio.to_thread(self._trusted) if origin.scheme == b"https" else None
        return httpcore.AsyncHTTPConnection(
            origin, trusted, keepalive_expiry=self._open_seconds, network_backend=self._sockets
        )


class _Answer(httpx.AsyncByteStream):
    """The bytes of an answer. Once nobody reads on, its line goes back, however often it is closed."""

    def __init__(self, answer: httpcore.Response, lines: Lines, line: httpcore.AsyncHTTPConnection) -> None:
        self._answer = answer
        self._lines = lines
        self._line: httpcore.AsyncHTTPConnection | None = line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _failures():
            async for piece in self._answer.aiter_stream():
                yield piece

    async def aclose(self) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        try:
            with _failures():
                await self._answer.aclose()
        finally:
            await self._lines.give_back(line)


@contextmanager
def _failures() -> Generator[None]:
    try:
        yield
    except tuple(_IN_HTTPX) as failure:
        raise _IN_HTTPX[type(failure)](str(failure)) from failure
