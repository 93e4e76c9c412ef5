"""A score that the author expected, and the smallest sets of points that an answer would have to meet to get it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import TypeAlias

from engine.scoring.explanation import Bounds, Explanation, PointScore
from engine.scoring.explanation_text import bounds_text, listed, number_text, point_label, points_text, tenths
from engine.scoring.sums import combined
from engine.scoring.what_if import NOISE, Candidate, Obstacle, PathStanding, PossibleGains, best_sets, possible_gains
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


def target_headline(target: Target) -> str:
    """What it takes, in one sentence: `2 more rubric points are enough for 85, in any of these 3 sets`."""
    wanted = number_text(target.wanted)
    if target.is_partial:
        return f"no score is certain, {wanted} or any other: part of the rubric cannot be read"
    if target.is_reached:
        return f"no change is needed: the score is at least {points_text(target.bounds.low)}"
    if not target.is_reachable:
        return f"{wanted} cannot be reached: {_most_text(target)}"
    size = len(target.sets[0].points)
    points = "1 more rubric point is" if size == 1 else f"{size} more rubric points are"
    return f"{points} enough for {wanted}{_choice(target)}"


def _choice(target: Target) -> str:
    if len(target.sets) == 1:
        return ""
    if target.has_others:
        return f": {MOST_SETS} of the sets that are, and others"
    return f", in any of these {len(target.sets)} sets"


def ceiling_text(target: Target) -> str:
    """The highest score that an answer can be sure of, where that is below 100 and above what is wanted; else ""."""
    if not target.obstacles or not target.is_reachable or target.is_partial:
        return ""
    return _most_text(target)


def _most_text(target: Target) -> str:
    return f"{points_text(target.highest)} is the most that an answer can be sure of"


def target_notes(target: Target) -> tuple[str, ...]:
    """What one has to know to read the sets, a sentence each; nothing where there are no sets."""
    if not target.sets:
        return ()
    return tuple(
        note
        for note, applies in (
            (f"Of the {target.paths} paths only the best counts, so no set has points of two.", target.paths > 1),
            (_OPEN, not target.bounds.closed),
            (_EXCLUSIVE, True),
        )
        if applies
    )


_OPEN = "Counted from the lowest score that is possible: points that are not judged count 0."
_EXCLUSIVE = "Points that exclude each other are not recognised: read a set before you aim at it."


def set_text(points: Iterable[PointScore]) -> str:
    """What an answer has to do: `meet “A” and “B”, and avoid “C”`. Open points are marked."""
    every = tuple(points)
    meet = [_named(each) for each in every if not each.assessment.placed.inverted]
    avoid = [_named(each) for each in every if each.assessment.placed.inverted]
    parts = [f"{verb} {listed(names)}" for verb, names in (("meet", meet), ("avoid", avoid)) if names]
    return ", and ".join(parts)


def _named(point: PointScore) -> str:
    state = "" if point.assessment.assessed else f" ({point.assessment.unjudged_text})"
    return f"{point_label(point.assessment.point)}{state}"


def outcome_text(found: PointSet) -> str:
    """The score with a set of points: `87.5`, or `87.5–95` while points are open."""
    return bounds_text(found.bounds.low, found.bounds.high)


def obstacle_text(obstacle: Obstacle) -> str:
    """`$matches: ( counts 0 whatever the answer: its check cannot run: …`."""
    most = "0" if obstacle.highest <= 0 else f"at most {number_text(obstacle.highest)}"
    return f"{point_label(obstacle.point.assessment.point)} counts {most} whatever the answer: {obstacle.why}"


def lead_text(lead: Bounds) -> str:
    """A lead over the other paths: `12 ahead`, `37.5 behind`, `level`; `20 behind to 35 ahead` if open."""
    low, high = tenths(lead.low), tenths(lead.high)
    if low == high:
        return _side(low)
    if low > 0 or high < 0:
        least, most = sorted((abs(low), abs(high)))
        return f"{number_text(least / 1000)} to {_side(most if low > 0 else -most)}"
    return f"{_side(low)} to {_side(high)}"


def _side(lead: int) -> str:
    if lead == 0:
        return "level"
    return f"{number_text(abs(lead) / 1000)} {'ahead' if lead > 0 else 'behind'}"


def change_text(standing: PathStanding) -> str:
    """The smallest change that makes a path the best: `to be the best, meet “A”`; "" if it is as good as it can be."""
    if standing.change:
        return f"to be the best, {set_text(standing.change)}"
    if standing.change is None and not (standing.can_tie and standing.is_level):
        return "it can only draw level" if standing.can_tie else "no answer makes it the best"
    return ""
