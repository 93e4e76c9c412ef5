"""The words with a fixed meaning, defined once: `docs/words.md`, F1 and reports are made from `glossary.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from msgspec import convert

from engine.text.record import Record


class Word(Record):
    """A word, what it is said of, and its meaning in one or two sentences."""

    name: str
    of: str
    meaning: str


@cache
def glossary() -> tuple[Word, ...]:
    """All words."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return tuple(convert(tomllib.loads(text)["word"], list[Word]))
