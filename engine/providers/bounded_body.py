"""Reads the body of a response up to bounds on the bytes received and decoded, in little memory.

`httpx` decodes each received block whole: 64 KiB of gzip can become 66 MB, and more with several codings. A line of a
stream is held until it ends. Here a body is decoded in blocks of at most 64 KiB.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Protocol, cast

import httpx

from engine.record import Record

ACCEPT_ENCODING = "gzip"
"""The coding that is asked for; any other is refused."""
_BLOCK = 65_536
_MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""
_FIRST_LINE = 400
"""Bytes of a first line that are enough to tell the form of a body."""
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class BodyError(httpx.DecodingError):
    """A body that goes past its bounds, or whose coding was not asked for. Its text continues “the model: …”."""


class Bounds(Record):
    """The most bytes of a body: received, decoded, and decoded within one event of a stream."""

    received: int
    decoded: int
    event: int | None = None


def keep_within(response: httpx.Response, bounds: Bounds) -> None:
    """Make reading `response` raise `BodyError` past `bounds`. For a response of which nothing was read."""
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    response.stream = _BoundedStream(cast("httpx.AsyncByteStream", response.stream), coding, bounds)


async def read_at_most(response: httpx.Response, size: int) -> bytes:
    """The first `size` bytes of a body as decoded; the rest is left unread. Raises `httpx.HTTPError`."""
    keep_within(response, Bounds(received=2 * size + _BLOCK, decoded=size + _BLOCK))
    body = bytearray()
    async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_bytes())) as blocks:
        async for block in blocks:
            body += block
            if len(body) >= size:
                break
    return bytes(body[:size])


async def beginning_of(response: httpx.Response) -> bytes:
    """The first line of a body as far as it tells the form, which reading `response` still gives: without a byte order
    mark and blanks before it. For a response of which nothing was read. Raises `httpx.HTTPError`."""
    stream = cast("httpx.AsyncByteStream", response.stream)
    blocks = aiter(stream)
    beginning = b""
    async for block in blocks:
        beginning = (beginning + block).removeprefix(_MARK).lstrip()
        if len(beginning) > _FIRST_LINE or b"\n" in beginning or b"\r" in beginning:
            break
    response.stream = _Resumed(beginning, blocks, stream)
    return beginning[:_FIRST_LINE].partition(b"\n")[0].partition(b"\r")[0]


class _Resumed(httpx.AsyncByteStream):
    """A stream whose beginning was read."""

    def __init__(self, beginning: bytes, rest: AsyncIterator[bytes], stream: httpx.AsyncByteStream) -> None:
        self._beginning = beginning
        self._rest = rest
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._beginning
        async for block in self._rest:
            yield block

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Gzip(Protocol):
    """What `zlib.decompressobj` returns."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _BoundedStream(httpx.AsyncByteStream):
    """The decoded blocks of another stream."""

    def __init__(self, stream: httpx.AsyncByteStream, coding: str, bounds: Bounds) -> None:
        self._stream = stream
        self._coding = coding
        self._bounds = bounds
        self._received = self._decoded = self._event = 0
        self._tail = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = _decoder(self._coding)
        async for received in self._stream:
            self._received += len(received)
            if self._received > self._bounds.received:
                raise BodyError(_no_end(self._bounds.received))
            for block in _decoded(received, decoder):
                self._count(block)
                yield block

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _count(self, block: bytes) -> None:
        self._decoded += len(block)
        if self._decoded > self._bounds.decoded:
            raise BodyError(_no_end(self._bounds.decoded))
        if self._bounds.event is not None:
            self._count_event(block, self._bounds.event)

    def _count_event(self, block: bytes, most: int) -> None:
        self._event += len(block)
        text = self._tail + block
        ends = [match.end() for match in _EVENT_END.finditer(text)]
        if ends:
            self._event = len(text) - ends[-1]
        self._tail = text[-3:]
        if self._event > most:
            raise BodyError(f"one event of the answer is longer than {_megabytes(most)}")


def _decoder(coding: str) -> _Gzip | None:
    """What decodes gzip; None for a body as it is. Raises `BodyError` for a coding that was not asked for."""
    match coding:
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        case _:
            raise BodyError(f"the answer is compressed as “{coding[:40]}”, which was not asked for")


def _decoded(received: bytes, decoder: _Gzip | None) -> Iterator[bytes]:
    if decoder is None:
        yield received
        return
    waiting = received
    while True:
        try:
            block = decoder.decompress(waiting, _BLOCK)
        except zlib.error as error:
            raise BodyError(f"the answer is no valid gzip ({error})") from None
        if block:
            yield block
        waiting = decoder.unconsumed_tail
        if decoder.eof or (not waiting and len(block) < _BLOCK):
            return


def _no_end(most: int) -> str:
    return f"the answer does not end: it is longer than {_megabytes(most)}"


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.3g} MB"
