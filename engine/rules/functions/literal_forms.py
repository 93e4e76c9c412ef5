"""Forms of one text that differ only in how it is written: quotes, dashes, blanks, emphasis, thousands."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span

APOSTROPHES = "\u2018\u2019\u201b\u02bc"
QUOTES = "\u201c\u201d\u201e\u201f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_STRAIGHT = str.maketrans(dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys(QUOTES, '"'))
_SPECIAL = lazy(r"[.*+?^${}()|[\]\\/]")


def straight(text: str) -> str:
    """`text` with straight quotes and apostrophes."""
    return text.translate(_STRAIGHT)


def escaped(text: str) -> str:
    """`text` as a pattern of JavaScript that matches only this text."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def either_quote(pattern: str) -> str:
    """`pattern` with classes of straight and curly quotes for its straight ones."""
    return pattern.replace("'", "['\u2019]").replace('"', '["\u201c\u201d]')


_REMOVED = frozenset("*_`~\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff^")
_THOUSANDS = frozenset(",'\u2019\u00a0\u202f ")
_TIGHT_BEFORE = frozenset("=%")
"""Signs before which a blank makes no difference; after `=`, neither."""
_NO_GROUP = lazy(r"\d{3}(?!\d)")


class PlainForm(Record):
    """A text without what is only format: `text`, and for each of its characters the place in the original."""

    text: str
    places: tuple[int, ...]

    def original(self, start: int, end: int) -> Span:
        """The place in the original of `text[start:end]`, which is not empty."""
        return Span(self.places[start], self.places[end - 1] + 1)


@lru_cache(maxsize=256)
def plain_form(text: str) -> PlainForm:
    """`text` with straight quotes, hyphens for dashes, one blank between words, and without emphasis and separators.

    Subscripts and other compatibility characters are written as their plain forms.
    """
    letters: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for plain in _plain_character(text, at, character):
            if plain in _TIGHT_BEFORE and letters[-1:] == [" "]:
                letters.pop()
                places.pop()
            if plain != " " or letters[-1:] not in ([" "], ["="], []):
                letters.append(plain)
                places.append(at)
    while letters[-1:] == [" "]:
        letters.pop()
        places.pop()
    return PlainForm("".join(letters), tuple(places))


def _plain_character(text: str, at: int, character: str) -> str:
    if character in _THOUSANDS and text[at - 1 : at].isdigit() and at and _NO_GROUP.match(text, at + 1):
        return ""
    if character in _REMOVED:
        return ""
    if character.isspace():
        return " "
    if character in _DASHES:
        return "-"
    return character if character.isascii() else straight(unicodedata.normalize("NFKC", character))
