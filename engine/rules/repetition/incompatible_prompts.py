"""Whether two rubrics for one conversation can both be met, and the two points that say that they cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from engine.blueprint import Prompt
from engine.patterns import lazy
from engine.record import Record
from engine.rules.functions.format_misses import literal_search
from engine.rules.repetition.exclusion import PointRequirement, contradiction_in
from engine.rules.repetition.exclusive_checks import Shape, shape_of
from engine.rules.repetition.requirements import requirement_of
from engine.rules.repetition.rival_criteria import rivals
from engine.rules.repetition.stated_forms import exclusive_words, shape_of_text
from engine.rules.wanted_amounts import Amount, amounts_in
from engine.text import Span

_MOST_POINTS = 16
"""Points of a prompt that are compared."""
_MOST_VARIANTS = 8
"""Combinations of alternative paths of a prompt that are compared."""
_MOST_WORDS = 60
_SHORT_IDEAL = 12
"""Words of an ideal that is a value and not a text."""


_IS_IDEAL = lazy(
    r"""\b(?:equivalent|identical|equals?|same|match\w*)\b[^.;]{0,40}?
    \b(?:ideal|reference|golden|gold[-\s]standard|gold|ground[-\s]truth)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The answer is to be the ideal one, whatever that is."""


_NUMBER = lazy(r"\d[\d.,]*\d")


class Incompatible(Record):
    """Two points that no answer meets both, one of each prompt, and the words of each that say so."""

    earlier: Span
    later: Span
    earlier_words: str
    later_words: str


def incompatible_points(earlier: Prompt, later: Prompt) -> Incompatible | None:
    """Two points of which every answer loses one; None if one answer can meet both rubrics for all that is known.

    With alternative paths, each choice of a path in one prompt is incompatible with each in the other.
    """
    first: Incompatible | None = None
    for one, other in product(_variants(earlier), _variants(later)):
        found = _of_points(one, other, earlier, later)
        if found is None:
            return None
        first = first or found
    return first


def _variants(prompt: Prompt) -> list[list[PointRequirement]]:
    """What an answer has to meet: the required points, and with alternative paths those of each in turn."""
    required = [
        PointRequirement(point, requirement_of(point, rubric.block))
        for rubric in prompt.rubrics
        for point in islice(rubric.required, _MOST_POINTS)
    ]
    paths = [
        [PointRequirement(point, requirement_of(point, rubric.block)) for point in path.points[:_MOST_POINTS]]
        for rubric in prompt.rubrics
        if not rubric.block.inverted
        for path in rubric.paths
    ]
    return [[*required, *path] for path in paths[:_MOST_VARIANTS]] or [required]


def _of_points(
    one: Sequence[PointRequirement], other: Sequence[PointRequirement], earlier: Prompt, later: Prompt
) -> Incompatible | None:
    return (
        _forbidden(one, other)
        or _opposed(one, other)
        or _ideals(one, other, earlier, later)
        or _lone_numbers(one, other)
    )


def _forbidden(one: Sequence[PointRequirement], other: Sequence[PointRequirement]) -> Incompatible | None:
    """What one prompt asks for and the other forbids."""
    for wanting, forbidding, swapped in ((one, other, False), (other, one, True)):
        wanted = [each for each in wanting if each.requirement.wanted]
        unwanted = [each for each in forbidding if not each.requirement.wanted]
        found = contradiction_in([*wanted, *unwanted])
        if found is not None:
            asked, lost = found[0], found[1][0]
            places = [(asked.point.subject_span, _shown(asked)), (lost.point.subject_span, f"not {_shown(lost)}")]
            (a, first), (b, second) = reversed(places) if swapped else places
            return Incompatible(a, b, first, second)
    return None


def _opposed(one: Sequence[PointRequirement], other: Sequence[PointRequirement]) -> Incompatible | None:
    for first, second in product(one, other):
        if first.requirement.wanted and second.requirement.wanted:
            words = _opposed_words(first, second)
            if words is not None:
                return Incompatible(first.point.subject_span, second.point.subject_span, *map(_short, words))
    return None


def _opposed_words(first: PointRequirement, second: PointRequirement) -> tuple[str, str] | None:
    one, other = first.point.text, second.point.text
    if one is not None and other is not None:
        return None if one == other else exclusive_words(one, other) or rivals(one, other)
    if any(left.excludes(right) for left, right in product(_amounts(first), _amounts(second))):
        return _shown(first), _shown(second)
    shape, rival = _shape(first), _shape(second)
    if shape is not None and rival is not None and shape.excludes(rival):
        return _shown(first), _shown(second)
    return None


def _shape(each: PointRequirement) -> Shape | None:
    return shape_of(each) if each.point.function is not None else shape_of_text(each.point.text or "")


def _amounts(each: PointRequirement) -> tuple[Amount, ...]:
    """The numbers of words, sentences and so on that a point wants."""
    call = each.point.function
    if call is None:
        return amounts_in(each.point.text or "")
    shape = shape_of(each)
    return () if shape is None else (Amount("word", shape.least, shape.most, _shown(each)),)


def _ideals(
    one: Sequence[PointRequirement], other: Sequence[PointRequirement], earlier: Prompt, later: Prompt
) -> Incompatible | None:
    """Two ideals that differ: both rubrics ask for their own, or each fails what the other prompt looks for."""
    first, second = (" ".join((prompt.ideal or "").split()) for prompt in (earlier, later))
    if not first or not second or first.casefold() == second.casefold():
        return None
    for asked, wanted in product(one, other):
        if all(each.requirement.wanted and _IS_IDEAL.search(each.point.text or "") for each in (asked, wanted)):
            return Incompatible(asked.point.subject_span, wanted.point.subject_span, _short(first), _short(second))
    if max(len(first.split()), len(second.split())) > _SHORT_IDEAL:
        return None
    found = [(asked, wanted) for asked in _failed(one, second, first) for wanted in _failed(other, first, second)]
    if not found:
        return None
    asked, wanted = found[0]
    return Incompatible(asked.point.subject_span, wanted.point.subject_span, _shown(asked), _shown(wanted))


def _lone_numbers(one: Sequence[PointRequirement], other: Sequence[PointRequirement]) -> Incompatible | None:
    """Two numbers, of as many digits, each of which is all that its prompt looks for."""
    if len(one) != 1 or len(other) != 1:
        return None
    first, second = _literal(one[0]), _literal(other[0])
    if first == second or len(first) != len(second) or not all(map(_NUMBER.fullmatch, (first, second))):
        return None
    return Incompatible(one[0].point.subject_span, other[0].point.subject_span, first, second)


def _failed(points: Sequence[PointRequirement], answer: str, ideal: str) -> Iterator[PointRequirement]:
    """The points that look for the whole of `ideal`, a short value, and do not find it in `answer`."""
    value = ideal.casefold().rstrip(".")
    if value not in answer.casefold():
        yield from (each for each in points if _literal(each).strip().casefold() == value)


def _literal(each: PointRequirement) -> str:
    """The one text that a wanted check looks for, "" if it does not."""
    call = each.point.function
    is_literal = each.requirement.wanted and literal_search(each.point) is not None
    return call.args if call is not None and is_literal and isinstance(call.args, str) else ""


def _shown(each: PointRequirement) -> str:
    call = each.point.function
    if call is None:
        return _short(each.point.text or "")
    texts = list(call.texts())
    if texts:
        return _short(texts[0] if len(texts) == 1 else f"{texts[0]} …")
    match call.args:
        case [int() | float() as least, int() | float() as most, *_]:
            return f"{least:g} to {most:g} words"
        case _:
            return f"${call.name}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_WORDS else f"{line[: _MOST_WORDS - 1].rstrip()}…"
