"""Which texts are addresses to Weval, which asks JavaScript's `new URL` (platform.md, A35)."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address

_AROUND = "".join(map(chr, range(0x21)))
_WITHIN = re.compile(r"[\t\r\n]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.IGNORECASE | re.DOTALL)
_WEB = ("http", "https", "ws", "wss", "ftp")
_WEB_PLACE = re.compile(r"[\\/]*(?:[^\\/?#]*@)?(\[[^\]]*\]|[^\\/?#:]+)(?::(\d*))?(?:[\\/?#].*)?", re.DOTALL)
_OTHER_PLACE = re.compile(r"//(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(:\d*)?(?:[/?#].*)?", re.DOTALL)
_FORBIDDEN = re.compile(r"[\x00 #/<>?@\[\\\]^|]")
_FORBIDDEN_ON_THE_WEB = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.IGNORECASE)
_ESCAPE = re.compile(r"%([0-9a-f]{2})", re.IGNORECASE)
_LARGEST_PORT = 0xFFFF


def is_url(text: str) -> bool:
    """Whether JavaScript's `new URL(text)` takes `text`: a scheme, and where it names a host, one that can be."""
    match = _SCHEME.fullmatch(_WITHIN.sub("", text.strip(_AROUND)))
    if match is None:
        return False
    scheme, rest = match[1].lower(), match[2]
    if scheme in _WEB:
        place = _WEB_PLACE.fullmatch(rest)
        return place is not None and _is_web_host(place[1]) and int(place[2] or 0) <= _LARGEST_PORT
    if scheme == "file" or not rest.startswith("//"):
        return True
    place = _OTHER_PLACE.fullmatch(rest)
    if place is None:
        return False
    host, port = place[1], place[2]
    if not host:
        return port is None
    sound = _is_ipv6(host[1:-1]) if host.startswith("[") else _FORBIDDEN.search(host) is None
    return sound and int((port or ":")[1:] or 0) <= _LARGEST_PORT


def _is_web_host(host: str) -> bool:
    if host.startswith("["):
        return host.endswith("]") and _is_ipv6(host[1:-1])
    host = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), host)
    if _FORBIDDEN_ON_THE_WEB.search(host) is not None:
        return False
    parts = host.split(".")
    if not parts[-1] and len(parts) > 1:
        parts.pop()
    return not _is_number(parts[-1]) or _is_ipv4(parts)


def _is_ipv6(text: str) -> bool:
    try:
        return IPv6Address(text).scope_id is None
    except AddressValueError:
        return False


def _is_number(part: str) -> bool:
    return _NUMBER.fullmatch(part) is not None


def _is_ipv4(parts: list[str]) -> bool:
    """Up to four numbers, each below 256 but the last, which fills what is left of 32 bits."""
    numbers = [_value(part) for part in parts]
    known = [number for number in numbers if number is not None]
    if len(known) != len(parts) or len(parts) > 4:
        return False
    return all(number < 256 for number in known[:-1]) and known[-1] < 256 ** (5 - len(parts))


def _value(part: str) -> int | None:
    """The number that a part of an address is, octal after a zero; None where it is none."""
    if not _is_number(part):
        return None
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part.startswith("0"):
        return int(part, 8) if set(part) <= set("01234567") else None
    return int(part)
