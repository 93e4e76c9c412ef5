"""Facts that change with time in the words of a criterion: “the latest guideline”, “as of today”."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.patterns import lazy
from engine.rules.language.words import all_words, is_english, word_set, words_of

_CHANGING = (
    r"guid(?:elines?|ance)|recommendations?|laws?|legislation|regulations?|rules?|rates?|prices?|presidents?|ministers?"
    r"|government|administration|versions?|releases?|editions?|figures?|statistics|numbers?|data|census|population|records?"
    r"|holders?|champions?|tax(?:es)?|thresholds?|limits?|wages?|standards?|leaders?|heads?|kings?|queens?|popes?|ceo|chair"
    r"|chairman|secretary|governor|mayor|polic(?:y|ies)|inflation|budgets?|schedules?|scores?|rankings?|lists?|members?"
    r"|estimates?|forecasts?|reports?|stud(?:y|ies)|research|evidence|consensus|protocols?|models?|exchange|salary|salaries"
    r"|costs?|fees?|year|requirements?|criteria|amounts?|winners?|laureates?|hosts?|games|election|elections|cup|squad|season|deadline|constitution|code"
)
_EVENT = (
    r"olympic\s+games|olympics|games|world\s+cup|cup|elections?|referendum|census|championships?|tournament|grand\s+prix|budget"
    r"|season|super\s+bowl|summit|oscars|eurovision|general\s+assembly|conclave|revision|amendment|update|release"
)
"""What comes again: the last one is another one soon."""
_OFFICE = (
    r"presidents?|(?:prime\s+)?ministers?|chancellor|heads?|kings?|queens?|popes?|ceo|chair|chairman|chairwoman|secretary"
    r"|governor|mayor|speaker|champions?|holders?|record|leader|captain|coach|editor|director"
)
"""What one holds for a time. “Is currently the largest producer” stays true for many years."""
_STALE = lazy(
    rf"""(?P<noun>\b(?:(?:the|its|their|a|an|india['’]s|\w+['’]s)\s+)?
      (?:current(?:ly\s+valid)?|latest|most\s+recent|newest|up[-\s]to[-\s]date|incumbent|reigning|serving|acting|newly[-\s]elected|sitting|today['’]s|this\s+year['’]s
        |present[-\s]day|most\s+up[-\s]to[-\s]date)\s+(?:[\w’'./-]+\s+){{0,4}}?(?:{_CHANGING})\b)
    |(?P<now>\b(?:as\s+of\s+(?:today|now|this\s+(?:year|month|writing))|at\s+the\s+time\s+of\s+writing|so\s+far\s+this\s+year
      |(?:the\s+)?last\s+(?:[\w’'./-]+\s+){{0,3}}?(?:{_EVENT})|(?:the|this)\s+(?:week|month|season)['’]s\s+(?:[\w’'./-]+\s+){{0,3}}?(?:{_CHANGING})
      |last\s+(?:week|month|season|year)['’]s\s+(?:[\w’'./-]+\s+){{0,3}}?(?:{_CHANGING}|{_EVENT})
      |(?:in\s+)?the\s+next\s+(?:[\w’'./-]+\s+){{0,2}}?(?:{_EVENT})|(?:party|parties|coalition|government)\s+(?:now\s+)?in\s+(?:power|office)
      |(?:the\s+)?(?:\w+['’]s\s+)?(?:(?:oldest|youngest)\s+living|richest|wealthiest|best[-\s]paid)\s+(?:man|woman|person|people|american|european)
      |(?:{_CHANGING})\s+(?:[a-z]+\s+){{0,3}}?(?:nowadays|these\s+days|at\s+present|at\s+the\s+moment|(?:of|for)\s+(?:today|this\s+(?:week|month|season)))
      |(?:says?|states?|names?|tells?|gives?|mentions?|identif(?:y|ies))\s+(?:the\s+\w+\s+(?:that|who)|who|which|what|how\s+\w+)\s
        (?:(?!\b(?:user|s?he|they|them|his|her|their|you|to)\b)[^.,;]){{0,50}}?\b(?:now|currently|at\s+present|these\s+days|today|at\s+the\s+moment)
      |(?:says?|states?)\s+which\s+(?:\w+\s+){{1,3}}?is\s+(?:the\s+)?(?:newest|latest)
      |(?:{_CHANGING})\s+(?:is|are|stands?)\s+currently
      |nowadays|(?:is|are)\s+currently\s+(?:in\s+force|valid|held|led|headed|run|owned|chaired)
      |(?:is|are)\s+currently\s+(?:the\s+)?(?:[\w’'./-]+\s+){{0,2}}?(?:{_OFFICE}))\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_DATED = lazy(r"\b(?:1[5-9]|20)\d\d\b")
_LOOKED_UP = lazy(
    r"\b(?:means?|refers?|check\w*|consult\w*|verif\w+|look\w*\s+up|refer\w*\s+(?:[\w'’]+\s+){0,2}to|see|confirm\w*|find|search\w*|visit\w*|review\w*|ask\w*"
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
    "this week",
    "this month",
    "this season",
    *("this year", "present-day", "time of writing", "owadays", "reigning", "serving ", "acting ", "newly"),
    *("last ", "week's", "month's", "season's", "week’s", "the next ", "in power", "in office", "living ", "richest"),
    *(" now", "these days", "at present", "the moment", "wealthiest", "best-paid", "this time"),
)
_WORDS = word_set(
    """current currently latest recent newest date incumbent reigning serving acting newly sitting today year day
    now month writing last week season next power office living richest wealthiest paid nowadays these present moment
    time"""
)
"""Every text in which `_STALE` is found has one of these."""
_SENTENCE_END = lazy(r"(?<=[.!?])\s+|\n+")
_MOST_READ = 4_000


def may_be_stale(text: str) -> bool:
    """Whether `stale_in` may find something in `text`: a quick filter with false positives."""
    return not _WORDS.isdisjoint(all_words(text)) and any(sign in text for sign in _SIGNS)


def stale_in_ideal(ideal: str) -> str | None:
    """The words with which an ideal states a fact that changes, without a date; None if it states none.

    An ideal speaks of many things: only “the current president is …” and “is currently the …” count there.
    """
    if not may_be_stale(ideal):
        return None
    for sentence in _SENTENCE_END.split(ideal[:_MOST_READ]):
        found = stale_in(sentence.strip()) if may_be_stale(sentence) else None
        words = "" if found is None else sentence.strip()[slice(*found)]
        if words.lower().startswith("the ") or "currently" in words.lower():
            return words
    return None


@lru_cache(maxsize=8_000)
def stale_in(text: str) -> tuple[int, int] | None:
    """The place where an English text names a fact that changes, without a date; None if it names none."""
    if not may_be_stale(text):
        return None
    text = text[:600]
    found = _STALE.search(text) if _DATED.search(text) is None else None
    if found is None or not is_english(words_of(text)):
        return None
    if _LOOKED_UP.search(text[: found.start()]) is not None:
        return None
    start, end = found.span()
    return start + len(found[0]) - len(found[0].lstrip()), end
