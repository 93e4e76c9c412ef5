"""Forms of one text that differ only in how it is written: quotes, dashes, blanks, emphasis, thousands."""

from __future__ import annotations

import re

from engine.record import Record

APOSTROPHES = "\u2018\u2019\u201b\u02bc"
QUOTES = "\u201c\u201d\u201e\u201f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_STRAIGHT = str.maketrans(dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys(QUOTES, '"'))
_PATTERN_TWINS = {
    "contains": "matches",
    "icontains": "imatches",
    "not_contains": "not_matches",
    "not_icontains": "not_imatches",
}
_SPECIAL = re.compile(r"[.*+?^${}()|[\]\\/]")


def straight(text: str) -> str:
    """`text` with straight quotes and apostrophes."""
    return text.translate(_STRAIGHT)


class PatternForm(Record):
    """A function for patterns, and the pattern that finds every form of a text."""

    name: str
    pattern: str


def escaped(text: str) -> str:
    """`text` as a pattern of JavaScript that matches only this text."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def either_quote(name: str, text: str, *, is_pattern: bool = False) -> PatternForm | None:
    """The pattern that finds `text` with straight or curly quotes; None if the function `name` has no such twin.

    With `is_pattern`, `text` is a pattern already.
    """
    twin = name if is_pattern else _PATTERN_TWINS.get(name)
    if twin is None:
        return None
    pattern = text if is_pattern else escaped(text)
    return PatternForm(twin, pattern.replace("'", "['\u2019]").replace('"', '["\u201c\u201d]'))
