"""The texts that checks look for in an answer, as literals or as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine import functions
from engine.blueprint import Point
from engine.functions.point_function import Quantifier
from engine.patterns import lazy
from engine.record import Record

CHARACTER_CLASS = lazy(r"\[(?:\\.|[^\]\\])*\]", re.DOTALL)
"""A class of characters in a pattern, such as `['’]`."""


class SearchedText(Record):
    """A text that a check looks for, or that it matches as a pattern.

    `others` are all texts of a check that passes with any of them, or with some; none of one that needs them all.
    """

    point: Point
    text: str
    is_pattern: bool
    others: tuple[str, ...]


def searched_texts(points: Iterable[Point]) -> Iterator[SearchedText]:
    """The texts of all checks of `points` that search the answer, in order."""
    for point in points:
        call = point.function
        function = None if call is None else functions.find(call.name)
        if call is None or function is None or function.search is None:
            continue
        texts = tuple(call.texts())
        any_will_do = function.search.quantifier in (Quantifier.ANY, Quantifier.AT_LEAST_N)
        for text in texts:
            yield SearchedText(point, text, not function.search.is_literal, texts if any_will_do else ())


def written_texts(points: Iterable[Point]) -> Iterator[str]:
    """All texts among the arguments of checks."""
    for point in points:
        if point.function is not None:
            yield from point.function.texts()
