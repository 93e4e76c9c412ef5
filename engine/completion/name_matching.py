"""Which names fit what was typed, and which of them best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Named = TypeVar("Named")


def fitting(typed: str, items: Iterable[Named], name_of: Callable[[Named], str]) -> list[Named]:
    """The items whose names fit `typed`, the best first, equally good ones in their order."""
    ranked = [(rank, item) for item in items if (rank := _rank(typed.lower(), name_of(item).lower())) is not None]
    return [item for _, item in sorted(ranked, key=lambda each: each[0])]


def _rank(typed: str, name: str) -> int | None:
    """How well `typed` fits `name`, the lower the better; None where it does not.

    0 the name itself, 1 its beginning, 2 that of a word in it, or what follows its first letter (`$icontains`), 3 any
    part of it, 4 its letters in order.
    """
    if name.startswith(typed):
        return 0 if name == typed else 1
    if typed in name:
        return 2 if any(at == 1 or not name[at - 1].isalnum() for at in _places(name, typed)) else 3
    letters = iter(name)
    return 4 if typed[0] == name[0] and all(letter in letters for letter in typed) else None


def _places(name: str, typed: str) -> Iterable[int]:
    return (at for at in range(len(name)) if name.startswith(typed, at))
