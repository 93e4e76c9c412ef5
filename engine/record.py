"""`Record`: like a frozen, slotted dataclass, but instances take a sixth of the time to create, classes a thirtieth."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, cast, dataclass_transform

from msgspec import Struct, field, structs

__all__ = ["Record", "field", "replace"]

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
