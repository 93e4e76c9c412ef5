"""The points of a rubric, by their texts in results, by which cases name them."""

from __future__ import annotations

from engine.blueprint import Prompt
from engine.cases.case import NamedPoint
from engine.functions import point_text
from engine.scoring.assessment import Criterion
from engine.scoring.placement import place


def points_named(prompt: Prompt, name: NamedPoint) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points with this name."""
    return tuple(
        index
        for index, placed in enumerate(place(prompt))
        if point_text(placed.point) == name.text and name.block in (None, placed.rubric.block)
    )


def criteria_of(prompt: Prompt) -> tuple[Criterion, ...]:
    """The criteria in words, each with its block."""
    return tuple(
        Criterion(placed.rubric.block, placed.point.text) for placed in place(prompt) if placed.point.text is not None
    )
