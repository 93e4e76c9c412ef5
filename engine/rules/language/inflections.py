"""The forms of English verbs: by rule, with the irregular ones listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from engine.record import Record
from engine.rules.language.words import word_set


class Form(Enum):
    """A form of a verb."""

    BASE = "base"
    THIRD = "third person"
    GERUND = "gerund"
    PAST = "past"


class Inflected(Record):
    """A verb's base form, and the form in which it was found."""

    base: str
    form: Form


_VOWELS = "aeiou"
_DOUBLED = word_set("admit commit forget omit refer submit")
"""Verbs of more than one syllable whose last letter is doubled before -ing and -ed."""
_PAST: Mapping[str, tuple[str, ...]] = {
    "be": ("was", "were", "been"),
    "begin": ("began", "begun"),
    "bring": ("brought",),
    "choose": ("chose", "chosen"),
    "come": ("came", "come"),
    "do": ("did", "done"),
    "draw": ("drew", "drawn"),
    "fall": ("fell", "fallen"),
    "find": ("found",),
    "forget": ("forgot", "forgotten"),
    "get": ("got", "gotten"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "have": ("had",),
    "hold": ("held",),
    "keep": ("kept",),
    "leave": ("left",),
    "let": ("let",),
    "lose": ("lost",),
    "make": ("made",),
    "mislead": ("misled",),
    "pay": ("paid",),
    "put": ("put",),
    "read": ("read",),
    "say": ("said",),
    "see": ("saw", "seen"),
    "send": ("sent",),
    "show": ("showed", "shown"),
    "speak": ("spoke", "spoken"),
    "spread": ("spread",),
    "take": ("took", "taken"),
    "teach": ("taught",),
    "tell": ("told",),
    "think": ("thought",),
    "turn": ("turned",),
    "understand": ("understood",),
    "write": ("wrote", "written"),
}
_THIRD: Mapping[str, str] = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def third_person(base: str) -> str:
    """The form after “it”: `names`, `tries`, `has`."""
    if base in _THIRD:
        return _THIRD[base]
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2:-1] not in _VOWELS else f"{base}s"


def gerund(base: str) -> str:
    """The form in -ing: `naming`, `omitting`, `being`."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "ye")) and base != "be":
        return f"{base[:-1]}ing"
    return f"{_stem(base)}ing"


def past(base: str) -> tuple[str, ...]:
    """The past and the participle; one form if they are alike."""
    if base in _PAST:
        return _PAST[base]
    if base.endswith("e"):
        return (f"{base}d",)
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return (f"{base[:-1]}ied",)
    return (f"{_stem(base)}ed",)


def _stem(base: str) -> str:
    """The base with its last letter doubled where it is: `omitt`, `stopp`."""
    is_one_syllable = (
        2 < len(base) < 5 and base[-1] not in "aeiouwxy" and base[-2] in _VOWELS and base[-3] not in _VOWELS
    )
    doubled = base in _DOUBLED or is_one_syllable
    return base + base[-1] if doubled else base


def forms_of(bases: Iterable[str]) -> dict[str, Inflected]:
    """Every form of these verbs; a form that two share belongs to the first, a base always to itself."""
    found = {base: Inflected(base, Form.BASE) for base in bases}
    for base in tuple(found):
        for form in past(base):
            found.setdefault(form, Inflected(base, Form.PAST))
        found.setdefault(third_person(base), Inflected(base, Form.THIRD))
        found.setdefault(gerund(base), Inflected(base, Form.GERUND))
    return found
