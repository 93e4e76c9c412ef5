"""Forms of a word that differ in accents, number or figures: `Paraná` and `Parana`, `leases` and `lease`."""

from __future__ import annotations

import re
import unicodedata

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBERS = (
    {word: str(number * 10) for number, word in enumerate(_TENS.split())}
    | {word: str(number) for number, word in enumerate(_UNITS.split())}
    | {word: f"{number}th" for number, word in enumerate(_ORDINALS.split())}
)
_UNITS_BELOW_TEN = {*_UNITS.split()[1:10], *_ORDINALS.split()[1:10]}
_ENDING = re.compile(r"(?<=\d)(?:st|nd|rd)$")


def without_accents(character: str) -> str:
    """A character without its accents; other letters with strokes and ligatures stay."""
    if character.isascii():
        return character
    plain = "".join(each for each in unicodedata.normalize("NFD", character) if not unicodedata.combining(each))
    return plain or ""


def singular(word: str) -> str:
    """A word in lower case without the ending of an English or Romance plural: `leases` is `lease`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def figures(word: str) -> str:
    """A number in words, in lower case, in figures: `three` is `3`, `third` is `3th`, `twenty-four` is `24`; else the
    word."""
    tens, _, unit = word.partition("-")
    if unit and is_compound(tens, unit):
        return f"{_NUMBERS[tens][0]}{_NUMBERS[unit]}"
    return _NUMBERS.get(word) or _ENDING.sub("th", word)


def is_compound(tens: str, unit: str) -> bool:
    """Whether two words, in lower case, make one number, as `twenty` and `four` do."""
    return tens in _TENS.split()[2:] and unit in _UNITS_BELOW_TEN
