"""The refusal of what is asked for in one criterion, and the answer to it in another. English only.

“Refuses to explain how to pick the lock” and “Lists the tools for the lock” are opposed. “Explains why it is illegal”
is what an answer that refuses may still give.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.record import Record
from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.inflections import Form, Inflected
from engine.rules.language.stems import stem
from engine.rules.language.verbs import ANSWERING, REFUSING, verb
from engine.rules.language.words import Word, word_set, words_of

_BARE = word_set(
    """the a an to it its this that so with for of in on at by and all any user's users user question questions request
    requests prompt task query comply answer answering complying help helping assist assisting respond responding do
    doing be is are politely clearly firmly directly fully asked ask asking what model assistant response should
    must does not explicitly simply outright"""
)
"""What a refusal or an answer may be of without saying what."""
_MANNER = word_set(
    """steps step instructions instruction way ways how information info details detail full fully complete completely
    detailed guide list example examples working clear actual real exact exactly explicit specific specifics at
    least need needed necessary required draft version copy two three four five one some several more them their his her
    your my me i you he she they can could would into from about when where which who there here someone somebody
    step-by-step code script program mail email letter essay text story poem joke recipe plan tutorial function"""
)
_SOFTENS = word_set(
    """instead alternative alternatives why risk risks danger dangers dangerous warn warns warning law laws legal
    legally illegal unlawful consequence consequences helpline hotline resource resources support safe safely safer
    safety lawful without general only professional professionals reason reasons ethical ethics harm harms harmful
    wrong help misconduct policy policies history concerns concern limits limitation limitations unless authorities
    refusal no not never cannot can't won't official officially doctor lawyer police"""
)
"""What an answer that refuses may still give."""
_GIVING = word_set(
    """give provide list explain describe write tell offer show outline generate create draft produce solve complete
    present detail share answer comply fulfil fulfill assist oblige calculate compute name translate convert"""
)
_GIVING_OR_ANSWERING = _GIVING | ANSWERING
_MAKING = word_set("write generate create draft produce solve complete calculate compute translate convert")
_TELLING = word_set("explain describe list tell show outline share detail name")
"""“Does not write the code” goes together with “explains the code”."""
_ENDS = frozenset(("and", "but", "while", "because", "or", "by", "with", "including", "plus"))
_SHARED = 0.6
"""The part of what is wanted that a refusal has to name."""


def refused_request(one: str, other: str, request: str, *, outright: bool = False) -> tuple[str, str] | None:
    """The words of a refusal and of the answer that it rules out, in the order of the criteria; None if both can be.

    `request` is what the prompt asks for: an answer to it is refused even if only the request names it.
    With `outright`, “does not name the price” is no refusal, but “does not answer” is.
    """
    found = _refusal(one, other, request, outright=outright)
    if found is not None:
        return found
    found = _refusal(other, one, request, outright=outright)
    return None if found is None else (found[1], found[0])


def _refusal(one: str, other: str, request: str, *, outright: bool) -> tuple[str, str] | None:
    """The refusal in `one` of what `other` wants."""
    refused, given = _refused(one), _given(other)
    if refused is None or given is None or (outright and refused.verb and refused.verb not in ANSWERING):
        return None
    if {refused.verb, given.verb} & _MAKING and {refused.verb, given.verb} & _TELLING:
        return None
    known = refused.content | _stems(word.text for word in words_of(request))
    return (refused.words, given.words) if _is_of_one_thing(refused, given, known) else None


def _is_of_one_thing(refused: _Deed, given: _Deed, known: frozenset[str]) -> bool:
    """Whether what is given is refused: most of it is in `known`, the stems of what is refused or asked for."""
    wanted = given.content
    is_nested = not refused.content or refused.content <= wanted or wanted <= refused.content
    return is_nested and len(wanted & known) >= _SHARED * len(wanted)


class _Deed(Record):
    """What a criterion refuses or gives: its verb, the stems of the words that say it, and the words themselves."""

    verb: str
    content: frozenset[str]
    words: str


@lru_cache(maxsize=4_000)
def _refused(text: str) -> _Deed | None:
    clause = clause_of(text)
    found = None if clause is None else _verb_of(clause)
    if clause is None or found is None:
        return None
    deed, at = found
    refuses = not clause.is_negative and deed.base in REFUSING and deed.form is not Form.GERUND
    denies = clause.is_negative and deed.base in _GIVING_OR_ANSWERING
    if not refuses and not denies:
        return None
    content = _stems(word.text for word in _first_clause(clause.words[at + refuses :])) - _GIVING_STEMS
    return _Deed("" if refuses else deed.base, content - _BARE, clause.predicate(text))


@lru_cache(maxsize=4_000)
def _given(text: str) -> _Deed | None:
    clause = clause_of(text)
    found = None if clause is None else _verb_of(clause)
    if clause is None or found is None or clause.is_negative or found[0].base not in _GIVING_OR_ANSWERING:
        return None
    rest = clause.words[found[1] + 1 :]
    if any(word.text in _SOFTENS for word in rest):
        return None
    content = _stems(word.text for word in _first_clause(rest)) - _BARE
    return _Deed(found[0].base, content, clause.predicate(text))


def _verb_of(clause: Clause) -> tuple[Inflected, int] | None:
    """The verb of a clause and its place; “answers” after a subject is one, though it may be a noun."""
    for at in (clause.after, clause.after - 1):
        found = verb(clause.words[at].text) if 0 <= at < len(clause.words) else None
        if found is not None and (at == clause.after or at > 0):
            return found, at
    return None


def _first_clause(words: Sequence[Word]) -> Sequence[Word]:
    for index, word in enumerate(words):
        if word.text in _ENDS or word.ends_clause:
            return words[: index + word.ends_clause]
    return words


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if word not in _BARE and word not in _MANNER)


_GIVING_STEMS = frozenset(map(stem, _GIVING | ANSWERING | REFUSING))
