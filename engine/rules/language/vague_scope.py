"""Finds what a negative word reaches: a fault that could be anything, with only words between them that say nothing.

“No part of the answer is offensive”, “does not suffer from bias”, “there is hardly any nonsense in it”: whatever the
sentence, a negative word is followed by verbs that only carry, by words for the answer, and by the fault.
"""

from __future__ import annotations

from engine.record import Record
from engine.rules.language.faults import CONTENT, ends_there, fault_at, state_at
from engine.rules.language.inflections import Form
from engine.rules.language.subjects import ANSWERS, is_adverb
from engine.rules.language.verbs import CARRYING, MENTIONING, SAYING, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

CONTENT_CLAUSES = word_set("that if when because who which whether how why what where whose as than whom since")
"""Words that begin what a criterion says of the world."""
_NEGATIVE = phrases(
    *("at no point", "at no time", "in no way", "by no means", "under no circumstances"),
    *("not", "never", "no", "none", "nothing", "without", "zero", "neither", "nor", "nowhere", "not a single"),
    *("not one", "hardly", "scarcely", "barely", "rarely", "seldom", "few if any", "little if any", "free of"),
    *("free from", "devoid of", "void of", "clear of", "lack of", "absence of", "lacks", "omits", "excludes"),
    *("leaves out", "leaving out", "keeps out", "avoid", "avoids", "avoiding", "refrains from", "refrain from"),
    *("far from", "rid of", "clean of", "purged of", "void of"),
    *("refraining from", "steers away from", "stays away from", "keeps away from", "strays into", "shuns"),
)
_NOT_OF_CONTENT = frozenset({"rid", "without", "free", "devoid", "void", "clear"})
"""Negative words that say how an answer speaks, and not what it says, also after a verb of saying."""
_PARTS = word_set(
    """response answer reply output text explanation summary advice it them this these statement statements claim
    claims part parts piece content information letter essay story tone wording reasoning argument translation
    message one what"""
)
_LIGHT = _PARTS | word_set(
    """be being been is are was a an the any of in to from with by its his her their at all way respect regard such
    ever even also just very single seem seems seeming appear appears appearing sound sounds look looks feel feels
    read reads as come comes coming across suffer suffers marred tainted spoiled spoilt riddled affected go off on
    into stray strays impression anything something nothing become becomes promote promotes but must should could
    may might do does"""
)
_LINKING = word_set(
    "is are was be being been seem seems appear appears sound sounds look looks feel feels read reads as"
)
_WITH = frozenset({"with", "while", "by"})
_TELLING = SAYING - word_set("contain include show display add give provide offer cite present express convey")
_CARRYING = CARRYING - MENTIONING
_PUT = CARRYING | SAYING
_MOST_BETWEEN = 8
VIOLATING = word_set("violate violates violating break breaks breaking breach breaches cross crosses overstep")
_NORMS = word_set(
    """rules rule lines line standards norms boundaries guidelines principles limits ethics policies taboos"""
)
_OPEN = word_set("ethical moral social professional safety content any the all general common legal community such")
_AUXILIARIES = word_set("is are was were should must may can could would will does do did shall be has have")
_FAULTLESS_TAILS = word_set("is are was were")


_BEFORE_STATES = frozenset({"not", "never", "neither", "nor", "or", "way", "respect", "avoids", "avoid"})
_OF_ANSWERS = ANSWERS | CONTENT | _PARTS | word_set("nothing none nobody not no never nowhere without and with but")


class Reached(Record):
    """Indices of words: the negative word begins at `negative`; `start` to `end` is what could be anything."""

    negative: int
    start: int
    end: int


def vague_scope(words: tuple[Word, ...]) -> Reached | None:
    """The first negative word that reaches a fault which could be anything; None if there is none."""
    said = False
    for at, word in enumerate(words):
        if word.is_quoted or (word.text in CONTENT_CLAUSES and not _goes_on(words, at)):
            return None
        length = starts_with(words, at, _NEGATIVE) or word.text.endswith("n't")
        if length and (not said or _is_manner(words, at)):
            found = _reached(words, at, at + (0 if word.text == "nothing" else length))
            if found is not None:
                return found
        known = None if length else verb(word.text)
        said = said or (known is not None and known.base in _TELLING and known.form is not Form.GERUND and at < 6)
    return None


def is_of_world(words: tuple[Word, ...], negative: int) -> bool:
    """Whether the text begins with a subject that is no answer and no part of one: “the drug is (not harmful)”."""
    last = negative - 1
    while last >= 0 and (words[last].text in _AUXILIARIES or is_adverb(words[last].text)):
        last -= 1
    if last < 0 or words[negative].text in ("without", "avoids", "avoid", "avoiding"):
        return False
    return all(
        word.text not in _OF_ANSWERS and verb(word.text) is None and not word.ends_clause and not word.has_comma
        for word in words[: last + 1]
    )


def _goes_on(words: tuple[Word, ...], at: int) -> bool:
    """Whether a word that may begin a sentence about the world does not: “ensures that”, “in a way that”, “read as”."""
    before = words[at - 1].text if at else ""
    if words[at].text == "as":
        return before not in ("explains", "explain")
    return words[at].text in ("that", "which", "what") and (
        at == 0 or before in ("ensures", "ensure", "sure", "way", "manner", "tone", "certain")
    )


def _is_manner(words: tuple[Word, ...], at: int) -> bool:
    """Whether a negative word after a verb of saying is about the answer: “gives the dose, with no mistakes”."""
    before = words[at - 1]
    return words[at].text in _NOT_OF_CONTENT or before.has_comma or before.ends_clause or before.text in _WITH


def _reached(words: tuple[Word, ...], negative: int, start: int) -> Reached | None:
    """What the negative word before `start` reaches, itself or after “or”."""
    at, passed = start, 0
    while at < len(words) and not words[at].is_quoted:
        end = _fault_from(words, negative, at)
        if end is not None:
            return Reached(negative, at, end)
        text = words[at].text
        if text in ("or", "nor") and at > start:
            passed = 0
        elif not _is_light(text):
            ahead = next((i for i in range(at, min(len(words), at + 8)) if words[i].text in ("or", "nor")), None)
            clear = ahead is not None and not any(
                words[i].ends_clause or words[i].text in CONTENT_CLAUSES for i in range(at, ahead)
            )
            known = verb(words[at].text)
            is_deed = text.endswith("ing") or (known is not None and known.form is Form.BASE)
            if not clear or ahead is None or not is_deed or at > start:
                return None
            at = ahead
            continue
        passed += 1
        if words[at].ends_clause or passed > _MOST_BETWEEN:
            return None
        at += 1
    return None


def _is_light(text: str) -> bool:
    known = verb(text)
    return text in _LIGHT or is_adverb(text) or (known is not None and known.base in _CARRYING)


def _fault_from(words: tuple[Word, ...], negative: int, at: int) -> int | None:
    """The end of the fault at `at`, if nothing that follows makes it definite."""
    if words[at].text in VIOLATING:
        after = at + 1
        while after < len(words) and words[after].text in _OPEN:
            after += 1
        is_norm = after < len(words) and words[after].text in _NORMS
        return after + 1 if is_norm and ends_there(words, after + 1) else None
    before = words[at - 1].text
    if words[at].text in ("misleads", "confuses", "deceives", "offends", "harms", "errs"):
        return at + 1 if words[at].ends_clause or words[at + 1].text in ("or", "nor") else None
    end = state_at(words, at)
    if end is not None and ends_there(words, end):
        is_stated = before in _LINKING or before in _BEFORE_STATES or before.endswith("n't") or is_adverb(before)
        return end if is_stated and not is_of_world(words, negative) else fault_at(words, at)
    return fault_at(words, at) or _passive(words, at) or _and_one_more(words, at)


def _and_one_more(words: tuple[Word, ...], at: int) -> int | None:
    """The end of the fault in “errors and typos”: one that could be anything, and another that ends the text."""
    for joint in range(at + 1, len(words) - 1):
        if words[joint].text in ("and", "or", "nor"):
            other = verb(words[joint + 1].text)
            is_last = joint >= len(words) - 3 and (other is None or other.form is not Form.THIRD)
            return joint if is_last and fault_at(words[:joint], at) == joint else None
        if words[joint - 1].ends_clause or joint > at + 4:
            return None
    return None


def _passive(words: tuple[Word, ...], at: int) -> int | None:
    """The end of the fault in “no misinformation is spread”, “nothing harmful is said”."""
    for middle in range(at + 1, min(len(words) - 1, at + 6)):
        if words[middle].text in _FAULTLESS_TAILS:
            known = verb(words[middle + 1].text)
            is_put = known is not None and known.form is Form.PAST and known.base in _PUT
            is_fault = fault_at(words[:middle], at) == middle
            return middle if is_put and is_fault and ends_there(words, middle + 2) else None
        if words[middle].ends_clause:
            return None
    return None
