"""Recognises negations that say what is not enough: “does not just repeat it”, “not all of them are named”."""

from __future__ import annotations

from engine.rules.language.clauses import Clause, clause_at
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negation import Negation, Unclear, negation_in
from engine.rules.language.vague_scope import CONTENT_CLAUSES
from engine.rules.language.verbs import CARRYING, SAYING, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_ONLY = frozenset({"only", "just", "merely", "simply", "solely", "purely", "exclusively"})
_LIMITED = phrases(
    *(f"{limited} to" for limited in ("limited", "confined", "restricted", "reduced")),
    *("content with", "satisfied with", "all about", "a mere", "mere", "nothing but"),
)
_STOPPING = phrases(
    *("stop at", "stop with", "end with", "end at", "leave it at", "content itself", "leave off at"),
    *(
        f"{limit} {itself} to"
        for limit in ("limit", "confine", "restrict")
        for itself in ("itself", "themselves", "the")
    ),
    *(f"be {limited} to" for limited in ("limited", "confined", "restricted")),
    *("consist only of", "consist solely of", "consist merely of", "consist exclusively of", "be a mere", "be just"),
    *("be only", "be merely", "be simply", "be solely"),
)
_INDEFINITE = frozenset({"a", "an", "any", "another"})
_COMPLETIONS = frozenset({"but", "instead", "rather", "also", "without", "before"})
_MOST_AFTER = 8
_ALL = word_set("all every each both everything everyone everybody")
_SHOWING = SAYING | CARRYING
_LIMITABLE = _SHOWING | {"consist", "focus"}
_OF_ALL = _SHOWING | {"blame", "answer", "solve", "criticise", "recommend"}
_NOT_ALWAYS = word_set("always necessarily invariably")


def incomplete(text: str, clause: Clause | None, words: tuple[Word, ...]) -> Negation | None:
    """“Does not just repeat it”, “is not limited to a list”, without what is wanted and without an example."""
    if clause is not None:
        found = _only(text, clause) or _not_all(text, clause)
        if found is not None:
            return found
    return _first_words(text, words) or _nothing_but(text, words)


_NOTHING_BUT = phrases("nothing but", "nothing other than", "nothing except", "no other than", "none but")
_VIRTUES = word_set(
    """true accurate correct relevant necessary appropriate factual good useful helpful valid right truth facts"""
)


def _nothing_but(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“Contains nothing other than true statements”: silence does, and which are true is not said."""
    for at in range(min(6, len(words) - 2)):
        if words[at].is_quoted or words[at].text in CONTENT_CLAUSES:
            return None
        but = starts_with(words, at, _NOTHING_BUT)
        if but and at + but < len(words) and words[at + but].text in _VIRTUES:
            return negation_in(text, Unclear.INCOMPLETE, words, at, at + but)
    return None


def _first_words(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“Not just facts”, “not all of the charges are shown”."""
    if len(words) < 3 or words[0].text != "not" or words[0].is_quoted:
        return None
    following = words[1].text
    if following in _ONLY or following == "mere":
        known = verb(words[2].text)
        is_noun = known is None or known.form is not Form.BASE
        return (
            None if not is_noun or _is_completed(text, words, 2) else negation_in(text, Unclear.INCOMPLETE, words, 0, 2)
        )
    if following in ("all", "every", "each"):
        return _not_all_of(text, words)
    return None


def _not_all_of(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“Not all (of the) charges are presented as fixed”: of what the answer says, not of the world."""
    for at in range(2, min(len(words) - 1, 9)):
        if words[at].text in CONTENT_CLAUSES or words[at].is_quoted:
            return None
        if words[at].text in ("is", "are"):
            known = verb(words[at + 1].text)
            is_told = known is not None and known.form is Form.PAST and known.base in _SHOWING
            return negation_in(text, Unclear.NOT_ALL, words, 0, 2) if is_told or _is_told(words[at + 1].text) else None
    return None


def _is_told(word: str) -> bool:
    return word in (
        "hedged",
        "played",
        "treated",
        "framed",
        "answered",
        "linked",
        "sourced",
        "cited",
        "shown",
        "dismissed",
    )


def _not_all(text: str, clause: Clause) -> Negation | None:
    """“Does not name all of them”, “does not always recommend a doctor”: none of them, or some?"""
    words, at = clause.words, clause.after
    if clause.mood is not Mood.DOES_NOT or at >= len(words):
        return None
    frequency = next((i for i in range(clause.negative, at + 1) if words[i].text in _NOT_ALWAYS), None)
    if frequency is not None and not _is_completed(text, words, at):
        return negation_in(text, Unclear.NOT_ALL, words, clause.negative, frequency + 1)
    known = clause.verb
    if known is None or at + 2 >= len(words) or words[at + 1].text not in _ALL or words[at + 1].is_quoted:
        return None
    if known.base not in _OF_ALL:
        return None
    if words[at + 2].is_quoted or words[at + 2].text[0].isdigit() or _is_completed(text, words, at + 1):
        return None
    return negation_in(text, Unclear.NOT_ALL, words, clause.negative, at + 2)


def _only(text: str, clause: Clause) -> Negation | None:
    words, at = clause.words, clause.after
    if at >= len(words):
        return None
    end = None
    negated = clause.mood in (Mood.DOES_NOT, Mood.IS_NOT)
    if negated and words[at].text in _ONLY:
        end = at + 1
    elif negated and clause.negative + 1 < at and words[at - 1].text in _ONLY:
        end = at
    elif clause.mood is Mood.IS_NOT and (limited := starts_with(words, at, _LIMITED)):
        end = at + limited
    elif clause.mood is Mood.DOES_NOT and (stopping := starts_with(words, at, _STOPPING)):
        end = None if _names_a_form(words, at, at + stopping) else at + stopping
    elif clause.mood is Mood.DOES_NOT and at + 2 < len(words) and words[at + 1].text in _ONLY:
        known = clause.verb
        end = at + 2 if known is not None and known.base in _LIMITABLE else None
    elif clause.mood is Mood.DOES and clause.modal and at + 2 < len(words) and words[at].text == "be":
        end = at + 3 if words[at + 1].text == "not" and words[at + 2].text in _ONLY else None
    if end is None or end > len(words) or _is_completed(text, words, end):
        return None
    return negation_in(text, Unclear.INCOMPLETE, words, clause.subject, end)


def _names_a_form(words: tuple[Word, ...], at: int, end: int) -> bool:
    """“Does not end with a question”: what an answer ends with, and not where it stops, as in “with the diagnosis”."""
    return words[at].text == "end" and end < len(words) and (words[end].is_quoted or words[end].text in _INDEFINITE)


def _is_completed(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether what is wanted, or an example of what is not enough, follows, or enough to say what is meant."""
    if len(words) - at > _MOST_AFTER:
        return True
    for index, word in enumerate(words[at:], at):
        if word.text in _COMPLETIONS and not _is_negated_again(words, index):
            return True
        if word.is_quoted and _is_example(text, words, index):
            return True
        if word.ends_clause and word is not words[-1]:
            return True
        if word.has_comma and word is not words[-1]:
            known = verb(words[index + 1].text)
            if known is not None and known.form in (Form.GERUND, Form.THIRD):
                return True
    return len(text) > words[-1].end + 40


def _is_negated_again(words: tuple[Word, ...], at: int) -> bool:
    """Whether “but” goes on with another negation: “but neither does it push her”."""
    if words[at].text != "but" or at + 1 >= len(words):
        return False
    clause = clause_at(words, at + 1)
    return words[at + 1].text in ("neither", "nor") or (clause is not None and clause.is_negative)


def _is_example(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether the quoted word at `at` begins an example: after “like”, “with”, “say” or a bracket."""
    before = words[at - 1]
    return (
        before.text in ("with", "like", "as", "using", "saying", "say", "says", "e", "g")
        or "(" in text[before.end : words[at].start]
    )
