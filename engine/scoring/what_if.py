"""Scores under changes that are not made yet: verdicts, weights, points switched off, paths flattened.

Only sums are computed, so one change of one answer takes some microseconds per point. How far each path leads or
trails, and the costs of points as a waterfall, come from the same sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.possible_gains import NOISE, PossibleGains, possible_gains
from engine.scoring.sums import PointExtent, groups_of
from engine.text.record import Record, field


class PathStanding(Record):
    """One path among the others.

    `lead` is its mean less the best mean of the others, −1 to 1, over all verdicts still to come. `change` are the
    fewest points that an answer has to meet (or avoid) so that this path is the best for sure: empty if it is already,
    None if no answer makes it so; then `can_tie` tells whether it can at least be as good.
    """

    path: GroupScore
    lead: Bounds
    change: tuple[PointScore, ...] | None
    can_tie: bool = False

    @property
    def is_level(self) -> bool:
        """Whether it is exactly as good as the best of the others."""
        return max(abs(self.lead.low), abs(self.lead.high)) <= NOISE

    @property
    def is_best(self) -> bool:
        """Whether it is the best path for sure."""
        return self.change == ()


def path_standings(explanation: Explanation) -> tuple[PathStanding, ...]:
    """The standing of each path, in their order; empty with fewer than two, or if a YAML error hides points."""
    if explanation.is_partial:
        return ()
    paths = [gains for path in explanation.paths if (gains := possible_gains(path)) is not None]
    if len(paths) < 2:
        return ()
    return tuple(_standing(path, [each for each in paths if each is not path]) for path in paths)


def _standing(path: PossibleGains, others: Sequence[PossibleGains]) -> PathStanding:
    low, high = max(each.lowest() for each in others), max(each.highest() for each in others)
    lead = Bounds(path.lowest() - high, path.highest() - low)
    needed = next((count for count, gain in enumerate(path.gains) if path.lowest(gain) > high + NOISE), None)
    change = None if needed is None else tuple(each.point for each in path.candidates[:needed])
    can_tie = path.most >= high - NOISE
    return PathStanding(path.group, lead, change, can_tie)


STEPS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""The weights that a key steps through."""
_ROUNDING = 1e-9
"""Means that differ by less are equal, as those of equal extents under any weights; the first of them counts."""


class RubricChanges(Record):
    """Changes of a rubric: weights and points that are off, by place in `Prompt.points()`, and paths flattened."""

    weights: Mapping[int, float] = field(default_factory=dict[int, float])
    off: frozenset[int] = frozenset()
    flat: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """How many changes these are."""
        return len(self.weights.keys() - self.off) + len(self.off) + len(self.flat)


class WhatIfScore(Record):
    """The score of one answer (0–1; None if no point is assessed), its bounds, and the path that counts."""

    score: float | None
    bounds: Bounds
    best_path_id: str | None


def what_if(
    points: Sequence[PointExtent],
    changes: RubricChanges,
    extents: Mapping[int, float | None] | None = None,
    *,
    is_partial: bool = False,
) -> WhatIfScore:
    """The score of an answer with these `points`, in the order of `Prompt.points()`, under `changes`.

    `extents` are other extents (0–1 after inversion) by place. Without a point that is left, everything is 0.
    `is_partial`: a YAML error hides points.
    """
    changed = tuple(_changed(points, changes, extents or {}))
    sums = groups_of(changed, is_partial=is_partial)
    paths = {each.path_id: sums[each.path_id].mean for each in changed if each.path_id is not None}
    scored = {path_id: mean for path_id, mean in paths.items() if mean is not None}
    highest = max(scored.values(), default=0.0)
    best = next((path_id for path_id, mean in scored.items() if mean >= highest - _ROUNDING), None)
    return WhatIfScore(sums.score, sums.bounds, best)


def _changed(
    points: Sequence[PointExtent], changes: RubricChanges, extents: Mapping[int, float | None]
) -> Iterator[PointExtent]:
    for place, point in enumerate(points):
        if place in changes.off:
            continue
        path_id = None if point.path_id in changes.flat else point.path_id
        weight, extent = changes.weights.get(place, point.multiplier), extents.get(place, point.extent)
        yield PointExtent(extent, weight, path_id, None if place in extents else point.possible)


def stepped(weight: float, by: int) -> float:
    """The next weight of `STEPS` above (`by` 1) or below (−1) `weight`; the same at the end."""
    if by > 0:
        return next((step for step in STEPS if step > weight + _ROUNDING), max(STEPS[-1], weight))
    return next((step for step in reversed(STEPS) if step < weight - _ROUNDING), min(STEPS[0], weight))


class Fall(Record):
    """The cost of one point, with what is left of the score (0–1) before and after it."""

    point: PointScore
    before: float
    after: float
    cost: float


def waterfall(explanation: Explanation) -> tuple[Fall, ...]:
    """The points that cost something, down to the score; while points are open, to the highest that is possible.

    In the order of the computation: the required points, then the best path. Empty if a YAML error hides points.
    """
    points = [(point, point.cost) for group in explanation.groups() for point in group.points if point.cost]
    falls: list[Fall] = []
    before = 1.0
    for number, (point, cost) in enumerate(points, 1):
        after = explanation.settled.high if number == len(points) else max(before - cost, explanation.settled.high)
        falls.append(Fall(point, before, after, cost))
        before = after
    return tuple(falls)
