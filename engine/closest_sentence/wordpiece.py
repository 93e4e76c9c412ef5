"""The word-piece tokeniser of the encoder (BERT, uncased): text → piece numbers.

Tests compare it with golden numbers of the reference. The usual library is not used, as it brings a client for a model
hub with many dependencies. One difference: a control piece such as `[SEP]` in a text is read as text.
"""

from __future__ import annotations

import json
import unicodedata
from functools import lru_cache
from pathlib import Path

_LONGEST_WORD = 100
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPieces:
    """Splits texts into the pieces of a vocabulary."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        """`vocabulary` maps pieces to numbers; a piece inside a word starts with `##`.

        Raises `KeyError` if the pieces for the start and end of a text, or for an unknown word, are missing.
        """
        self._numbers = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]

    @classmethod
    def read(cls, path: Path) -> WordPieces:
        """The vocabulary of a `tokenizer.json`."""
        return cls(json.loads(path.read_text("utf-8"))["model"]["vocab"])

    def numbers(self, text: str, max_pieces: int) -> list[int]:
        """The piece numbers of `text`, at most `max_pieces` (at least 2) with those of its start and end."""
        found = [self._first]
        for word in words(text):
            found += self._pieces(word)
            if len(found) >= max_pieces:
                break
        return [*found[: max_pieces - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces from the left, or the unknown piece if part of the word has no piece."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


def words(text: str) -> list[str]:
    """The words and punctuation marks of `text`, without case and accents; each Chinese character is a word."""
    spaced = "".join(map(_cleaned, text))
    bare = "".join(each for each in unicodedata.normalize("NFD", spaced) if unicodedata.category(each) != "Mn")
    return "".join(f" {each} " if _is_punctuation(each) else each.lower() for each in bare).split()


@lru_cache(maxsize=8192)
def _cleaned(character: str) -> str:
    """White space as a space, control characters as "", Chinese characters between spaces."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character).startswith("C"):
        return ""
    if character.isspace():
        return " "
    return f" {character} " if any(low <= ord(character) <= high for low, high in _CJK) else character


@lru_cache(maxsize=8192)
def _is_punctuation(character: str) -> bool:
    """Whether `character` is Unicode punctuation, or ASCII punctuation or symbol."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
