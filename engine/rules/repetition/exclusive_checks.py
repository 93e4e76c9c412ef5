"""What checks want of the answer as a whole, and whether one answer can have both of two such things."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from engine import functions
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.patterns import lazy
from engine.record import Record
from engine.rules.refusals import cut
from engine.rules.repetition.exclusion import PointRequirement
from engine.rules.repetition.requirements import is_sound
from engine.text import in_quotes

_LITERAL = r"(?P<text>(?:(?:[\w ,;:'’-]|\\[.!()?*+])(?![?*{]))*)"
_START = lazy(rf"(?:\(\?i\))?\^(?:\\s\*)?{_LITERAL}")
_END = lazy(rf"(?<!\\){_LITERAL}\$\Z")


class Shape(Record):
    """How an answer begins and ends, from `least` to `most` words, and whether all of it is JSON.

    `words` say so behind "an answer that".
    """

    words: str
    start: str = ""
    end: str = ""
    ignores_case: bool = False
    least: float = 0.0
    most: float = math.inf
    is_json: bool = False

    def excludes(self, other: Shape) -> bool:
        """Whether no answer has both shapes."""
        any_case = self.ignores_case or other.ignores_case
        return (
            self.most < other.least
            or other.most < self.least
            or _differ(self.start.lstrip(), other.start.lstrip(), str.startswith, any_case=any_case)
            or _differ(self.end.rstrip(), other.end.rstrip(), str.endswith, any_case=any_case)
            or (self.is_json and other.is_prose)
            or (other.is_json and self.is_prose)
        )

    @property
    def is_prose(self) -> bool:
        """Whether it begins or ends as no JSON object and no list does."""
        start, end = self.start.lstrip()[:1], self.end.rstrip()[-1:]
        return (start not in ("", "{", "[")) or (end not in ("", "}", "]"))


def _differ(one: str, other: str, matches: Callable[[str, str], bool], *, any_case: bool) -> bool:
    """Whether neither text is the start (or the end) of the other."""
    if any_case:
        one, other = one.lower(), other.lower()
    return not matches(one, other) and not matches(other, one)


def shape_of(each: PointRequirement) -> Shape | None:
    """What a wanted check wants of the whole answer; None of another point, and of a check that wants nothing of it."""
    call = each.point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or not each.requirement.wanted or function.negates is not None:
        return None
    if not is_sound(each.point):
        return None
    match function.name, call.args:
        case "is_json", _:
            return Shape("is JSON", is_json=True)
        case "word_count_between", [int() | float() as least, int() | float() as most] if 0 <= least <= most:
            return Shape(f"has {least:g} to {most:g} words", least=least, most=most)
        case _:
            return None if function.search is None else _of_search(function.search, [*call.texts()])


def _of_search(search: SearchTraits, texts: Sequence[str]) -> Shape | None:
    if search.quantifier not in (Quantifier.ONE, Quantifier.ALL) or not any(texts):
        return None
    text = max(texts, key=lambda text: len(text.split()))
    start, end = text if search.target is Target.START else "", text if search.target is Target.END else ""
    if not search.is_literal:
        start, end = _ends(text)
    if start or end or search.is_literal:
        where = "begins with" if start else "ends with" if end else "contains"
        least = len(text.split()) if search.is_literal else 0
        any_case = search.ignores_case or text.startswith("(?i)")
        return Shape(f"{where} {in_quotes(cut(start or end or text))}", start, end, any_case, least)
    return None


@lru_cache(maxsize=500)
def _ends(pattern: str) -> tuple[str, str]:
    """The texts with which an answer begins and ends in which an anchored pattern is found; "" for an unknown one."""
    found = () if "|" in pattern else (_START.match(pattern), _END.search(pattern))
    first, last = (re.sub(r"\\(.)", r"\1", each["text"]) if each else "" for each in found or (None, None))
    return first, last
