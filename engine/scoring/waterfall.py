"""The costs of points as a waterfall: from 100 down to the score, in figures that add up as they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum

from engine.record import Record
from engine.scoring.aggregation import to_fixed
from engine.scoring.explanation import Explanation, PointScore

WHOLE = 1000
"""A score of 100 in tenths."""


class FallOrder(StrEnum):
    """The order of a waterfall: that of the computation, or the greatest cost first."""

    COMPUTATION = "computation"
    SIZE = "size"

    @property
    def next(self) -> FallOrder:
        """The other order."""
        return FallOrder.SIZE if self is FallOrder.COMPUTATION else FallOrder.COMPUTATION


class Fall(Record):
    """The cost of one point, with what is left of 100 before and after it, in tenths of a point of the score."""

    point: PointScore
    before: int
    after: int

    @property
    def tenths(self) -> int:
        """The cost."""
        return self.before - self.after


def waterfall(explanation: Explanation, order: FallOrder = FallOrder.COMPUTATION) -> tuple[Fall, ...]:
    """The points that cost something, down to the score; while points are open, to the highest that is possible.

    In the order of the computation: the required points, then the best path. Each figure is rounded so that the sum of
    the printed costs is exactly 100 less the printed score. Empty if a YAML error hides points.
    """
    if explanation.is_partial:
        return ()
    falls = tuple(_falls(explanation))
    match order:
        case FallOrder.COMPUTATION:
            return falls
        case FallOrder.SIZE:
            return _stacked(sorted(falls, key=lambda fall: -fall.tenths))


def _falls(explanation: Explanation) -> Iterator[Fall]:
    lost, before = 0.0, WHOLE
    points = [point for group in explanation.groups() for point in group.points if point.cost > 0]
    for number, point in enumerate(points, 1):
        lost += point.cost
        left = explanation.bounds.high if number == len(points) else max(1.0 - lost, 0.0)
        after = min(_tenths(left), before)
        yield Fall(point, before, after)
        before = after


def _stacked(falls: Sequence[Fall]) -> tuple[Fall, ...]:
    """The same costs in another order, each below the one before."""
    stacked: list[Fall] = []
    before = WHOLE
    for fall in falls:
        stacked.append(Fall(fall.point, before, before - fall.tenths))
        before -= fall.tenths
    return tuple(stacked)


def _tenths(score: float) -> int:
    """A score of 0–1 in tenths of a point of 100, rounded as it is printed."""
    return int(Decimal(to_fixed(score * 100, 1)) * 10)


def tenths_text(tenths: int) -> str:
    """`4.2`."""
    return f"{tenths // 10}.{tenths % 10}"
