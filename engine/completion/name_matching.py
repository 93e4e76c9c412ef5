"""Matches names against a typed word, and ranks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def fitting(typed: str, items: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """The items whose names match `typed`, best first; ties keep their order."""
    ranked = [(rank, item) for item in items if (rank := _rank(typed.lower(), name_of(item).lower())) is not None]
    return [item for _, item in sorted(ranked, key=lambda each: each[0])]


def _rank(typed: str, name: str) -> int | None:
    """The rank of `name` for `typed`, lower is better; None if it does not match.

    0: the whole name. 1: its start. 2: the start of a word in it, or from its second letter (`$icontains`). 3: any
    part. 4: its letters in order.
    """
    if name.startswith(typed):
        return 0 if name == typed else 1
    if typed in name:
        return 2 if any(at == 1 or not name[at - 1].isalnum() for at in _places(name, typed)) else 3
    letters = iter(name)
    return 4 if typed[0] == name[0] and all(letter in letters for letter in typed) else None


def _places(name: str, typed: str) -> Iterable[int]:
    return (at for at in range(len(name)) if name.startswith(typed, at))
