"""The passage of an answer that comes closest to what a check looks for and does not find."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from engine.blueprint import FunctionCall
from engine.record import Record
from engine.rules.source.regex_tree import Literal, read, sequences
from engine.text import Span

_LEAST = 3
_MOST_WANTED = 12
"""Of a long list so many texts are looked for: each costs as much as the answer is long."""


class Passage(Record):
    """A place of the answer that is like a part of what is wanted; `missing` is a part that is nowhere in it."""

    span: Span
    missing: str = ""


def closest_passage(call: FunctionCall, answer: str) -> Passage | None:
    """The place of `answer` that is most like a text or pattern of `call`; None where nothing is like it.

    Of a list each text that is not found is tried; of a pattern the letters that stand in it as they are.
    """
    wanted = list(_wanted(call, answer))[:_MOST_WANTED]
    lowered = answer.lower()
    near = [(share, place, text) for text in wanted for share, place in _like(text, lowered)]
    if not near:
        return None
    _, place, text = max(near, key=lambda each: (each[0], len(each[2])))
    if "match" not in call.name:
        return Passage(place)
    missing = [other for other in wanted if other is not text and other.lower() not in lowered]
    return Passage(place, max(missing, key=len, default=""))


def _wanted(call: FunctionCall, answer: str) -> Iterator[str]:
    if "match" in call.name:
        for pattern in call.texts():
            yield from dict.fromkeys(_letters(pattern))
    elif "contains" in call.name or "with" in call.name:
        yield from (text for text in call.texts() if text not in answer)


def _letters(pattern: str) -> Iterator[str]:
    """The runs of letters and blanks that a pattern holds as they are, those of alternatives and groups included."""
    tree = read(pattern.removeprefix("(?i)"))
    for items in () if tree is None else sequences(tree):
        run = ""
        for item in (*items, None):
            if isinstance(item, Literal):
                run += item.character
                continue
            if len(run.strip()) >= _LEAST:
                yield run.strip()
            run = ""


def _like(wanted: str, lowered: str) -> Iterator[tuple[float, Span]]:
    """By how much of it `wanted` is there, 0–1, and where it would stand if all of it were."""
    matcher = SequenceMatcher(None, lowered, wanted.lower(), autojunk=False)
    found = matcher.find_longest_match(0, len(lowered), 0, len(wanted.lower()))
    if found.size >= max(_LEAST, len(wanted) // 2):
        start = max(0, found.a - found.b)
        yield found.size / len(wanted), Span(start, min(len(lowered), start + len(wanted)))
