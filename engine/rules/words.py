"""What is near a misspelt name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache

_NEAR = 0.75
_LONGEST = 100
"""Longer words are no misspelt names."""


def nearest_names(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """At most two of the `known` names that are close to `word`, the nearest first.

    Just one if it is the only name that differs in case alone, or in one letter alone.
    """
    return () if len(word) > _LONGEST else _nearest(word, tuple(known))


@lru_cache(4096)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    lower = word.lower()
    same = [name for name in known if name.lower() == lower]
    for found in (same, [name for name in known if one_letter_off(lower, name.lower())]):
        if len(found) == 1:
            return (found[0],)
    return tuple(get_close_matches(word, known, n=2, cutoff=_NEAR))


def suggestion(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown name: the known names that are near, else the first five of all."""
    near = nearest_names(name, known)
    if near:
        return f": did you mean {' or '.join(f'“{each}”' for each in near)}?"
    return f": there is {', '.join(f'“{each}”' for each in known[:5])}" if known else ": none is declared"


def one_letter_off(one: str, other: str) -> bool:
    """Whether the names differ by one added, missing or changed letter, or by two swapped letters."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((index for index, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long
