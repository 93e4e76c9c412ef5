"""Points that an answer meets just by not doing something."""

from __future__ import annotations

from engine.blueprint import Point
from engine.rules.checks import is_negated
from engine.rules.phrases.families import found_in


def is_negative_point(point: Point) -> bool:
    """Whether a point is a criterion in the form of a prohibition, or a `$not_` check."""
    if point.function is not None:
        return is_negated(point)
    return "double-negative" in found_in(point.text or "")
