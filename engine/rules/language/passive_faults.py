"""Faults of which a passive says that they are kept out: “errors are avoided”, “errors are not made”."""

from __future__ import annotations

from enum import Enum

from engine.rules.language.faults import ends_there, fault_at
from engine.rules.language.inflections import Form
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_BEING = phrases(
    *(
        f"{aux}{no}"
        for aux in ("is", "are", "were", "have been", "has been", "is to be", "are to be", "need to be", "needs to be")
        for no in ("", " not")
    ),
    *(f"{aux} be" for aux in ("should", "must", "should not", "must not")),
)
_KEPT_OUT = word_set(
    """avoided absent excluded omitted eliminated lacking missing kept left removed prevented minimised minimized"""
)
_PUT_IN = word_set(
    """included present made introduced given used produced generated contained added provided shown found said done"""
)
"""Any other participle, too, puts something into an answer."""
_NOT = phrases("must not", "should not", "do not", "may not", "does not", "will not")
_APPEARING = word_set("appears appear occurs occur remains remain happens happen slips slip")
_OUT_OF = phrases("out of", "away from", "to a", "at a")
_MOST_AFTER_OUT = 3
_MOST_OF_FAULT = 5
"""How many words a fault has at most."""


class Passive(Enum):
    """What the participle of a passive says of a fault."""

    KEPT_OUT = "errors are avoided"
    PUT_IN = "errors are made"


def fault_in_passive(words: tuple[Word, ...], at: int, said: Passive, *, negated: bool) -> int | None:
    """The end of the fault in “errors are avoided” or, if `negated`, in “errors are not made”."""
    for middle in range(at + 1, min(len(words), at + _MOST_OF_FAULT + 1)):
        does_not_appear = middle + 2 < len(words) and words[middle + 2].text in _APPEARING
        if negated and does_not_appear and starts_with(words, middle, _NOT):
            return _fault(words, at, middle, middle + 3)
        if not negated and said is Passive.PUT_IN and words[middle].text in _APPEARING:
            return _fault(words, at, middle, middle + 1)
        being = starts_with(words, middle, _BEING)
        if being:
            last = middle + being
            has_not = any(word.text == "not" for word in words[middle:last])
            if has_not is not negated or last >= len(words) or not _is_participle(words[last].text, said):
                return None
            return _fault(words, at, middle, last + 1 + _out_of_it(words, last + 1))
    return None


def _fault(words: tuple[Word, ...], start: int, end: int, after: int) -> int | None:
    """`end`, if `words[start:end]` names a fault and nothing is said of it from `after` on."""
    return end if ends_there(words, after) and fault_at(words[:end], start) == end else None


def _out_of_it(words: tuple[Word, ...], at: int) -> int:
    """The number of words for “out”, “away”, “out of the text”, “to a minimum”, with which a text ends; else 0."""
    rest = len(words) - at
    out = starts_with(words, at, _OUT_OF) or (at < len(words) and words[at].text in ("out", "away"))
    return rest if out and rest <= out + _MOST_AFTER_OUT else 0


def _is_participle(word: str, said: Passive) -> bool:
    """Whether `word` says this of a fault."""
    if said is Passive.KEPT_OUT:
        return word in _KEPT_OUT
    known = verb(word)
    return word in _PUT_IN or (known is not None and known.form is Form.PAST and word not in _KEPT_OUT)
