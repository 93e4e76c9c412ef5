"""A server on loopback whose answers do not end, or are larger than they look. The path names the kind."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, repeat

from tests.raw_server import serving

BLOCK = b"x" * 65_536
EVENT_STREAM = "text/event-stream"
JSON = "application/json"


@cache
def _packed(unit: bytes, count: int) -> bytes:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return b"".join([*(packer.compress(unit) for _ in range(count)), packer.flush()])


_DELTA = b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n'


def _nothing_in_gzip() -> Iterator[bytes]:
    """gzip without any content, for ever."""
    return chain([gzip.compress(b"")[:10]], repeat(b"\x00\x00\x00\xff\xff" * 10_000))


KINDS: dict[str, tuple[str, str, Callable[[], Iterator[bytes]]]] = {
    "line": (EVENT_STREAM, "", lambda: chain([b"data: "], repeat(BLOCK))),
    "event": (EVENT_STREAM, "", lambda: repeat(b"data: ab\n" * 7_000)),
    "id": (EVENT_STREAM, "", lambda: chain([b"id: "], repeat(BLOCK))),
    "comments": (EVENT_STREAM, "", lambda: repeat(b": still here\n\n" * 5_000)),
    "stream-bomb": (EVENT_STREAM, "gzip", lambda: iter([_packed(b"data: " + BLOCK, 3_200)])),
    "bomb": (JSON, "gzip", lambda: iter([_packed(BLOCK, 3_200)])),
    "bomb-in-bomb": (JSON, "gzip, gzip", lambda: iter([gzip.compress(_packed(BLOCK, 3_200))])),
    "empty-gzip": (JSON, "gzip", _nothing_in_gzip),
    "brotli": (JSON, "br", lambda: repeat(BLOCK)),
    "body": (JSON, "", lambda: repeat(BLOCK)),
    "nested": (JSON, "", lambda: chain([b"["], repeat(b"[]," * 20_000))),
    "largest": (JSON, "", lambda: chain([b"[[]"], repeat(b",[]" * 66_600, 10), [b"]"])),
    "answer": (EVENT_STREAM, "", lambda: repeat(_DELTA % (b"x" * 10_000) * 8)),
    "binary": ("application/octet-stream", "", lambda: repeat(BLOCK)),
}


def _reply(path: str, _headers: str, _body: str) -> Iterator[bytes]:
    """The answer that the path names; headers say no length."""
    name = next(part for part in path.split("/") if part in KINDS or part == "error")
    content_type, coding, body = KINDS["body" if name == "error" else name]
    status = "500 Oh" if name == "error" else "200 OK"
    packed = f"Content-Encoding: {coding}\r\n" if coding else ""
    yield f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{packed}Connection: close\r\n\r\n".encode()
    yield from body()


@contextmanager
def endless_server() -> Iterator[str]:
    """The address of the server while it runs."""
    with serving(_reply) as host:
        yield f"http://{host}"
