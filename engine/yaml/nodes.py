"""The tree of a YAML or JSON text: every node has the span that it was read from.

Beside it, the plain values that nodes are (`to_data`), and how JavaScript writes them: numbers, names of properties.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TypeAlias, final

from msgspec import Struct

from engine.text import NOWHERE, Diagnostic, Record, Span
from engine.text.text_limits import DEPTH

LARGEST_INTEGER = 2**53
"""JavaScript, whose numbers are floats, represents every integer up to this one."""


def property_text(value: object) -> str:
    """`value` as the name of a property, by JavaScript's `String(value)`; a mapping is "[object Object]"."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return javascript_number(value)
        case datetime():
            return value.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
        case _:
            return "[object Object]"


def javascript_number(number: int | float) -> str:
    """`number` as JavaScript's `String(number)` prints it: `1`, `0.1`, `1e-7`, `1e+21`, `NaN`, `-Infinity`."""
    if isinstance(number, int) and -LARGEST_INTEGER <= number <= LARGEST_INTEGER:
        return str(int(number))
    try:
        number = float(number)
    except OverflowError:
        return "Infinity" if number > 0 else "-Infinity"
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    written = repr(number)  # the same shortest digits as JavaScript's; only where the exponent begins differs
    if "e" not in written:
        return written.removesuffix(".0")
    if 1e-6 <= abs(number) < 1e21:
        from decimal import Decimal  # such numbers are rare, and the import is slow

        return format(Decimal(written), "f")
    mantissa, exponent = written.split("e")
    return f"{mantissa}e{int(exponent):+d}"


Data: TypeAlias = "None | bool | int | float | str | datetime | list[Data] | dict[str, Data]"
"""A plain value as js-yaml 4.1 (or `JSON.parse`) passes it to JavaScript. Dates are aware, in UTC."""


def is_truthy(value: Data) -> bool:
    """Whether `value` is true in JavaScript: everything except null, false, 0, NaN and the empty string."""
    if value:
        return type(value) is not float or value == value
    return value is not None and isinstance(value, (list, dict))


class Style(Enum):
    """The style in which a scalar is written."""

    PLAIN = "plain"
    SINGLE = "single"
    DOUBLE = "double"
    LITERAL = "literal"
    FOLDED = "folded"


@final
class ScalarNode(Record, gc=False):
    """A scalar. `value` has the type to which js-yaml resolves it; `text` is the unresolved text."""

    span: Span
    value: bool | int | float | str | datetime | None
    text: str
    style: Style


@final
class SequenceNode(Record):
    """A list. The span of a block list reaches from its first `-` to the end of its last item."""

    span: Span
    items: tuple[Node, ...]
    flow: bool


class Pair(Record):
    """One `key: value` of a mapping. A missing value is a null scalar with an empty span."""

    key: Node
    value: Node

    @property
    def span(self) -> Span:
        """From the start of the key to the end of the value."""
        return Span(self.key.span.start, max(self.key.span.end, self.value.span.end))


@final
class MappingNode(Record):
    """A mapping. `pairs` are all pairs in source order, including duplicates and `<<`."""

    span: Span
    pairs: tuple[Pair, ...]
    flow: bool

    def get(self, name: str) -> Node | None:
        """The value of the last pair whose key reads as the string `name`, or None."""
        pair = self.pair(name)
        return None if pair is None else pair.value

    def pair(self, name: str) -> Pair | None:
        """The last pair whose key reads as the string `name`, or None."""
        for pair in reversed(self.pairs):
            if property_name(pair.key) == name:
                return pair
        return None

    def keys(self) -> Iterator[str]:
        """The keys as JavaScript names them, in source order."""
        return (property_name(pair.key) for pair in self.pairs)


@final
class AliasNode(Struct):
    """An `*alias`: its own span, and the node that it refers to.

    Not a record: inside its own target, an alias gets its `target` later, and the two form a reference cycle.
    """

    span: Span
    target: Node

    def __hash__(self) -> int:
        return hash((self.span, self.target))

    def __repr__(self) -> str:
        return f"AliasNode({self.span!r}, target at {self.target.span!r})"


NO_MAPPING = MappingNode(NOWHERE, (), True)
"""The mapping that stands in no text."""

Node: TypeAlias = ScalarNode | SequenceNode | MappingNode | AliasNode


def resolved(node: Node) -> ScalarNode | SequenceNode | MappingNode:
    """`node`, or its target if it is an alias."""
    while type(node) is AliasNode:
        node = node.target
    return node


def last_scalar(node: Node) -> ScalarNode | None:
    """The scalar with which `node` ends; None where it ends otherwise."""
    match node:
        case ScalarNode():
            return node
        case MappingNode(pairs=(*_, last)):
            return last_scalar(last.value)
        case SequenceNode(items=(*_, item)):
            return last_scalar(item)
        case _:
            return None


MERGE = "<<"


def is_merge(key: Node) -> bool:
    """Whether `key` is the merge key `<<`; an alias to it, or a quoted one, is an ordinary key."""
    return isinstance(key, ScalarNode) and key.text == MERGE and key.style is Style.PLAIN


def property_name(node: Node) -> str:
    """The property name that JavaScript makes of a mapping key: `1.0` is "1", a list is joined by commas, and so on."""
    if type(node) is ScalarNode and type(node.value) is str:  # nearly every key
        return node.value
    node = resolved(node)
    match node:
        case ScalarNode():
            return property_text(node.value)
        case SequenceNode():
            return ",".join(_member_name(item) for item in node.items)
        case MappingNode():
            return (
                ",".join(property_name(pair.value) for pair in node.pairs) if holds_bytes(node) else "[object Object]"
            )


def holds_bytes(node: MappingNode) -> bool:
    """Whether `node` is the mapping that a `!!binary` text becomes: its keys have the span of the whole."""
    return node.flow and bool(node.pairs) and node.pairs[0].key.span == node.span


def _member_name(item: Node) -> str:
    item = resolved(item)
    if isinstance(item, ScalarNode):
        return "" if item.value is None else property_text(item.value)
    # js-yaml refuses a list within the list of a key, since it might contain itself.
    return property_name(item) if isinstance(item, MappingNode) else "[object Object]"


class Document(Record):
    """One document of the stream; `root` is None if it is empty or could not be read at all."""

    span: Span
    root: Node | None


class YamlError(Record):
    """The error with which js-yaml refuses the whole text: its reason, and its offset."""

    reason: str
    offset: int


class NodeTree(Record):
    """All documents of a text; `diagnostics` reports the parts that could not be read.

    `error` is None if js-yaml accepts the text. Otherwise `documents` holds the parts that can be read by themselves:
    the text is split at `---` and at top-level `- ` lines, and errors are repaired in thought. `lost` are the parts
    that could not be read even so. If the text is too large, `is_refused` is True: nothing of it was read, and the one
    diagnostic names the limit.
    """

    text: str
    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    error: YamlError | None = None
    is_json: bool = False
    is_refused: bool = False
    lost: tuple[Span, ...] = ()


_INTEGER_LIKE = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_LAST_INDEX = 2**32 - 2


class Bytes(dict[str, "Data"]):
    """A `!!binary` text in JavaScript: a mapping from index to byte that converts to a different string."""


def to_data(node: Node) -> Data:
    """`node` as js-yaml 4.1.0's plain value: merges and aliases resolved, keys in JavaScript's order.

    A repeated key has its last value. `engine.yaml.tree_loader.check_size` finds nodes that contain themselves, or that
    aliases make too large.
    """
    while type(node) is AliasNode:
        node = node.target
    if type(node) is ScalarNode:
        return node.value
    return _object(node) if type(node) is MappingNode else [to_data(item) for item in node.items]


def _object(node: MappingNode) -> dict[str, Data]:
    data: dict[str, Data] = {}
    for pair in node.pairs:
        if is_merge(pair.key):
            for source in _merge_sources(pair.value):
                for name, merged in _entries(to_data(source)):
                    data.setdefault(name, merged)
        else:
            data[property_name(pair.key)] = to_data(pair.value)
    return Bytes(data) if holds_bytes(node) else javascript_order(data)


def javascript_order(data: dict[str, Data]) -> dict[str, Data]:
    """`data` with its keys in the order of a JavaScript object: array indices first, ascending."""
    indices = [name for name in data if _is_index(name)]
    if not indices:
        return data
    indices.sort(key=int)
    ordered = {name: data[name] for name in indices}
    ordered.update(data)
    return ordered


def _is_index(name: str) -> bool:
    return name[:1].isdigit() and _INTEGER_LIKE.fullmatch(name) is not None and int(name) <= _LAST_INDEX


def _merge_sources(node: Node) -> tuple[Node, ...]:
    node = resolved(node)
    return node.items if isinstance(node, SequenceNode) else (node,)


def _entries(data: Data) -> Iterator[tuple[str, Data]]:
    if isinstance(data, dict):
        yield from data.items()
    elif isinstance(data, list):
        yield from ((str(index), item) for index, item in enumerate(data))


Fields: TypeAlias = Mapping[str, Pair]
"""The pairs of a mapping by the name of their key: merges (`<<`) resolved, the last pair of a repeated key."""


def fields(node: MappingNode) -> dict[str, Pair]:
    """The fields of `node`, in source order."""
    return _fields(node, 0, {})


def _fields(node: MappingNode, depth: int, known: dict[int, dict[str, Pair]]) -> dict[str, Pair]:
    """As `fields`; `known` caches the results by the identity of the mapping."""
    if id(node) in known:
        return known[id(node)]
    found: dict[str, Pair] = {}
    for pair in node.pairs:
        if not is_merge(pair.key):
            found[property_name(pair.key)] = pair
        elif depth < DEPTH:
            found = {**found, **_merged(pair.value, depth + 1, known), **found}
    known[id(node)] = found
    return found


def _merged(value: Node, depth: int, known: dict[int, dict[str, Pair]]) -> dict[str, Pair]:
    found: dict[str, Pair] = {}
    for source in map(resolved, _merge_sources(value)):
        if isinstance(source, MappingNode):
            found = {**found, **_fields(source, depth, known), **found}
        elif isinstance(source, SequenceNode):
            found = {**found, **{str(index): Pair(item, item) for index, item in enumerate(source.items)}, **found}
    return found


class Duplicate(Record):
    """A key that its mapping already has: the pair, the first pair with the same key, and the key's name.

    `mapping` is where the first key of the mapping begins.
    """

    pair: Pair
    first: Pair
    name: str
    mapping: int


def duplicates(pairs: Sequence[Pair]) -> list[Duplicate]:
    """The pairs whose key occurs before. A key that a merge brings in may be overridden once."""
    first: dict[str, Pair] = {}
    overridable: set[str] = set()
    found: list[Duplicate] = []
    for pair in pairs:
        if is_merge(pair.key):
            for name in _merged(pair.value, 0, {}):
                if name not in first:
                    first[name] = pair
                    overridable.add(name)
            continue
        name = property_name(pair.key)
        if name in first and name not in overridable:
            found.append(Duplicate(pair, first[name], name, pairs[0].key.span.start))
        else:
            first[name] = pair
        overridable.discard(name)
    return found


def iso_date(date: datetime) -> str:
    """`date` as JavaScript's `toISOString` prints it."""
    return f"{date:%Y}".rjust(4, "0") + f"{date:-%m-%dT%H:%M:%S}.{date.microsecond // 1000:03d}Z"


def canonical_json(data: Data) -> str:
    """`data` as json-stable-stringify prints it: keys sorted by UTF-16 units, no spaces, non-ASCII as itself.

    NaN and infinities are `null`, dates their ISO string.
    """
    return _json(data, "", lambda data: {name: data[name] for name in sorted(data, key=utf16_order)})


def json_text(data: Data, gap: str = "") -> str:
    """`data` as JavaScript's `JSON.stringify` prints it: as `canonical_json`, with keys in JavaScript's own order.

    `gap` is written after commas and colons.
    """
    return _json(data, gap, javascript_order)


def _json(data: Data, gap: str, ordered: Callable[[dict[str, Data]], dict[str, Data]]) -> str:
    match data:
        case None:
            return "null"
        case str():
            return json_string(data)
        case bool():
            return "true" if data else "false"
        case int() | float():
            number = javascript_number(data)
            return "null" if number in ("NaN", "Infinity", "-Infinity") else number
        case datetime():
            return f'"{iso_date(data)}"'
        case list():
            return f"[{f',{gap}'.join(_json(item, gap, ordered) for item in data)}]"
        case dict():
            pairs = (f"{json_string(name)}:{gap}{_json(part, gap, ordered)}" for name, part in ordered(data).items())
            return f"{{{f',{gap}'.join(pairs)}}}"


def utf16_units(text: str) -> list[str]:
    """The UTF-16 units of `text`, as JavaScript splits a string; surrogates stay halves."""
    units = text.encode("utf-16-be", "surrogatepass")
    return [chr(int.from_bytes(units[at : at + 2])) for at in range(0, len(units), 2)]


def utf16_order(text: str) -> bytes:
    """A sort key that orders strings by their UTF-16 units, as JavaScript compares them."""
    return text.encode("utf-16-be", "surrogatepass")


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def json_string(text: str) -> str:
    """`text` as JavaScript's `JSON.stringify` prints it: non-ASCII as itself, lone surrogates escaped."""
    written = json.dumps(text, ensure_ascii=False)
    if _LONE_SURROGATE.search(written) is not None:
        return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)
    return written
