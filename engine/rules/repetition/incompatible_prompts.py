"""Whether two rubrics for one conversation can both be met, and the two points that say that they cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from engine.blueprint import Prompt
from engine.patterns import lazy
from engine.record import Record
from engine.rules.functions.format_misses import literal_search
from engine.rules.language.changed_words import rival_claims
from engine.rules.language.demands import demand_of
from engine.rules.language.opposed import opposition
from engine.rules.language.stances import opposed_stances
from engine.rules.language.whole_answer import Aspect, AspectValue, are_exclusive, aspects_of
from engine.rules.repetition.conflicting_texts import as_texts, forbidden_text
from engine.rules.repetition.exclusion import PointRequirement, contradiction_in
from engine.rules.repetition.exclusive_checks import shape_of
from engine.rules.repetition.requirements import requirement_of
from engine.rules.repetition.rival_criteria import rivals
from engine.rules.source.prompt_texts import question_of
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


_DECIDES = lazy(r"(?P<value>yes|no|[A-H])[.,:!]?", re.IGNORECASE)
"""A beginning that is the decision or the choice itself."""


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
        or _opposed(one, other, earlier)
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
        asking = as_texts(wanted)
        conflict = forbidden_text([*asking, *as_texts(_forbidding(forbidding))])
        if conflict is not None and any(conflict.one is each for each in asking):
            pair = [(conflict.one, conflict.one_words), (conflict.other, conflict.other_words)]
            (a, first), (b, second) = reversed(pair) if swapped else pair
            return Incompatible(a.point.subject_span, b.point.subject_span, _short(first), _short(second))
    return None


def _forbidding(points: Sequence[PointRequirement]) -> list[PointRequirement]:
    """The points that forbid something: those of `should_not`, and negative ones of `should`."""
    return [each for each in points if not each.requirement.wanted or _is_negative(each.point.text or "")]


def _is_negative(text: str) -> bool:
    demand = demand_of(text) if text else None
    return demand is not None and demand.is_negative


def _opposed(one: Sequence[PointRequirement], other: Sequence[PointRequirement], prompt: Prompt) -> Incompatible | None:
    request = question_of(prompt)
    for first, second in product(one, other):
        if not (first.requirement.wanted and second.requirement.wanted):
            continue
        words = _opposed_words(first, second, request)
        if words is not None:
            return Incompatible(first.point.subject_span, second.point.subject_span, *words)
    return None


def _opposed_words(first: PointRequirement, second: PointRequirement, request: str) -> tuple[str, str] | None:
    one, other = first.point.text, second.point.text
    for left, right in product(_aspects(first), _aspects(second)):
        if are_exclusive(left, right):
            return _short(left.written), _short(right.written)
    if one is not None and other is not None and one != other:
        found = opposition(one, other, request)
        words = _stances(one, other) if found is None else (found.one, found.other)
        alike = rivals(one, other) if words is None else None
        words = words if alike is None else (alike.one, alike.other)
        return None if words is None else (_short(words[0]), _short(words[1]))
    if any(left.excludes(right) for left, right in product(_amounts(first), _amounts(second))):
        return _shown(first), _shown(second)
    shape, rival = shape_of(first), shape_of(second)
    if shape is not None and rival is not None and shape.excludes(rival):
        return _shown(first), _shown(second)
    return None


def _stances(one: str, other: str) -> tuple[str, str] | None:
    """Two sides of one thing, or two names or numbers for it: “says that it is Sydney”, “says that it is Canberra”."""
    found = opposed_stances(one, other)
    if found is None and rival_claims(one, other) and all(map(_ends_in_name, (one, other))):
        return one, other
    return found


def _ends_in_name(text: str) -> bool:
    last = text.rstrip(" .!").rsplit(None, 1)[-1]
    return last[:1].isupper() or last[:1].isdigit()


def _aspects(each: PointRequirement) -> tuple[AspectValue, ...]:
    """What a point wants of the answer as a whole; of a check, by how the answer begins or what all of it is."""
    call = each.point.function
    if call is None:
        return aspects_of(each.point.text or "")
    shape = shape_of(each)
    if shape is not None and shape.is_json:
        return (AspectValue(Aspect.FORM, "json", "$is_json"),)
    found = None if shape is None else _DECIDES.fullmatch(shape.start)
    if found is None:
        return ()
    aspect = Aspect.CHOICE if len(found["value"]) == 1 else Aspect.DECISION
    return (AspectValue(aspect, found["value"].lower(), _shown(each)),)


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
