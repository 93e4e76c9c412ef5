"""Two criteria for one conversation that are alike but for the value that they want. English only.

Only for two prompts with the same conversation: there, “names Canberra as the capital” and “names Sydney as the
capital” are two keys to one question, while one rubric may well ask for both of two names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.verbs import SAYING, verb
from engine.rules.language.words import Word, is_english, word_set, words_of

_ARTICLES = word_set("a an the any")
_NEGATIONS = word_set("not never no doesn't don't isn't aren't wasn't weren't didn't cannot can't won't without")
_HELPERS = word_set("does do did will")
_NUMBERS = word_set("zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred")
_SCALES = word_set("million billion trillion thousand hundred percent euros dollars pounds years days mg g km")
_STATING = SAYING | word_set("give answer name report calculate conclude date put estimate identify recommend set")
_LIMITING = word_set(
    """if when unless for in per each every some sometimes may might can could part partly example also either or both
    between whether why how least most several many among including such other another about"""
)
_UNIQUE = lazy(
    r"\b(?:as\s+the|is\s+the|was\s+the|are\s+the|were\s+the|answer\s+is|winner|won|wrote|invented|discovered|founded"
    r"|painted|composed|directed|built|signed|killed)\b",
    re.IGNORECASE,
)
"""Words after or before a name that only one name fits."""
_LETTER = lazy(
    r"""\W*(?:the\s+\w+\s+)?(?:answers?|picks?|chooses?|selects?|gives?|marks?|names?|identifies|returns?|is|says?|states?)\s+
    (?:(?:with|only|just|the|that|it|is)\s+){0,4}(?:option\s+|answer\s+|letter\s+|choice\s+)?["'“(]?(?P<letter>[A-H])["'”)]?
    (?=[,.:;()]|\s*$|\s+(?:as\s+the|is\s+(?:correct|right)))""",
    re.VERBOSE | re.IGNORECASE,
)
_ORDINALS = word_set("first second third fourth fifth last former latter")
_EXACT_COUNT = lazy(
    r"\b(?:exactly|precisely|only|just)\s+(?P<number>\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\s+"
    r"(?P<unit>[a-z]+)",
    re.IGNORECASE,
)
_SIDE = lazy(
    r"\b(?:argues?|argument|speaks?|advocates?|pleads?|campaigns?|makes?\s+the\s+case|takes?\s+(?:a\s+)?(?:stance|position|side)"
    r"|comes?\s+(?:out|down))\b[^.;]{0,20}?\b(?P<side>in\s+favou?r\s+of|for|against)\b(?P<what>[^.;,]*)",
    re.IGNORECASE,
)
_MOST_CHANGED = 4
_LEAST_SHARED = 2


class Rivals(Record):
    """The words of two criteria of which an answer meets one at the most."""

    one: str
    other: str


@lru_cache(maxsize=4_000)
def rivals(one: str, other: str) -> Rivals | None:
    """Why an answer to one question cannot meet both criteria; None if it can for all that their words say."""
    letters = _LETTER.match(one), _LETTER.match(other)
    if letters[0] is not None and letters[1] is not None:
        first, second = letters[0]["letter"], letters[1]["letter"]
        if first.isupper() and second.isupper() and first != second:
            return Rivals(one=letters[0][0].strip(), other=letters[1][0].strip())
    left, right = _content(one), _content(other)
    if not is_english(left) or not is_english(right):
        return None
    return _counts(one, other) or _sides(one, other) or _negated(one, other) or _changed(one, other, left, right)


def _content(text: str) -> tuple[Word, ...]:
    return tuple(word for word in words_of(text) if word.text not in _ARTICLES)


def _counts(one: str, other: str) -> Rivals | None:
    """“Lists exactly three risks” and “lists exactly six risks”."""
    first, second = _EXACT_COUNT.search(one), _EXACT_COUNT.search(other)
    if first is None or second is None or first["unit"].rstrip("s") != second["unit"].rstrip("s"):
        return None
    return Rivals(one=first[0], other=second[0]) if first["number"].lower() != second["number"].lower() else None


def _sides(one: str, other: str) -> Rivals | None:
    """“Argues in favour of closing the street” and “argues against closing the street”."""
    first, second = _SIDE.search(one), _SIDE.search(other)
    if first is None or second is None:
        return None
    against = [found["side"].lower() == "against" for found in (first, second)]
    what = [frozenset(word.text for word in _content(found["what"])) for found in (first, second)]
    return Rivals(one=first[0], other=second[0]) if against[0] is not against[1] and what[0] & what[1] else None


def _negated(one: str, other: str) -> Rivals | None:
    """“The poem rhymes” and “the poem does not rhyme”."""
    texts = [[word.text for word in words_of(text)] for text in (one, other)]
    if abs(len(texts[0]) - len(texts[1])) > _LEAST_SHARED:
        return None
    has = [not _NEGATIONS.isdisjoint(words) for words in texts]
    if has[0] is has[1] or not _LIMITING.isdisjoint(texts[0]):
        return None
    plain = [[_base(word) for word in words if word not in _NEGATIONS | _HELPERS | _ARTICLES] for words in texts]
    return Rivals(one=one, other=other) if plain[0] == plain[1] and len(plain[0]) >= _LEAST_SHARED else None


def _base(word: str) -> str:
    known = verb(word)
    return word.removesuffix("s") if known is None else known.base


def _changed(one: str, other: str, first: Sequence[Word], second: Sequence[Word]) -> Rivals | None:
    """Two criteria that differ in one place, in a number or a name where only one can be right."""
    start = _common(first, second)
    end = _common(first[start:][::-1], second[start:][::-1])
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    around = [word.text for word in (*first[:start], *first[len(first) - end :])]
    if not left or not right or max(len(left), len(right)) > _MOST_CHANGED or len(around) < _LEAST_SHARED:
        return None
    if not _LIMITING.isdisjoint(around[1:]):
        return None
    known = verb(first[0].text) if start else None
    states = known is not None and known.base in _STATING
    is_number = states and all(_is_number(words) for words in (left, right))
    is_ordinal = all(len(words) == 1 and words[0].text in _ORDINALS for words in (left, right))
    is_name = all(_is_name(text, words) for text, words in ((one, left), (other, right)))
    if is_number or is_ordinal or (is_name and _UNIQUE.search(one) is not None and _UNIQUE.search(other) is not None):
        return Rivals(one=one[left[0].start : left[-1].end], other=other[right[0].start : right[-1].end])
    return None


def _common(first: Sequence[Word], second: Sequence[Word]) -> int:
    return next(
        (at for at, (left, right) in enumerate(zip(first, second, strict=False)) if left.text != right.text),
        min(len(first), len(second)),
    )


def _is_number(words: Sequence[Word]) -> bool:
    """Whether all words are one number with its scale or unit: “4.5 billion”."""
    first, *others = words
    return (first.text[0].isdigit() or first.text in _NUMBERS) and all(
        word.text in _SCALES or word.text.isdigit() for word in others
    )


def _is_name(text: str, words: Sequence[Word]) -> bool:
    return all(text[word.start].isupper() for word in words)
