"""Whether paths of one check each are alternatives, so that meeting one of them is all that is wanted.

The documents' good uses show how: two orders of the same names, two names with a word in common, several formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine import functions
from engine.blueprint import Point
from engine.functions.point_function import SearchTraits
from engine.patterns import lazy

_LEAST_LETTERS = 3
"""Of a word that two alternatives have in common."""
_ESCAPES = lazy(r"\\.|\[[^\]]*\]|\{[^}]*\}|\(\?[^)]*?(?=[:)])")
_WORDS = lazy(r"[^\W\d_]+")


def are_variants(points: Sequence[Point]) -> bool:
    """Whether all points are checks that look for the same word beside others, or for a format without any word."""
    searched = [_searched(point) for point in points]
    if any(traits is None for traits, _ in searched):
        return False
    words = [words for _, words in searched]
    shared = words[0].intersection(*words[1:])
    if any(len(word) >= _LEAST_LETTERS for word in shared):
        return True
    return not any(words) and all(traits is not None and not traits.is_literal for traits, _ in searched)


def _searched(point: Point) -> tuple[SearchTraits | None, frozenset[str]]:
    call = point.function
    function = None if call is None else functions.find(call.name)
    traits = None if function is None else function.search
    if call is None or traits is None:
        return None, frozenset()
    return traits, frozenset(word for text in call.texts() for word in _words(text, is_literal=traits.is_literal))


@lru_cache(maxsize=2_000)
def _words(text: str, *, is_literal: bool) -> frozenset[str]:
    """The words of a literal or of a pattern, in lower case."""
    plain = text if is_literal else _ESCAPES.sub(" ", text)
    return frozenset(word.lower() for word in _WORDS.findall(plain))
