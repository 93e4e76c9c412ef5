"""Which point of one rubric is which of another: by block and content, and by order where several are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from engine.blueprint_changes.point_matching import words
from engine.scoring.assessment import PlacedPoint

PointName = tuple[Hashable, ...]
"""What a point is called in all rubrics that have it: its block, its content, and its number among equal ones."""


def point_names(points: Iterable[PlacedPoint]) -> tuple[PointName, ...]:
    """The name of each point, in order. No two are the same."""
    counts: Counter[Hashable] = Counter()
    names: list[PointName] = []
    for placed in points:
        key = placed.rubric.block, words(placed.point)
        names.append((*key, counts[key]))
        counts[key] += 1
    return tuple(names)
