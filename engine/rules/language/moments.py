"""Facts that change with time in the words of a criterion: “the latest guideline”, “as of today”."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.rules.language.words import is_english, words_of

_CHANGING = (
    r"guid(?:elines?|ance)|recommendations?|laws?|legislation|regulations?|rules?|rates?|prices?|presidents?|ministers?"
    r"|government|administration|versions?|releases?|editions?|figures?|statistics|numbers?|data|census|population|records?"
    r"|holders?|champions?|tax(?:es)?|thresholds?|limits?|wages?|standards?|leaders?|heads?|kings?|queens?|popes?|ceo|chair"
    r"|chairman|secretary|governor|mayor|polic(?:y|ies)|inflation|budgets?|schedules?|scores?|rankings?|lists?|members?"
    r"|estimates?|forecasts?|reports?|stud(?:y|ies)|research|evidence|consensus|protocols?|models?|exchange|salary|salaries"
    r"|costs?|fees?|year|requirements?|criteria|amounts?|winners?|games|election|elections|cup|squad|season|deadline|constitution|code"
)
_STALE = re.compile(
    rf"""(?P<noun>\b(?:(?:the|its|their|a|an|india['’]s|\w+['’]s)\s+)?
      (?:current(?:ly\s+valid)?|latest|most\s+recent|newest|up[-\s]to[-\s]date|incumbent|sitting|today['’]s|this\s+year['’]s
        |present[-\s]day|most\s+up[-\s]to[-\s]date)\s+(?:[\w’'./-]+\s+){{0,4}}?(?:{_CHANGING})\b)
    |(?P<now>\b(?:as\s+of\s+(?:today|now|this\s+(?:year|month|writing))|at\s+the\s+time\s+of\s+writing|so\s+far\s+this\s+year
      |to\s+this\s+day|nowadays|(?:is|are)\s+currently\s+(?:the|in\s+force|valid|held|led|headed|run|owned|chaired))\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_DATED = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_LOOKED_UP = re.compile(
    r"\b(?:check\w*|consult\w*|verif\w+|look\w*\s+up|refer\w*\s+to|see|confirm\w*|find|search\w*|visit\w*|review\w*|ask\w*"
    r"|retriev\w+|request\w*|provid\w+|question|need\w*|requir\w+|risk|user['’]s|their|your|his|her|lack\w*|know\w*|cannot"
    r"|insufficient|up\s+to\s+date\s+with)\b[^.;]{0,30}$",
    re.IGNORECASE,
)
"""Before it, the answer sends the user to what is current, or speaks of the user's own."""
_SIGNS = (
    "current",
    "latest",
    "ost recent",
    "newest",
    "up-to-date",
    "up to date",
    "incumbent",
    "sitting ",
    "oday",
    "as of ",
)
_MORE_SIGNS = ("this year", "present-day", "time of writing", "to this day", "owadays")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MOST_READ = 4_000


def may_be_stale(text: str) -> bool:
    """Whether `stale_in` may find something in `text`: a quick filter with false positives."""
    return any(sign in text for sign in _SIGNS) or any(sign in text for sign in _MORE_SIGNS)


def stale_in_ideal(ideal: str) -> str | None:
    """The words with which an ideal states a fact that changes, without a date; None if it states none.

    An ideal speaks of many things: only “the current president is …” and “is currently the …” count there.
    """
    if not may_be_stale(ideal):
        return None
    for sentence in _SENTENCE_END.split(ideal[:_MOST_READ]):
        found = stale_in(sentence.strip()) if may_be_stale(sentence) else None
        words = "" if found is None else sentence.strip()[slice(*found)]
        if words.lower().startswith("the ") or words.lower().split()[-2:-1] == ["currently"]:
            return words
    return None


@lru_cache(maxsize=8_000)
def stale_in(text: str) -> tuple[int, int] | None:
    """The place where an English text names a fact that changes, without a date; None if it names none."""
    if not may_be_stale(text):
        return None
    text = text[:600]
    found = _STALE.search(text)
    if found is None or _DATED.search(text) is not None or not is_english(words_of(text)):
        return None
    if _LOOKED_UP.search(text[: found.start()]) is not None:
        return None
    start, end = found.span()
    return start + len(found[0]) - len(found[0].lstrip()), end
