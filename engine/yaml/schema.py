"""The values of scalars by js-yaml 4.1.0's default schema: YAML 1.2 core, merge keys, timestamps, explicit tags."""

from __future__ import annotations

import binascii
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

Value = bool | int | float | str | datetime | None

EXACT_INTEGERS = 2**53
"""JavaScript's numbers represent every integer up to this one."""

_TAG = "tag:yaml.org,2002:"
BINARY_TAG = f"{_TAG}binary"
MERGE_TAG = f"{_TAG}merge"
ANY_TAG = "?"
"""The tag `!<?>`: its node has the value that it would have without a tag."""

_WORDS: dict[str, Value] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NULLS = frozenset(("~", "null", "Null", "NULL"))
_INTEGER = re.compile(
    r"[-+]?(?:0b(?P<binary>_*[01][01_]*)|0x(?P<hex>_*[0-9a-fA-F][0-9a-fA-F_]*)|0o(?P<octal>_*[0-7][0-7_]*)"
    r"|(?P<decimal>0|0[0-9][0-9_]*|[1-9][0-9_]*))(?<!_)",
    re.ASCII,
)
_FLOAT = re.compile(
    r"(?:[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?)(?<!_)", re.ASCII
)
_DATE: Final = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIMESTAMP: Final = (
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"(?:[ \t]*(?:Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?"
)
MAY_BE_TYPED = frozenset("0123456789+-.~nNtTfF")
_BASES = {"binary": 2, "hex": 16, "octal": 8, "decimal": 10}


def plain(text: str) -> Value:
    """The value of the unquoted, untagged scalar `text`."""
    if text and text[0] not in MAY_BE_TYPED:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if not text[0].isalpha():
        number = _number(text)
        if number is not None:
            return number
        return timestamp(text) or text
    return text


def _number(text: str) -> int | float | None:
    integer = _integer(text)
    return _float(text) if integer is None else integer


def _integer(text: str) -> int | float | None:
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    base = match.lastgroup or "decimal"
    value = int_of(match[base].replace("_", ""), _BASES[base])
    return -value if text[0] == "-" else value


def int_of(digits: str, base: int = 10) -> int | float:
    """The number that JavaScript makes of an unsigned integer: an int if that is exact, else a float."""
    if len(digits) < 16:
        return int(digits, base)
    if base == 10:
        value = float(digits)
    else:
        try:
            value = float(int(digits, base))
        except OverflowError:
            value = float("inf")
    return int(value) if value <= EXACT_INTEGERS else value


def _float(text: str) -> int | float | None:
    if _FLOAT.fullmatch(text) is None:
        return None
    bare = text.replace("_", "")
    # `._` has no digit; JavaScript's parseFloat returns NaN.
    return float(bare) if any(character.isdigit() for character in bare) else float("nan")


def timestamp(text: str) -> datetime | None:
    """The date that `text` denotes, or None.

    Days, months and hours roll over as in JavaScript (`2024-02-30` is 1 March), and years below 100 are in the
    twentieth century. A date after the year 9999 is None as well: Python has no such dates.
    """
    if text[4:5] != "-":
        return None
    match = re.fullmatch(_DATE, text, re.ASCII) or re.fullmatch(_TIMESTAMP, text, re.ASCII)
    if match is None:
        return None
    year, month, day, *rest = match.groups(default="")
    hour, minute, second, fraction, sign, zone_hour, zone_minute = rest or ("0", "0", "0", "", "", "", "")
    number = int(year)
    years, months = divmod(int(month) - 1, 12)
    milliseconds = int(fraction[:3].ljust(3, "0"))
    delta = timedelta(
        days=int(day) - 1, hours=int(hour), minutes=int(minute), seconds=int(second), milliseconds=milliseconds
    )
    if sign:
        zone = timedelta(hours=int(zone_hour), minutes=int(zone_minute or 0))
        delta += zone if sign == "-" else -zone
    try:
        return datetime(number + years + (1900 if number < 100 else 0), months + 1, 1, tzinfo=UTC) + delta
    except (ValueError, OverflowError):
        return None


class Unresolvable(Exception):
    """An explicit tag that cannot be applied; `reason` is js-yaml's."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def tagged_scalar(tag: str, text: str | None) -> Value | bytes:
    """The value of a scalar with the explicit, resolved `tag`; `text` is None if the node is empty.

    `!!binary` gives bytes. Raises `Unresolvable`.
    """
    if tag == ANY_TAG:
        return plain(text) if text else text
    if not tag.startswith(_TAG):
        raise Unresolvable(f"unknown tag !<{tag}>")
    kind = tag[len(_TAG) :]
    if kind in _EMPTY and text is None:
        return _EMPTY[kind]
    if kind in _COLLECTIONS:
        if text is None:
            raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
        raise Unresolvable(f"unknown tag !<{tag}>")
    if kind not in _SCALARS:
        raise Unresolvable(f"unknown tag !<{tag}>")
    value = None if text is None else _SCALARS[kind](text)
    if value is None and kind != "null":
        raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
    if kind == "null" and text is not None and text not in _NULLS:
        raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")
    return value


def retagged_value(tag: str, value: Value) -> Value:
    """`value`, which is not a string, with the explicit, resolved `tag` applied. Raises `Unresolvable`."""
    kind = tag.removeprefix(_TAG)
    if value is None and kind in ("str", "null", "merge", ANY_TAG):
        return "" if kind == "str" else None
    is_finite = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if value is not None and (kind == "str" or (kind == ANY_TAG and not is_finite)):
        return value
    raise Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")


def _bool(text: str) -> bool | None:
    value = _WORDS.get(text)
    return value if isinstance(value, bool) else None


def _any_float(text: str) -> int | float | None:
    value = _WORDS.get(text)
    return value if isinstance(value, float) else _float(text)


def _binary(text: str) -> bytes | None:
    body = text.replace("\r", "").replace("\n", "")
    if re.fullmatch(r"[A-Za-z0-9+/=]*", body) is None or len(body) * 6 % 8:
        return None
    digits = body.replace("=", "")
    if not digits:
        return bytes(3)
    size = len(digits) * 6 // 8
    whole = digits[: len(digits) - (len(digits) % 4 == 1)]  # a last digit of its own has no byte
    return binascii.a2b_base64(whole + "A" * (-len(whole) % 4))[:size]


def _merge(text: str) -> str | None:
    return text if text == "<<" else None


def _null(text: str) -> None:
    del text


_SCALARS: dict[str, Callable[[str], Value | bytes]] = {
    "str": str,
    "int": _integer,
    "float": _any_float,
    "bool": _bool,
    "null": _null,
    "timestamp": timestamp,
    "merge": _merge,
    "binary": _binary,
}
_EMPTY: dict[str, Value] = {"str": "", "null": None}
_COLLECTIONS = frozenset(("seq", "map", "omap", "pairs", "set"))
