"""What points want of the answer as a whole, and whether one answer can have both of two such things."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product

from engine import functions
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.rules.refusals import cut
from engine.rules.repetition.requirements import PointRequirement, is_sound
from engine.rules.wanted_amounts import Amount, amounts_in, items_in
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import in_quotes

_TEXT = r"(?P<text>(?:(?:[\w ,;:'’-]|\\[.!()?*+])(?![?*{]))*)"
_PATTERN_START = lazy(rf"(?:\(\?i\))?\^(?:\\s\*)?{_TEXT}")
_PATTERN_END = lazy(rf"(?<!\\){_TEXT}\$\Z")
_SUBJECT = (
    r"\W*(?:(?:the\s+)?(?:whole\s+|entire\s+)?(?:response|answer|model|assistant|reply|output|summary|text|message|it)\s+)?"
    r"(?:(?:should|must)\s+)?"
)
"""How a criterion may begin."""
_NOT = r"(?P<not>(?:(?:does|do|should|must)\s+not|not|doesn['’]t|shouldn['’]t|never|avoids?)\s+)?"
_QUOTED = r"""["“‘'`](?P<word>[^"”’'`]{1,60}?)[.,]?["”’'`]"""
_HELD = lazy(
    rf"""{_SUBJECT}{_NOT}
    (?:us(?:e|es|ing)|sa(?:y|ys|ying)|mention(?:s|ing)?|contain(?:s|ing)?|includ(?:e|es|ing)|nam(?:e|es|ing)|quot(?:e|es|ing)
      |cit(?:e|es|ing)|writ(?:e|es|ing)|has)\s+
    (?:the\s+)?(?:(?:exact\s+|literal\s+)?(?:words?|terms?|phrases?|expression|name|string|text)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_ONE_END = lazy(
    rf"""{_SUBJECT}{_NOT}(?P<verb>begin|start|open|end|close|finish|conclude)s?\s+with\s+(?:the\s+)?
    (?:(?:exact\s+)?(?:words?|phrase|sentence)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTES = frozenset("\"'“`‘")
_OF_CONTENT = lazy(r"\b(?:that|how|why|what|which|who|whether)\b", re.IGNORECASE)


class Literal(Record):
    """A text in quotation marks that an answer holds, begins or ends with (`place`), or must not (`is_wanted`)."""

    word: str
    place: str
    is_wanted: bool


@lru_cache(maxsize=4_000)
def literal_in(text: str) -> Literal | None:
    """The quoted text that a criterion is about, if it says nothing else."""
    if _QUOTES.isdisjoint(text):
        return None
    found = _AT_ONE_END.match(text)
    place = "" if found is None else "start" if found["verb"].lower() in ("begin", "start", "open") else "end"
    found = found or _HELD.match(text)
    return None if found is None else Literal(found["word"].strip(), place, found["not"] is None)


class Shape(Record):
    """How an answer begins and ends, how much of what it has, and whether all of it is JSON.

    `words` say so behind "an answer that", or are those of the criterion.
    """

    words: str
    start: str = ""
    end: str = ""
    ignores_case: bool = False
    amounts: tuple[Amount, ...] = ()
    is_json: bool = False

    def clash(self, other: Shape) -> tuple[str, str] | None:
        """The words of each by which no answer has both shapes; None if one can have both."""
        for one, two in product(self.amounts, other.amounts):
            if one.excludes(two):
                return one.written, two.written
        any_case = self.ignores_case or other.ignores_case
        is_clash = (
            _differ(self.start.lstrip(), other.start.lstrip(), str.startswith, any_case=any_case)
            or _differ(self.end.rstrip(), other.end.rstrip(), str.endswith, any_case=any_case)
            or (self.is_json and other.is_prose)
            or (other.is_json and self.is_prose)
        )
        return (self.words, other.words) if is_clash else None

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
    """What a wanted point wants of the whole answer; None of another point, and of one that wants nothing of it."""
    if not each.requirement.wanted:
        return None
    return _of_text(each.point.text) if each.point.text is not None else _of_check(each)


def _of_text(text: str) -> Shape | None:
    """The amounts of a criterion, and how an answer begins or ends; what it says of the content is no amount."""
    amounts = () if _OF_CONTENT.search(text) is not None else amounts_in(text)
    items, found = items_in(text), literal_in(text)
    amounts = amounts if items is None else (*amounts, items)
    start, end = (
        found.word if found is not None and found.is_wanted and found.place == place else ""
        for place in ("start", "end")
    )
    return Shape(text, start, end, True, amounts) if amounts or start or end else None


def _of_check(each: PointRequirement) -> Shape | None:
    call = each.point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.negates is not None or not is_sound(each.point):
        return None
    match function.name, call.args:
        case "is_json", _:
            return Shape("is JSON", is_json=True)
        case "word_count_between", [int() | float() as least, int() | float() as most] if 0 <= least <= most:
            words = f"has {least:g} to {most:g} words"
            return Shape(words, amounts=(Amount("word", least, most, words),))
        case _:
            return None if function.search is None else _of_search(function.search, [*call.texts()])


def _of_search(search: SearchTraits, texts: Sequence[str]) -> Shape | None:
    if search.quantifier not in (Quantifier.ONE, Quantifier.ALL) or not any(texts):
        return None
    text = max(texts, key=lambda text: len(text.split()))
    start, end = text if search.target is Target.START else "", text if search.target is Target.END else ""
    if not search.is_literal:
        start, end = _ends(text)
    if not (start or end or search.is_literal):
        return None
    where = "begins with" if start else "ends with" if end else "contains"
    words = f"{where} {in_quotes(cut(start or end or text))}"
    amounts = (Amount("word", len(text.split()), math.inf, words),) if search.is_literal else ()
    return Shape(words, start, end, search.ignores_case or text.startswith("(?i)"), amounts)


@lru_cache(maxsize=500)
def _ends(pattern: str) -> tuple[str, str]:
    """The texts with which an answer begins and ends in which an anchored pattern is found; "" for an unknown one."""
    found = () if "|" in pattern else (_PATTERN_START.match(pattern), _PATTERN_END.search(pattern))
    first, last = (re.sub(r"\\(.)", r"\1", each["text"]) if each else "" for each in found or (None, None))
    return first, last
