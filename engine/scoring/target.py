"""A score that the author expected: the smallest sets of points that an answer would have to meet to get it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import TypeAlias

from engine.scoring.explanation import Bounds, Explanation, PointScore
from engine.scoring.possible_gains import NOISE, Candidate, Obstacle, PossibleGains, best_sets, possible_gains
from engine.scoring.sums import combined
from engine.text.record import Record, replace

MOST_SETS = 10
"""How many sets of the smallest size are listed."""


class PointSet(Record):
    """Points that an answer would have to meet, or avoid in `should_not`; `bounds` are those of the score then."""

    points: tuple[PointScore, ...]
    bounds: Bounds


class Target(Record):
    """What an answer would have to do for a score of `wanted` (0–1), whatever the verdicts still to come.

    `bounds` are those of the present score. `sets` are the smallest sets of points that are enough, each of the same
    size, those with the highest scores first; at most `MOST_SETS`, and `has_others` if there are more. Empty if the
    score is certain already, or out of reach. `highest` is the highest score that an answer can be sure of, and
    `obstacles` are the points that keep it below 1. `is_partial`: a YAML error hides points, so no score is certain.
    `paths` is the number of paths, of which only the best counts: no set has points of two.
    """

    wanted: float
    bounds: Bounds
    highest: float
    sets: tuple[PointSet, ...] = ()
    has_others: bool = False
    obstacles: tuple[Obstacle, ...] = ()
    is_partial: bool = False
    paths: int = 0

    @property
    def is_reached(self) -> bool:
        """Whether the lowest possible score is enough."""
        return self.bounds.low >= self.wanted - NOISE

    @property
    def is_reachable(self) -> bool:
        """Whether any answer gets the score for sure."""
        return self.is_reached or self.highest >= self.wanted - NOISE


def target(explanation: Explanation, wanted: float) -> Target:
    """What an answer would have to do for a score of `wanted`, 0–1. Counted from the lowest possible score.

    A point of a set is met in full, or as far as any answer can; all other points keep their extents, open ones at 0.
    """
    bounds = explanation.settled
    if explanation.is_partial:
        return Target(wanted, bounds, 0.0, is_partial=True)
    search = _Search(explanation)
    found = Target(wanted, bounds, search.highest, obstacles=search.obstacles, paths=search.paths)
    if found.is_reached or not found.is_reachable:
        return found
    sets = search.smallest_sets(wanted - NOISE)
    return replace(found, sets=sets[:MOST_SETS], has_others=len(sets) > MOST_SETS)


class _Split(Record):
    """How the points of a set are spread: so many required ones, and so many of one path (none if `path` is None)."""

    required: int
    path: PossibleGains | None
    of_path: int

    @property
    def size(self) -> int:
        return self.required + self.of_path


_Ranked: TypeAlias = Sequence[tuple[float, PossibleGains]]


def _ranked(means: Iterable[tuple[float, PossibleGains]]) -> _Ranked:
    """The two best paths with their means: enough to know the best one but any."""
    return nlargest(2, means, key=lambda each: each[0])


class _Search:
    """Searches for sets of points over the required points and one path; the others gain nothing."""

    def __init__(self, explanation: Explanation) -> None:
        groups = [gains for group in explanation.groups() if (gains := possible_gains(group)) is not None]
        self._required = next((each for each in groups if each.group.path_id is None), None)
        self._paths = [each for each in groups if each.group.path_id is not None]
        self._lowest = _ranked((path.lowest(), path) for path in self._paths)
        self._most = _ranked((path.highest(), path) for path in self._paths)
        best = max(self._paths, key=lambda path: path.most, default=None)
        self.highest = self._score(self._gain_of_all(self._required), best, self._gain_of_all(best))
        self.obstacles = tuple(
            each for group in (self._required, best) if group is not None for each in group.obstacles
        )

    @property
    def paths(self) -> int:
        """The number of paths."""
        return len(self._paths)

    def _gain_of_all(self, group: PossibleGains | None) -> float:
        return 0.0 if group is None else group.gains[-1]

    def _score(self, of_required: float, path: PossibleGains | None, of_path: float) -> float:
        """The lowest possible score with these gains."""
        required = None if self._required is None else self._required.lowest(of_required)
        return self._combined(required, path, None if path is None else path.lowest(of_path), self._lowest)

    def _highest(self, of_required: float, path: PossibleGains | None, of_path: float) -> float:
        required = None if self._required is None else self._required.highest(of_required)
        return self._combined(required, path, None if path is None else path.highest(of_path), self._most)

    @staticmethod
    def _combined(required: float | None, path: PossibleGains | None, mean: float | None, ranked: _Ranked) -> float:
        """The score if `path` has this `mean`; `ranked` are the means of the two best paths."""
        others = [value for value, each in ranked if each is not path][:1]
        return combined(required, max((*others, *(() if mean is None else (mean,))), default=None)) or 0.0

    def smallest_sets(self, wanted: float) -> tuple[PointSet, ...]:
        """The smallest sets that reach `wanted`, the highest score first; a few more than are listed at most."""
        splits = list(self._splits(wanted))
        size = min(split.size for split in splits)
        found = [each for split in splits if split.size == size for each in self._sets(split, wanted)]
        return tuple(sorted(found, key=lambda each: -each.bounds.low))

    def _splits(self, wanted: float) -> Iterator[_Split]:
        """For each number of points of each path, the least number of required points that reaches `wanted`."""
        gains = (0.0,) if self._required is None else self._required.gains
        for path in (None, *self._paths):
            for count in range(1 if path is not None else 0, 1 if path is None else len(path.candidates) + 1):
                gained = 0.0 if path is None else path.gains[count]
                least = bisect_left(
                    range(len(gains)),
                    True,
                    key=lambda number, path=path, gained=gained: self._score(gains[number], path, gained) >= wanted,
                )
                if least < len(gains):
                    yield _Split(least, path, count)

    def _sets(self, split: _Split, wanted: float) -> list[PointSet]:
        """The sets of one split that reach `wanted`, the highest score first; one more than are listed at most.

        The score never falls when a gain rises, so the best sets have the best points of both parts.
        """
        found = [
            self._set(required, split.path, of_path)
            for required, of_required in self._best_sets(self._required, split.required)
            for of_path, gained in self._best_sets(split.path, split.of_path)
            if self._score(of_required, split.path, gained) >= wanted
        ]
        return sorted(found, key=lambda each: -each.bounds.low)[: MOST_SETS + 1]

    def _best_sets(self, group: PossibleGains | None, count: int) -> list[tuple[tuple[Candidate, ...], float]]:
        return [((), 0.0)] if group is None or count == 0 else best_sets(group, count, MOST_SETS + 1)

    def _set(
        self, required: tuple[Candidate, ...], path: PossibleGains | None, of_path: tuple[Candidate, ...]
    ) -> PointSet:
        low = self._score(sum(each.gain for each in required), path, sum(each.gain for each in of_path))
        high = self._highest(sum(each.high_gain for each in required), path, sum(each.high_gain for each in of_path))
        return PointSet(tuple(each.point for each in (*required, *of_path)), Bounds(low, max(high, low)))
