"""Scores under changes that are not made yet: verdicts, weights, points switched off, paths flattened.

Only sums are computed, so one change of one answer takes some microseconds per point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.record import Record, field
from engine.scoring.aggregation import PointExtent
from engine.scoring.explanation import Bounds
from engine.scoring.sums import groups_of

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
