"""The stem of a word, by which its forms are compared."""

from __future__ import annotations

from engine.rules.language.verbs import verb

_ENDINGS = ("ing", "ed", "es", "s")
_LEAST_LETTERS = 3
"""How many letters are left of a word at least."""


def stem(word: str) -> str:
    """The base form of a verb; another word without the ending of a form, and without a last `e`."""
    known = verb(word)
    if known is not None:
        return known.base
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + _LEAST_LETTERS:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e")
