"""Scores under changes that are not made yet: verdicts, weights, points switched off, paths flattened.

Only sums are computed, so one change of one answer takes some microseconds per point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.parsing.point_weights import HIGHEST, LOWEST
from engine.record import Record, field, replace
from engine.scoring.aggregation import PointExtent
from engine.scoring.explanation import Bounds
from engine.scoring.sums import groups_of

STEPS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""The weights that a key steps through."""
_ROUNDING = 1e-9
"""Means that differ by less are equal, as those of equal extents under any weights; the first of them counts."""
_TENTHS = tuple(tenth / 10 for tenth in range(round(LOWEST * 10), round(HIGHEST * 10) + 1))


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


class WeightThreshold(Record):
    """The weight nearest to the present one at which another path becomes the best; `path_id` None: no path counts."""

    weight: float
    path_id: str | None


def weight_thresholds(
    points: Sequence[PointExtent],
    changes: RubricChanges,
    place: int,
    extents: Mapping[int, float | None] | None = None,
) -> tuple[WeightThreshold, ...]:
    """The nearest weights of the point at `place`, in tenths, below and above its present one, that flip the best path.

    None for a point that is off, required or flattened: its weight moves no path.
    """
    path_id = points[place].path_id
    if path_id is None or path_id in changes.flat or place in changes.off:
        return ()
    present = changes.weights.get(place, points[place].multiplier)
    best = what_if(points, changes, extents).best_path_id
    above = [weight for weight in _TENTHS if weight > present + _ROUNDING]
    below = [weight for weight in reversed(_TENTHS) if weight < present - _ROUNDING]
    return tuple(
        found
        for side in (below, above)
        if (found := _first_flip(points, changes, place, extents, side, best)) is not None
    )


def _first_flip(
    points: Sequence[PointExtent],
    changes: RubricChanges,
    place: int,
    extents: Mapping[int, float | None] | None,
    weights: Sequence[float],
    best: str | None,
) -> WeightThreshold | None:
    """The first of `weights` with another best path than `best`, by halves: a mean moves one way only."""

    def best_at(weight: float) -> str | None:
        changed = replace(changes, weights={**changes.weights, place: weight})
        return what_if(points, changed, extents).best_path_id

    if not weights or best_at(weights[-1]) == best:
        return None
    low, high = 0, len(weights) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if best_at(weights[middle]) == best else (low, middle)
    return WeightThreshold(weights[low], best_at(weights[low]))
