"""The values of nodes by js-yaml 4.1.0's default schema: YAML 1.2 core, merge keys, timestamps, explicit tags.

Also the directives before a document, and the full form of its tags.
"""

from __future__ import annotations

import binascii
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from engine.text import Span, replace
from engine.yaml.nodes import (
    LARGEST_INTEGER,
    MERGE,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    fields,
    holds_bytes,
    is_merge,
    resolved,
)

Value = bool | int | float | str | datetime | None
END: Final = "\0"
"""Marks the end of the text; a text that contains this character is refused."""
_TAG = "tag:yaml.org,2002:"
BINARY_TAG = f"{_TAG}binary"
_ANY_TAG = "?"
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
    return int(value) if value <= LARGEST_INTEGER else value


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
    """An explicit tag that cannot be applied, or a pair that cannot be; `reason` is js-yaml's."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _cannot_resolve(tag: str) -> Unresolvable:
    return Unresolvable(f"cannot resolve a node with !<{tag}> explicit tag")


def _unknown(tag: str) -> Unresolvable:
    return Unresolvable(f"unknown tag !<{tag}>")


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


_SCALARS: dict[str, Callable[[str], Value | bytes]] = {
    "str": str,
    "int": _integer,
    "float": _any_float,
    "bool": _bool,
    "null": lambda _text: None,
    "timestamp": timestamp,
    "merge": lambda text: text if text == MERGE else None,
    "binary": _binary,
}


def tagged(node: ScalarNode | SequenceNode | MappingNode | None, span: Span, tag: str) -> Node:
    """`node` with an explicit, resolved `tag`; None is an empty node. Raises `Unresolvable`."""
    match node:
        case None:
            return _empty(span, tag)
        case ScalarNode():
            return _scalar(span, node.text, node.style, tag)
        case SequenceNode():
            return _sequence(node, tag)
        case MappingNode():
            return _mapping(node, tag)


def _scalar(span: Span, text: str, style: Style, tag: str) -> Node:
    """`!!binary` becomes a mapping from index to byte, as JavaScript writes a byte array as JSON."""
    value = _tagged_value(tag, text)
    if isinstance(value, bytes):
        pairs = (Pair(_byte_node(span, index), _byte_node(span, byte)) for index, byte in enumerate(value))
        return MappingNode(span, tuple(pairs), True)
    if text == MERGE:
        # Only these tags make a merge key, whatever the style.
        style = Style.PLAIN if tag in (f"{_TAG}merge", _ANY_TAG) else Style.SINGLE
    return ScalarNode(span, value, text, style)


def _tagged_value(tag: str, text: str) -> Value | bytes:
    if tag == _ANY_TAG:
        return plain(text) if text else text
    kind = tag.removeprefix(_TAG)
    if kind == tag or kind not in _SCALARS:
        raise _unknown(tag)
    value = _SCALARS[kind](text)
    if value is None and (kind != "null" or text not in _NULLS):
        raise _cannot_resolve(tag)
    return value


def _byte_node(span: Span, value: int) -> ScalarNode:
    return ScalarNode(span, value, str(value), Style.PLAIN)


def retagged(node: ScalarNode, tag: str) -> ScalarNode:
    """`node`, whose value is not a string, with the explicit, resolved `tag` applied to it. Raises `Unresolvable`."""
    value, kind = node.value, tag.removeprefix(_TAG)
    if value is None and kind in ("str", "null", "merge", _ANY_TAG):
        return replace(node, value="" if kind == "str" else None)
    is_finite = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if value is None or (kind != "str" and (kind != _ANY_TAG or is_finite)):
        raise _cannot_resolve(tag)
    return node


def as_ordinary_key(node: Node) -> Node:
    """`node`; a merge key `<<` becomes an ordinary key, as if it were quoted."""
    return replace(node, style=Style.SINGLE) if isinstance(node, ScalarNode) and is_merge(node) else node


def _empty(span: Span, tag: str) -> Node:
    match tag.removeprefix(_TAG):
        case "merge":
            return ScalarNode(span, None, MERGE, Style.PLAIN)
        case "?" | "null":
            return ScalarNode(span, None, "", Style.PLAIN)
        case "str":
            return ScalarNode(span, "", "", Style.PLAIN)
        case "seq" | "omap" | "pairs":
            return SequenceNode(span, (), True)
        case "map" | "set":
            return MappingNode(span, (), True)
        case kind:
            raise _cannot_resolve(tag) if kind != tag and kind in _SCALARS else _unknown(tag)


def _sequence(node: SequenceNode, tag: str) -> SequenceNode:
    """The list `node` as the explicit, resolved `tag` makes it. Raises `Unresolvable`."""
    kind = tag.removeprefix(_TAG) if tag.startswith(_TAG) else None
    if kind == "seq":
        return node
    if kind not in ("omap", "pairs"):
        raise _unknown(tag)
    pairs: list[Node] = []
    names: list[str] = []
    for item in node.items:
        mapping = resolved(item)
        own = fields(mapping) if isinstance(mapping, MappingNode) and not holds_bytes(mapping) else {}
        if len(own) != 1:
            raise _cannot_resolve(tag)
        (name, pair), *_ = own.items()
        names.append(name)
        assert isinstance(mapping, MappingNode)
        key = ScalarNode(mapping.pairs[0].key.span, name, name, Style.PLAIN)
        pairs.append(SequenceNode(mapping.span, (key, pair.value), mapping.flow))
    if kind == "pairs":
        return SequenceNode(node.span, tuple(pairs), node.flow)
    if len(set(names)) < len(names):
        raise _cannot_resolve(tag)
    return node


def _mapping(node: MappingNode, tag: str) -> MappingNode:
    """The mapping `node` as the explicit, resolved `tag` makes it. Raises `Unresolvable`."""
    kind = tag.removeprefix(_TAG) if tag.startswith(_TAG) else None
    if kind not in ("map", "set"):
        raise _unknown(tag)
    if kind == "set":
        for value in (resolved(pair.value) for pair in fields(node).values()):
            if not (isinstance(value, ScalarNode) and value.value is None):
                raise _cannot_resolve(tag)
    return node


def check(pair: Pair) -> None:
    """Raise `Unresolvable` if `pair` merges something other than mappings, or its key is a list of lists."""
    if is_merge(pair.key):
        sources = resolved(pair.value)
        for source in sources.items if isinstance(sources, SequenceNode) else (sources,):
            source = resolved(source)
            if isinstance(source, ScalarNode) and not isinstance(source.value, datetime):
                raise Unresolvable("cannot merge mappings; the provided source object is unacceptable")
        return
    key = resolved(pair.key)
    if isinstance(key, SequenceNode) and any(isinstance(resolved(item), SequenceNode) for item in key.items):
        raise Unresolvable("nested arrays are not supported inside keys")


_HANDLE = re.compile(r"!|!!|![a-z\-]+!", re.ASCII | re.IGNORECASE)
_PREFIX = re.compile(
    "[^,\\[\\]{}\U00010000-\U0010ffff]" r"(?:%[0-9a-f]{2}|[0-9a-z\-#;/?:@&=+$,_.!~*'()\[\]])*+",
    re.ASCII | re.IGNORECASE,
)
_VERSION = re.compile(r"([0-9]+)\.([0-9]+)", re.ASCII)
_BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_SUFFIX = re.compile(r"[^\0 \t\n\r]*")


class Directives(Struct):
    """The directives of one document."""

    prefixes: dict[str, str] = {}
    has_version: bool = False

    def add(self, line: str) -> str | None:
        """Add one directive, from its `%` to the end of its line; returns js-yaml's reason to refuse it, if any."""
        name, *arguments = re.split(r"[ \t]+", re.sub(r"(?<=[ \t])#.*", "", line[1:]).rstrip(" \t"))
        match name:
            case "":
                return "directive name must not be less than one character in length"
            case "YAML":
                return self._version(arguments)
            case "TAG":
                return self._tag(arguments)
            case _:
                return None

    def _version(self, arguments: list[str]) -> str | None:
        if self.has_version:
            return "duplication of %YAML directive"
        if len(arguments) != 1:
            return "YAML directive accepts exactly one argument"
        match = _VERSION.fullmatch(arguments[0])
        if match is None:
            return "ill-formed argument of the YAML directive"
        if int(match[1]) != 1:
            return "unacceptable YAML version of the document"
        self.has_version = True
        return None

    def _tag(self, arguments: list[str]) -> str | None:
        if len(arguments) != 2:
            return "TAG directive accepts exactly two arguments"
        handle, prefix = arguments
        if _HANDLE.fullmatch(handle) is None:
            return "ill-formed tag handle (first argument) of the TAG directive"
        if handle in self.prefixes:
            return f'there is a previously declared suffix for "{handle}" tag handle'
        if _PREFIX.fullmatch(prefix) is None:
            return "ill-formed tag prefix (second argument) of the TAG directive"
        decoded = _unquoted(prefix)
        if decoded is None:
            return f"tag prefix is malformed: {prefix}"
        self.prefixes[handle] = decoded
        return None

    def tag(self, text: str, at: int) -> tuple[str, int, str | None]:
        """The full tag at `at`, the offset after it, and js-yaml's reason to refuse it, if any."""
        if text.startswith("!<", at):
            end = text.find(">", at + 3)
            if end < 0 or END in text[at:end]:
                return "", text.index(END, at), "unexpected end of the stream within a verbatim tag"
            return self._named(text[at + 2 : end], "", end + 1)
        suffix = _SUFFIX.match(text, at + 1)
        assert suffix is not None
        written = suffix[0]
        named = written.find("!")
        handle, name = f"!{written[: named + 1]}", written[named + 1 :]
        if _HANDLE.fullmatch(handle) is None:
            return "", at + 1 + named, "named tag handle cannot contain such characters"
        if "!" in name:
            return "", at + 2 + named + name.index("!"), "tag suffix cannot contain exclamation marks"
        end = suffix.end()
        if any(character in ",[]{}" for character in name):
            return "", end, "tag suffix cannot contain flow indicator characters"
        if handle in self.prefixes:
            prefix = self.prefixes[handle]
        elif handle == "!":
            prefix = "!"
        elif handle == "!!":
            prefix = "tag:yaml.org,2002:"
        else:
            return "", end, f'undeclared tag handle "{handle}"'
        return self._named(name, prefix, end)

    def _named(self, name: str, prefix: str, end: int) -> tuple[str, int, str | None]:
        if name and _PREFIX.fullmatch(name) is None:
            return "", end, f"tag name cannot contain such characters: {name}"
        decoded = _unquoted(name)
        if decoded is None:
            return "", end, f"tag name is malformed: {name}"
        return prefix + decoded, end, None


def _unquoted(text: str) -> str | None:
    """`text` with its percent escapes decoded; None if one is malformed or they are not UTF-8."""
    if _BAD_PERCENT.search(text) is not None:
        return None
    from urllib.parse import unquote  # few texts have a tag, and the import is slow

    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None
