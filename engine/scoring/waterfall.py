"""The costs of points as a waterfall: from 100 down to the score."""

from __future__ import annotations

from engine.record import Record
from engine.scoring.explanation import Explanation, PointScore


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
