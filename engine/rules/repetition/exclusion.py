"""Whether one answer can meet two points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.record import Record
from engine.rules.repetition.requirements import Requirement

_HELD = {
    "contains",
    "contains_word",
    "starts_with",
    "ends_with",
    "contains_all_of",
    "contains_any_of",
}
"""Checks that are met only by an answer that holds a literal, and their twins that look past capitals with an `i`."""

_SOUGHT = {"contains", "contains_any_of"}
"""Checks that find a literal anywhere: an answer that must hold a longer one does not escape them."""

_EXCLUDING = {
    "word_count_between",
    *("starts_with", "start_with", "istarts_with", "istart_with"),
    *("ends_with", "end_with", "iends_with", "iend_with"),
}

_LONGEST_PLAIN = 70
_WHO = r"(?:(?:the\s+)?(?:response|answer|model|assistant|ai|it)\s+)?(?:should\s+|must\s+)?(?:politely\s+|clearly\s+)?"
_WHAT = r"(?:\s+(?:the\s+)?(?:question|request|prompt|user|user['’]s\s+(?:question|request)))?"
_REFUSES = re.compile(rf"{_WHO}(?:refuses?|declines?)(?:\s+to\s+(?:answer|comply|help))?(?:\s+with)?{_WHAT}\.?", re.I)
_ANSWERS = re.compile(
    rf"{_WHO}(?:answers?|complies\s+with|comply\s+with|fulfill?s?){_WHAT}(?:\s+(?:fully|directly))?\.?", re.I
)
"""Nothing more than that it refuses, or that it answers: with more words, both may be meant of different things."""


class PointRequirement(Record):
    """A point, and what it asks where it stands."""

    point: Point
    demand: Requirement

    @property
    def part(self) -> float:
        """How much of the point, 0–1, is lost with one of its literals."""
        literals = len(list(_literals(self))) if _base(self.demand.name) == "contains_all_of" else 1
        return 1 / max(literals, 1)


def contradiction_in(
    together: Sequence[PointRequirement],
) -> tuple[PointRequirement, tuple[PointRequirement, ...]] | None:
    """The first of these points that no answer meets without losing others of them, and those others; None where none.

    All of them are required, or stand on one path.
    """
    forbidding = [asked for asked in together if not asked.demand.wanted]
    if not forbidding:
        return None
    for asked in together:
        if asked.demand.wanted and (others := tuple(_against(asked, forbidding))):
            return asked, others
    return None


def _against(asked: PointRequirement, forbidding: Sequence[PointRequirement]) -> Iterator[PointRequirement]:
    same = next((other for other in forbidding if other.demand == asked.demand.opposite), None)
    if same is not None:
        yield same
        return
    literals = list(_literals(asked))
    if not literals or _base(asked.demand.name) not in _HELD:
        return
    against = [next((other for other in forbidding if _forbids(other, asked, text)), None) for text in literals]
    found = [other for other in against if other is not None]
    if len(found) == len(literals) or (found and _base(asked.demand.name) == "contains_all_of"):
        yield from (other for index, other in enumerate(found) if all(other is not each for each in found[:index]))


def _forbids(forbidding: PointRequirement, asked: PointRequirement, literal: str) -> bool:
    """Whether an answer that holds `literal`, as `asked` wants it, holds what is forbidden."""
    if _base(forbidding.demand.name) not in _SOUGHT:
        return False
    if _is_any_case(forbidding.demand.name):
        return any(text.lower() in literal.lower() for text in _literals(forbidding))
    return not _is_any_case(asked.demand.name) and any(text in literal for text in _literals(forbidding))


def _literals(asked: PointRequirement) -> Iterator[str]:
    call = asked.point.function
    if call is not None:
        yield from (text for text in call.texts() if text)


def _base(name: str) -> str:
    return name.removeprefix("i") if name.removeprefix("i") in _HELD else name


def _is_any_case(name: str) -> bool:
    return name.startswith("i")


def exclusion_candidates(points: Iterable[Point]) -> list[Point]:
    """Those of `points` of which two can rule each other out: a quick look before a closer one."""
    checks: list[Point] = []
    refusals: list[Point] = []
    answers: list[Point] = []
    for point in points:
        text = point.text
        if text is None:
            name = "" if point.function is None else point.function.name
            if name in _EXCLUDING:
                checks.append(point)
        elif len(text) <= _LONGEST_PLAIN:
            if ("efuse" in text or "ecline" in text) and _REFUSES.fullmatch(text):
                refusals.append(point)
            elif ("nswer" in text or "ompl" in text or "ulfil" in text) and _ANSWERS.fullmatch(text):
                answers.append(point)
    return [*checks, *(refusals + answers if refusals and answers else ())]


def exclusion_reason(one: PointRequirement, other: PointRequirement) -> str | None:
    """Why no answer meets both of two wanted checks, in words that follow "an answer that"; None where one can."""
    first, second = one.point.function, other.point.function
    if not (one.demand.wanted and other.demand.wanted):
        return None
    if first is None or second is None:
        texts = {one.point.text, other.point.text} - {None}
        refuses = any(_REFUSES.fullmatch(text) for text in texts if text is not None)
        answers = any(_ANSWERS.fullmatch(text) for text in texts if text is not None)
        return "refuses does not answer" if refuses and answers else None
    names = {one.demand.name.removeprefix("i"), other.demand.name.removeprefix("i")}
    if names == {"starts_with"} and _differ(first.args, second.args, str.startswith):
        return f"begins with “{first.args}” does not begin with “{second.args}”"
    if names == {"ends_with"} and _differ(first.args, second.args, str.endswith):
        return f"ends with “{first.args}” does not end with “{second.args}”"
    if one.demand.name == other.demand.name == "word_count_between":
        return _apart(first.args, second.args)
    return None


def _differ(one: object, other: object, holds: Callable[[str, str], bool]) -> bool:
    """Whether neither text is the beginning, or the end, of the other, whatever their capitals."""
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    return not holds(one.lower(), other.lower()) and not holds(other.lower(), one.lower())


def _apart(one: object, other: object) -> str | None:
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
