"""Whether a text under `should_not` says that a bad answer lacks what `should` wants: then it is right as written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from engine.rules.language.inflections import Form
from engine.rules.language.verbs import CARRYING, MENTIONING, verb
from engine.rules.language.words import word_set, words_of

_ORDERING = word_set("should must shouldn't mustn't shall may cannot can't won't will don't avoid avoids refrain ought")
"""An order stays one, whatever `should` wants."""
_BOUNDS = word_set("more than again twice only too just at least most longer")
_KEPT_AS_ORDERS = _ORDERING | _BOUNDS
_SMALL = word_set(
    """the a an and or of to in on at for with by as is are was were be it its this that these those their his her any
    all some not no never does doesn't do response answer model assistant reply user one than into from about text"""
)
_USUAL = (MENTIONING - {"cite"}) | CARRYING | word_set("recommend suggest advise tell explain describe answer")
"""Verbs of so many criteria that two with one of them need not be about the same thing."""
_ENOUGH = 2


def lacks_what_is_wanted(text: str, wanted: Iterable[str]) -> bool:
    """Whether a negative `text` names a deed that one of the `wanted` texts demands: “does not warn of the fall”."""
    words = {word.text for word in words_of(text)}
    if not words.isdisjoint(_KEPT_AS_ORDERS):
        return False
    lacking, deed = _content(text), _deed(text)
    for other in wanted:
        shared = lacking & _content(other)
        things = shared - {deed}
        if deed in shared and (things or deed not in _USUAL):
            return True
        if len(things) >= _ENOUGH and _ENOUGH * len(things) >= len(lacking):
            return True
    return False


@lru_cache(maxsize=4_000)
def _content(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, verbs in their base form and nouns in singular."""
    found: set[str] = set()
    for word in words_of(text):
        if word.text in _SMALL:
            continue
        known = verb(word.text)
        plain = word.text.removesuffix("'s")
        is_plural = len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss")
        found.add(known.base if known is not None else plain[:-1] if is_plural else plain)
    return frozenset(found)


def _deed(text: str) -> str:
    """The verb that is negated, in its base form; empty without one."""
    words = words_of(text)
    negative = next(
        (at for at, word in enumerate(words) if word.text in ("not", "never") or word.text.endswith("n't")), 0
    )
    for word in words[negative + 1 : negative + 5]:
        known = verb(word.text)
        if known is not None and word.text not in ("is", "are", "be", "has", "have") and known.form is not Form.GERUND:
            return known.base
    return ""
