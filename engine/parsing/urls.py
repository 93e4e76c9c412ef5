"""Valid addresses as Weval tests them, with JavaScript's `new URL` (platform.md, A35).

Apart from the header, which holds the addresses: this is a grammar of its own, and knows no blueprint.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv6Address

_AROUND = "".join(map(chr, range(0x21)))
_WITHIN = re.compile(r"[\t\r\n]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.ASCII | re.IGNORECASE | re.DOTALL)
_WEB = ("http", "https", "ws", "wss", "ftp")
_WEB_PLACE = re.compile(r"[\\/]*(?:[^\\/?#]*@)?(\[[^\]]*\]|[^\\/?#:]+)(?::(\d*))?(?:[\\/?#].*)?", re.DOTALL)
_OTHER_PLACE = re.compile(r"//([^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(:\d*)?(?:[/?#].*)?", re.DOTALL)
_FORBIDDEN = re.compile(r"[\x00 #/<>?@\[\\\]^|]")
_FORBIDDEN_ON_THE_WEB = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.IGNORECASE)
_ESCAPED_BYTES = re.compile(rb"%([0-9a-f]{2})", re.IGNORECASE)
_NOT_IN_NAMES = "\u180e"
"""Allowed in names by newer Unicode tables, but not by those of Node 20."""
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_LARGEST_PORT = 0xFFFF


def is_url(text: str) -> bool:
    """Whether JavaScript's `new URL(text)` accepts `text`: a scheme and, if there is a host, a valid one."""
    match = _SCHEME.fullmatch(_WITHIN.sub("", text.strip(_AROUND)))
    if match is None:
        return False
    scheme, rest = match[1].lower(), match[2]
    if scheme in _WEB:
        place = _WEB_PLACE.fullmatch(rest)
        return place is not None and _is_web_host(place[1]) and int(place[2] or 0) <= _LARGEST_PORT
    if scheme == "file":
        return _is_file_place(rest)
    if not rest.startswith("//"):
        return True
    place = _OTHER_PLACE.fullmatch(rest)
    if place is None:
        return False
    user, host, port = place[1], place[2], place[3]
    if not host:
        return port is None and user is None
    sound = _is_ipv6(host[1:-1]) if host.startswith("[") else _FORBIDDEN.search(host) is None
    return sound and int((port or ":")[1:] or 0) <= _LARGEST_PORT


def _is_file_place(rest: str) -> bool:
    """Whether the text after `file:` names no host, a drive, or a valid host."""
    host = re.match(r"[\\/]{2}([^\\/?#]*)", rest)
    if host is None or not host[1] or re.fullmatch(r"(?i)[a-z][:|]", host[1]) is not None:
        return True
    return _is_web_host(host[1])


def _is_web_host(host: str) -> bool:
    if host.startswith("["):
        return host.endswith("]") and _is_ipv6(host[1:-1])
    ascii_host = _ascii_host(_decoded(host))
    if ascii_host is None or not ascii_host or _FORBIDDEN_ON_THE_WEB.search(ascii_host) is not None:
        return False
    parts = ascii_host.split(".")
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
    """Whether `parts` are up to four numbers below 256; the last may fill the rest of 32 bits."""
    numbers = [_value(part) for part in parts]
    known = [number for number in numbers if number is not None]
    if len(known) != len(parts) or len(parts) > 4:
        return False
    return all(number < 256 for number in known[:-1]) and known[-1] < 256 ** (5 - len(parts))


def _value(part: str) -> int | None:
    """The number of a part of an address, octal after a leading zero; None if it is not a number."""
    if not _is_number(part):
        return None
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part.startswith("0"):
        return int(part, 8) if set(part) <= set("01234567") else None
    return int(part)


def _decoded(host: str) -> str:
    """`host` with its percent escapes decoded as UTF-8."""
    if "%" not in host:
        return host
    units = _ESCAPED_BYTES.sub(lambda found: bytes([int(found[1], 16)]), host.encode("utf-8", "replace"))
    return units.decode("utf-8", "replace")


def _ascii_host(host: str) -> str | None:
    """`host` in ASCII, as a browser requests it (UTS 46); None if it is not a valid name."""
    if host.isascii() and "xn--" not in host.lower():
        return host.lower()
    import idna  # the import is slow, and nearly all addresses are ASCII

    if _NOT_IN_NAMES in host:
        return None
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
    except idna.IDNAError:
        return None
    labels = [_ascii_label(label) for label in mapped.split(".")]
    known = [label for label in labels if label is not None]
    return ".".join(known) if len(known) == len(labels) else None


def _ascii_label(label: str) -> str | None:
    """One label, already mapped, in ASCII; None if it is not valid."""
    if label.isascii() and not label.startswith("xn--"):
        return label
    try:
        read = label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except UnicodeError:
        return None
    if not read:
        return None
    if read.isascii():
        return label  # as in Node 20, which reads `xn--a-` as `a`
    written = f"xn--{read.encode('punycode').decode('ascii')}"
    return written if (written == label or not label.isascii()) and _is_label(read) else None


def _is_label(label: str) -> bool:
    """Whether `label` is valid by UTS 46, and by the rules for Bidi and joiners that Node 20 applies."""
    import idna

    try:
        if idna.uts46_remap(label, std3_rules=False, transitional=False) != label:
            return False
        if any(unicodedata.category(unit) == "Cn" for unit in label):
            return False
        idna.check_initial_combiner(label)
        if any(unicodedata.bidirectional(unit) in _RIGHT_TO_LEFT for unit in label):
            first = unicodedata.bidirectional(label[0])
            if first != "L" and (first not in _RIGHT_TO_LEFT or not idna.check_bidi(label)):
                return False
        joiners = (at for at, unit in enumerate(label) if unit in "\u200c\u200d")
        return all(idna.valid_contextj(label, at) for at in joiners)
    except (idna.IDNAError, ValueError):
        return False
