"""What a criterion says of an answer as a whole: its form, its register, its choice. An answer has one of each."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from engine.record import Record
from engine.rules.language.clauses import Mood, clause_of

_SAYS = r"(?:says|states|answers|replies|responds|concludes|begins|starts|opens)"
_CHOOSES = r"(?:chooses|selects|picks|answers|gives|marks|names|identifies|recommends)"
_PRODUCES = r"(?:answers|replies|responds|returns|outputs|writes|formats|produces)"


class Aspect(Enum):
    """What an answer has one of."""

    FORM = "form"
    REGISTER = "register"
    PERSON = "person"
    TENSE = "tense"
    SPELLING = "spelling"
    DECISION = "yes or no"
    CHOICE = "choice"
    YEAR = "year"
    TRANSLATION = "language of a translation"


class AspectValue(Record):
    """The value of an aspect, and the words that say so."""

    aspect: Aspect
    value: str
    written: str


_FORM = r"""(?P<json>(?:valid\ )?json)|(?P<prose>(?:continuous\ |running\ |plain\ )?prose)
    |(?P<sentences>(?:full|complete)\ sentences)
    |(?P<table>(?:markdown\ )?table)|(?P<poem>poem|verse|sonnet|haiku|limerick)
    |(?P<letter>(?:single|one)\ letter|(?:single|one)\ word)|(?P<list>(?:bullet(?:ed)?|numbered)\ (?:list|points))"""
_PATTERNS = {
    Aspect.FORM: rf"""(?:is|are|be|written|formatted|{_PRODUCES}|as|in)\ (?:entirely\ |only\ )?(?:in\ |as\ |with\ )?
        (?:a\ |an\ |the\ )?(?:form\ of\ )?(?:{_FORM})\b""",
    Aspect.REGISTER: r"""(?:(?:uses|has|keeps|adopts|strikes|in|writes\ in|is\ in)\ (?:a\ |an\ )?
        (?P<register>formal|informal|casual|colloquial)\ (?:tone|register|style|language|voice)
        |(?:is|stays)\ (?P<register2>formal|informal|casual|colloquial)\b)""",
    Aspect.PERSON: r"\b(?P<person>first|second|third)[- ]person\b|\bin the (?P<person2>first|second|third) person\b",
    Aspect.TENSE: r"\b(?P<tense>past|present|future)[- ]tense\b",
    Aspect.SPELLING: r"\b(?P<spelling>british|american)\ (?:english|spellings?)\b",
    Aspect.DECISION: rf"""^\W*(?:the\ \w+\ )?{_SAYS}\ (?:with\ )?(?:a\ )?(?:clear\ |plain\ )?["'“]?(?P<decision>yes|no)
        ["'”]?(?=\W*$|[,.;]|\ and\b)""",
    Aspect.CHOICE: rf"""^\W*(?:the\ \w+\ )?(?:{_CHOOSES}|(?:final\ |correct\ )?answer\ is|is)\ (?:only\ |with\ )?
        (?:option\ |answer\ |letter\ |choice\ )?["'“(]?(?P<choice>[A-H])["'”)]?\W*$""",
    Aspect.YEAR: r"""^\W*(?:the\ \w+\ )?(?:says|states|gives|answers)(?:\ with)?
        \ (?:that\ [^.;]{1,60}\ in\ |the\ year\ )?
        (?P<year>\d{4}|\d{1,3}(?:[.,]\d+)*)\W*$""",
    Aspect.TRANSLATION: r"\btranslates?\b[^.;]{0,40}\binto (?P<translation>[A-Z][a-z]+)\b",
}
_CASED = (Aspect.CHOICE, Aspect.TRANSLATION)
_COMPILED = {
    aspect: re.compile(pattern, re.VERBOSE | (re.NOFLAG if aspect in _CASED else re.IGNORECASE))
    if aspect not in (Aspect.PERSON, Aspect.TENSE, Aspect.TRANSLATION)
    else re.compile(pattern, re.NOFLAG if aspect in _CASED else re.IGNORECASE)
    for aspect, pattern in _PATTERNS.items()
}
_SAME = (
    {"informal", "casual", "colloquial"},
    {"list", "table", "sentences"},
    {"prose", "sentences"},
    {"poem", "sentences"},
)
"""Values that an answer may have together."""
_MOST_CHARACTERS = 200


@lru_cache(maxsize=4_000)
def aspects_of(text: str) -> tuple[AspectValue, ...]:
    """The values that an English criterion wants of the whole answer."""
    clause = clause_of(text)
    if clause is None or clause.mood in (Mood.DOES_NOT, Mood.AVOIDS, Mood.IS_NOT):
        return ()
    head = text[:_MOST_CHARACTERS]
    found: list[AspectValue] = []
    for aspect, pattern in _COMPILED.items():
        match = pattern.search(head if aspect not in _CASED else _with_small_verb(head))
        if match is not None:
            found.append(AspectValue(aspect, _value(match), match[0].strip(" \"'“”.")))
    return tuple(found)


def _with_small_verb(text: str) -> str:
    """`text` with a small first letter: the letter of an option keeps its case."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _value(match: re.Match[str]) -> str:
    name, text = next((name.rstrip("2"), text) for name, text in match.groupdict().items() if text is not None)
    return name if name in ("json", "prose", "table", "poem", "letter", "list", "sentences") else text.lower()


def are_exclusive(one: AspectValue, other: AspectValue) -> bool:
    """Whether no answer has both values."""
    if one.aspect is not other.aspect or one.value == other.value:
        return False
    if one.aspect is Aspect.YEAR and _without(one) != _without(other):
        return False
    return not any({one.value, other.value} <= same for same in _SAME)


def _without(found: AspectValue) -> str:
    """What is said of a number: two numbers exclude each other if they are of the same thing."""
    return found.written.lower().replace(found.value, "")
