"""The one `httpx` client that all wire formats share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator

import httpx

from engine.providers.secret import Secret

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}


class Bearer(httpx.Auth):
    """Writes the key into the header at the last moment, so that no frame above `httpx` ever holds it as text."""

    def __init__(self, key: Secret) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        yield request


async def shared_client() -> httpx.AsyncClient:
    """The client of the running event loop. Made in a thread: reading the certificates takes tens of milliseconds."""
    loop = asyncio.get_running_loop()
    for old in [old for old in _clients if old.is_closed()]:
        del _clients[old]
    if loop not in _clients:
        made = await asyncio.to_thread(_new_client)
        _clients.setdefault(loop, made)
    return _clients[loop]


async def close_client() -> None:
    """Closes the connections of the running loop's client; the next request opens a new one."""
    client = _clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
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


def _new_client() -> httpx.AsyncClient:
    # A proxy named in the environment serves the outside world; loopback is always reached directly.
    direct: dict[str, httpx.AsyncBaseTransport | None] = {f"all://{host}": None for host in _LOOPBACK}
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=15.0)
    return httpx.AsyncClient(
        follow_redirects=False,
        mounts=direct,
        limits=limits,
        timeout=timeouts(),
        headers={"User-Agent": "blueprint-studio"},
    )
