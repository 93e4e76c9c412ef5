"""Pairs of what is in an old list and in a new one: what is equal, by one key after the other, then what is alike.

Every step treats both lists alike, so the pairs are the same, turned round, when the lists change places.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise

from engine.blueprint_changes.text_likeness import Trigrams, closest_pairs


class Pairing:
    """Pairs of places in an old list of the length `size` and a new one of the length `new_size`."""

    def __init__(self, size: int, new_size: int) -> None:
        self.size = size
        self.new_size = new_size
        self._new_of: dict[int, int] = {}
        self._old_of: dict[int, int] = {}

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add `pairs`, of which no place is paired yet."""
        for old, new in pairs:
            self._new_of[old] = new
            self._old_of[new] = old

    def old_of(self, new: int) -> int | None:
        """The old place of a new one."""
        return self._old_of.get(new)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs, by their old places."""
        return sorted(self._new_of.items())

    @property
    def old_left(self) -> list[int]:
        """The old places that are in no pair."""
        return [place for place in range(self.size) if place not in self._new_of]

    @property
    def new_left(self) -> list[int]:
        """The new places that are in no pair."""
        return [place for place in range(self.new_size) if place not in self._old_of]

    def pair_equal(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        """Pair the places that are left and have the same key, in order. A key of None is equal to nothing."""
        waiting: dict[Hashable, list[int]] = {}
        for place in reversed(self.new_left):
            waiting.setdefault(new[place], []).append(place)
        for place in self.old_left:
            places = waiting.get(old[place]) if old[place] is not None else None
            if places:
                self.add([(place, places.pop())])

    def pair_alike(self, old: Sequence[Trigrams | None], new: Sequence[Trigrams | None], least: float) -> None:
        """Pair the places that are left and whose texts are alike. Those with None have no text."""
        left = [(place, text) for place in self.old_left if (text := old[place]) is not None]
        new_left = [(place, text) for place in self.new_left if (text := new[place]) is not None]
        self.add(closest_pairs(left, new_left, least))

    def pair_by_place(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        """Pair what is left between the same neighbours, in order, if it is equally many on both sides.

        The places with the same key are a list of their own.
        """
        found: list[tuple[int, int]] = []
        for key in dict.fromkeys(old[place] for place in self.old_left):
            places = [place for place in range(self.size) if old[place] == key]
            new_places = [place for place in range(self.new_size) if new[place] == key]
            found += self._between_neighbours(places, new_places)
        self.add(found)

    def _between_neighbours(self, places: Sequence[int], new_places: Sequence[int]) -> Iterator[tuple[int, int]]:
        order = {place: number for number, place in enumerate(new_places)}
        numbers = {number: order.get(self._new_of.get(place, -1)) for number, place in enumerate(places)}
        fixed = [(number, new) for number, new in numbers.items() if new is not None]
        new_fixed = {new for _, new in fixed}
        ends = [(-1, -1), *fixed, (len(places), len(new_places))]
        for (low, new_low), (high, new_high) in pairwise(ends):
            if new_low > new_high or not new_fixed.isdisjoint(range(new_low + 1, new_high)):
                continue  # neighbours in one of the lists only
            left = [place for place in places[low + 1 : high] if place not in self._new_of]
            new_left = [place for place in new_places[new_low + 1 : new_high] if place not in self._old_of]
            if len(left) == len(new_left):
                yield from zip(left, new_left, strict=True)


def moved(pairs: Sequence[tuple[int, int]], steadiness: Sequence[int]) -> frozenset[tuple[int, int]]:
    """The fewest of `pairs`, ascending by old places, without which all others are in the same order in both lists.

    `steadiness` has a number for each pair: of several choices, the one is taken that leaves the greatest sum in place.
    """
    best: list[tuple[int, int, int]] = [(0, 0, -1)] * (max((new for _, new in pairs), default=-1) + 2)
    before: list[int] = []
    end = (0, 0, -1)
    for index, (_, new) in enumerate(pairs):
        length, total, previous = _greatest(best, new)
        before.append(previous)
        reached = (length + 1, total + steadiness[index], index)
        end = max(end, reached)
        at = new + 1
        while at < len(best):
            best[at] = max(best[at], reached)
            at += at & -at
    kept: set[tuple[int, int]] = set()
    index = end[2]
    while index >= 0:
        kept.add(pairs[index])
        index = before[index]
    return frozenset(pairs) - kept


def _greatest(best: Sequence[tuple[int, int, int]], count: int) -> tuple[int, int, int]:
    """The greatest entry for the first `count` places of a Fenwick tree."""
    found = (0, 0, -1)
    while count > 0:
        found = max(found, best[count])
        count -= count & -count
    return found
