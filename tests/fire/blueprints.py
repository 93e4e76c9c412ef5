"""Generated blueprints for the attacks: short and long, in several scripts, with the line ends and marks that occur."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_WORDS = (
    "tenant", "deposit", "landlord", "Miete", "Bürgschaft", "l’été", "Ελλάδα", "Москва", "العربية", "日本語", "한국어",
    "it's", '"quoted"', "100%", "£5",
)  # fmt: skip
_WIDE_WORDS = (*_WORDS, "हिन्दी", "🙂", "👩‍👩‍👧", "e\u0301")
"""With words whose width on the screen the terminal and the studio may not agree upon."""
_SIZES = (1, 3, 12, 60)
"""Prompts of a file. One in ten files has `_MANY` of them."""
_MANY = 1000

TYPED_LINE = "  prompt: "
"""How a line begins at whose end any word may be typed: the text stays a blueprint."""
COMMENT = "# Under fire"
"""A line at whose end comments may be pasted; lines that are pasted behind a value would become its text."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A blueprint as the studio shows it (`text`) and as it is on disk."""

    text: str
    bom: bool

    def encoded(self, text: str | None = None) -> bytes:
        """The bytes of this file; of `text` in it, if given."""
        return (_BOM if self.bom else b"") + (self.text if text is None else text).encode("utf-8")


def generated(chance: random.Random, *, long: bool | None = None, extra: str = "") -> Generated:
    """A blueprint. `long`: about 160 kB; by default one in ten is. `extra` are lines for the first prompt."""
    is_long = chance.random() < 0.1 if long is None else long
    prompts = [_prompt(chance) for _ in range(_SIZES[-1] if is_long else chance.choice(_SIZES))]
    lines = ["title: Under fire", COMMENT, "---"]
    for number in range(_MANY if is_long else len(prompts)):
        lines += [f"- id: p{number}", *prompts[number % len(prompts)]]
        lines += extra.splitlines() if number == 0 else []
    end = chance.choice(["\n", "\n", "\r\n"])
    text = end.join(lines) + chance.choice([end, end, ""])
    return Generated(text, bom=chance.random() < 0.1)


def _prompt(chance: random.Random) -> list[str]:
    points = [f"    - Says {_some_words(chance)}" for _ in range(chance.randrange(1, 4))]
    return [f"{TYPED_LINE}{_some_words(chance, _WORDS)}", f"  ideal: Yes, {_some_words(chance)}", "  should:", *points]


def _some_words(chance: random.Random, words: Sequence[str] = _WIDE_WORDS) -> str:
    """A few words; the first is plain, so that no line is read as anything but text."""
    return " ".join(["word", *chance.choices(words, k=chance.randrange(1, 6))])
