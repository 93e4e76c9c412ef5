"""Requests to services, whose names are resolved and checked first: only checked addresses are used.

A blueprint may come from somebody else. Without this check, an address in it could reach what only this machine can
reach: its own servers, a router, or a cloud's metadata service.

Every request opens its own connection to the checked IP address: the name is not resolved again, and no connection made
for one name serves another. Proxies are not used, as they resolve names themselves.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Protocol

import httpx

from engine.models import failures
from engine.models.chat import Failure, ProviderError
from engine.models.http import (
    NO_ACCESS,
    Keyed,
    Reply,
    certificates,
    parsed_url,
    read_reply,
    timeouts,
    unshared_client,
)
from engine.text.spans import visible

_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::ffff:0:0:0/96"))
"""IPv6 addresses whose last four bytes are an IPv4 address that they lead to (RFC 6052, RFC 8215, RFC 2765)."""
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""What stands before an IPv4 address in the last eight bytes of an address by ISATAP (RFC 5214)."""
_ASSIGNED = IPv6Network("2000::/3")
"""The IPv6 addresses of the open internet: all others are local, or nobody's (RFC 4291)."""
_NOT_PUBLIC = (IPv6Network("3fff::/20"), IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
"""Documentation, protocols, relays of 6to4: some Pythons take them for global."""
_MOST_ADDRESSES = 4


@dataclass(eq=False)
class PrivateAddressError(Exception):
    """A host that is on this machine or in its network without permission. `host` is its name."""

    host: str


def web_address(url: str, whose: str) -> httpx.URL:
    """`url` as a usable web address. Raises `ProviderError`, whose message has no part of it."""
    try:
        address = parsed_url(url)
        is_web = address.scheme in ("http", "https") and bool(address.host)
    except (httpx.InvalidURL, ValueError):
        is_web = False
        address = httpx.URL()
    if not is_web:
        advice = "Write the whole address, such as https://example.org/check."
        raise ProviderError(Failure.MISCONFIGURED, visible(f"{whose}: its `url` is not a web address"), advice=advice)
    return address


def host_of(address: httpx.URL) -> str:
    """The host as authors see it and consent to it: its name, with the port if it is not the default."""
    return address.netloc.decode("ascii", "replace")


async def addresses_of(address: httpx.URL, *, private_too: bool) -> tuple[str, ...]:
    """The IP addresses of a host, in the order in which to try them.

    Raises `PrivateAddressError` if any of them is not public, unless `private_too`, and `socket.gaierror` if the name
    is unknown.
    """
    port = address.port or (443 if address.scheme == "https" else 80)
    name = address.raw_host.decode("ascii", "replace").strip("[]")
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    known = tuple(dict.fromkeys(str(each[4][0]) for each in found))
    if not private_too and not all(map(is_public, known)):
        raise PrivateAddressError(host_of(address))
    return known[:_MOST_ADDRESSES]


async def is_private(url: str) -> bool:
    """Whether the host of a valid `url` is on this machine or in its network; False if the name is unknown."""
    try:
        await addresses_of(parsed_url(url), private_too=False)
    except PrivateAddressError:
        return True
    except OSError:
        return False
    return False


def is_public(text: str) -> bool:
    """Whether an IP address is public. IPv4 addresses in any IPv6 form are checked as IPv4."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        within = _ipv4_within(address)
        if within is not None:
            return _is_public(within)
        if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP and not _is_public(_last_four_bytes(address)):
            return False
    return _is_public(address)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    is_assigned = not address.is_multicast if address.version == 4 else address in _ASSIGNED
    return is_assigned and address.is_global and not any(address in network for network in _NOT_PUBLIC)


def _ipv4_within(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    is_translated = any(address in network for network in _TRANSLATED)
    is_compatible = int(address) >> 32 == 0 and int(address) > 1
    return _last_four_bytes(address) if is_translated or is_compatible else None


def _last_four_bytes(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFF_FFFF)


_MAX_BODY = 1_000_000
_MAX_REDIRECTS = 5
_READ_SECONDS = 600.0
_DEFAULT_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
}


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `content` is the JSON body, or None."""

    method: str
    url: httpx.URL = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)


class RequestCounter(Protocol):
    """Counts the requests of a run."""

    async def count_request(self) -> None:
        """Count a request that is about to be sent to a permitted address. Raises `ProviderError` if none may be."""
        ...

    async def take_back_request(self) -> None:
        """No longer count a request: no connection was made, so nothing was sent."""
        ...


async def send(
    request: Request, named: failures.Request, *, private_too: bool, counter: RequestCounter | None = None
) -> Reply:
    """The reply to `request`. Redirects are followed only within the same host, so that no other host gets any data.

    A request and its redirects are one for `counter`.
    Raises `ProviderError`, and `PrivateAddressError` for a host that is not public, unless `private_too`.
    """
    for _ in range(_MAX_REDIRECTS):
        reply, counter = await _sent(request, named, private_too, counter), None
        if reply.location is None:
            return reply
        request = _redirected(request, reply, named)
    advice = "Check its `url`: its present address may be another one."
    raise named.failure(Failure.MISCONFIGURED, "it redirects too often", "", advice)


def _redirected(request: Request, reply: Reply, named: failures.Request) -> Request:
    try:
        target = request.url.join(reply.location or "")
    except (httpx.InvalidURL, ValueError):
        raise named.failure(Failure.NONSENSE, "it redirects to an invalid address", "", "Check its `url`.") from None
    is_same = target.raw_host == request.url.raw_host and _is_as_safe(request.url, target)
    if not is_same:
        elsewhere = httpx.URL(scheme=target.scheme, host=target.host, port=target.port) if target.host else target
        advice = f"Nothing was sent there. Give that address instead, if you trust it: {elsewhere}"
        raise named.failure(Failure.MISCONFIGURED, "it redirects to another host, which gets no keys", "", advice)
    if reply.status == 303:
        return Request("GET", target, request.headers, None)
    return Request(request.method, target, request.headers, request.content)


def _is_as_safe(one: httpx.URL, other: httpx.URL) -> bool:
    """Whether `other` is the same server with at least the same protection."""
    default_ports = {"http": 80, "https": 443}
    if other.scheme not in default_ports:
        return False
    ports = [url.port or default_ports[url.scheme] for url in (one, other)]
    return (ports[0] == ports[1] and one.scheme == other.scheme) or ports == [80, 443]


async def _sent(request: Request, named: failures.Request, private_too: bool, counter: RequestCounter | None) -> Reply:
    """The reply of the first address that accepts a connection."""
    try:
        found = await addresses_of(request.url, private_too=private_too)
    except (socket.gaierror, UnicodeError) as error:
        advice = "Check the address and your network."
        raise named.failure(Failure.UNREACHABLE, "its host name is unknown", str(error), advice) from None
    if counter is not None:
        await counter.count_request()
    sending = _Sending()
    try:
        return await _sent_to(found, request, named, sending)
    finally:
        if counter is not None and not sending.has_begun:
            await asyncio.shield(counter.take_back_request())


@dataclass(slots=True)
class _Sending:
    """Whether a byte of a request was sent, as `httpx` reports it."""

    has_begun: bool = False

    async def trace(self, event: str, _info: Mapping[str, Any]) -> None:
        """For the extension `trace` of `httpx`."""
        self.has_begun = self.has_begun or event.endswith(".send_request_headers.started")


async def _sent_to(addresses: Sequence[str], request: Request, named: failures.Request, sending: _Sending) -> Reply:
    context = await _tls_context(named) if request.url.scheme == "https" else False
    failed: httpx.HTTPError = httpx.ConnectError("no address")
    for address in addresses:
        try:
            reply = await _reply_from(address, request, context, sending)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            failed = error
        except httpx.HTTPError as error:
            raise _transport_failure(named, error) from None
        else:
            return _bounded(reply, named)
    raise _transport_failure(named, failed) from None


def _bounded(reply: Reply, named: failures.Request) -> Reply:
    if len(reply.body) <= _MAX_BODY:
        return reply
    advice = "The service must answer with a score and an explanation. Check its `url`."
    raise named.failure(Failure.NONSENSE, "its answer is longer than a megabyte", "", advice)


def _transport_failure(named: failures.Request, error: httpx.HTTPError) -> ProviderError:
    failed = failures.from_transport(named, error)
    if failed.failure is not Failure.TIMED_OUT:
        return failed
    advice = "Try again, or give it more time with `timeout_ms`."
    return ProviderError(Failure.UNREACHABLE, failed.title, failed.detail, advice)


async def _reply_from(address: str, request: Request, context: ssl.SSLContext | bool, sending: _Sending) -> Reply:
    url = request.url.copy_with(host=address)
    headers = httpx.Headers(_DEFAULT_HEADERS)
    headers.update(request.headers)
    headers["Host"] = host_of(request.url)
    extensions: dict[str, Any] = {"trace": sending.trace}
    if not _is_address(request.url.host):
        extensions["sni_hostname"] = request.url.raw_host.decode("ascii")
    async with (
        unshared_client(context) as client,
        client.stream(
            request.method,
            url,
            content=request.content,
            headers=headers,
            auth=Keyed(NO_ACCESS),
            timeout=timeouts(_READ_SECONDS),
            extensions=extensions,
        ) as response,
    ):
        return await read_reply(response, _MAX_BODY + 1)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _tls_context(named: failures.Request) -> ssl.SSLContext:
    try:
        return await asyncio.to_thread(certificates, direct=False)
    except (OSError, ValueError):
        advice = "Check SSL_CERT_FILE and SSL_CERT_DIR."
        what = "the certificates named in the environment cannot be used"
        raise named.failure(Failure.MISCONFIGURED, what, "", advice) from None
