"""Weval's arithmetic: the weighted mean of each group, the best path, and the combination of both.

There are two variants. `aggregate` is the platform's function. `Groups.score` is the score shown here: points that are
not judged are left out, and so is a group without any judged point (the platform counts it as 0). The sums of each
group are kept, from which means, bounds, costs and gains follow without another pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from math import isnan
from typing import TypeAlias

from engine.blueprint import Path, Prompt
from engine.scoring.assessment import ANY_EXTENT, Assessment, Bounds, PlacedPoint
from engine.text.record import Record


def place(prompt: Prompt) -> tuple[PlacedPoint, ...]:
    """All points with their places, in the order of `Prompt.points()`.

    Path ids are the documented ones (002, worked example): `path_3` is the fourth entry of `should`. The alternatives
    of `should_not` are numbered separately as `not_path_N`; Weval names them `path_N` too and merges the two blocks.
    """
    return tuple(
        PlacedPoint(point, rubric, rubric.path_id(entry) if isinstance(entry, Path) else None)
        for rubric in prompt.rubrics
        for entry in rubric.entries
        for point in (entry.points if isinstance(entry, Path) else (entry,))
    )


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


def best_of(scores: Sequence[float]) -> float | None:
    """The greatest mean of the paths, or None; NaN if one of them is NaN, as in JavaScript's `Math.max` (A28)."""
    return next(filter(isnan, scores), max(scores, default=None))


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


class Sums(Record, gc=False):
    """The sums of one group: weighted extents (`total`) and weights of the assessed points, and the same of all points.

    `low` and `high` count each missing verdict at 0 and at 1. All are added in the order of the points.
    """

    total: float
    weights: float
    low: float
    high: float
    all_weights: float

    @classmethod
    def of(cls, points: Iterable[PointExtent]) -> Sums:
        """The sums over `points`."""
        total = weights = low = high = all_weights = 0.0
        for point in points:
            weight, bounds = point.multiplier, point.bounds
            all_weights += weight
            low += bounds.low * weight
            high += bounds.high * weight
            if point.extent is not None:
                total += point.extent * weight
                weights += weight
        return cls(total, weights, low, high, all_weights)

    @property
    def mean(self) -> float | None:
        """The mean of the assessed points; None if there are none, or all weights are 0."""
        return self.total / self.weights if self.weights > 0 else None

    def mean_with(self, gained: float) -> float | None:
        """The mean if the sum of weighted extents were greater by `gained`."""
        return (self.total + gained) / self.weights if self.weights > 0 else None

    def lowest_with(self, gained: float = 0.0) -> float | None:
        """As `mean_with`, with every missing verdict at 0; None if all weights are 0."""
        return (self.low + gained) / self.all_weights if self.all_weights > 0 else None

    def highest_with(self, gained: float = 0.0) -> float | None:
        """As `mean_with`, with every missing verdict at 1; None if all weights are 0."""
        return (self.high + gained) / self.all_weights if self.all_weights > 0 else None

    @property
    def bounds(self) -> Bounds:
        """The mean with every missing verdict at 0, and at 1.

        A mean never falls when an extent rises, so no verdicts lead beyond them.
        """
        return Bounds(self.lowest_with() or 0.0, self.highest_with() or 0.0)


Gains: TypeAlias = Mapping[str | None, float]
"""By how much the sums of weighted extents are greater: of the required points (None), and of one path at most."""


class _Means:
    """The means of all groups for one treatment of points that are not assessed, and the score of these means."""

    def __init__(self, sums: Mapping[str | None, Sums], mean: Callable[[Sums, float], float | None]) -> None:
        self._sums = sums
        self._mean = mean
        required = mean(sums[None], 0.0) if None in sums else None
        means = [(mean(each, 0.0), path_id) for path_id, each in sums.items() if path_id is not None]
        self._ranked = sorted(
            ((value, path_id) for value, path_id in means if value is not None), key=lambda one: -one[0]
        )
        self.score = combined(required, best_of([value for value, _ in self._ranked]))
        self.best_path_id = self._ranked[0][1] if self._ranked else None
        self.share_of_group = 0.5 if required is not None and self._ranked else 1.0
        """The part of the score that the required points make, and the best path makes."""

    def score_with(self, gains: Gains) -> float | None:
        """The score with these gains. Without a gain, one path is enough to know the best, else two are."""
        changed = [path_id for path_id in gains if path_id is not None]
        means = [self._mean(self._sums[path_id], gains[path_id]) for path_id in changed]
        means += [value for value, path_id in self._ranked[: len(changed) + 1] if path_id not in gains]
        required = self._mean(self._sums[None], gains.get(None, 0.0)) if None in self._sums else None
        return combined(required, best_of([each for each in means if each is not None]))


class Groups:
    """The sums of the required points (under None) and of each path, with the score and the bounds of them all."""

    def __init__(self, sums: dict[str | None, Sums], *, is_partial: bool = False) -> None:
        """`is_partial`: any group may have unknown further points of any weight, so all bounds are 0 and 1."""
        self._sums = sums
        self._is_partial = is_partial
        self._assessed = _Means(sums, Sums.mean_with)
        self._lowest = _Means(sums, Sums.lowest_with)
        self._highest = _Means(sums, Sums.highest_with)
        self.score = self._assessed.score
        """The score over the assessed points, 0–1 and unrounded; None if there are none."""
        self.bounds = self._widened(Bounds(self._lowest.score or 0.0, self._highest.score or 0.0))
        """The score with every missing verdict at 0, and at 1.

        Neither a mean nor a maximum falls when an extent rises; and a group that is left out while none of its points
        is judged counts in both bounds.
        """

    def __getitem__(self, path_id: str | None) -> Sums:
        return self._sums[path_id]

    def bounds_of(self, path_id: str | None) -> Bounds:
        """The bounds of the score of one group."""
        return self._widened(self._sums[path_id].bounds)

    def _widened(self, bounds: Bounds) -> Bounds:
        return Bounds(0.0, 1.0) if self._is_partial else bounds

    def cost(self, path_id: str | None, lost: float) -> float:
        """What `lost` of the sum of weighted extents of one group takes from the highest possible score.

        Of the paths, only the best one costs anything. All costs together are 1 less the upper bound.
        """
        group = self._sums[path_id]
        if lost == 0 or self._is_partial or path_id not in (None, self._highest.best_path_id) or not group.all_weights:
            return 0.0
        return lost / group.all_weights * self._highest.share_of_group

    def figures(self, path_id: str | None, lost: float | None) -> tuple[float | None, float | None, Bounds]:
        """The cost and the gain of `lost` (None: unknown) of the sum of one group, and the bounds without that loss.

        The gain is what the lowest possible score would rise by.
        """
        if lost is None:
            return None, None, self.bounds
        if lost == 0 or self._is_partial:
            return 0.0, 0.0, self.bounds
        low, high = self.lowest_with({path_id: lost}), self.highest_with({path_id: lost})
        met = Bounds(max(low, self.bounds.low), max(high, self.bounds.high))
        return self.cost(path_id, lost), met.low - self.bounds.low, met

    def score_with(self, gains: Gains) -> float | None:
        """The score over the assessed points with these gains."""
        return self._assessed.score_with(gains)

    def lowest_with(self, gains: Gains) -> float:
        """As `score_with`, with every missing verdict at 0."""
        return self._lowest.score_with(gains) or 0.0

    def highest_with(self, gains: Gains) -> float:
        """As `score_with`, with every missing verdict at 1."""
        return self._highest.score_with(gains) or 0.0


def groups_of(points: Iterable[PointExtent], *, is_partial: bool = False) -> Groups:
    """The sums of the required points and of each path."""
    return Groups(_sums_of(points), is_partial=is_partial)


def _sums_of(points: Iterable[PointExtent]) -> dict[str | None, Sums]:
    return {path_id: Sums.of(group) for path_id, group in grouped(points).items()}


def aggregate(assessments: Iterable[Assessment | PointExtent]) -> float:
    """The score that Weval's `aggregateCoverageScores` gives: a float of 0 to 1, unrounded.

    The steps are those of the documents (000, step 5; 002, "The Algorithm"): the mean of the required points by weight,
    the mean of each path by weight, and the mean of the first with the best of the paths, or the one of the two that
    exists. `assessments` are one for each point of one prompt, in any order; the order affects only the last bits of
    the sum. Of each, the extent is read (0–1 after inversion; None is skipped), the weight (0 or more, 1 by default)
    and the path (None for a required point). A group in which all points are skipped counts 0 and is still combined
    with the other; no points at all give 0. NaN in any extent of a group that counts gives NaN, as in JavaScript.
    Raises nothing. `explain` gives the score that is shown here, which leaves such a group out.
    """
    points = (each if isinstance(each, PointExtent) else PointExtent.of(each) for each in assessments)
    return _Means(_sums_of(points), lambda sums, _: sums.mean or 0.0).score or 0.0


def severities(points: Iterable[PlacedPoint]) -> tuple[float | None, ...]:
    """For each point, the score (0–1, unrounded) with this point at 0 and all others at 1, whatever is assessed.

    1 where the point costs nothing: another path makes up for it. `points` are all points of a rubric, in any order;
    the severities are in the same order. None if no point counts, as all weights are 0.
    """
    met = [PointExtent(1.0, each.point.multiplier, each.path_id) for each in points]
    sums = groups_of(met)
    return tuple(sums.score_with({point.path_id: -point.multiplier}) for point in met)
