"""`Record`: like a frozen, slotted dataclass, but instances take a sixth of the time to create, classes a thirtieth."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, cast, dataclass_transform

from msgspec import Struct, field, structs, to_builtins

__all__ = ["Record", "as_json", "field", "replace"]

Value = TypeVar("Value")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True):
    """The base class of immutable values that are compared and hashed by their fields.

    Each keystroke creates tens of thousands of them. A class with `gc=False` is not tracked by the garbage collector,
    so its instances must never be part of a reference cycle.
    """


def replace(value: Value, /, **changes: object) -> Value:
    """A copy of a record or dataclass with other fields."""
    if isinstance(value, Struct):
        return structs.replace(value, **changes)
    return dataclasses.replace(cast("Any", value), **changes)


def as_json(record: Record) -> dict[str, Any]:
    """The fields of a record as data that JSON has, under the names that its class gives them (`rename`)."""
    return _with_lists(to_builtins(record))


def _with_lists(data: Any) -> Any:
    match data:
        case dict():
            return {name: _with_lists(value) for name, value in cast("dict[str, Any]", data).items()}
        case tuple():
            return [_with_lists(each) for each in cast("tuple[Any, ...]", data)]
        case _:
            return data
