"""The `httpx` clients that all wire formats share: one for the world, one for this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator

import httpx

from engine.providers.chat import Failure, ProviderError
from engine.providers.secret import Secret

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0

_clients: dict[tuple[asyncio.AbstractEventLoop, bool], httpx.AsyncClient] = {}


class Bearer(httpx.Auth):
    """Writes the key into the header at the last moment, so that no frame above `httpx` ever holds it as text."""

    def __init__(self, key: Secret) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        yield request


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine. Raises `httpx.InvalidURL`."""
    return httpx.URL(base_url).host in ("127.0.0.1", "localhost", "::1")


async def shared_client(*, direct: bool) -> httpx.AsyncClient:
    """The client of the running event loop. Made in a thread: reading the certificates takes tens of milliseconds.

    `direct` is for loopback: a proxy named in the environment serves the outside world only. Raises `ProviderError`
    where what the environment names cannot be used.
    """
    loop = asyncio.get_running_loop()
    for old in [old for old in _clients if old[0].is_closed()]:
        del _clients[old]
    if (loop, direct) not in _clients:
        made = await asyncio.to_thread(_new_client, direct)
        _clients.setdefault((loop, direct), made)
    return _clients[loop, direct]


async def close_clients() -> None:
    """Closes the connections of the running loop; the next request opens a new one."""
    loop = asyncio.get_running_loop()
    for client in [_clients.pop(key) for key in list(_clients) if key[0] is loop]:
        await client.aclose()


def timeouts(read_seconds: float = READ_SECONDS) -> httpx.Timeout:
    """Time-outs of one request, in seconds; `read_seconds` bounds each silence, that before the first byte included."""
    return httpx.Timeout(read_seconds, connect=CONNECT_SECONDS, write=30.0)


async def read_at_most(response: httpx.Response, size: int) -> bytes:
    """The first `size` bytes of a body, with the rest left unread."""
    body = bytearray()
    chunks: AsyncGenerator[bytes, None] = response.aiter_bytes()  # pyright: ignore[reportAssignmentType]
    async for chunk in chunks:
        body += chunk
        if len(body) >= size:
            break
    await chunks.aclose()
    return bytes(body[:size])


def _new_client(direct: bool) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            trust_env=not direct,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=15.0),
            timeout=timeouts(),
            headers={"User-Agent": "blueprint-studio"},
        )
    except (ImportError, ValueError, OSError, httpx.InvalidURL):
        # What these say may hold the proxy's password.
        raise ProviderError(
            Failure.UNREACHABLE,
            "The proxy or the certificates named in the environment cannot be used",
            advice="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from None
