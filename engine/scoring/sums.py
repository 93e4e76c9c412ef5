"""The sums of each group of points, from which means, bounds, costs and gains follow without another pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from engine.record import Record
from engine.scoring.aggregation import PointExtent, best_of, combined, grouped
from engine.scoring.explanation import Bounds


class Sums(Record, gc=False):
    """The sums of one group: weighted extents (`total`) and weights of the assessed points, and the same of all points.

    `low` and `high` count each missing verdict at 0 and at 1. All are added in the order of the points, as in
    `weighted_mean`.
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


class _Means:
    """The means of all groups for one treatment of points that are not assessed, and the score of these means."""

    def __init__(self, sums: Mapping[str | None, Sums], mean: Callable[[Sums, float], float | None]) -> None:
        self._sums = sums
        self._mean = mean
        self._required = mean(sums[None], 0.0) if None in sums else None
        means = [(mean(each, 0.0), path_id) for path_id, each in sums.items() if path_id is not None]
        self._ranked = sorted(
            ((value, path_id) for value, path_id in means if value is not None), key=lambda one: -one[0]
        )
        self.score = combined(self._required, best_of([value for value, _ in self._ranked]))
        self.best_path_id = self._ranked[0][1] if self._ranked else None
        self.share_of_group = 0.5 if self._required is not None and self._ranked else 1.0
        """The part of the score that the required points make, and the best path makes."""

    def score_with(self, path_id: str | None, gained: float) -> float | None:
        """The score if the sum of weighted extents of one group were greater by `gained`."""
        mean, other = self._mean(self._sums[path_id], gained), self._best_but(path_id)
        if path_id is None:
            return combined(mean, other)
        return combined(self._required, best_of([each for each in (mean, other) if each is not None]))

    def _best_but(self, path_id: str | None) -> float | None:
        """The best mean of the paths other than `path_id`."""
        return next((value for value, of in self._ranked[:2] if of != path_id), None)


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
        """The score over the assessed points (`score_of`); None if there are none."""
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
        low, high = self._lowest.score_with(path_id, lost), self._highest.score_with(path_id, lost)
        met = Bounds(max(low or 0.0, self.bounds.low), max(high or 0.0, self.bounds.high))
        return self.cost(path_id, lost), met.low - self.bounds.low, met

    def score_with(self, path_id: str | None, gained: float) -> float | None:
        """The score over the assessed points if the sum of weighted extents of one group were greater by `gained`."""
        return self._assessed.score_with(path_id, gained)


def groups_of(points: Iterable[PointExtent], *, is_partial: bool = False) -> Groups:
    """The sums of the required points and of each path."""
    return Groups({path_id: Sums.of(group) for path_id, group in grouped(points).items()}, is_partial=is_partial)
