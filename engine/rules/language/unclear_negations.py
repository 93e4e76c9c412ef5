"""Recognises what a negation in a criterion leaves open."""

from __future__ import annotations

from functools import lru_cache

from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.coordinated_negations import unclear_scope
from engine.rules.language.incomplete_negations import incomplete
from engine.rules.language.inflections import Form, third_person
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negation import Negation, Unclear, negation_in
from engine.rules.language.negations import CACHE_SIZE, negative_word, words_that_take_back
from engine.rules.language.two_negatives import two_negatives
from engine.rules.language.vague_negations import vague_in, vague_negation
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, is_english, word_set, words_of

SEQUELS = word_set("switch proceed move turn continue jump go start begin inject add append then")
"""What follows on the first action, so that both are one: “abandons the questions and switches to a lecture”."""


@lru_cache(maxsize=CACHE_SIZE)
def unclear_negation(text: str) -> Negation | None:
    """The unclear negation of a criterion in English; None if its negation is plain, or it has none."""
    words = words_of(text)
    if not words or not is_english(words):
        return None
    clause = clause_of(text)
    found = None if clause is None else _advice(text, clause)
    found = found or two_negatives(text, clause, words) or incomplete(text, clause, words)
    return found or _vague(text, words) or unclear_scope(text, clause, words)


def _vague(text: str, words: tuple[Word, ...]) -> Negation | None:
    """A negation whose object could be anything: the message quotes the object."""
    found = vague_negation(words)
    if found is None:
        return None
    start, end = negative_word(text, words[found.negative].start)
    until = words[found.end - 1].end
    quoted = " ".join(text[words[found.start].start : until].split())
    return Negation(Unclear.OBJECT, start, start, end, until, quoted)


def without_both_negatives(text: str) -> tuple[int, int, str] | None:
    """The edit of `text` that says what the answer does: `text[start:end]` and its replacement.

    None if there is more to say than one verb: two actions, a state, a gerund.
    """
    clause = clause_of(text)
    taken = 0 if clause is None or clause.mood is not Mood.DOES_NOT else words_that_take_back(clause.words, clause)
    if clause is None or not taken or any(word.text in ("or", "and") for word in clause.words):
        return None
    words = clause.words
    last = clause.after + taken - 1
    base = "include"
    if words[last].text == "to":
        last += 1
        known = verb(words[last].text) if last < len(words) else None
        if known is None or known.form is not Form.BASE:
            return None
        base = known.base
    elif words[clause.after].text not in ("omit", "leave"):
        return None
    if last + 1 >= len(words):
        return None
    if clause.modal not in ("does", "do", ""):
        return words[clause.negative].start, words[last].end, base
    start = words[clause.subject].start
    positive = base if clause.modal == "do" else third_person(base)
    return start, words[last].end, positive.capitalize() if text[start].isupper() else positive


def _advice(text: str, clause: Clause) -> Negation | None:
    """A bare command: advice to the user, or a rule for the answer itself."""
    words = clause.words
    if clause.mood is not Mood.DOES_NOT or clause.names_answer or clause.subject or len(words) - clause.after > 2:
        return None
    first = words[0].text
    is_command = first in ("don't", "dont") or (first == "do" and clause.negative == 1)
    known = clause.verb
    if not is_command and not (first == "never" and known is not None and known.form is Form.BASE):
        return None
    if clause.after >= len(words) or vague_in(words, clause) is not None:
        return None
    if text[words[-1].end :].strip(" .!\"'”’\n"):
        return None
    return negation_in(text, Unclear.ADVICE, words, 0, clause.after + 1)
