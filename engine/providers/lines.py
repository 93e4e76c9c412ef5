"""Connections to one server, for many requests at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import cast

import httpx


class Lines(httpx.AsyncBaseTransport):
    """Keeps what `make` makes, a transport of one connection each, and uses the one that was used last first.

    A pool of `httpx` looks at all its connections for each request and for each answer: with 40 requests at once that
    took longer than all else together.
    """

    def __init__(self, make: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._make = make
        self._idle: list[httpx.AsyncBaseTransport] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request on a line of its own, which is free again once the answer is closed."""
        line = self._idle.pop() if self._idle else self._make()
        try:
            response = await line.handle_async_request(request)
        except BaseException:
            self._idle.append(line)
            raise
        stream = cast("httpx.AsyncByteStream", response.stream)
        response.stream = _Answer(stream, lambda: self._idle.append(line))
        return response

    async def aclose(self) -> None:
        """Close the lines that are free; the others close with their answers."""
        while self._idle:
            await self._idle.pop().aclose()


class _Answer(httpx.AsyncByteStream):
    """The bytes of an answer; `freed` is called once, when nobody reads on."""

    def __init__(self, stream: httpx.AsyncByteStream, freed: Callable[[], None]) -> None:
        self._stream = stream
        self._freed: Callable[[], None] | None = freed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            freed, self._freed = self._freed, None
            if freed is not None:
                freed()
