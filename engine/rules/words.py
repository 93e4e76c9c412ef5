"""What is near a misspelt name, what holds a key that no diagnostic may repeat (DESIGN, law 7), and where signs stand.

By signs, rules pass over most texts before they try a pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache, reduce

from engine.text.diagnostics import Diagnostic, Fix
from engine.text.record import replace
from engine.text.spans import difference


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which are separated by blanks."""
    return frozenset(text.split())


_NEAR = 0.75
_LONGEST = 100
"""Longer words are no misspelt names."""


def nearest_names(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """At most two of the `known` names that are close to `word`, the nearest first.

    Just one if it is the only name that differs in case alone, or in one letter alone.
    """
    return () if len(word) > _LONGEST else _nearest(word, tuple(known))


@lru_cache(4096)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    lower = word.lower()
    same = [name for name in known if name.lower() == lower]
    for found in (same, [name for name in known if one_letter_off(lower, name.lower())]):
        if len(found) == 1:
            return (found[0],)
    return tuple(get_close_matches(word, known, n=2, cutoff=_NEAR))


def suggestion(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown name: the known names that are near, else the first five of all."""
    near = nearest_names(name, known)
    if near:
        return f": did you mean {' or '.join(f'“{each}”' for each in near)}?"
    return f": there is {', '.join(f'“{each}”' for each in known[:5])}" if known else ": none is declared"


def one_letter_off(one: str, other: str) -> bool:
    """Whether the names differ by one added, missing or changed letter, or by two swapped letters."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((index for index, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long


SECRET_IN_FILE = "secret-in-file"


def with_masked_keys(found: list[Diagnostic], text: str) -> list[Diagnostic]:
    """`found`, with stars for the keys that are reported among it, and without fixes that write one of them."""
    written = {each.span.of(text) for each in found if each.slug == SECRET_IN_FILE}
    if not written:
        return found
    from engine.models.secret import Secret  # only where a file holds one

    keys = [Secret(each) for each in written]

    def masked(line: str) -> str:
        return reduce(lambda text, key: key.scrub_parts(text), keys, line)

    return [
        replace(
            each,
            message=masked(each.message),
            why=masked(each.why),
            related=tuple(replace(one, message=masked(one.message)) for one in each.related),
            fixes=tuple(fix for fix in each.fixes if masked(said := _said_by(fix)) == said),
        )
        for each in found
    ]


def _said_by(fix: Fix) -> str:
    return " ".join((fix.title, *(edit.text for edit in fix.edits)))


class SignPlaces:
    """The text of the last check, and where the signs that rules asked for stand in it."""

    def __init__(self) -> None:
        self._text = ""
        self._places: dict[str, int] = {}
        """The offset of one place of each sign; -1 for a sign that the text does not hold."""

    def update(self, text: str) -> None:
        """Go on to `text`."""
        change = difference(self._text, text, 0)
        self._text = text
        start, grown = change.span.start, len(change.text) - (change.span.end - change.span.start)
        for sign, place in list(self._places.items()):
            if 0 <= place <= start - len(sign):
                continue
            if place >= change.span.end:
                self._places[sign] = place + grown
                continue
            found = text.find(sign, max(start - len(sign) + 1, 0), change.span.end + grown + len(sign) - 1)
            if found >= 0 or place < 0:
                self._places[sign] = found
            else:
                del self._places[sign]  # it may stand elsewhere

    def holds(self, sign: str) -> bool:
        """Whether `sign`, which is not empty, stands in the text."""
        place = self._places.get(sign)
        if place is None:
            place = self._places[sign] = self._text.find(sign)
        return place >= 0
