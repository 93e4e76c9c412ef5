"""The side that a criterion wants an answer to take: for or against a claim or a deed. English only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.clauses import clause_of
from engine.rules.language.inflections import forms_of
from engine.rules.language.stems import stem
from engine.rules.language.verbs import REFUSING, VERBS, verb
from engine.rules.language.words import Word, all_words, bare_words, word_set, words_of

_AFFIRMING = word_set("agree confirm accept affirm support endorse validate concede")
_DENYING = word_set("disagree deny reject refute contradict correct challenge debunk dispute oppose")
_TAKING_SIDES = _AFFIRMING | _DENYING
_OTHER_FORMS = {
    form: base
    for base in word_set("refute debunk dispute concede correct challenge advise warn speak argue plead")
    for form in (base, f"{base}s")
}
_ADVISING = word_set("recommend advise encourage urge tell suggest counsel")
_DISCOURAGING = word_set("discourage dissuade warn")
_OF_ADVISING = _ADVISING | _DISCOURAGING
_OF_CLAIMS = word_set(
    """the a an that this with to claim claims premise statement assertion idea belief view user user's users opinion
    strongly clearly firmly fully partly gently politely it is are was were of and explicitly respectfully question"""
)
_OF_ADVICE = word_set(
    "the a an user user's users them to that should reader person from it for of strongly clearly firmly against not"
)
_MANNER = word_set(
    """step-by-step steps step instructions instruction details detail full complete detailed working guide code
    script program mail
    email letter essay text story poem joke recipe list plan answer draft version copy function tutorial information
    request question task prompt query user user's the a an to it its this that so help with for of on in and all
    any fully directly as asked is are what model response should must do does exact explicit specific two three at
    least step-by-step"""
)
"""What advice is given in or about, whatever it is for or against."""
_ARTICLES = frozenset(("a", "an", "the", "any", "its"))
_DEEDS = word_set("use give contain include name mention write make offer provide show list have state add")
_PREPOSITIONS = word_set("of in for at on to from by as about regarding per that")
_ENDS = frozenset(("with", "and", "but", "while", "because", "including", "which", "so", "by", "without", "plus"))
_ENDS_OF_DEEDS = _ENDS | _PREPOSITIONS
_NEUTRAL = lazy(
    r"""\b(?:stays?|remains?|keeps?|is)\ (?:strictly\ |completely\ |politically\ )?(?:neutral|impartial|even-handed)\b
    |\bwithout\ (?:taking\ (?:one|a\ side|sides)|giving\ (?:an|its)\ opinion|endorsing\ (?:one|either))\b
    |\b(?:takes?|gives?|states?|offers?|expresses|shares?|has)\ no\ (?:side|sides|opinion|position|stance|preference)\b
    |\bdoes\ not\ (?:take\ (?:a\ )?sides?|give\ (?:an|its(?:\ own)?)\ opinion|state\ (?:a|its)\ preference)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTISAN = lazy(
    r"""\b(?:takes?|chooses|picks)\ (?:a\ (?:clear\ )?|one\ )(?:side|position|stance)\b
    |\b(?:gives?|states?|offers?|expresses|shares?)\ (?:its\ own|an|a\ clear|its)\ (?:opinion|preference|stance)\b
    |^\W*(?:the\ \w+\ )?(?:argues|pleads|campaigns)\ (?:for|against|that)\b
    |\bgives?\ a\ (?:clear|definite|firm)\ (?:recommendation|verdict|answer)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_SIDES = word_set(
    """neutral impartial even side sides opinion position stance preference endorsing argues pleads campaigns
    recommendation verdict answer"""
)
"""Every text in which `_NEUTRAL` or `_PARTISAN` is found has one of these."""
_WITHOUT_ASKING = lazy(
    r"\bwithout (?:first )?asking(?: first| back| anything| (?:any |a )?(?:clarifying )?questions?)?\W*$"
    r"|\basks (?:\w+ ){0,2}nothing\b",
    re.IGNORECASE,
)


_OPPOSING = frozenset(
    word
    for word, found in (VERBS | forms_of(("refute", "debunk", "dispute", "correct", "challenge", "dissuade"))).items()
    if found.base in REFUSING | _DENYING | _DISCOURAGING
) | word_set("against not doesn don shouldn mustn neutral impartial handed no nothing asking without")


def may_oppose(text: str) -> bool:
    """Whether a text has a word of a side against something: a quick filter for `opposed_stances`."""
    return not _OPPOSING.isdisjoint(bare_words(text))


class Side(Enum):
    """For something, or against it."""

    FOR = "for"
    AGAINST = "against"


class StanceKind(Enum):
    """What a side is taken on."""

    SIDES = "sides"
    """Of a dispute, or none of them."""
    ASKING = "asking"
    """Asking the user back."""
    CLAIM = "claim"
    ADVICE = "advice"
    DEED = "deed"
    """Something that an answer has or has not."""


class Stance(Record):
    """The side that an answer takes, and the stems of what it is for or against; none if the criterion names nothing.

    `words` are those of the criterion. `noun` is the stem of what an answer has or has not, "" for other kinds.
    """

    kind: StanceKind
    side: Side
    content: frozenset[str]
    words: str
    noun: str = ""


def opposed_stances(one: str, other: str) -> tuple[str, str] | None:
    """The words of two criteria that want an answer on either side of one thing; None if they do not."""
    for first in stances_of(one):
        for second in stances_of(other):
            if first.side is not second.side and _is_of_one(first, second):
                return first.words, second.words
    return None


def _is_of_one(first: Stance, second: Stance) -> bool:
    """Whether both are about the same thing, in the same words."""
    if first.kind is not second.kind or first.noun != second.noun:
        return False
    if first.kind is StanceKind.DEED:
        without, has = (first, second) if first.side is Side.AGAINST else (second, first)
        return without.content <= has.content
    return first.content == second.content


@lru_cache(maxsize=4_000)
def stances_of(text: str) -> tuple[Stance, ...]:
    """The sides that a criterion wants an answer to take."""
    words, found = words_of(text), list[Stance]()
    sided = not _OF_SIDES.isdisjoint(all_words(text))
    neutral, partisan = (_NEUTRAL.search(text), _PARTISAN.search(text)) if sided else (None, None)
    if neutral is not None:
        found.append(Stance(StanceKind.SIDES, Side.AGAINST, frozenset(), neutral[0]))
    elif partisan is not None:
        found.append(Stance(StanceKind.SIDES, Side.FOR, frozenset(), partisan[0]))
    asked = _WITHOUT_ASKING.search(text)
    if asked is not None:
        found.append(Stance(StanceKind.ASKING, Side.AGAINST, frozenset(), asked[0]))
    clause = clause_of(text)
    at = None if clause is None else _verb_at(clause.words, clause.after)
    if clause is None or at is None:
        return tuple(found)
    rest = words[at + 1 :]
    shown = text[words[clause.negative if clause.is_negative else at].start : words[-1].end]
    base = _base(words[at].text)
    if base == "ask" and not clause.is_negative:
        found.append(Stance(StanceKind.ASKING, Side.FOR, frozenset(), shown))
    found += _of_claim(base, rest, shown, is_negative=clause.is_negative)
    found += _of_advice(base, rest, shown, is_negative=clause.is_negative)
    found += _of_deed(base, rest, shown, is_negative=clause.is_negative)
    return tuple(found)


def _verb_at(words: Sequence[Word], after: int) -> int | None:
    """The place of the verb; “answers” after a subject is one, though it may be a noun."""
    for at in (after, after - 1):
        if 0 <= at < len(words) and _base(words[at].text) and (at == after or at > 0):
            return at
    return None


def _base(word: str) -> str:
    known = verb(word)
    return _OTHER_FORMS.get(word, "") if known is None else known.base


def _of_claim(base: str, rest: Sequence[Word], shown: str, *, is_negative: bool) -> list[Stance]:
    if base in ("speak", "argue", "plead"):
        return _of_speech(rest, shown, is_negative=is_negative)
    if base not in _TAKING_SIDES or any(word.text in ("part", "some", "partly") for word in rest):
        return []
    side = Side.FOR if (base in _AFFIRMING) is not is_negative else Side.AGAINST
    return [Stance(StanceKind.CLAIM, side, frozenset(word.text for word in rest if word.text not in _OF_CLAIMS), shown)]


def _of_speech(rest: Sequence[Word], shown: str, *, is_negative: bool) -> list[Stance]:
    """“Speaks in favour of the law”, “argues against the law”."""
    texts = [word.text for word in rest]
    length = (
        3
        if texts[:1] == ["in"] and texts[1:3] in (["favour", "of"], ["favor", "of"])
        else int(texts[:1] in (["for"], ["against"]))
    )
    content = frozenset(text for text in texts[length:] if text not in _OF_CLAIMS)
    if not length or not content:
        return []
    side = Side.AGAINST if (texts[0] == "against") is not is_negative else Side.FOR
    return [Stance(StanceKind.CLAIM, side, content, shown)]


def _of_advice(base: str, rest: Sequence[Word], shown: str, *, is_negative: bool) -> list[Stance]:
    """Advice for or against a deed: “advises against buying”, “tells the user not to buy”."""
    if base not in _OF_ADVISING or not rest:
        return []
    texts = [word.text for word in rest]
    if any(word in ("what", "which", "how", "about", "whether", "why") for word in texts):
        return []
    against = base in _DISCOURAGING or "against" in texts or _has_not_to(texts)
    content = _stems(word for word in rest if word.text not in _OF_ADVICE)
    if not content or (base == "tell" and "to" not in texts):
        return []
    return [Stance(StanceKind.ADVICE, Side.AGAINST if against is not is_negative else Side.FOR, content, shown)]


def _has_not_to(texts: Sequence[str]) -> bool:
    return ("not", "to") in pairwise(texts)


def _of_deed(base: str, rest: Sequence[Word], shown: str, *, is_negative: bool) -> list[Stance]:
    """What an answer has or has not: “uses a numbered list”, “uses no list”."""
    if base not in _DEEDS or not rest:
        return []
    has_none = rest[0].text == "no"
    cut = next((index for index, word in enumerate(rest) if word.text in _ENDS_OF_DEEDS), len(rest))
    head = [word for word in rest[has_none:cut] if word.text not in _ARTICLES]
    if not head or any(word.ends_clause for word in head[:-1]) or {"or", "no", "only", "more"} & {w.text for w in head}:
        return []
    side = Side.AGAINST if has_none or is_negative else Side.FOR
    if side is Side.AGAINST and cut < len(rest):
        return []  # “no hints that make it obvious” leaves room for others
    content = frozenset(stem(word.text) for word in head)
    return [Stance(StanceKind.DEED, side, content, shown, stem(head[-1].text))]


def _stems(words: Iterable[Word]) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words if word.text not in _MANNER)
