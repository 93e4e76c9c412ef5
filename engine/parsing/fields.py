"""The fields of mappings, and tests and texts of a node's value as JavaScript makes them."""

from __future__ import annotations

from datetime import datetime

from engine.blueprint import Absent
from engine.yaml.nodes import (
    Bytes,
    Data,
    Fields,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    fields,
    is_truthy,
    property_text,
    resolved,
    to_data,
)

_SPACES = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"


def value_of(pair: Pair | None) -> ScalarNode | SequenceNode | MappingNode | None:
    """The value of `pair` with aliases resolved; None for no pair."""
    return None if pair is None else resolved(pair.value)


def member(node: Node | None, name: str) -> ScalarNode | SequenceNode | MappingNode | None:
    """The value of the field `name`, aliases resolved; None where `node` is no mapping or has no such field."""
    return value_of(fields_of(node).get(name))


def truthy(pair: Pair | None) -> bool:
    """Whether there is a `pair` whose value is true in JavaScript."""
    value = value_of(pair)
    return value is not None and (not isinstance(value, ScalarNode) or is_truthy(value.value))


def first_truthy(found: Fields, *names: str) -> Pair | None:
    """The first of the fields `names` whose value is true in JavaScript, or None."""
    for name in names:
        pair = found.get(name)
        if pair is not None and truthy(pair):
            return pair
    return None


def first_written(found: Fields, *names: str) -> Pair | None:
    """The first of the fields `names` whose value is not null; else the last that exists, or None."""
    last = None
    for name in names:
        pair = found.get(name)
        if pair is None:
            continue
        if not is_null(pair.value):
            return pair
        last = pair
    return last


def is_null(node: Node | None) -> bool:
    """Whether there is a `node` whose value, aliases resolved, is null."""
    value = None if node is None else resolved(node)
    return isinstance(value, ScalarNode) and value.value is None


def string(node: Node | None) -> str | None:
    """The value of `node` if it is a string, else None."""
    return node.value if type(node) is ScalarNode and type(node.value) is str else None


def number(node: Node | None) -> float | None:
    """The value of `node` if it is a number, NaN and infinities included, else None."""
    if type(node) is ScalarNode and (type(node.value) is int or type(node.value) is float):
        return node.value
    return None


def is_text(node: Node | None) -> bool:
    """Whether the value is a string."""
    return string(node) is not None


def is_number(node: Node | None) -> bool:
    """Whether the value is a number, NaN and infinities included."""
    return number(node) is not None


def is_list(node: Node | None) -> bool:
    """Whether the value is a list."""
    return isinstance(node, SequenceNode)


def is_mapping(node: Node | None) -> bool:
    """Whether the value is a mapping."""
    return isinstance(node, MappingNode)


def items_of(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none of any other value."""
    return node.items if isinstance(node, SequenceNode) else ()


def fields_of(node: Node | None) -> Fields:
    """The fields of a mapping; none of any other value."""
    return fields(node) if isinstance(node, MappingNode) else {}


def is_between(node: Node | None, low: float, high: float) -> bool:
    """Whether the value is a number that is neither below `low` nor above `high`; NaN is neither."""
    found = number(node)
    return found is not None and not (found < low or found > high)


def is_object(node: Node | None) -> bool:
    """Whether the value is an object in JavaScript and not null: a mapping, a list or a date."""
    return node is not None and (not isinstance(node, ScalarNode) or isinstance(node.value, datetime))


def is_map(node: Node | None) -> bool:
    """Whether the value is an object and not a list in JavaScript: a mapping or a date."""
    return is_object(node) and not isinstance(node, SequenceNode)


def is_written_text(node: Node | None) -> bool:
    """Whether the value is a string that is not blank."""
    return not is_blank(string(node) or "")


def is_blank(text: str) -> bool:
    """Whether JavaScript's `trim` leaves nothing of `text`. It removes U+FEFF, but not U+0085 or U+001C-1F."""
    return not text.strip(_SPACES)


def type_name(node: Node | None) -> str:
    """JavaScript's `typeof` of the value of `node`."""
    if not isinstance(node, ScalarNode):
        return "undefined" if node is None else "object"
    return _TYPES.get(type(node.value), "object")


_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "number", float: "number"}


class Thrown(ValueError):
    """An error that JavaScript throws, in its words."""


def text_of(value: Data | Absent) -> str:
    """`String(value)`. Raises `Thrown` for a mapping with a key `toString`, on which JavaScript throws."""
    match value:
        case Absent.ABSENT:
            return "undefined"
        case list():
            return ",".join("" if item is None else text_of(item) for item in value)
        case Bytes():
            return ",".join(text_of(item) for item in value.values())
        case dict():
            if "toString" in value:
                raise Thrown("Cannot convert object to primitive value")
            return "[object Object]"
        case _:
            return property_text(value)


def written_text(pair: Pair | None) -> str:
    """`String(value)` of the value of `pair`, "undefined" for no pair. Raises `Thrown` as `text_of` does."""
    return "undefined" if pair is None else text_of(to_data(pair.value))
