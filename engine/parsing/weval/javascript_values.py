"""Plain values as JavaScript sees them: members that may be absent, types, and conversion to strings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TypeAlias

from engine.blueprint import ABSENT, Absent
from engine.parsing.fields import is_blank, is_truthy
from engine.record import Record
from engine.yaml_nodes.javascript_text import property_text
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import Bytes

Value: TypeAlias = "Data | Absent"
Place: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value: `("header", "tags")`, `("prompts", 2, "should", 0)`."""

_NO_TEXT = "Cannot convert object to primitive value"


class Refused(ValueError):
    """Weval throws an error: its message, and the place of what it refuses."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


def demand(condition: object, place: Place, message: Callable[[], str]) -> None:
    """Raise `Refused` with `message` at `place` if `condition` is false."""
    if not condition:
        raise Refused(message(), place)


def member(value: Value, name: str) -> Value:
    """`value[name]` in JavaScript, for a name that no built-in object has; ABSENT if there is no such member.

    `value` must not be null, for which JavaScript throws.
    """
    return value.get(name, ABSENT) if isinstance(value, dict) else ABSENT


def is_true(value: Value) -> bool:
    """Whether `value` is true in JavaScript."""
    return value is not ABSENT and is_truthy(value)


def first_true(value: Value, *names: str) -> Value:
    """`value.a || value.b || …`: the first that is true, else the last as it is."""
    found: Value = ABSENT
    for name in names:
        found = member(value, name)
        if is_true(found):
            return found
    return found


def first_written(value: Value, *names: str) -> Value:
    """`value.a ?? value.b ?? …`: the first that is neither absent nor null, else the last as it is."""
    found: Value = ABSENT
    for name in names:
        found = member(value, name)
        if found is not ABSENT and found is not None:
            return found
    return found


def is_object(value: Value) -> bool:
    """Whether `typeof value` is "object" and it is not null: a mapping, a list or a date."""
    return isinstance(value, (dict, list, datetime))


def is_number(value: Value) -> bool:
    """Whether `typeof value` is "number", NaN and infinities included."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_between(value: Value, low: float, high: float) -> bool:
    """Whether `value` is a number that is neither below `low` nor above `high`; NaN is neither."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not (value < low or value > high)


def is_written_text(value: Value) -> bool:
    """Whether `value` is a string that is not blank."""
    return isinstance(value, str) and not is_blank(value)


def type_of(value: Value) -> str:
    """`typeof value`."""
    match value:
        case Absent.ABSENT:
            return "undefined"
        case str():
            return "string"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case _:
            return "object"


def text_of(value: Value, place: Place = ()) -> str:
    """`String(value)`. Raises `Refused` for a mapping with a key `toString`, on which JavaScript throws."""
    match value:
        case Absent.ABSENT:
            return "undefined"
        case list():
            return ",".join("" if item is None else text_of(item, place) for item in value)
        case Bytes():
            return ",".join(text_of(item, place) for item in value.values())
        case dict():
            demand("toString" not in value, place, lambda: _NO_TEXT)
            return "[object Object]"
        case _:
            return property_text(value)


def entries(value: Value) -> Iterator[tuple[str, Data]]:
    """`Object.entries(value)` for a value that is not null."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, (list, str)):
        yield from ((str(index), item) for index, item in enumerate(value))


class Named(Record):
    """A prompt as Weval's messages name it, by its `id`; converted to text only when a message needs it."""

    name: Value
    place: Place

    def __str__(self) -> str:
        return text_of(self.name, self.place)

    @property
    def known(self) -> str:
        """The name, or "unknown" if it is false in JavaScript."""
        return text_of(self.name, self.place) if is_true(self.name) else "unknown"
