"""Two criteria for one conversation that are alike but for the value that they want.

Only for two prompts with the same conversation: there, “names Canberra as the capital” and “names Sydney as the
capital” are two keys to one question, while one rubric may well ask for both of two names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.patterns import lazy
from engine.rules.words import word_set

_WORD = lazy(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_ARTICLES = word_set("a an the any")
_NUMBERS = word_set("zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred")
_ORDINALS = word_set("first second third fourth fifth last former latter")
_STATING = word_set(
    """says states gives answers names reports calculates concludes dates puts estimates identifies recommends sets
    explains mentions notes say state give answer name report conclude identify recommend"""
)
_LIMITING = word_set(
    """if when unless for per each every some sometimes may might can could part partly example also either or both
    between whether why how least most several many among including such other another about"""
)
_UNIQUE = lazy(
    r"\b(?:as\s+the|is\s+the|was\s+the|are\s+the|were\s+the|answer\s+is|winner|won|wrote|invented|discovered|founded"
    r"|painted|composed|directed|built|signed|killed|option|(?:is|written|answers?|responds?|continuation)\s+in)\b",
    re.IGNORECASE,
)
"""Words after or before a name that only one name fits."""
_MOST_CHANGED = 4
_LEAST_SHARED = 2


@lru_cache(maxsize=4_000)
def rivals(one: str, other: str) -> tuple[str, str] | None:
    """The number or the name in which two criteria differ, in one place, where only one can be right."""
    first, second = _words(one), _words(other)
    start = _common(first, second)
    end = _common(first[start:][::-1], second[start:][::-1])
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    around = [word.lower() for word in (*first[:start], *first[len(first) - end :])]
    if not left or not right or max(len(left), len(right)) > _MOST_CHANGED or len(around) < _LEAST_SHARED:
        return None
    if not _LIMITING.isdisjoint(around[1:]):
        return None
    is_number = around[0] in _STATING and _is_number(left) and _is_number(right)
    is_ordinal = all(len(words) == 1 and words[0].lower() in _ORDINALS for words in (left, right))
    are_names = all(word[0].isupper() for word in (*left, *right))
    if is_number or is_ordinal or (are_names and all(_UNIQUE.search(text) is not None for text in (one, other))):
        return " ".join(left), " ".join(right)
    return None


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in _ARTICLES]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    return next(
        (at for at, (left, right) in enumerate(zip(first, second, strict=False)) if left.lower() != right.lower()),
        min(len(first), len(second)),
    )


def _is_number(words: Sequence[str]) -> bool:
    """Whether the words begin with a number: “4.5 billion”."""
    return words[0][0].isdigit() or words[0].lower() in _NUMBERS
