"""Recognises criteria that say what an answer does not do, and what such a criterion leaves open."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from engine.blueprint import Point
from engine.record import Record
from engine.rules.checks import is_negated

_CACHE_SIZE = 20_000

SUBJECT = r"""(?:(?:the|this|an?|any|each|every|final|first|second|third|last)\s+)*
    (?:(?:model|ai|llm|assistant)['’]s\s+)?
    (?:(?:response|answer|model|assistant|ai|llm|output|reply|chatbot|it)\s+)?(?:is\s+\w+\s+and\s+)?"""
"""The subject of a criterion, if it has one."""

_MUST = r"(?:should|must|does|do|did|will)"
_NOT = r"(?:\s+not|n['’]t|\s+never)"

_NEGATIVE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT}\b|(?:{_MUST}\s+)?(?:avoids?|refrains?)\b|never\b|lacks\b
      |not\s+(?:to\s+)?(?:mention|use|include|contain|say|state|give|provide|be|make|reveal|name|ask|answer|claim|show
        |refer|add|write|repeat|discuss|offer|suggest|share)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A criterion that an answer meets by not doing something."""

_WANTS_MORE = re.compile(
    r"""\b(?:but|instead|rather|while)\b|[;:.]\s+\S
    |\band\s+(?:\w+ly\s+)?(?:explains?|directs?|directly|address\w*|acknowledg\w*|provides|offers|states|uses|redirects?
        |recogni[sz]\w*|gives|focus\w*|presents|emphasi[sz]\w*|asks|ends|instead|treats)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""A negation that goes on with what the answer does."""

_BAD = (
    "harmful|inappropriate|offensive|unethical|illegal|unsafe|bad|problematic|incorrect|false|inaccurate|misleading|"
    "toxic|irrelevant|unrelated|unimportant|extraneous|unnecessary|factual|obvious|major|serious|significant|biased|"
    "potential|new|any|other"
)
_VAGUE = re.compile(
    rf"""\W*{SUBJECT}(?:\w+(?:\s+\w+){{0,2}}\s+and\s+)?
    (?P<no>{_MUST}{_NOT}\s+(?:contain|include|have|make|produce|generate|provide|introduce|give|show)
      |(?:{_MUST}\s+)?avoids?(?:\s+(?:making|including|giving|producing|providing))?
      |(?:contains|includes|has|makes)\s+no|is\s+free\s+(?:of|from)|no|without)
    \s+(?P<object>(?:(?:{_BAD})(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and\s+|or\s+)?))*
    (?:errors?|mistakes?|issues?|problems?|inaccuracies|misinformation|hallucinations?|falsehoods?|harm|bias(?:es)?
      |(?:{_BAD})\s+(?:content|information|language|advice|statements?|material|output|claims?|details)))
    \W*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""A negation whose object could be anything."""

_ADVICE = re.compile(r"\W*(?P<no>(?:don['’]?t|do\s+not)\s+[a-z]+)(?:\s+[a-z]+)?\W*$", re.IGNORECASE)
"""A bare command: advice to the user, or a rule for the answer itself."""

_TWICE = re.compile(
    rf"\W*{SUBJECT}{_MUST}\s+(?P<no>not\s+(?:fail|neglect|forget|omit)\s+to)\b", re.IGNORECASE | re.VERBOSE
)
"""A negation of a negation."""

_INCOMPLETE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT}\s+(?:only|just|merely|simply|solely))\b
    (?!.*(?:\bbut\b|\binstead\b|\brather\b|\balso\b|\b(?:with|like|such\ as|e\.g\.|using)\b.*['"‘“]|[.;]\s+\S))""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""What is not enough, without what is and without an example."""

_OPEN_SCOPE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT})\s(?:(?!\b(?:or|but)\b|[.;]\s).)*\sand\s
    (?:provide|give|switch|proceed|inject|add|offer|suggest|ignore|explain|answer|continue|claim|state)\b""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Two actions under one negation: is avoiding one of the two enough?"""


class Unclear(Enum):
    """What a negation leaves open."""

    OBJECT = "object"
    ADVICE = "advice"
    TWICE = "twice"
    INCOMPLETE = "incomplete"
    SCOPE = "scope"


class Negation(Record):
    """An unclear negation: what it leaves open, and the place of its negative word, `text[start:end]`.

    The whole negation ends at `until`. A message quotes `words`.
    """

    kind: Unclear
    start: int
    end: int
    until: int
    words: str


_PATTERNS = (
    (Unclear.OBJECT, _VAGUE, "object"),
    (Unclear.ADVICE, _ADVICE, "no"),
    (Unclear.TWICE, _TWICE, "no"),
    (Unclear.INCOMPLETE, _INCOMPLETE, "no"),
    (Unclear.SCOPE, _OPEN_SCOPE, "no"),
)

_NEGATIVE_WORD = re.compile(
    r"\b(?:not|never|no|without|free|avoids?|refrains?|lacks)\b|\b(?:do(?:es)?|did|should|must|will)n['’]t\b|\bdon['’]?t\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=_CACHE_SIZE)
def unclear_negation(text: str) -> Negation | None:
    """The unclear negation of a criterion; None if its negation is plain, or it has none."""
    for kind, pattern, quoted in _PATTERNS:
        found = pattern.match(text)
        if found is not None:
            start, end = negative_word(text, found.start("no"))
            return Negation(kind, start, end, found.end("no"), " ".join(found[quoted].split()))
    return None


@lru_cache(maxsize=_CACHE_SIZE)
def is_negative(text: str) -> bool:
    """Whether an answer meets a criterion just by not doing something."""
    found = _NEGATIVE.match(text)
    return found is not None and _WANTS_MORE.search(text, found.end()) is None


def is_negative_point(point: Point) -> bool:
    """Whether a point is a negative criterion or a `$not_` check."""
    return is_negated(point) if point.function is not None else is_negative(point.text or "")


def negative_word(text: str, start: int = 0) -> tuple[int, int]:
    """Start and end of the first negative word from `start` on; all text from `start` on if there is none."""
    found = _NEGATIVE_WORD.search(text, start)
    return (start, len(text)) if found is None else found.span()
