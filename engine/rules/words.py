"""Sets of words, and the words of a text, by which most texts are passed over before a pattern is tried."""

from __future__ import annotations

from functools import lru_cache

from engine.patterns import lazy

_CACHE_SIZE = 8_000
_SIGNS = lazy(r"[\W_]+")
_WITHOUT_SIGNS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})


@lru_cache(maxsize=_CACHE_SIZE)
def all_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, without signs: “don't” is two.

    A regex that needs one of a few words takes ten times as long to find that a text has none as this set.
    """
    lower = text.lower()
    if not lower.isascii():
        return frozenset(_SIGNS.split(lower))
    words = frozenset(lower.translate(_WITHOUT_SIGNS).split())
    return words if lower[:1].isalnum() and lower[-1:].isalnum() else words | {""}  # as `split` gives it


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which are separated by blanks."""
    return frozenset(text.split())
