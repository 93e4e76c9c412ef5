"""The addresses that a service may have. Names are resolved and checked first, and only checked addresses are used.

A blueprint may come from somebody else. Without this check, an address in it could reach what only this machine can
reach: its own servers, a router, or a cloud's metadata service.
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx

from engine.providers.chat import Failure, ProviderError
from engine.providers.http import parsed_url
from engine.text import visible

_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::ffff:0:0:0/96"))
"""IPv6 addresses whose last four bytes are an IPv4 address that they lead to (RFC 6052, RFC 8215, RFC 2765)."""
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""What stands before an IPv4 address in the last eight bytes of an address by ISATAP (RFC 5214)."""
_ASSIGNED = IPv6Network("2000::/3")
"""The IPv6 addresses of the open internet: all others are local, or nobody's (RFC 4291)."""
_NOT_PUBLIC = (IPv6Network("3fff::/20"), IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
"""Documentation, protocols, relays of 6to4: some Pythons take them for global."""
_MOST_ADDRESSES = 4


class PrivateAddressError(Exception):
    """A host that is on this machine or in its network without permission. `host` is its name."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host


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
