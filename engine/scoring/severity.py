"""The severity of points: what an answer can still score that fails this point and meets all others."""

from __future__ import annotations

from collections.abc import Iterable

from engine.scoring.assessment import PlacedPoint
from engine.scoring.sums import PointExtent, groups_of


def severities(points: Iterable[PlacedPoint]) -> tuple[float | None, ...]:
    """For each point, the score (0–1, unrounded) with this point at 0 and all others at 1, whatever is assessed.

    1 where the point costs nothing: another path makes up for it. `points` are all points of a rubric, in any order;
    the severities are in the same order. None if no point counts, as all weights are 0.
    """
    met = [PointExtent(1.0, each.point.multiplier, each.path_id) for each in points]
    sums = groups_of(met)
    return tuple(sums.score_with(point.path_id, -point.multiplier) for point in met)
