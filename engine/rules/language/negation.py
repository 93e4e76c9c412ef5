"""A negation of a criterion that leaves something open."""

from __future__ import annotations

from enum import Enum

from engine.record import Record
from engine.rules.language.negations import negative_word
from engine.rules.language.words import Word


class Unclear(Enum):
    """What a negation leaves open."""

    OBJECT = "object"
    ADVICE = "advice"
    TWICE = "twice"
    INCOMPLETE = "incomplete"
    SCOPE = "scope"
    BUNDLE = "bundle"
    REASON = "reason"
    NOT_ALL = "not all"


class Negation(Record):
    """An unclear negation: what it leaves open, and the place of its negative word, `text[start:end]`.

    The whole negation is `text[begin:until]`. A message quotes `words`, or the two `actions` after one “not”.
    """

    kind: Unclear
    begin: int
    start: int
    end: int
    until: int
    words: str
    actions: tuple[str, ...] = ()


def negation_in(text: str, kind: Unclear, words: tuple[Word, ...], first: int, last: int) -> Negation:
    """The negation in `words[first:last]`, which the message quotes."""
    start, end = words[first].start, words[last - 1].end
    word = negative_word(text, start)
    return Negation(kind, start, word[0], word[1], end, " ".join(text[start:end].split()))
