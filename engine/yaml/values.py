"""Nodes → plain values as JavaScript has them, and those values as JavaScript writes them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import datetime

from engine.text.spans import Span
from engine.text.text_limits import ALIAS_VALUES, DEPTH, EXPANDED_CHARACTERS, VALUES
from engine.yaml.nodes import (
    AliasNode,
    Data,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    holds_bytes,
    is_merge,
    javascript_number,
    property_name,
    resolved,
)

TOO_MANY = "The aliases (`*name`) of this text expand to too many values."
TOO_DEEP = f"This is nested more than {DEPTH} levels deep, or contains itself through an alias (`*name`)."

_INTEGER_LIKE = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_LAST_INDEX = 2**32 - 2


class Bytes(dict[str, "Data"]):
    """A `!!binary` text in JavaScript: a mapping from index to byte that converts to a different string."""


class TooLarge(ValueError):
    """A text whose aliases expand beyond a limit, or without end. The message tells authors which; `at` is the place.

    `is_deep`: it is nested too deep, or without end.
    """

    def __init__(self, message: str, at: Span) -> None:
        super().__init__(message)
        self.at = at
        self.is_deep = message == TOO_DEEP


class _Walk:
    """A walk over nodes, with what remains of the two limits.

    Each value counts once; characters count each time that an alias repeats them.
    """

    __slots__ = ("characters", "nodes")

    def __init__(self) -> None:
        self.nodes = VALUES + ALIAS_VALUES
        self.characters = EXPANDED_CHARACTERS

    def spend(self, at: Node, nodes: int, characters: int = 0) -> None:
        self.nodes -= nodes
        self.characters -= characters
        if self.nodes < 0 or self.characters < 0:
            raise TooLarge(TOO_MANY, at.span)


def to_data(node: Node) -> Data:
    """`node` as js-yaml 4.1.0's plain value: merges and aliases resolved, keys in JavaScript's order.

    A repeated key has its last value. Raises `TooLarge` for a node that contains itself, is nested deeper than
    `DEPTH`, or expands to more than `VALUES` and `ALIAS_VALUES` together, or beyond `EXPANDED_CHARACTERS` through its
    aliases.
    """
    return _data(node, 0, _Walk())


def _data(node: Node, depth: int, walk: _Walk) -> Data:
    while type(node) is AliasNode:
        walk.spend(node, 0, node.target.span.end - node.target.span.start)
        node = node.target
    if type(node) is ScalarNode:
        return node.value
    if depth >= DEPTH:
        raise TooLarge(TOO_DEEP, node.span)
    depth += 1
    if type(node) is MappingNode:
        walk.spend(node, len(node.pairs))
        return _object(node, depth, walk)
    walk.spend(node, len(node.items))
    return [_data(item, depth, walk) for item in node.items]


def _object(node: MappingNode, depth: int, walk: _Walk) -> dict[str, Data]:
    data: dict[str, Data] = {}
    for pair in node.pairs:
        if is_merge(pair.key):
            for source in _merge_sources(pair.value):
                for name, merged in _entries(_data(source, depth, walk)):
                    data.setdefault(name, merged)
        else:
            data[property_name(pair.key)] = _data(pair.value, depth, walk)
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


def merged_names(node: Node) -> Iterator[str]:
    """The keys that `<<: node` adds."""
    return iter(_merged(node, 0, {}))


def own_nodes(node: MappingNode) -> dict[str, Node]:
    """The values of `node` by their keys, with merges resolved."""
    return _own_nodes(node, 0, {})


def _own_nodes(node: MappingNode, depth: int, known: dict[int, dict[str, Node]]) -> dict[str, Node]:
    """As `own_nodes`; `known` caches the results by the identity of the mapping."""
    if id(node) in known:
        return known[id(node)]
    found: dict[str, Node] = {}
    for pair in node.pairs:
        if is_merge(pair.key):
            if depth < DEPTH:
                found = {**_merged(pair.value, depth + 1, known), **found}
        else:
            found[property_name(pair.key)] = pair.value
    known[id(node)] = found
    return found


def _merged(node: Node, depth: int, known: dict[int, dict[str, Node]]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for source in map(resolved, _merge_sources(node)):
        if isinstance(source, MappingNode):
            found = {**_own_nodes(source, depth, known), **found}
        elif isinstance(source, SequenceNode):
            found = {**{str(index): item for index, item in enumerate(source.items)}, **found}
    return found


def iso_date(date: datetime) -> str:
    """`date` as JavaScript's `toISOString` prints it."""
    return f"{date:%Y}".rjust(4, "0") + f"{date:-%m-%dT%H:%M:%S}.{date.microsecond // 1000:03d}Z"


def canonical_json(data: Data) -> str:
    """`data` as json-stable-stringify prints it: keys sorted by UTF-16 units, no spaces, non-ASCII as itself.

    NaN and infinities are `null`, dates their ISO string.
    """
    pieces: list[str] = []
    _write(data, pieces, is_sorted=True)
    return "".join(pieces)


def json_text(data: Data) -> str:
    """`data` as JavaScript's `JSON.stringify` prints it: keys in their own order, NaN and infinities as `null`."""
    pieces: list[str] = []
    _write(data, pieces, is_sorted=False)
    return "".join(pieces)


def _write(data: Data, pieces: list[str], *, is_sorted: bool) -> None:
    match data:
        case None:
            pieces.append("null")
        case str():
            pieces.append(json_string(data))
        case bool():
            pieces.append("true" if data else "false")
        case int() | float():
            pieces.append(_json_number(data))
        case datetime():
            pieces.append(f'"{iso_date(data)}"')
        case list():
            for index, item in enumerate(data):
                pieces.append("," if index else "[")
                _write(item, pieces, is_sorted=is_sorted)
            pieces.append("]" if data else "[]")
        case dict():
            for index, name in enumerate(sorted(data, key=utf16_order) if is_sorted else data):
                pieces.append(f"{',' if index else '{'}{json_string(name)}:")
                _write(data[name], pieces, is_sorted=is_sorted)
            pieces.append("}" if data else "{}")


def utf16_units(text: str) -> list[str]:
    """The UTF-16 units of `text`, as JavaScript splits a string; surrogates stay halves."""
    units = text.encode("utf-16-be", "surrogatepass")
    return [chr(int.from_bytes(units[at : at + 2])) for at in range(0, len(units), 2)]


def utf16_order(text: str) -> bytes:
    """A sort key that orders strings by their UTF-16 units, as JavaScript compares them."""
    return text.encode("utf-16-be", "surrogatepass")


def _json_number(number: int | float) -> str:
    return "null" if isinstance(number, float) and not math.isfinite(number) else javascript_number(number)


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def json_string(text: str) -> str:
    """`text` as JavaScript's `JSON.stringify` prints it: non-ASCII as itself, lone surrogates escaped."""
    written = json.dumps(text, ensure_ascii=False)
    if _LONE_SURROGATE.search(written) is not None:
        return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)
    return written
