"""The points of a rubric, by which cases name them: by their texts in results, checks as in the rubric too."""

from __future__ import annotations

from engine.blueprint import Point, Prompt
from engine.cases.case import NamedPoint
from engine.functions import point_text
from engine.scoring.assessment import Criterion
from engine.scoring.explanation_text import point_label
from engine.scoring.placement import place


def points_named(prompt: Prompt, name: NamedPoint) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points with this name."""
    return tuple(
        index
        for index, placed in enumerate(place(prompt))
        if name.text in _names(placed.point) and name.block in (None, placed.rubric.block)
    )


def criteria_of(prompt: Prompt) -> tuple[Criterion, ...]:
    """The criteria in words, each with its block."""
    return tuple(
        Criterion(placed.rubric.block, placed.point.text) for placed in place(prompt) if placed.point.text is not None
    )


def _names(point: Point) -> tuple[str, ...]:
    """A criterion; a check as in results, `Function: contains("x")`, and as in the rubric, `$contains: x`."""
    if point.function is None:
        return (point_text(point),)
    return point_text(point), point_label(point)
