"""Whether two criteria are opposed: whether their words say that no answer meets both. English only.

Each kind has its evidence in the two texts: two languages, two amounts, a deed and its refusal or negation, a word and
its opposite, two values where one is exact. Everything else can be met together for all that the words say.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from engine.record import Record
from engine.rules.language.changed_words import changed_words
from engine.rules.language.clauses import clause_of
from engine.rules.language.named_languages import LANGUAGES
from engine.rules.language.refused_requests import refused_request
from engine.rules.language.words import Word, is_english, word_set, words_of
from engine.rules.wanted_amounts import amounts_in

_WHOLE = word_set(
    """is are be was entirely only fully completely wholly exclusively solely throughout response responses reply
    replies answer answers text output message written respond responds responding responded replying replied
    answering answered write writes writing speak speaks speaking translate translates translated translation
    summary summarise summarises summarize summarizes continuation continues essay letter explanation story poem
    back generate generates generated produce produces language"""
)
"""Before “in French”, a word for the whole answer."""
_BOTH = word_set("both also or bilingual additionally either")
_ONE_OF_SEVERAL = word_set("first second third fourth last next other another each former latter half version")
"""Of a part of an answer, such as the second of two letters."""

_ARTICLES = frozenset(("a", "an", "the"))


class Opposition(Record):
    """Why no answer meets both criteria: the words of each that say so."""

    one: str
    other: str


@lru_cache(maxsize=20_000)
def opposition(one: str, other: str, request: str = "") -> Opposition | None:
    """Why no answer meets both `one` and `other`, which are wanted; None if one can. `request` is what is asked for."""
    first, second = words_of(one), words_of(other)
    if not first or not second or not is_english(first) or not is_english(second):
        return None
    return (
        _languages(one, other)
        or _amounts(one, other)
        or _refused(one, other, request)
        or _negation(one, other)
        or _changed(one, other)
    )


# Two languages


def _languages(one: str, other: str) -> Opposition | None:
    first, second = _language_of(one), _language_of(other)
    if first is None or second is None or first.text == second.text:
        return None
    return Opposition(one[first.start : first.end], other[second.start : second.end])


@lru_cache(maxsize=4_000)
def _language_of(text: str) -> Word | None:
    """The one language in which an answer has to be as a whole."""
    if not any(sign in text for sign in (" in ", " is ", "In ")):
        return None
    words = words_of(text)
    named = [index for index, word in enumerate(words) if word.text in LANGUAGES]
    if len(named) != 1 or any(word.text in _BOTH or word.text in _ONE_OF_SEVERAL for word in words):
        return None
    [at] = named
    if words[at].is_quoted or at == 0 or not text[words[at].start].isupper():
        return None
    before = [word.text for word in words[:at]]
    if before[-1] == "is":
        return words[at] if "language" in before else None
    if before[-1] != "in":
        return None
    clause = clause_of(text)
    if clause is None or clause.is_negative or (clause.verb is not None and clause.verb.base in _SAYING_A_PART):
        return None
    return words[at] if not _WHOLE.isdisjoint(before) else None


_SAYING_A_PART = word_set("name mention quote cite include list give use contain add repeat provide")


# Two amounts


def _amounts(one: str, other: str) -> Opposition | None:
    for first in amounts_in(one):
        for second in amounts_in(other):
            if first.excludes(second):
                return Opposition(first.written, second.written)
    return None


# A deed and its refusal


def _refused(one: str, other: str, request: str) -> Opposition | None:
    found = refused_request(one, other, request)
    return None if found is None else Opposition(*found)


# A deed and its negation


def _negation(one: str, other: str) -> Opposition | None:
    first, second = clause_of(one), clause_of(other)
    if first is None or second is None or first.is_negative == second.is_negative:
        return None
    deeds = (first.verb, second.verb)
    if deeds[0] is None or deeds[1] is None or deeds[0].base != deeds[1].base:
        return None
    if _plain(first.words[first.after + 1 :]) != _plain(second.words[second.after + 1 :]):
        return None
    return Opposition(first.predicate(one), second.predicate(other))


def _plain(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words if word.text not in _ARTICLES and word.text != "any")


# One word or value in its place


def _changed(one: str, other: str) -> Opposition | None:
    changed = changed_words(one, other)
    return None if changed is None else Opposition(*changed)
