"""How far each path leads or trails, and the smallest change that would make it the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log

from engine.parsing.point_weights import HIGHEST, LOWEST
from engine.record import Record
from engine.scoring.aggregation import PointExtent
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.possible_gains import NOISE, PossibleGains, possible_gains


class WeightChange(Record, gc=False):
    """The weight of one point, 0.1–10, with which its path becomes the best."""

    point: PointScore
    weight: float


class PathStanding(Record):
    """One path among the others.

    `lead` is its mean less the best mean of the others, −1 to 1, over all verdicts still to come. `change` are the
    fewest points that an answer has to meet (or avoid) so that this path is the best for sure: empty if it is already,
    None if no answer makes it so; then `can_tie` tells whether it can at least be as good. `weight` is the smallest
    change of one weight in this path that does it, None if there is none or if points are open.
    """

    path: GroupScore
    lead: Bounds
    change: tuple[PointScore, ...] | None
    can_tie: bool = False
    weight: WeightChange | None = None

    @property
    def is_level(self) -> bool:
        """Whether it is exactly as good as the best of the others."""
        return max(abs(self.lead.low), abs(self.lead.high)) <= NOISE

    @property
    def is_best(self) -> bool:
        """Whether it is the best path for sure."""
        return self.change == ()


def path_standings(explanation: Explanation) -> tuple[PathStanding, ...]:
    """The standing of each path, in their order; empty with fewer than two, or if a YAML error hides points."""
    if explanation.is_partial:
        return ()
    paths = [gains for path in explanation.paths if (gains := possible_gains(path)) is not None]
    if len(paths) < 2:
        return ()
    return tuple(_standing(path, [each for each in paths if each is not path]) for path in paths)


def _standing(path: PossibleGains, others: Sequence[PossibleGains]) -> PathStanding:
    low, high = max(each.lowest() for each in others), max(each.highest() for each in others)
    lead = Bounds(path.lowest() - high, path.highest() - low)
    needed = next((count for count, gain in enumerate(path.gains) if path.lowest(gain) > high + NOISE), None)
    change = None if needed is None else tuple(each.point for each in path.candidates[:needed])
    can_tie = path.most >= high - NOISE
    is_open = not lead.closed and abs(lead.high - lead.low) > NOISE
    weight = None if is_open or lead.high > NOISE else _weight_change(path.group, high)
    return PathStanding(path.group, lead, change, can_tie, weight)


def _weight_change(path: GroupScore, best: float) -> WeightChange | None:
    """The smallest relative change of one weight after which the mean of `path` is above `best`."""
    points = [PointExtent.settled(point.assessment) for point in path.points]
    found = [
        WeightChange(path.points[place], weight)
        for place in range(len(points))
        if (weight := _weight_above(points, place, best)) is not None
    ]
    return min(found, key=lambda each: abs(log(each.weight / each.point.assessment.point.multiplier)), default=None)


def _weight_above(points: Sequence[PointExtent], place: int, best: float) -> float | None:
    """The weight of the point at `place`, rounded to one or two decimals, that lifts the mean above `best`."""
    point = points[place]
    extent = point.extent or 0.0
    if len(points) < 2 or point.multiplier <= 0 or abs(extent - best) <= NOISE:
        return None
    others = [each for at, each in enumerate(points) if at != place]
    weights = sum(each.multiplier for each in others)
    total = sum((each.extent or 0.0) * each.multiplier for each in others)
    threshold = (best * weights - total) / (extent - best)
    for weight in _rounded(threshold, up=extent > best):
        if LOWEST <= weight <= HIGHEST and (total + extent * weight) / (weights + weight) > best + NOISE:
            return weight
    return None


def _rounded(threshold: float, *, up: bool) -> Iterator[float]:
    """Weights just beyond `threshold`, the roundest first."""
    for scale in (10, 100):
        nearest = ceil(threshold * scale) if up else floor(threshold * scale)
        yield nearest / scale
        yield (nearest + (1 if up else -1)) / scale
