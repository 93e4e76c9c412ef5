"""Intervals of sums of scores that share unknown verdicts.

A score is a sum of a mean and of the greatest of some means, each linear in the unknown extents. An unknown extent is
the same number wherever it occurs, so in a difference of two scores it may cancel: the interval of the difference is
narrower than the difference of the two intervals.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import product

from engine.record import Record
from engine.scoring.assessment import ANY_EXTENT, Bounds

_MOST_CHOICES = 4096
"""Above so many combinations of best paths, the paths of each score are bounded by themselves."""


class Interval(Record, gc=False):
    """The least and the greatest value that is possible."""

    low: float
    high: float

    @property
    def is_closed(self) -> bool:
        """Whether only one value is possible."""
        return self.high - self.low < 1e-12


class OpenPoint(Record):
    """A point of a score: its extent after inversion (0–1), or None and the `unknown` that decides it.

    Two points with the same `unknown` have the same extent, which is one of those `possible`.
    """

    extent: float | None
    multiplier: float
    path_id: str | None
    unknown: Hashable = None
    possible: Bounds = ANY_EXTENT


class _Linear(Record):
    """A constant, and the factor of each unknown: 0 is the lowest extent that is possible, 1 the highest."""

    constant: float
    factors: Mapping[Hashable, float]

    @classmethod
    def mean(cls, points: Sequence[OpenPoint]) -> _Linear:
        weights = sum(point.multiplier for point in points)
        constant = 0.0
        factors: dict[Hashable, float] = {}
        for point in points:
            share = point.multiplier / weights
            if point.extent is None:
                low, high = point.possible.low, point.possible.high
                constant += low * share
                factors[point.unknown] = factors.get(point.unknown, 0.0) + (high - low) * share
            else:
                constant += point.extent * share
        return cls(constant, factors)

    def interval(self) -> Interval:
        low = self.constant + sum(min(each, 0.0) for each in self.factors.values())
        return Interval(low, self.constant + sum(max(each, 0.0) for each in self.factors.values()))


class OpenScore(Record):
    """A score with unknown extents: the mean of the required points (None without them), the means of the paths, and
    the share of each of the two."""

    required: _Linear | None
    paths: tuple[_Linear, ...]
    share: float

    @classmethod
    def of(cls, points: Sequence[OpenPoint]) -> OpenScore:
        groups: dict[str | None, list[OpenPoint]] = {}
        for point in points:
            groups.setdefault(point.path_id, []).append(point)
        means = {
            path_id: _Linear.mean(group)
            for path_id, group in groups.items()
            if sum(point.multiplier for point in group) > 0
        }
        required = means.pop(None, None)
        paths = tuple(means.values())
        return cls(required, paths, 0.5 if required is not None and paths else 1.0)

    @property
    def value(self) -> float | None:
        """The score if nothing is unknown; None if something is."""
        parts = (*self.paths, *(() if self.required is None else (self.required,)))
        if any(part.factors for part in parts):
            return None
        required = 0.0 if self.required is None else self.required.constant
        return self.share * (required + max((path.constant for path in self.paths), default=0.0))


Term = tuple[float, OpenScore]
"""A factor and a score."""


def joint_interval(terms: Sequence[Term]) -> Interval:
    """The interval of the sum of scores, each with its factor, over all extents from 0 to 1 of the unknown points.

    Every completion lies within it. Without paths it is the narrowest one; so it is where scores are the same.
    """
    values = [score.value for _, score in terms]
    known_values = [value for value in values if value is not None]
    if len(known_values) == len(values):
        total = sum(factor * value for (factor, _), value in zip(terms, known_values, strict=True))
        return Interval(total, total)
    scores = _without_equals(terms)
    known = [(factor * score.share, score.required) for factor, score in scores if score.required is not None]
    with_paths = [(factor * score.share, score.paths) for factor, score in scores if score.paths]
    positive = [each for each in with_paths if each[0] > 0]
    negative = [each for each in with_paths if each[0] < 0]
    choices = 1
    for _, paths in with_paths:
        choices *= len(paths)
    if choices > _MOST_CHOICES:
        return _apart(known, with_paths)
    least = _greatest(
        [(-factor, linear) for factor, linear in known],
        [(-factor, paths) for factor, paths in negative],
        [(-factor, paths) for factor, paths in positive],
    )
    return Interval(-least, _greatest(known, positive, negative))


def _greatest(
    known: Sequence[tuple[float, _Linear]],
    positive: Sequence[tuple[float, tuple[_Linear, ...]]],
    negative: Sequence[tuple[float, tuple[_Linear, ...]]],
) -> float:
    """An upper bound: one path of each score that is added is the best, and any path bounds one that is subtracted."""
    return max(
        min(
            _sum([*known, *best, *other]).interval().high
            for other in product(*([(factor, path) for path in paths] for factor, paths in negative))
        )
        for best in product(*([(factor, path) for path in paths] for factor, paths in positive))
    )


def _apart(known: Sequence[tuple[float, _Linear]], with_paths: Sequence[tuple[float, tuple[_Linear, ...]]]) -> Interval:
    """The sum of the interval of all required points and the intervals of the paths of each score by itself."""
    total = _sum(known).interval()
    low, high = total.low, total.high
    for factor, paths in with_paths:
        ranges = [path.interval() for path in paths]
        ends = factor * max(each.low for each in ranges), factor * max(each.high for each in ranges)
        low, high = low + min(ends), high + max(ends)
    return Interval(low, high)


def _sum(terms: Sequence[tuple[float, _Linear]]) -> _Linear:
    constant = 0.0
    factors: dict[Hashable, float] = {}
    for factor, linear in terms:
        constant += factor * linear.constant
        for unknown, share in linear.factors.items():
            factors[unknown] = factors.get(unknown, 0.0) + factor * share
    return _Linear(constant, factors)


def _without_equals(scores: Sequence[tuple[float, OpenScore]]) -> list[tuple[float, OpenScore]]:
    """The scores with the factors of equal ones added up; those that cancel are left out."""
    found: list[tuple[float, OpenScore]] = []
    for factor, score in scores:
        at = next((at for at, (_, other) in enumerate(found) if other == score), None)
        if at is None:
            found.append((factor, score))
        else:
            found[at] = (found[at][0] + factor, score)
    return [(factor, score) for factor, score in found if factor]
