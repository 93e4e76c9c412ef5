"""Reading a criterion that says what an answer does not do: what it leaves open, and where its negative word stands."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from engine.record import Record

_KEPT = 20_000

SUBJECT = r"""(?:(?:the|this|an?|any|each|every|final|first|second|third|last)\s+)*
    (?:(?:model|ai|llm|assistant)['’]s\s+)?
    (?:(?:response|answer|model|assistant|ai|llm|output|reply|chatbot|it)\s+)?(?:is\s+\w+\s+and\s+)?"""
"""Who a criterion speaks of, where it says so."""

_MUST = r"(?:should|must|does|do|did|will)"
_NOT = r"(?:\s+not|n['’]t|\s+never)"

_NEGATIVE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT}\b|(?:{_MUST}\s+)?(?:avoids?|refrains?)\b|never\b|lacks\b
      |not\s+(?:to\s+)?(?:mention|use|include|contain|say|state|give|provide|be|make|reveal|name|ask|answer|claim|show
        |refer|add|write|repeat|discuss|offer|suggest|share)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A criterion that is met by what an answer leaves undone."""

_WANTS_MORE = re.compile(
    r"""\b(?:but|instead|rather|while)\b|[;:.]\s+\S
    |\band\s+(?:\w+ly\s+)?(?:explains?|directs?|directly|address\w*|acknowledg\w*|provides|offers|states|uses|redirects?
        |recogni[sz]\w*|gives|focus\w*|presents|emphasi[sz]\w*|asks|ends|instead|treats)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""A negation that goes on to say what the answer does."""

_BAD = (
    "harmful|inappropriate|offensive|unethical|illegal|unsafe|bad|problematic|incorrect|false|inaccurate|misleading|"
    "toxic|irrelevant|unrelated|unimportant|extraneous|unnecessary|factual|obvious|major|serious|significant|biased|"
    "potential|new|any|other"
)
_VAGUE = re.compile(
    rf"""\W*{SUBJECT}(?:\w+(?:\s+\w+){{0,2}}\s+and\s+)?
    (?P<no>{_MUST}{_NOT}\s+(?P<verb>contain|include|have|make|produce|generate|provide|introduce|give|show)
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
"""A bare command: what the answer is to tell somebody, or what it is not to do itself?"""

_TWICE = re.compile(
    rf"\W*{SUBJECT}{_MUST}\s+(?P<no>not\s+(?:fail|neglect|forget|omit)\s+to)\b", re.IGNORECASE | re.VERBOSE
)
"""A negation of a negation."""

_INCOMPLETE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT}\s+(?:only|just|merely|simply|solely))\b
    (?!.*(?:\bbut\b|\binstead\b|\brather\b|\balso\b|\b(?:with|like|such\ as|e\.g\.|using)\b.*['"‘“]|[.;]\s+\S))""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""What is not enough, with neither a word on what is nor an example."""

_OPEN_SCOPE = re.compile(
    rf"""\W*{SUBJECT}(?P<no>{_MUST}{_NOT})\s(?:(?!\b(?:or|but)\b|[.;]\s).)*\sand\s
    (?:provide|give|switch|proceed|inject|add|offer|suggest|ignore|explain|answer|continue|claim|state)\b""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Two deeds under one negation: is it enough to leave one undone?"""


class Unclear(Enum):
    """What a negation leaves open."""

    OBJECT = "object"
    ADVICE = "advice"
    TWICE = "twice"
    INCOMPLETE = "half said"
    SCOPE = "scope"


class Negation(Record):
    """What `text[start:end]`, the negative word, leaves open.

    All of the negation ends at `until`; `words` is what the message quotes, `verb` the verb that is negated.
    """

    kind: Unclear
    start: int
    end: int
    until: int
    words: str
    verb: str = ""


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


@lru_cache(maxsize=_KEPT)
def unclear(text: str) -> Negation | None:
    """What the negation of a criterion leaves open; None where it is plain, or there is none."""
    for kind, pattern, quoted in _PATTERNS:
        found = pattern.match(text)
        if found is not None:
            start, end = negative_word(text, found.start("no"))
            groups = found.groupdict()
            return Negation(
                kind, start, end, found.end("no"), " ".join(found[quoted].split()), groups.get("verb") or ""
            )
    return None


@lru_cache(maxsize=_KEPT)
def is_negative(text: str) -> bool:
    """Whether a criterion is met by what an answer leaves undone, and by nothing else."""
    found = _NEGATIVE.match(text)
    return found is not None and _WANTS_MORE.search(text, found.end()) is None


def negative_word(text: str, start: int = 0) -> tuple[int, int]:
    """Where the first negative word from `start` on begins and ends; from `start` on where there is none."""
    found = _NEGATIVE_WORD.search(text, start)
    return (start, len(text)) if found is None else found.span()
