"""The passage of an answer that is most similar to what a check looks for and does not find."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import SearchTraits
from engine.rules.source.regex_parser import Literal, concatenations, parse_regex
from engine.text.record import Record
from engine.text.spans import Span

_MIN_LENGTH = 3
_MAX_TEXTS = 12
"""How many texts of a long list are searched for: each search takes time in proportion to the answer's length."""


class Passage(Record):
    """A similar passage of the answer; `missing` is a wanted part that the answer does not contain."""

    span: Span
    missing: str = ""


def closest_passage(call: FunctionCall, answer: str) -> Passage | None:
    """The passage of `answer` that is most similar to a text or pattern of `call`; None if nothing is similar.

    For a list, each text that is not found is tried; for a pattern, its runs of literal letters.
    """
    wanted = wanted_texts(call, answer)
    lowered = answer.lower()
    similar = [(share, place, text) for text in wanted for share, place in _similar(text, lowered)]
    if not similar:
        return None
    _, place, text = max(similar, key=lambda each: (each[0], len(each[2])))
    search = _search_of(call)
    if search is None or search.is_literal:
        return Passage(place)
    missing = [other for other in wanted if other is not text and other.lower() not in lowered]
    return Passage(place, max(missing, key=len, default=""))


def wanted_texts(call: FunctionCall, answer: str) -> list[str]:
    """The first texts that `call` looks for: literals that `answer` does not contain, and the letters of patterns."""
    return list(_wanted(call, answer))[:_MAX_TEXTS]


def _wanted(call: FunctionCall, answer: str) -> Iterator[str]:
    search = _search_of(call)
    if search is None:
        return
    if search.is_literal:
        yield from (text for text in call.texts() if text not in answer)
    else:
        for pattern in call.texts():
            yield from dict.fromkeys(_letters(pattern))


def _search_of(call: FunctionCall) -> SearchTraits | None:
    function = functions.find(call.name)
    return None if function is None else function.search


def _letters(pattern: str) -> Iterator[str]:
    """The runs of literal letters and blanks in a pattern, including those in alternatives and groups."""
    tree = parse_regex(pattern.removeprefix("(?i)"))
    for items in () if tree is None else concatenations(tree):
        run = ""
        for item in (*items, None):
            if isinstance(item, Literal):
                run += item.character
                continue
            if len(run.strip()) >= _MIN_LENGTH:
                yield run.strip()
            run = ""


def _similar(wanted: str, lowered: str) -> Iterator[tuple[float, Span]]:
    """The share of `wanted` that the answer contains, 0–1, and the span that all of it would take."""
    matcher = SequenceMatcher(None, lowered, wanted.lower(), autojunk=False)
    found = matcher.find_longest_match(0, len(lowered), 0, len(wanted.lower()))
    if found.size >= max(_MIN_LENGTH, len(wanted) // 2):
        start = max(0, found.a - found.b)
        yield found.size / len(wanted), Span(start, min(len(lowered), start + len(wanted)))
