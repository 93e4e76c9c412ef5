"""The negation of a verb: “does not name”, “isn't clear”, “is careful not to name”, “is forbidden to name”."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from engine.record import Record
from engine.rules.language.inflections import Form
from engine.rules.language.subjects import CONTRACTED, STATES
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, phrases, starts_with

_CARE = phrases(
    "is careful",
    "be careful",
    "takes care",
    "take care",
    "makes sure",
    "make sure",
    "makes certain",
    "tries",
    "try",
    "attempts",
    "chooses",
    "opts",
    "ensures",
    "ensure",
    "strives",
    "needs",
    "has",
)
"""Words before “not to”."""
_NOT_TO = phrases("not to", "never to")
_ALLOWED = phrases("allowed to", "permitted to", "supposed to", "expected to", "to")
_FORBIDDEN = phrases("is forbidden from", "is forbidden to", "is prohibited from", "is barred from")


class Mood(Enum):
    """How a criterion speaks of what an answer does: “gives”, “does not give”, “avoids giving”, “is”, “is not”."""

    DOES = "does"
    DOES_NOT = "does not"
    AVOIDS = "avoids"
    IS = "is"
    IS_NOT = "is not"


class NegatedVerb(Record):
    """The place of the negative words, their end, and the auxiliary, "" if there is none."""

    mood: Mood
    negative: int
    after: int
    modal: str


def negated_verb(words: Sequence[Word], at: int, modals: frozenset[str]) -> NegatedVerb | None:
    """The negation of the verb at `at`, of which `modals` may be the auxiliary; None if it is not negated."""
    if words[at].text in CONTRACTED:
        return _contracted(words, at, modals)
    following = words[at + 1].text if at + 1 < len(words) else ""
    if following in ("not", "never"):
        if words[at].text in modals:
            return _after_modal(words, at)
        if words[at].text in ("has", "have") and at + 2 < len(words):
            return _not_done(words, at)
        if words[at].text in STATES:
            return _after_is_not(words, at + 1, at + 2)
    return _with_care(words, at) or _bare(words, at, following)


def _contracted(words: Sequence[Word], at: int, modals: frozenset[str]) -> NegatedVerb | None:
    """“Doesn't name”, “isn't clear”, “cannot name”."""
    modal = CONTRACTED[words[at].text]
    if modal in ("is", "are"):
        return _after_is_not(words, at, at + 1)
    return NegatedVerb(Mood.DOES_NOT, at, at + 1, modal) if modal in modals or modal == "can" else None


def _after_modal(words: Sequence[Word], at: int) -> NegatedVerb:
    """“Should not name”, “must not be rude”."""
    end = at + 2
    if end < len(words) and words[end].text == "be":
        return NegatedVerb(Mood.IS_NOT, at + 1, end + 1, words[at].text)
    return NegatedVerb(Mood.DOES_NOT, at + 1, end, words[at].text)


def _not_done(words: Sequence[Word], at: int) -> NegatedVerb | None:
    """“Has not named”; “has never a source” is none."""
    known = verb(words[at + 2].text)
    is_past = known is not None and known.form is Form.PAST
    return NegatedVerb(Mood.DOES_NOT, at + 1, at + 2, "does") if is_past else None


def _after_is_not(words: Sequence[Word], negative: int, after: int) -> NegatedVerb:
    """“is not allowed to name” says what an answer does not do, “is not clear” what it is not."""
    allowed = starts_with(words, after, _ALLOWED)
    return NegatedVerb(Mood.DOES_NOT if allowed else Mood.IS_NOT, negative, after + allowed, "is")


def _with_care(words: Sequence[Word], at: int) -> NegatedVerb | None:
    """“Takes care not to name”, “is forbidden to name”."""
    care = starts_with(words, at, _CARE)
    if care and starts_with(words, at + care, _NOT_TO):
        return NegatedVerb(Mood.DOES_NOT, at + care, at + care + 2, "")
    forbidden = starts_with(words, at, _FORBIDDEN)
    return NegatedVerb(Mood.DOES_NOT, at + 1, at + forbidden, "must") if forbidden else None


def _bare(words: Sequence[Word], at: int, following: str) -> NegatedVerb | None:
    """“Neither names nor hints at it”, “not name”, “not to name”."""
    if words[at].text == "neither":
        known = verb(following)
        is_verb = known is not None and known.form in (Form.BASE, Form.THIRD)
        return NegatedVerb(Mood.DOES_NOT, at, at + 1, "") if is_verb else None
    if words[at].text == "not" and not words[at].ends_clause:
        end = at + (2 if following == "to" else 1)
        known = verb(words[end].text) if end < len(words) else None
        is_verb = known is not None and known.form is Form.BASE
        return NegatedVerb(Mood.DOES_NOT, at, end, "") if is_verb else None
    return None
