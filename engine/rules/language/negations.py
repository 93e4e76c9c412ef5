"""Recognises criteria and instructions that say what an answer does not do."""

from __future__ import annotations

from functools import lru_cache

from engine.rules.language.absences import said_by_silence
from engine.rules.language.clauses import Clause, clause_at, clause_of
from engine.rules.language.faults import fault_at
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.subjects import is_adverb
from engine.rules.language.unwanted import MENTIONS
from engine.rules.language.verbs import FAILING, verb
from engine.rules.language.words import Word, word_set, words_of

CACHE_SIZE = 4_000
_NEGATIVE_WORDS = word_set(
    """not never no without free avoid avoids avoiding refrain refrains refraining lacks cannot none nothing neither
    nor zero dont doesnt omits devoid steers steer stays keeps abstains abstain excludes withholds avoided absent
    absence error-free bias-free hardly rarely seldom barely unmentioned unnamed unsaid unanswered anonymous withheld
    omit omitting silent resists nobody out"""
)
NOTHING = frozenset({"no", "zero", "neither", "nothing", "none", "nobody", "noone"})
FAILING_GERUNDS = frozenset({"failing", "neglecting", "forgetting", "omitting"})
_MORE = frozenset({"but", "instead", "rather", "while", "whilst", "although", "though", "unless", "until", "except"})
_BEFORE_MENTIONS = word_set("any further extra additional direct explicit legal medical personal financial political")
_BARE = frozenset({"answers", "responds", "replies", "answer", "respond", "reply"})
"""“Answers without naming it” says no more of what an answer does than “does not name it”."""
_WITH_NO = word_set(
    """contain include have make use give provide offer show add mention name introduce draw leave list take blame
    quote recommend suggest accuse mock raise pass cite promise predict assign pick criticise criticize judge"""
)
"""An answer that “gives no price” does not give one; one that “states no price was agreed” states something."""


def negative_word(text: str, start: int = 0) -> tuple[int, int]:
    """Start and end of the first negative word from `start` on; all text from `start` on if there is none."""
    for word in words_of(text):
        if word.start >= start and (word.text in _NEGATIVE_WORDS or word.text.endswith("n't")):
            return word.start, word.end
    return start, len(text)


@lru_cache(maxsize=CACHE_SIZE)
def is_negative(text: str) -> bool:
    """Whether an answer meets a criterion in English just by not doing something."""
    words = words_of(text)
    clause = clause_of(text)
    if clause is None:
        return False
    end = _end_of_negative(words, clause)
    end = said_by_silence(words, clause) if end is None else end
    return end is not None and not _wants_more(text, words, end)


def _end_of_negative(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The index after the negative words with which a criterion begins; None if it begins otherwise."""
    match clause.mood:
        case Mood.DOES_NOT:
            return None if words_that_take_back(words, clause) else clause.after
        case Mood.AVOIDS:
            first = words[clause.after].text if clause.after < len(words) else ""
            return None if first in FAILING_GERUNDS or first == "not" else clause.after
        case Mood.IS | Mood.IS_NOT:
            free = clause.after + 1
            if clause.mood is Mood.IS and free < len(words) and words[free].text in ("free", "devoid"):
                return free + 1
            return None
        case Mood.DOES:
            return _of_nothing(words, clause)


def _of_nothing(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The index after “no” in “contains no …”, “no mention of …”, “lacks …”, “says nothing …”; None if it is not so."""
    at = clause.after
    first = words[at].text
    following = words[at + 1].text if at + 1 < len(words) else ""
    if first in ("free", "devoid") and following in ("of", "from"):
        return at + 2
    if first in _BARE and following == "without":
        return at + 2
    if first in ("lacks", "omits", "excludes", "withholds") or (first in ("leaves", "leave") and _has_out(words, at)):
        return at + 1
    if first in ("no", "zero", "without", "neither"):
        after = at + 1 + (following in _BEFORE_MENTIONS)
        noun = words[after].text if after < len(words) else ""
        is_gerund = first == "without" and noun.endswith("ing")
        return at + 1 if noun in MENTIONS or is_gerund or fault_at(words, at + 1) is not None else None
    known = verb(first)
    is_nothing = following == "nothing" or (following in NOTHING and known is not None and known.base in _WITH_NO)
    return at + 2 if is_nothing and known is not None and known.form in (Form.BASE, Form.THIRD) else None


def _has_out(words: tuple[Word, ...], at: int) -> bool:
    return any(word.text == "out" for word in words[at + 1 : at + 8])


def _wants_more(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether a negation goes on with what the answer does: “but …”, “and explains …”, another sentence."""
    for index in range(at, len(words)):
        word = words[index]
        if word.is_quoted:
            continue
        if word.text in _MORE:
            return True
        if index + 1 == len(words):
            break
        if word.ends_clause and any(sign in text[word.end : words[index + 1].start] for sign in ";:.\n"):
            return True
        joined = word.text == "and" or (word.has_comma and words[index + 1].text != "and")
        if joined and _says_what_is_done(words, index + 1):
            return True
    return False


def _says_what_is_done(words: tuple[Word, ...], at: int) -> bool:
    """Whether a verb in the third person is at `at`, perhaps after an adverb, and not another negation."""
    while at < len(words) - 1 and (is_adverb(words[at].text) or words[at].text in ("instead", "then", "also")):
        at += 1
    known = verb(words[at].text)
    if known is None or known.form is not Form.THIRD:
        return False
    return clause_at(words, at) is not None and not _is_negative_at(words, at)


def _is_negative_at(words: tuple[Word, ...], at: int) -> bool:
    clause = clause_at(words, at)
    return clause is not None and (clause.is_negative or _end_of_negative(words, clause) is not None)


def words_that_take_back(words: tuple[Word, ...], clause: Clause) -> int:
    """The number of words after “not” that take it back: “fail to”, “omit”, “leave out”; 0 if none do."""
    known = clause.verb
    if known is None:
        return 0
    at = clause.after
    following = words[at + 1].text if at + 1 < len(words) else ""
    if known.base in FAILING and following == "to":
        return 2
    if known.base == "omit" or (known.base == "leave" and following == "out"):
        return 1 if known.base == "omit" else 2
    if words[at].text in ("lack", "lacks"):
        return 1
    return 0
