"""The sums of each group of points, from which means, bounds and what a point costs follow at no further pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.record import Record
from engine.scoring.aggregation import PointExtent, best_of, combined
from engine.scoring.explanation import Bounds


class Sums(Record, gc=False):
    """The sums of one group: of extents by weight and of weights, over what is assessed; and those over all points with
    what is not assessed at 0 (`low`) and at 1 (`high`). All in the order of the points, as `weighted_mean` adds them.
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
            extent, weight = point.extent, point.multiplier
            all_weights += weight
            if extent is None:
                high += weight
            else:
                part = extent * weight
                total += part
                weights += weight
                low += part
                high += part
        return cls(total, weights, low, high, all_weights)

    @property
    def mean(self) -> float | None:
        """The mean of what is assessed; None where that is nothing, or weighs nothing."""
        return self.total / self.weights if self.weights > 0 else None

    def mean_with(self, gained: float) -> float | None:
        """The mean if extents by weight summed up to `gained` more."""
        return (self.total + gained) / self.weights if self.weights > 0 else None

    @property
    def lowest(self) -> float | None:
        """The mean with every point that is not assessed at 0; None where nothing weighs anything."""
        return self.low / self.all_weights if self.all_weights > 0 else None

    @property
    def highest(self) -> float | None:
        """The mean with every point that is not assessed at 1."""
        return self.high / self.all_weights if self.all_weights > 0 else None

    @property
    def bounds(self) -> Bounds:
        """The mean with every point that is not assessed at 0, and at 1.

        A mean never falls when an extent rises, so no way of judging lies beyond.
        """
        return Bounds(self.lowest or 0.0, self.highest or 0.0)


class Groups:
    """The sums of the required points (under None) and of each path, and what follows from all of them together."""

    def __init__(self, sums: dict[str | None, Sums]) -> None:
        self._sums = sums
        self.score = self._combined(lambda group: group.mean)
        """The score over what is assessed (`score_of`); None where nothing is."""
        self._required = sums[None].mean if None in sums else None
        means = [(each.mean, path_id) for path_id, each in sums.items() if path_id is not None]
        self._ranked = sorted(((mean, path_id) for mean, path_id in means if mean is not None), key=lambda one: -one[0])

    def __getitem__(self, path_id: str | None) -> Sums:
        return self._sums[path_id]

    @property
    def bounds(self) -> Bounds:
        """The score with every point that is not assessed at 0, and at 1.

        Neither a mean nor a maximum falls when an extent rises; and a group that vanishes while nothing in it is judged
        is there in both.
        """
        low, high = self._combined(lambda group: group.lowest), self._combined(lambda group: group.highest)
        return Bounds(low or 0.0, high or 0.0)

    def costs(self, path_id: str | None, lost: float) -> float:
        """By how much the score would rise if the extents by weight of one group summed up to `lost` more; 0 where
        nothing is scored."""
        if self.score is None or lost == 0:
            return 0.0
        mean = self._sums[path_id].mean_with(lost)
        if path_id is None:
            after = combined(mean, self._best_but(None))
        else:
            after = combined(
                self._required, best_of([each for each in (mean, self._best_but(path_id)) if each is not None])
            )
        return max((after or 0.0) - self.score, 0.0)

    def _best_but(self, path_id: str | None) -> float | None:
        """The best mean among the other paths."""
        return next((mean for mean, of in self._ranked[:2] if of != path_id), None)

    def _combined(self, mean: Callable[[Sums], float | None]) -> float | None:
        means = {path_id: mean(each) for path_id, each in self._sums.items()}
        required = means.pop(None, None)
        return combined(required, best_of([each for each in means.values() if each is not None]))
