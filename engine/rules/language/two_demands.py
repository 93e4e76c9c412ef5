"""Criteria that demand two deeds at once: “explains the right to silence and offers to find a lawyer”."""

from __future__ import annotations

from functools import lru_cache

from engine.record import Record
from engine.rules.language.clauses import clause_of
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.subjects import is_adverb
from engine.rules.language.verbs import base_form, verb
from engine.rules.language.words import word_set

_CONTENT = word_set(
    "that if when because who which whether how why what where whose as than whom since by between both"
)
"""After these, “and” joins parts of what the answer says."""
_AFTER_A_VERB = word_set(
    "the a an it its them their to with that on any each how why what whether if him her at into one"
)
"""What follows a verb more often than a noun."""


class TwoDemands(Record):
    """The two verbs of a criterion; the second is at `text[start:end]`."""

    first: str
    second: str
    start: int
    end: int


@lru_cache(maxsize=4_000)
def two_demands(text: str) -> TwoDemands | None:
    """The two deeds that an English criterion demands; None if it demands one."""
    clause = clause_of(text)
    if clause is None or clause.mood is not Mood.DOES:
        return None
    words, first = clause.words, clause.verb
    if first is None or first.form not in (Form.BASE, Form.THIRD):
        return None
    form = Form.BASE if clause.modal else first.form
    for at in range(clause.after + 1, len(words) - 2):
        if words[at].is_quoted or words[at].text in _CONTENT or words[at].ends_clause:
            return None
        if words[at].text == "to" and base_form(words[at + 1].text) is not None:
            return None
        if words[at].text != "and":
            continue
        second = at + 1 + is_adverb(words[at + 1].text)
        known = verb(words[second].text) if second < len(words) - 1 else None
        if known is not None and known.form is form and words[second + 1].text in _AFTER_A_VERB:
            return TwoDemands(words[clause.after].text, words[second].text, words[second].start, words[second].end)
    return None
