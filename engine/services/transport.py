"""One request over HTTP to an address that was looked at before, and the reply, bounded.

Every request has a connection of its own, to the very address that was checked: the name is not looked up again, and
no connection that was made for one name serves another. Proxies are not used, as they look names up by themselves.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpx

from engine.providers import failures
from engine.providers.chat import Failure, ProviderError
from engine.providers.chat_response import retry_after_of
from engine.providers.http import certificates, read_at_most, timeouts
from engine.services.addresses import addresses_of, host_of

_LONGEST_ANSWER = 1_000_000
_MOST_REDIRECTS = 5
_SILENCE = 600.0
_USUAL_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "blueprint-studio",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. `content` is JSON, None where there is no body."""

    method: str
    url: httpx.URL = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: at most a megabyte of it. `retry_after` is the wait in seconds that the server asks for."""

    status: int
    body: bytes
    location: str | None = None
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        """Whether the body is an answer."""
        return 200 <= self.status < 300


async def send(request: Request, named: failures.Request, *, private_too: bool) -> Reply:
    """The reply to `request`. A redirect is followed within the same host only, where nothing new learns anything.

    Raises `ProviderError`, and `PrivateAddressError` where the host is not of the open internet.
    """
    for _ in range(_MOST_REDIRECTS):
        reply = await _sent(request, named, private_too=private_too)
        if reply.location is None:
            return reply
        request = _redirected(request, reply, named)
    advice = "Ask whoever runs it for its address as it is today."
    raise named.failure(Failure.MISCONFIGURED, "it sends us round in circles", "", advice)


def _redirected(request: Request, reply: Reply, named: failures.Request) -> Request:
    try:
        target = request.url.join(reply.location or "")
    except (httpx.InvalidURL, ValueError):
        raise named.failure(Failure.NONSENSE, "it sends us to what is no address", "", "Check its `url`.") from None
    is_same = target.raw_host == request.url.raw_host and _is_as_safe(request.url, target)
    if not is_same:
        elsewhere = httpx.URL(scheme=target.scheme, host=target.host, port=target.port) if target.host else target
        advice = f"Nothing was sent there. Give that address instead, if you trust it: {elsewhere}"
        raise named.failure(Failure.MISCONFIGURED, "it sends us elsewhere, and keys do not follow", "", advice)
    if reply.status == 303:
        return Request("GET", target, request.headers, None)
    return Request(request.method, target, request.headers, request.content)


def _is_as_safe(one: httpx.URL, other: httpx.URL) -> bool:
    """Whether the same server is meant, and no less protected."""
    usual = {"http": 80, "https": 443}
    if other.scheme not in usual:
        return False
    ports = [url.port or usual[url.scheme] for url in (one, other)]
    return (ports[0] == ports[1] and one.scheme == other.scheme) or ports == [80, 443]


async def _sent(request: Request, named: failures.Request, *, private_too: bool) -> Reply:
    """The reply from the first address that takes a connection."""
    try:
        found = await addresses_of(request.url, private_too=private_too)
    except (socket.gaierror, UnicodeError) as error:
        advice = "Check the address and your network."
        raise named.failure(Failure.UNREACHABLE, "the name of the host is not known", str(error), advice) from None
    context = await _trust(named) if request.url.scheme == "https" else False
    failed: httpx.HTTPError = httpx.ConnectError("no address")
    for address in found:
        try:
            reply = await _from(address, request, context)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            failed = error
        except httpx.HTTPError as error:
            raise _of_the_way(named, error) from None
        else:
            return _bounded(reply, named)
    raise _of_the_way(named, failed) from None


def _bounded(reply: Reply, named: failures.Request) -> Reply:
    if len(reply.body) <= _LONGEST_ANSWER:
        return reply
    advice = "An answer is a score and an explanation. Check its `url`."
    raise named.failure(Failure.NONSENSE, "its answer is longer than a megabyte", "", advice)


def _of_the_way(named: failures.Request, error: httpx.HTTPError) -> ProviderError:
    failed = failures.from_transport(named, error)
    if failed.failure is not Failure.TIMED_OUT:
        return failed
    advice = "Try again, or give it more time with `timeout_ms`."
    return ProviderError(Failure.UNREACHABLE, failed.title, failed.detail, advice)


async def _from(address: str, request: Request, context: ssl.SSLContext | bool) -> Reply:
    url = request.url.copy_with(host=address, username=None, password=None)
    headers = httpx.Headers(_USUAL_HEADERS)
    headers.update(request.headers)
    headers["Host"] = host_of(request.url)
    extensions = {} if _is_address(request.url.host) else {"sni_hostname": request.url.raw_host.decode("ascii")}
    transport = httpx.AsyncHTTPTransport(
        verify=context, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
    )
    async with (
        httpx.AsyncClient(transport=transport, trust_env=False, timeout=timeouts(_SILENCE)) as client,
        client.stream(
            request.method,
            url,
            content=request.content,
            headers=headers,
            auth=_basic(request),
            extensions=extensions,
            follow_redirects=False,
        ) as response,
    ):
        location = response.headers.get("location") if response.is_redirect else None
        body = b"" if location is not None else await read_at_most(response, _LONGEST_ANSWER + 1)
        return Reply(response.status_code, body, location, retry_after_of(response, body[:16_384]))


def _basic(request: Request) -> httpx.BasicAuth | None:
    """The user and password of the address, unless the author wrote that header himself."""
    has_own = any(name.lower() == "authorization" for name in request.headers)
    return None if has_own or not request.url.userinfo else httpx.BasicAuth(request.url.username, request.url.password)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _trust(named: failures.Request) -> ssl.SSLContext:
    try:
        return await asyncio.to_thread(certificates, direct=False)
    except (OSError, ValueError):
        advice = "Check SSL_CERT_FILE and SSL_CERT_DIR."
        what = "the certificates named in the environment cannot be used"
        raise named.failure(Failure.MISCONFIGURED, what, "", advice) from None
