"""Whether one answer can meet two points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import Point, Prompt
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.patterns import lazy
from engine.record import Record
from engine.rules.repetition.requirements import Requirement, requirement_of
from engine.text import in_quotes

_ANYWHERE = (Quantifier.ONE, Quantifier.ANY)
MOST_PAIRS = 250_000
"""How many pairs of a wanted text and a forbidden check are compared in one prompt: 500 of each."""

_NO_JSON = lazy(r"\s*(?!true|false|null|[-\d])[A-Za-z`#*]")
"""The start of a text that is no JSON."""


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
            (each, traits.ignores_case, tuple(_literals(each)))
            for each in points
            if (traits := _traits(each)) is not None and traits.target is Target.TEXT and traits.quantifier in _ANYWHERE
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
        lower = literal.lower()
        for each, any_case, texts in self._searches:
            if any_case or (ignores_case and self._but_for_case):
                if any(text.lower() in lower for text in texts):
                    return each
            elif not ignores_case and any(text in literal for text in texts):
                return each
        return None


def _traits(each: PointRequirement) -> SearchTraits | None:
    """How the point's function searches; None for a text, and for a function that does not search."""
    function = functions.find(each.requirement.name)
    return None if function is None else function.search


def _literals(each: PointRequirement) -> Iterator[str]:
    call = each.point.function
    if call is not None:
        yield from (text for text in call.texts() if text)


def exclusion_candidates(points: Iterable[Point]) -> list[Point]:
    """The checks that may exclude each other: a quick filter for `exclusion_reason`."""
    return [point for point in points if point.function is not None and _may_exclude(point.function.name)]


def _may_exclude(name: str) -> bool:
    """Whether two checks with this function can exclude each other."""
    function = functions.find(name)
    if function is None or function.negates is not None:
        return False
    return function.name in ("word_count_between", "is_json") or _fixed_end(function.search) is not None


def _fixed_end(traits: SearchTraits | None) -> Target | None:
    """The end of the answer that a function looks at; None if it looks elsewhere."""
    return traits.target if traits is not None and traits.target in (Target.START, Target.END) else None


def exclusion_reason(one: PointRequirement, other: PointRequirement) -> str | None:
    """Why no answer meets both of two wanted checks, in words that follow "an answer that"; None if one can."""
    first, second = one.point.function, other.point.function
    if first is None or second is None or not (one.requirement.wanted and other.requirement.wanted):
        return None
    end = _fixed_end(_traits(one))
    if end is _fixed_end(_traits(other)):
        if end is Target.START and _differ(first.args, second.args, str.startswith):
            return f"begins with {in_quotes(str(first.args))} does not begin with {in_quotes(str(second.args))}"
        if end is Target.END and _differ(first.args, second.args, str.endswith):
            return f"ends with {in_quotes(str(first.args))} does not end with {in_quotes(str(second.args))}"
    for each, json in ((one, other), (other, one)):
        start = None if each.point.function is None else each.point.function.args
        if json.requirement.name == "is_json" and _fixed_end(_traits(each)) is Target.START and isinstance(start, str):
            return f"is JSON does not begin with {in_quotes(start)}" if _NO_JSON.match(start) else None
    if one.requirement.name == other.requirement.name == "word_count_between":
        return _disjoint_counts(first.args, second.args)
    return None


def _differ(one: object, other: object, matches: Callable[[str, str], bool]) -> bool:
    """Whether neither text is the start (or the end) of the other, ignoring case."""
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    return not matches(one.lower(), other.lower()) and not matches(other.lower(), one.lower())


def _disjoint_counts(one: object, other: object) -> str | None:
    first, second = _bounds(one), _bounds(other)
    if first is None or second is None:
        return None
    low, high = sorted((first, second))
    return f"has at most {low[1]:g} words does not have at least {high[0]:g}" if low[1] < high[0] else None


def _bounds(args: object) -> tuple[float, float] | None:
    match args:
        case [int() | float() as least, int() | float() as most] if 0 <= least <= most:
            return float(least), float(most)
        case _:
            return None
