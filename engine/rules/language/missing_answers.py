"""Criteria that want something correct and do not say what it is: “gives the correct dose”."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.rules.language.words import is_english, words_of

_WANTS = (
    r"gives?|states?|names?|provides?|mentions?|identif(?:y|ies)|calculates?|computes?|selects?|picks?|chooses?|finds?|reports?"
    r"|answers?\s+with|arrives?\s+at|reaches|returns?|outputs?|lists?|determines?|derives?|says|specif(?:y|ies)|quotes?|includes?"
    r"|contains?|uses?|shows?|solves?\s+for|translates?\s+with|offers?|recommends?"
)
_SUBJECT = (
    r"(?:(?:the|this|its?)\s+)?(?:(?:final|model['’]s)\s+)?(?:(?:response|answer|model|assistant|output|it)\s+)?"
    r"(?:(?:should|must)\s+)?"
)
_MISSING = re.compile(
    rf"""\W*{_SUBJECT}(?:clearly\s+|explicitly\s+)?(?:
      (?:{_WANTS})\s+(?P<object>(?:the|a|an|all(?:\s+the)?|all\s+of\s+the)\s+(?:correct|right(?!\s+(?:of|to)\b)|proper|accurate|exact|actual|true|precise)
        (?:,?\s+(?:and\s+)?(?:correct|right|proper|accurate|exact|complete|full|precise))?\s+(?:[a-z-]+\s+){{0,2}}[a-z-]+
        (?:\s+(?:of|for|in|to|from)\s+(?:the|this|each|every)\s+[a-z-]+)?)
      |correctly\s+(?P<verb>(?:{_WANTS})\s+(?:the|all|both|each)\s+(?:[a-z-]+\s+){{0,2}}[a-z-]+)
    )\W*$""",
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=4_000)
def missing_answer(text: str) -> tuple[int, int] | None:
    """The place where an English criterion wants an answer that it does not give; None if there is none."""
    found = _MISSING.match(text[:200])
    if found is None or len(text) > 200 or not is_english(words_of(text)):
        return None
    return found.span("object" if found["object"] is not None else "verb")
