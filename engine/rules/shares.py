"""What the parts of a prompt's rubric are worth: the arithmetic behind what rules say of paths and points."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Path, Point, Prompt
from engine.record import Record
from engine.scoring.aggregation import combined, to_fixed


class Shares(Record):
    """The parts of the score of one prompt, 0–1: of all its required points together, and of its best path.

    Both blocks count as one (002, "The Algorithm"): `points` are the required points of `should` and of `should_not`,
    `alternatives` the paths of both. The two parts add up to 1, except where the prompt has no point at all.
    """

    points: tuple[Point, ...]
    alternatives: tuple[Path, ...]
    required: float
    paths: float

    def of(self, point: Point) -> float:
        """What one required point is worth, by its weight."""
        return self.of_all((point,))

    def of_all(self, points: Sequence[Point]) -> float:
        """What some of the required points are worth together."""
        whole = sum(point.multiplier for point in self.points)
        return self.required * sum(point.multiplier for point in points) / whole if whole else 0.0


def shares_of(prompt: Prompt) -> Shares:
    """What the required points and the paths of `prompt` are worth."""
    points = tuple(point for rubric in prompt.rubrics for point in rubric.required)
    paths = tuple(path for rubric in prompt.rubrics for path in rubric.paths)
    return Shares(
        points,
        paths,
        combined(1.0 if points else None, 0.0 if paths else None) or 0.0,
        combined(0.0 if points else None, 1.0 if paths else None) or 0.0,
    )


def percent(share: float) -> str:
    """A share of 0–1 in per cent with at most one decimal: `50%`, `12.5%`."""
    return f"{hundredths(share)}%"


def hundredths(share: float) -> str:
    """A share of 0–1 in points of 100 with at most one decimal: `50`, `12.5`."""
    return to_fixed(share * 100, 1).removesuffix(".0")


def each_worth(points: Sequence[Point], shares: Shares) -> str:
    """What each of `points`, which are required, is worth: `25% each`, or `10% to 30% each`."""
    worth = sorted(shares.of(point) for point in points)
    least, most = percent(worth[0]), percent(worth[-1])
    return f"{least} each" if least == most else f"{least} to {most} each"
