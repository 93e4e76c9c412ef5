"""Points that an answer meets just by not doing something."""

from __future__ import annotations

from engine.blueprint import Point
from engine.rules.checks import is_negated
from engine.rules.language.negations import is_negative
from engine.rules.source.criterion_signs import Sign, signs


def is_negative_point(point: Point) -> bool:
    """Whether a point is a negative criterion or a `$not_` check."""
    if point.function is not None:
        return is_negated(point)
    text = point.text or ""
    return Sign.NEGATION in signs(text) and is_negative(text)
