"""Weval's arithmetic: the weighted mean of each group, the best path, and the combination of both.

There are two variants. `aggregate` is the platform's function. `score_of` is the score shown here: points that are not
judged are left out, and so is a group without any judged point (the platform counts it as 0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from math import isnan

from engine.record import Record
from engine.scoring.assessment import ANY_EXTENT, Assessment, Bounds


class PointExtent(Record, gc=False):
    """The numbers of one point: `extent` 0–1 after inversion, or None; its weight; and its path (None: required).

    `possible` as in `Assessment`.
    """

    extent: float | None
    multiplier: float = 1.0
    path_id: str | None = None
    possible: Bounds | None = None

    @classmethod
    def of(cls, assessment: Assessment) -> PointExtent:
        """The numbers of an assessment."""
        return cls(assessment.extent, assessment.point.multiplier, assessment.placed.path_id, assessment.possible)

    @classmethod
    def settled(cls, assessment: Assessment) -> PointExtent:
        """As `of`, by the mean of the judges that answered; without any answer it has no weight, as in the score."""
        weight = 0.0 if assessment.failed else assessment.point.multiplier
        possible = assessment.possible if assessment.open else None
        return cls(assessment.extent, weight, assessment.placed.path_id, possible)

    @property
    def bounds(self) -> Bounds:
        """The lowest and the highest extent that the verdicts still to come, or asked for in vain, could give."""
        if self.possible is not None:
            return self.possible
        return ANY_EXTENT if self.extent is None else Bounds(self.extent, self.extent)


def weighted_mean(points: Iterable[PointExtent]) -> float | None:
    """The weighted mean of the assessed points, 0–1; None if none is assessed or all weights are 0."""
    total = weights = 0.0
    for point in points:
        if point.extent is not None:
            total += point.extent * point.multiplier
            weights += point.multiplier
    return total / weights if weights > 0 else None


def plain_mean(extents: Sequence[float]) -> float | None:
    """The mean of verdicts, added up in their order; None without any."""
    total = 0.0
    for extent in extents:
        total += extent
    return total / len(extents) if extents else None


def consensus_bounds(extents: Sequence[float], missing: int, inverted: bool) -> Bounds | None:
    """The consensus of judges with `missing` more verdicts at 0 and at 1, as it enters the score; None for no missing.

    Like a consensus, each is rounded to two decimals, then inverted. Both ends are reached.
    """
    if not missing:
        return None
    low, high = (float(to_fixed(plain_mean([*extents, *[end] * missing]) or 0.0, 2)) for end in (0.0, 1.0))
    return Bounds(1 - high, 1 - low) if inverted else Bounds(low, high)


def grouped(points: Iterable[PointExtent]) -> dict[str | None, list[PointExtent]]:
    """The points by path, in order of first appearance; required points, and those with a blank id, under None."""
    groups: dict[str | None, list[PointExtent]] = {}
    for point in points:
        path_id = point.path_id if point.path_id and point.path_id.strip() else None
        groups.setdefault(path_id, []).append(point)
    return groups


def combined(required: float | None, best_path: float | None) -> float | None:
    """Step 4 of the algorithm (002): the mean of both if both exist, else the one that exists, else None."""
    if required is None:
        return best_path
    return required if best_path is None else (required + best_path) / 2


def _score(points: Iterable[PointExtent], mean: Callable[[Sequence[PointExtent]], float | None]) -> float | None:
    groups = grouped(points)
    required = groups.pop(None, None)
    paths = [score for score in map(mean, groups.values()) if score is not None]
    return combined(mean(required) if required else None, best_of(paths))


def best_of(scores: Sequence[float]) -> float | None:
    """The greatest mean of the paths, or None; NaN if one of them is NaN, as in JavaScript's `Math.max` (A28)."""
    return next(filter(isnan, scores), max(scores, default=None))


def aggregate(assessments: Iterable[Assessment | PointExtent]) -> float:
    """The score that Weval's `aggregateCoverageScores` gives, 0–1 and unrounded (000, step 5; 002, "The Algorithm").

    A point without an extent is skipped. A group in which all points are skipped counts 0 and is still combined with
    the other. No points at all give 0. The order of the points affects only the last bits of the sum.
    """
    points = (each if isinstance(each, PointExtent) else PointExtent.of(each) for each in assessments)
    return _score(points, lambda group: weighted_mean(group) or 0.0) or 0.0


def score_of(points: Iterable[PointExtent]) -> float | None:
    """The score over the assessed points, 0–1 and unrounded; None if there are none.

    Unlike in `aggregate`, a group without assessed points is left out.
    """
    return _score(points, weighted_mean)


def to_fixed(number: float, digits: int) -> str:
    """`number` with `digits` decimals as JavaScript's `toFixed` prints it.

    Ties of the exact binary value are rounded away from zero, and a negative number keeps its sign even if it is
    rounded to 0. `digits` is 0–100. Raises `ValueError` unless `number` is finite and below 1e21 in size.
    """
    if not abs(number) < 1e21:
        raise ValueError(f"{number} has no fixed form")
    sign, size = "-" if number < 0 else "", abs(number)
    if not _is_tie(size, digits):
        return f"{sign}{size:.{digits}f}"
    with localcontext(prec=200):
        rounded = Decimal(size).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return f"{sign}{rounded:f}"


def _is_tie(number: float, digits: int) -> bool:
    """Whether `number` lies exactly between two neighbours of so many decimals: only an odd multiple of a half of the
    last binary digit that they share with it can."""
    return not (number * 2.0**digits).is_integer() and (number * 2.0 ** (digits + 1)).is_integer()
