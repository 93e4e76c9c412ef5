"""The words of a text, as far as rules on the wording of criteria read it, and whether the text is English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.patterns import lazy
from engine.record import Record

MOST_CHARACTERS = 600
"""How much of a text is read: of 11,000 published criteria one in two hundred is longer."""
_CACHE_SIZE = 4_000

_WORD_AND_SIGNS = lazy(r"([^\W_]+(?:['’‑-][^\W_]+)*)([\W_]*)")
_SIGNS = lazy(r"[\W_]+")
_QUOTED = lazy(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![^\W_])'(?:[^']|'(?=[^\W_]))*'(?![^\W_])")
_QUOTE = lazy("[\"“‘`']")
_CLAUSE_ENDS = frozenset(".;:!?()[]–—\n/")
_WITHOUT_SIGNS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})
_APOSTROPHES = str.maketrans({"’": "'", "‑": "-"})


class Word(Record):
    """A word in lower case with plain apostrophes, and its place in the text.

    `is_quoted` says that it is inside quotation marks; `ends_clause` that a sign that ends a clause follows it, and
    `has_comma` that a comma does.
    """

    text: str
    start: int
    end: int
    is_quoted: bool
    ends_clause: bool
    has_comma: bool


@lru_cache(maxsize=_CACHE_SIZE)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of the first `MOST_CHARACTERS` of `text`."""
    text = text[:MOST_CHARACTERS]
    quoted = [match.span() for match in _QUOTED.finditer(text)] if _QUOTE.search(text) is not None else []
    quoted.append((len(text), len(text)))
    is_ascii = text.isascii()
    found: list[Word] = []
    next_quote = 0
    before = _SIGNS.match(text)
    start = 0 if before is None else before.end()
    for word, following in _WORD_AND_SIGNS.findall(text, start):
        end = start + len(word)
        while quoted[next_quote][1] <= start:
            next_quote += 1
        lower = word.lower() if is_ascii else word.lower().translate(_APOSTROPHES)
        is_quoted = quoted[next_quote][0] < start
        if following == " ":
            found.append(Word(lower, start, end, is_quoted, False, False))
        else:
            ends_clause = not _CLAUSE_ENDS.isdisjoint(following)
            found.append(Word(lower, start, end, is_quoted, ends_clause, "," in following))
        start = end + len(following)
    return tuple(found)


@lru_cache(maxsize=2 * _CACHE_SIZE)
def all_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, without signs: “don't” is two.

    A regex that needs one of a few words takes ten times as long to find that a text has none as this set.
    """
    lower = text.lower()
    if not lower.isascii():
        return frozenset(_SIGNS.split(lower))
    words = frozenset(lower.translate(_WITHOUT_SIGNS).split())
    return words if lower[:1].isalnum() and lower[-1:].isalnum() else words | {""}  # as `split` gives it


def bare_words(text: str) -> frozenset[str]:
    """The words of the first 200 characters in lower case, without signs: a quick filter."""
    return all_words(text[:200])


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which are separated by blanks."""
    return frozenset(text.split())


Phrases: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases by their first word."""


def phrases(*texts: str) -> Phrases:
    """The phrases in `texts`, each in lower case, with blanks between its words."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for text in texts:
        first, *_ = parts = tuple(text.split())
        found[first] = (*found.get(first, ()), parts)
    return found


def starts_with(words: Sequence[Word], at: int, table: Phrases) -> int:
    """The number of words of the longest phrase of `table` that begins at `words[at]`; 0 if none does."""
    found = table.get(words[at].text) if at < len(words) else None
    longest = 0
    for phrase in found or ():
        end = at + len(phrase)
        if (
            end <= len(words)
            and len(phrase) > longest
            and all(word.text == part for word, part in zip(words[at:end], phrase, strict=True))
        ):
            longest = len(phrase)
    return longest


_ENGLISH = word_set(
    """the a an of to and or that is are be it its this these those with for from by not does do did should must will
    may can could would has have as at into which who what when where why how if than then there their they user's
    response answer model assistant reply output user mentions states names explains says gives provides includes
    contains uses avoids avoid without free any doesn't don't shouldn't mustn't isn't errors about on"""
)
_FOREIGN = word_set(
    """el la los las un una unos unas del al que con por para como más pero sus su lo le les une des du et ou est sont
    dans pour avec sur qui ne pas aux ce cette der die das den dem ein eine einen und oder ist sind nicht mit von zu
    im auf für auch wird kein keine o os as um uma do da dos em no na nos nas não com se il gli di che non è sono
    per della een het van en niet met voor te op ett och är inte som att på av för og ikke til nie jest się w z i że
    ve bir bu için de contiene menciona contient nennt enthält errores erreurs"""
) - {"do", "no", "as", "i", "in", "se", "on", "w", "z", "te", "die"}


def is_english(words: Sequence[Word]) -> bool:
    """Whether a text is English: it has English function words, and more of them than of other languages."""
    texts = [word.text for word in words]
    english = sum(map(_ENGLISH.__contains__, texts))
    foreign = 0 if _FOREIGN.isdisjoint(texts) else sum(map(_FOREIGN.__contains__, texts))
    return english > foreign or (foreign == 0 and all(map(str.isascii, texts)))
