"""The `httpx` clients that all wire formats share, by server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeAlias

import httpx

from engine.providers.bounded_body import ACCEPT_ENCODING
from engine.providers.chat import Failure, ProviderError
from engine.providers.secret import Secret
from engine.record import Record

if TYPE_CHECKING:
    import ssl

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
    def none(cls, variable: str | None) -> Access:
        """Access without a key; the advice names `variable`."""
        return cls(without=f"Set the variable {variable} to a key, and start again.") if variable else cls()


NO_ACCESS = Access()


def header_key(name: str, before: str, key: Secret, variable: str | None) -> Access:
    """A key in the header `name`, which came from `variable`."""
    advice = f"Check the key in {variable}: it may be mistyped, expired, or not allowed to use this model."
    return Access(((name, before, key),), (key,), given=True, refused=advice if variable else "")


def bearer(key: Secret, variable: str | None) -> Access:
    """A key in the usual header: `Authorization: Bearer …`."""
    return header_key("Authorization", "Bearer ", key, variable)


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
        return httpx.AsyncClient(
            verify=certificates(direct=direct),
            trust_env=not direct,
            follow_redirects=False,
            limits=_LIMITS,
            timeout=timeouts(),
            headers={"User-Agent": "blueprint-studio", "Accept-Encoding": ACCEPT_ENCODING},
        )
    except (ImportError, ValueError, OSError, httpx.InvalidURL):
        # What these say may hold the proxy's password.
        raise ProviderError(
            Failure.UNREACHABLE,
            "The proxy or the certificates named in the environment cannot be used",
            advice="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from None
