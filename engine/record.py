"""`record`: a dataclass that is frozen for the type checker and quick to make at run time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """A slotted dataclass, compared and hashed by its fields, which nobody may set anew.

    The type checker holds everyone to that. A dataclass that refuses by itself takes three times as long to make, and
    one blueprint has tens of thousands of these on the way from a key to its diagnostics.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
