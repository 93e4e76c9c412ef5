"""Whether one answer can meet two points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import Point, Prompt
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.patterns import lazy
from engine.record import Record
from engine.rules.repetition.requirements import Requirement, requirement_of

_SEARCHABLE = lazy(r"(?:[^\\^$()|?*+{}]|\\[dwsDWS.])+\+?")
"""Patterns without anchors and alternatives, which mean the same to `re`."""
_ANYWHERE = (Quantifier.ONE, Quantifier.ANY)
MOST_PAIRS = 250_000
"""How many pairs of a wanted text and a forbidden check are compared in one prompt: 500 of each."""


class PointRequirement(Record):
    """A point, and what it requires in its block."""

    point: Point
    requirement: Requirement

    @property
    def loss_per_literal(self) -> float:
        """The part of the point, 0–1, that an answer loses with one of its literals."""
        traits = _traits(self)
        is_shared = traits is not None and traits.is_literal and traits.quantifier is Quantifier.ALL
        return 1 / max(len(list(_literals(self))), 1) if is_shared else 1.0


def required_points(prompt: Prompt) -> list[PointRequirement]:
    """The required points of both blocks, with what each requires."""
    return [
        PointRequirement(point, requirement_of(point, rubric.block))
        for rubric in prompt.rubrics
        for point in rubric.required
    ]


def contradiction_in(
    together: Sequence[PointRequirement], *, but_for_case: bool = False
) -> tuple[PointRequirement, tuple[PointRequirement, ...]] | None:
    """The first point that no answer meets without losing others, and these others; None if there is none.

    All of the points are required, or are on one path. With `but_for_case`, a literal that is wanted in any case
    contradicts one that is forbidden in one case only.
    """
    forbidden = _Forbidden([each for each in together if not each.requirement.wanted], but_for_case=but_for_case)
    if not forbidden.points:
        return None
    for each in together:
        if each.requirement.wanted and (others := forbidden.contradicting(each)):
            return each, others
    return None


class _Forbidden:
    """Forbidden points, and which of them an answer loses with a wanted one."""

    def __init__(self, points: Sequence[PointRequirement], *, but_for_case: bool) -> None:
        self.points = points
        self._but_for_case = but_for_case
        self._left = MOST_PAIRS
        self._by_requirement: dict[Requirement, PointRequirement] = {}
        for each in points:
            self._by_requirement.setdefault(each.requirement, each)
        self._searches = [
            (each, traits, texts)
            for each in points
            for traits, texts in ((_traits(each), tuple(_literals(each))),)
            if traits is not None and traits.quantifier in _ANYWHERE and _is_searchable(traits, texts)
        ]

    def contradicting(self, wanted: PointRequirement) -> tuple[PointRequirement, ...]:
        """The points that every answer that meets `wanted` loses."""
        same = self._by_requirement.get(wanted.requirement.opposite)
        if same is not None:
            return (same,)
        traits = _traits(wanted)
        literals = tuple(_literals(wanted))
        if traits is None or not traits.is_literal or traits.quantifier is Quantifier.AT_LEAST_N or not literals:
            return ()
        by_literal = [self._forbidding(text, ignores_case=traits.ignores_case) for text in literals]
        found = [other for other in by_literal if other is not None]
        if len(found) == len(literals) or (found and traits.quantifier is Quantifier.ALL):
            return tuple(other for index, other in enumerate(found) if all(other is not each for each in found[:index]))
        return ()

    def _forbidding(self, literal: str, *, ignores_case: bool) -> PointRequirement | None:
        """The first point that every answer loses that contains `literal`, with `ignores_case` in any case."""
        self._left -= len(self._searches)
        if self._left < 0:
            return None
        for each, traits, texts in self._searches:
            any_case = traits.ignores_case or (ignores_case and self._but_for_case)
            if (any_case or not ignores_case) and any(_finds(text, literal, traits, any_case) for text in texts):
                return each
        return None


def _is_searchable(traits: SearchTraits, texts: Sequence[str]) -> bool:
    """Whether a literal by itself shows that the texts are found in an answer that holds it."""
    is_pattern = traits.target is Target.PATTERN and all(map(_SEARCHABLE.fullmatch, texts))
    return is_pattern or traits.target is Target.TEXT


def _finds(text: str, literal: str, traits: SearchTraits, any_case: bool) -> bool:
    if not traits.is_literal:
        return re.search(text, literal, re.IGNORECASE if any_case else re.NOFLAG) is not None
    return text.lower() in literal.lower() if any_case else text in literal


def _traits(each: PointRequirement) -> SearchTraits | None:
    """How the point's function searches; None for a text, and for a function that does not search."""
    function = functions.find(each.requirement.name)
    return None if function is None else function.search


def _literals(each: PointRequirement) -> Iterator[str]:
    call = each.point.function
    if call is not None:
        yield from (text for text in call.texts() if text)
