"""Whether two criteria are opposed: whether their words say that no answer meets both. English only.

Each kind has its evidence in the two texts: two languages, two amounts, a deed and its refusal or negation, a word and
its opposite, two values where one is exact. Everything else can be met together for all that the words say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.record import Record
from engine.rules.language.changed_words import changed_words
from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.inflections import Form, Inflected
from engine.rules.language.named_languages import LANGUAGES
from engine.rules.language.stems import stem
from engine.rules.language.verbs import ANSWERING, REFUSING, verb
from engine.rules.language.wanted_amounts import amounts_in
from engine.rules.language.words import Word, is_english, word_set, words_of

_WHOLE = word_set(
    """is are be was entirely only fully completely wholly exclusively solely throughout response responses reply
    replies answer answers text output message written respond responds responding responded replying replied
    answering answered write writes writing speak speaks speaking translate translates translated translation
    summary summarise summarises summarize summarizes continuation continues essay letter explanation story poem
    back generate generates generated produce produces language"""
)
"""Before “in French”, a word for the whole answer."""
_BOTH = word_set("both also or bilingual additionally either")
_ONE_OF_SEVERAL = word_set("first second third fourth last next other another each former latter half version")
"""Of a part of an answer, such as the second of two letters."""

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
    your my me i you he she they can could would into from about when where which who there here someone somebody"""
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
_ARTICLES = frozenset(("a", "an", "the"))
_SHARED = 0.6
"""The part of what is wanted that a refusal has to name."""


class Opposition(Record):
    """Why no answer meets both criteria: the words of each that say so."""

    one: str
    other: str


@lru_cache(maxsize=20_000)
def opposition(one: str, other: str, request: str = "") -> Opposition | None:
    """Why no answer meets both `one` and `other`, which are wanted; None if one can. `request` is what is asked for."""
    first, second = words_of(one), words_of(other)
    if not first or not second or not is_english(first) or not is_english(second):
        return None
    return (
        _languages(one, other)
        or _amounts(one, other)
        or _refusal(one, other, request)
        or _refusal(other, one, request, swapped=True)
        or _negation(one, other)
        or _changed(one, other)
    )


# Two languages


def _languages(one: str, other: str) -> Opposition | None:
    first, second = _language_of(one), _language_of(other)
    if first is None or second is None or first.text == second.text:
        return None
    return Opposition(one[first.start : first.end], other[second.start : second.end])


@lru_cache(maxsize=4_000)
def _language_of(text: str) -> Word | None:
    """The one language in which an answer has to be as a whole."""
    if not any(sign in text for sign in (" in ", " is ", "In ")):
        return None
    words = words_of(text)
    named = [index for index, word in enumerate(words) if word.text in LANGUAGES]
    if len(named) != 1 or any(word.text in _BOTH or word.text in _ONE_OF_SEVERAL for word in words):
        return None
    [at] = named
    if words[at].is_quoted or at == 0 or not text[words[at].start].isupper():
        return None
    before = [word.text for word in words[:at]]
    if before[-1] == "is":
        return words[at] if "language" in before else None
    if before[-1] != "in":
        return None
    clause = clause_of(text)
    if clause is None or clause.is_negative or (clause.verb is not None and clause.verb.base in _SAYING_A_PART):
        return None
    return words[at] if not _WHOLE.isdisjoint(before) else None


_SAYING_A_PART = word_set("name mention quote cite include list give use contain add repeat provide")


# Two amounts


def _amounts(one: str, other: str) -> Opposition | None:
    for first in amounts_in(one):
        for second in amounts_in(other):
            if first.excludes(second):
                return Opposition(first.written, second.written)
    return None


# A deed and its refusal


def _refusal(one: str, other: str, request: str, *, swapped: bool = False) -> Opposition | None:
    """The refusal in `one` of what `other` wants."""
    refused, given = _refused(one), _given(other)
    if refused is None or given is None:
        return None
    wanted = given.content - _MANNER
    known = refused.content | _stems(word.text for word in words_of(request))
    is_same = not wanted if refused.content <= known else False
    if wanted:
        is_same = len(wanted & known) >= _SHARED * len(wanted) and (
            not refused.content or bool(wanted & refused.content)
        )
    if not is_same or ({refused.verb, given.verb} & _MAKING and {refused.verb, given.verb} & _TELLING):
        return None
    found = (refused.words, given.words)
    return Opposition(*(reversed(found) if swapped else found))


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
    return _Deed("" if refuses else deed.base, content - _BARE - _MANNER, _quoted(text, clause))


@lru_cache(maxsize=4_000)
def _given(text: str) -> _Deed | None:
    clause = clause_of(text)
    found = None if clause is None else _verb_of(clause)
    if clause is None or found is None or clause.is_negative or found[0].base not in _GIVING_OR_ANSWERING:
        return None
    rest = clause.words[found[1] + 1 :]
    if any(word.text in _SOFTENS for word in rest):
        return None
    return _Deed(found[0].base, _stems(word.text for word in rest) - _BARE, _quoted(text, clause))


def _verb_of(clause: Clause) -> tuple[Inflected, int] | None:
    """The verb of a clause and its place; “answers” after a subject is one, though it may be a noun."""
    for at in (clause.after, clause.after - 1):
        found = verb(clause.words[at].text) if 0 <= at < len(clause.words) else None
        if found is not None and (at == clause.after or at > 0):
            return found, at
    return None


def _first_clause(words: Sequence[Word]) -> Sequence[Word]:
    for index, word in enumerate(words):
        if word.text in ("and", "but", "while", "because", "or", "by") or word.ends_clause:
            return words[: index + word.ends_clause]
    return words


def _quoted(text: str, clause: Clause) -> str:
    start = clause.words[clause.negative if clause.is_negative else clause.after].start
    return text[start : clause.words[-1].end]


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if word not in _BARE)


_GIVING_STEMS = frozenset(map(stem, _GIVING | ANSWERING | REFUSING))


# A deed and its negation


def _negation(one: str, other: str) -> Opposition | None:
    first, second = clause_of(one), clause_of(other)
    if first is None or second is None or first.is_negative == second.is_negative:
        return None
    deeds = (first.verb, second.verb)
    if deeds[0] is None or deeds[1] is None or deeds[0].base != deeds[1].base:
        return None
    if _plain(first.words[first.after + 1 :]) != _plain(second.words[second.after + 1 :]):
        return None
    return Opposition(_quoted(one, first), _quoted(other, second))


def _plain(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words if word.text not in _ARTICLES and word.text != "any")


# One word or value in its place


def _changed(one: str, other: str) -> Opposition | None:
    changed = changed_words(one, other)
    return None if changed is None else Opposition(*changed)
