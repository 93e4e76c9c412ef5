"""Two criteria that differ in one place: in a word and its opposite, or in the value of something exact."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.rules.language.clauses import clause_of
from engine.rules.language.verbs import SAYING, verb
from engine.rules.language.words import Word, is_english, word_set, words_of

_LIMITING = word_set(
    """when whether why how where case reasons reason arguments argument if both possible cases cause causes some
    sometimes may might can could example part partly unless until while circumstances conditions condition"""
)
_EXACT = word_set(
    """exactly exact label labelled labeled labels classified classifies classify class category selects select chooses
    choose picks pick option equals equal final verbatim"""
)
_PAIRS = (
    "agree disagree, accept reject, support oppose, approve disapprove, confirm deny, affirm deny, yes no, true false,"
    " correct incorrect, right wrong, legal illegal, lawful unlawful, safe unsafe, guilty innocent, valid invalid,"
    " possible impossible, eligible ineligible, increase decrease, rise fall, higher lower, formal informal,"
    " allowed forbidden, permitted forbidden, required optional, recommend discourage, begin end, male female,"
    " affordable unaffordable, reliable unreliable, positive negative, before after, more less, comply refuse,"
    " comply decline, answer refuse, answer decline, true untrue, real fake, available unavailable, upper lower,"
    " happy sad, ai human, alive dead, open closed, hot cold, win lose, won lost, buy sell, quit stay, cheap expensive,"
    " public private, optimistic pessimistic, serious humorous, ancient modern, single married, full empty"
)
_CLAIMING = word_set("say state claim conclude identify assert answer agree confirm")
_COPULAS = word_set("is are was were")
_MOST_CHANGED = 4
"""Words by which two criteria with exact values may differ."""
_SAYS = SAYING | word_set("answer reply respond conclude agree confirm")
_ARTICLES = frozenset(("a", "an", "the"))


def changed_words(one: str, other: str) -> tuple[str, str] | None:
    """The words by which two criteria differ, if no answer has both; else None."""
    first, second = _without_articles(one), _without_articles(other)
    start, end = _shared(first, second)
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    around = {word.text for word in (*first[:start], *first[len(first) - end :])}
    if not left or not right or not _LIMITING.isdisjoint(around):
        return None
    is_opposite = len(left) == len(right) == 1 and _are_opposite(left[0], right[0])
    if not is_opposite and not (_is_exact(first, start, around) and _are_values(left, right)):
        return None
    return one[left[0].start : left[-1].end], other[right[0].start : right[-1].end]


@lru_cache(maxsize=4_000)
def _without_articles(text: str) -> tuple[Word, ...]:
    return tuple(word for word in words_of(text) if word.text not in _ARTICLES or word.is_quoted)


def rival_claims(one: str, other: str) -> bool:
    """Whether two criteria want the same thing said with another value: “says that it is the Nile”, “… the Amazon”."""
    first, second = _without_articles(one), _without_articles(other)
    clause = clause_of(one)
    if clause is None or clause.verb is None or clause.verb.base not in _CLAIMING or not is_english(second):
        return False
    start, end = _shared(first, second)
    shared = {word.text for word in first[:start]}
    return (
        "that" in shared
        and not _COPULAS.isdisjoint(shared)
        and _are_values(first[start : len(first) - end], second[start : len(second) - end])
    )


def _shared(first: Sequence[Word], second: Sequence[Word]) -> tuple[int, int]:
    """How many words at the start, and how many of the others at the end, both have."""
    start = _common(first, second)
    return start, _common(first[start:][::-1], second[start:][::-1])


def _common(first: Sequence[Word], second: Sequence[Word]) -> int:
    """The number of words at the start that both have; verbs of saying are alike."""
    number = 0
    for left, right in zip(first, second, strict=False):
        if left.text != right.text and not (_is_saying(left) and _is_saying(right)):
            break
        number += 1
    return number


def _is_saying(word: Word) -> bool:
    known = verb(word.text)
    return known is not None and known.base in _SAYS and known.base not in ("agree", "confirm")


def _are_opposite(one: Word, other: Word) -> bool:
    return frozenset((_base(one.text), _base(other.text))) in _OPPOSITES


def _base(word: str) -> str:
    known = verb(word)
    if known is not None:
        return known.base
    return word.removesuffix("s") if word in ("increases", "decreases", "rises", "falls", "approves") else word


_OPPOSITES = frozenset(frozenset(map(_base, pair.split())) for pair in _PAIRS.split(","))


def _is_exact(words: Sequence[Word], at: int, around: set[str]) -> bool:
    """Whether the value at `words[at]` is one of which an answer has one only."""
    clause_verb = verb(words[0].text)
    if clause_verb is not None and clause_verb.base in ("mention", "name", "list", "include", "cite", "discuss"):
        return False
    if not _EXACT.isdisjoint(around):
        return True
    before = [word.text for word in words[max(at - 2, 0) : at]]
    return before in (["answer", "is"], ["answer", "of"], ["answer", "as"])


def _are_values(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether the two are short and neither holds the other."""
    texts = [{word.text for word in each} for each in (left, right)]
    return max(len(left), len(right)) <= _MOST_CHANGED and not texts[0] & texts[1]
