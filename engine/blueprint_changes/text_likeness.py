"""How alike two texts are, by the groups of three characters that they share: in every language, and in linear time."""

from __future__ import annotations

from collections.abc import Sequence

_SIZE = 3
_MOST_CHARACTERS = 8000
"""Longer texts are compared by their beginnings."""

Trigrams = frozenset[str]


def trigrams(text: str) -> Trigrams:
    """The groups of three characters of `text`, without regard to case and amount of white space."""
    line = f" {' '.join(text[:_MOST_CHARACTERS].casefold().split())} "
    return frozenset(line[at : at + _SIZE] for at in range(max(len(line) - _SIZE + 1, 1)))


def likeness(one: Trigrams, other: Trigrams) -> float:
    """The Dice coefficient, 0–1: twice the shared groups by the sum of both; the same in both directions."""
    return 2 * len(one & other) / (len(one) + len(other))


def closest_pairs(
    old: Sequence[tuple[int, Trigrams]], new: Sequence[tuple[int, Trigrams]], least: float
) -> list[tuple[int, int]]:
    """Pairs of an old and a new number whose texts are alike by at least `least`, each number in one pair at most.

    The best pairs come first; of pairs that are equally alike, those whose numbers are closer. So the pairs are the
    same, turned round, when old and new change places.
    """
    found: list[tuple[float, int, int, int, int]] = []
    for number, one in old:
        for new_number, other in new:
            if 2 * min(len(one), len(other)) < least * (len(one) + len(other)):
                continue
            value = likeness(one, other)
            if value >= least:
                found.append((-value, abs(number - new_number), number + new_number, number, new_number))
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    new_taken: set[int] = set()
    for *_, number, new_number in sorted(found):
        if number not in taken and new_number not in new_taken:
            pairs.append((number, new_number))
            taken.add(number)
            new_taken.add(new_number)
    return pairs
