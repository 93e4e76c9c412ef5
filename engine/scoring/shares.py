"""The share of the score that each part of a prompt's rubric is worth."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Path, Point, Prompt
from engine.scoring.explanation_text import number_text
from engine.scoring.sums import combined
from engine.text.record import Record
from engine.text.spans import Span


class Shares(Record):
    """The shares of one prompt's score, 0–1: `required` of all required points, `paths` of the best path.

    Both blocks count as one (002, "The Algorithm"): `points` are the required points of `should` and of `should_not`,
    `alternatives` the paths of both. The two shares add up to 1, except in a prompt without points.
    """

    points: tuple[Point, ...]
    alternatives: tuple[Path, ...]
    required: float
    paths: float
    weight: float
    """The sum of the weights of `points`."""
    spans: frozenset[Span]
    """The spans of `points`."""

    def is_required(self, point: Point) -> bool:
        """Whether `point`, one of the prompt, is among `points`."""
        return point.span in self.spans

    def of(self, point: Point) -> float:
        """The share of one required point, by its weight."""
        return self.of_all((point,))

    def of_all(self, points: Sequence[Point]) -> float:
        """The share of some of the required points together."""
        total = self.weight
        return self.required * sum(point.multiplier for point in points) / total if total else 0.0


_newest: list[tuple[Prompt, Shares]] = []
"""The prompt that was asked about last: rules ask for the shares of the same prompt at each of its points."""


def shares_of(prompt: Prompt) -> Shares:
    """The shares of the required points and the paths of `prompt`."""
    for known, shares in _newest:
        if known is prompt:
            return shares
    shares = _shares(prompt)
    _newest[:] = [(prompt, shares)]
    return shares


def _shares(prompt: Prompt) -> Shares:
    points = tuple(point for rubric in prompt.rubrics for point in rubric.required)
    paths = tuple(path for rubric in prompt.rubrics for path in rubric.paths)
    return Shares(
        points,
        paths,
        combined(1.0 if points else None, 0.0 if paths else None) or 0.0,
        combined(0.0 if points else None, 1.0 if paths else None) or 0.0,
        sum(point.multiplier for point in points),
        frozenset([point.span for point in points]),
    )


def points_of_100(prompt: Prompt, point: Point) -> str | None:
    """What a required point is worth, in points of 100: `12.5`; None if the point is not required."""
    shares = shares_of(prompt)
    return hundredths(shares.of(point)) if shares.is_required(point) else None


def percent(share: float) -> str:
    """A share of 0–1 as a percentage with at most one decimal: `50%`, `12.5%`."""
    return f"{hundredths(share)}%"


def hundredths(share: float) -> str:
    """A share of 0–1 in points of 100 with at most one decimal: `50`, `12.5`."""
    return number_text(share)


def each_worth(points: Sequence[Point], shares: Shares) -> str:
    """The share of each of `points`, all of them required: `25% each`, or `10% to 30% each`."""
    worth = sorted(shares.of(point) for point in points)
    least, most = percent(worth[0]), percent(worth[-1])
    return f"{least} each" if least == most else f"{least} to {most} each"
