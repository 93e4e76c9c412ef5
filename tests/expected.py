"""Values that have to be there, or of a kind: a test that goes on with one says so where it takes it."""

from __future__ import annotations

from typing import TypeVar

_Value = TypeVar("_Value")


def present(found: _Value | None) -> _Value:
    """`found`, which is not None."""
    assert found is not None
    return found


def of_kind(kind: type[_Value], found: object) -> _Value:
    """`found`, which is a `kind`."""
    assert isinstance(found, kind), found
    return found
