"""The `httpx` clients that all wire formats share, by server, and bodies that are read up to bounds, in little memory.

`httpx` decodes each received block whole: 64 KiB of gzip can become 66 MB, and more with several codings. A line of a
stream is held until it ends. Here a body is decoded in blocks of at most 64 KiB.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from ipaddress import ip_address
from time import time
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import httpx

from engine.models.chat import Failure, ProviderError
from engine.models.secret import Secret
from engine.text.record import Record

if TYPE_CHECKING:
    import ssl

ACCEPT_ENCODING = "gzip"
"""The coding that is asked for; any other is refused."""
_BLOCK = 65_536
_MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""
_FIRST_LINE = 400
"""Bytes of a first line that are enough to tell the form of a body."""
_RETRY_DELAY = re.compile(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"')
_RETRY_BYTES = 131_072
"""Bytes of an error that are searched for a delay."""
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


class Reply(Record):
    """A reply that is read as a whole. `location` is where it redirects to, and then it has no body; `retry_after` is
    the wait in seconds that the server asks for."""

    status: int
    body: bytes
    location: str | None = None
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        """Whether the status is a success, so that the body is an answer."""
        return 200 <= self.status < 300


async def read_reply(response: httpx.Response, size: int) -> Reply:
    """A reply with the first `size` bytes of its body. Raises `httpx.HTTPError`."""
    location = response.headers.get("location") if response.is_redirect else None
    body = b"" if location is not None else await read_at_most(response, size)
    return Reply(response.status_code, body, location, retry_after_of(response.headers, body))


def retry_after_of(headers: httpx.Headers, body: bytes) -> float | None:
    """Seconds that the server asks us to wait, given as such, as a date or in the error; None where it names none."""
    written = headers.get("retry-after", "")
    delay = _RETRY_DELAY.search(body[:_RETRY_BYTES].decode("utf-8", "replace"))
    try:
        if written.endswith("GMT"):
            seconds = parsedate_to_datetime(written).timestamp() - time()
        else:
            seconds = float(written or (delay[1] if delay else ""))
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


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


CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
LOOPBACK_READ_SECONDS = 300.0
"""A server on this machine may have to load its model first, and answers parallel requests one after the other."""

IDLE_SECONDS = 15.0
"""How long a connection is kept open for the next request."""
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_SECONDS)
"""No limits here: the rate limiters bound the number of parallel requests."""
_LAST_PORT = 65_535
_REQUESTS_PER_CLIENT = 8
"""A pool looks at each pair of its connections for each request: 64 requests at once take 740 ms of processor time in
one pool, and 150 in eight."""

_Server: TypeAlias = tuple[asyncio.AbstractEventLoop, bool, str]


@dataclass(slots=True, eq=False)
class _SharedClient:
    """A client, the number of its running requests, and what closes it once there have been none for a while."""

    client: httpx.AsyncClient
    running: int = 0
    closing: asyncio.TimerHandle | None = None


_clients: dict[_Server, list[_SharedClient]] = {}
_locks: dict[_Server, asyncio.Lock] = {}
"""Locks for making clients, so that parallel requests share one."""
_closing: set[asyncio.Task[None]] = set()
"""Clients that are being closed: the event loop itself does not keep its tasks."""


class Access(Record):
    """How a client authenticates: headers with keys in them, and advice for authors if access is denied.

    `headers` are name, prefix of the key, and key. `keys` are masked in everything that comes back, and `masked` in
    messages only. `url` is the whole address if a part of it is a key. `without` and `refused` are advice on status
    401: for requests without a key, and for those whose key was refused.
    """

    headers: tuple[tuple[str, str, Secret], ...] = ()
    keys: tuple[Secret, ...] = ()
    given: bool = False
    without: str = "It asks for a key."
    refused: str = ""
    url: Secret | None = None
    masked: tuple[Secret, ...] = ()

    @classmethod
    def by(
        cls, key: Secret | None, variable: str | None, header: str = "Authorization", before: str = "Bearer "
    ) -> Access:
        """Access by a key in `header`, which came from `variable`; the advice names that variable."""
        if key is None:
            return cls(without=f"Set the variable {variable} to a key, and start again.") if variable else cls()
        advice = f"Check the key in {variable}: it may be mistyped, expired, or not allowed to use this model."
        return cls(((header, before, key),), (key,), given=True, refused=advice if variable else "")


NO_ACCESS = Access()


class Keyed(httpx.Auth):
    """Writes keys into a request at the last moment, so that no frame above `httpx` ever holds them as text."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        for name, before, key in self._access.headers:
            request.headers[name] = f"{before}{key.reveal()}"
        if self._access.url is not None:
            request.url = parsed_url(self._access.url.reveal())
        if request.url.userinfo and "Authorization" not in request.headers:
            yield from httpx.BasicAuth(request.url.username, request.url.password).auth_flow(request)
        else:
            yield request


@lru_cache(maxsize=64)
def parsed_url(url: str) -> httpx.URL:
    """A parsed address, cached: parsing takes a third of the time of sending.

    Raises `httpx.InvalidURL`, also for half a character and for a port that no server can have.
    """
    try:
        parsed = httpx.URL(url)
    except UnicodeError:
        raise httpx.InvalidURL("half a character in it") from None
    if parsed.port is not None and not 0 < parsed.port <= _LAST_PORT:
        raise httpx.InvalidURL("no such port")
    return parsed


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine. Raises `httpx.InvalidURL`."""
    host = parsed_url(url).host
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def recipient_of(url: str) -> str:
    """The name of an address for authors: its host, or `this machine (host:port)` on loopback; never a password."""
    try:
        parsed = parsed_url(url)
    except httpx.InvalidURL:
        return "an address that cannot be read"
    host = f"{parsed.host}:{parsed.port}" if parsed.port else parsed.host
    return f"this machine ({host})" if is_loopback(url) else host


@asynccontextmanager
async def shared_client(host: str, *, direct: bool) -> AsyncGenerator[httpx.AsyncClient]:
    """A client of the running event loop for one request to `host`. A new one is made in a thread, as reading the
    certificates takes tens of milliseconds.

    `direct` is for loopback, which does not use a proxy of the environment. Raises `ProviderError` if the proxy or the
    certificates named in the environment cannot be used.
    """
    loop = asyncio.get_running_loop()
    server = (loop, direct, host)
    for old in [old for old in _locks if old[0].is_closed()]:
        del _locks[old]
        _clients.pop(old, None)
    async with _locks.setdefault(server, asyncio.Lock()):
        shared = next((each for each in _clients.get(server, ()) if each.running < _REQUESTS_PER_CLIENT), None)
        if shared is None:
            shared = _SharedClient(await asyncio.to_thread(_new_client, direct))
            _clients.setdefault(server, []).append(shared)
        shared.running += 1
        if shared.closing is not None:
            shared.closing.cancel()
            shared.closing = None
    try:
        yield shared.client
    finally:
        shared.running -= 1
        if not shared.running:
            # A pool of httpx closes what has expired at its next request only, which may never come.
            shared.closing = loop.call_later(IDLE_SECONDS, _close_idle, server, shared)


def _close_idle(server: _Server, shared: _SharedClient) -> None:
    """Close a client without requests. Called by the event loop."""
    if shared.running or shared not in _clients.get(server, ()):
        return
    _clients[server].remove(shared)
    task = server[0].create_task(shared.client.aclose())
    _closing.add(task)
    task.add_done_callback(_closing.discard)


async def close_clients() -> None:
    """Close the connections of the running loop; the next request opens a new one."""
    loop = asyncio.get_running_loop()
    for server in [server for server in _clients if server[0] is loop]:
        for shared in _clients.pop(server):
            if shared.closing is not None:
                shared.closing.cancel()
            await shared.client.aclose()


def timeouts(read_seconds: float = READ_SECONDS) -> httpx.Timeout:
    """Time-outs of one request, in seconds; `read_seconds` bounds each silence, that before the first byte included."""
    return httpx.Timeout(read_seconds, connect=CONNECT_SECONDS, write=30.0)


def certificates(*, direct: bool) -> ssl.SSLContext:
    """The trusted certificates, read once in tens of milliseconds. Raises `OSError` and `ValueError`."""
    named = ("", "") if direct else (os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))
    return _certificates_of(*named)


@cache
def _certificates_of(file: str, folder: str) -> ssl.SSLContext:
    """The trusted certificates for these values of the environment, shared by all clients."""
    return httpx.create_ssl_context(trust_env=bool(file or folder))


def _new_client(direct: bool) -> httpx.AsyncClient:
    try:
        return _client(certificates(direct=direct), _LIMITS, proxies=not direct)
    except (ImportError, ValueError, OSError, httpx.InvalidURL):
        # What these say may hold the proxy's password.
        raise ProviderError(
            Failure.UNREACHABLE,
            "The proxy or the certificates named in the environment cannot be used",
            advice="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from None


def unshared_client(context: ssl.SSLContext | bool) -> httpx.AsyncClient:
    """A client for one request, which uses no proxy; its connection serves no other."""
    return _client(context, httpx.Limits(max_keepalive_connections=0), proxies=False)


def _client(context: ssl.SSLContext | bool, limits: httpx.Limits, *, proxies: bool) -> httpx.AsyncClient:
    """Every client is made here: redirects are followed by hand if at all, and only the coding asked for is read."""
    return httpx.AsyncClient(
        verify=context,
        trust_env=proxies,
        follow_redirects=False,
        limits=limits,
        timeout=timeouts(),
        headers={"User-Agent": "blueprint-studio", "Accept-Encoding": ACCEPT_ENCODING},
    )
