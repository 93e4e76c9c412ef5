"""Which addresses a service may be at: names are looked up first, and only what was looked at is connected to.

A blueprint comes from somebody else. Without this, an address in it could reach what only this machine can: its own
servers, a router, the data that a cloud keeps about its machines.
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx

from engine.providers.chat import Failure, ProviderError
from engine.text import visible

_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""IPv6 addresses whose last four bytes are an IPv4 address that they lead to (RFC 6052, RFC 8215)."""
_MOST_ADDRESSES = 4


class PrivateAddressError(Exception):
    """A host is on this machine or in its network, and that was not allowed. `host` is its name."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host


def web_address(url: str, whose: str) -> httpx.URL:
    """`url` as an address that can be asked. Raises `ProviderError`, which names no part but the scheme."""
    try:
        address = httpx.URL(url)
        is_web = address.scheme in ("http", "https") and bool(address.host)
    except (httpx.InvalidURL, ValueError):
        is_web = False
        address = httpx.URL()
    if not is_web:
        advice = "Write the whole address, such as https://example.org/check."
        raise ProviderError(Failure.MISCONFIGURED, visible(f"{whose}: its `url` is no web address"), advice=advice)
    return address


def host_of(address: httpx.URL) -> str:
    """The host as authors see it and consent to it: its name, with the port where it is not the usual one."""
    return address.netloc.decode("ascii", "replace")


async def addresses_of(address: httpx.URL, *, private_too: bool) -> tuple[str, ...]:
    """The IP addresses of a host, the first to be tried first.

    Raises `PrivateAddressError` where any of them is not of the open internet, unless `private_too`, and
    `socket.gaierror` where nobody knows the name.
    """
    port = address.port or (443 if address.scheme == "https" else 80)
    name = address.raw_host.decode("ascii", "replace").strip("[]")
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    known = tuple(dict.fromkeys(str(each[4][0]) for each in found))
    if not private_too and not all(map(is_public, known)):
        raise PrivateAddressError(host_of(address))
    return known[:_MOST_ADDRESSES]


async def is_private(url: str) -> bool:
    """Whether the host of a sound `url` is at an address of this machine or its network; False where it is unknown."""
    try:
        await addresses_of(httpx.URL(url), private_too=False)
    except PrivateAddressError:
        return True
    except OSError:
        return False
    return False


def is_public(text: str) -> bool:
    """Whether an IP address is of the open internet, seen through every way of writing an IPv4 address as IPv6."""
    address = ip_address(text.partition("%")[0])
    while isinstance(address, IPv6Address) and (within := _ipv4_within(address)) is not None:
        address = within
    return address.is_global and not address.is_multicast


def _ipv4_within(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    is_translated = any(address in network for network in _TRANSLATED)
    is_compatible = int(address) >> 32 == 0 and int(address) > 1
    return IPv4Address(int(address) & 0xFFFF_FFFF) if is_translated or is_compatible else None
