"""The names of a blueprint's keys, as far as the shape of a broken line is recognised by them.

`engine.parsing.keys`, a later layer, has all keys with their meaning.
"""

from __future__ import annotations

import re
from typing import Final

from engine.text.patterns import lazy


def _names(written: str) -> frozenset[str]:
    return frozenset(written.split())


HEADER_KEYS: Final = _names(
    """
    id title description author references reference citations tags models system systemPrompt systems temperature
    temperatures render_as noCache point_defs evaluationConfig tools toolUse externalServices context concurrency
    prompts
    """
)
PROMPT_KEYS: Final = _names(
    """
    id description prompt promptText messages ideal idealResponse should should_not points expect expects
    expectations weight importance system citation reference temperature render_as noCache requiredTools
    prohibitedTools maxCalls
    """
)
POINT_KEYS: Final = frozenset(["text", "point", "fn", "arg", "fnArgs", "weight", "multiplier", "citation"])
MESSAGE_KEYS: Final = frozenset(["role", "content", "user", "assistant", "system"])
LIST_KEYS: Final = _names(
    """
    should should_not points expect expects expectations messages models prompts tags systems temperatures tools
    requiredTools prohibitedTools references citations
    """
)
ALL_KEYS: Final = HEADER_KEYS | PROMPT_KEYS | POINT_KEYS | MESSAGE_KEYS

KEY: Final = rf"(?:{'|'.join(sorted(ALL_KEYS, key=lambda name: (-len(name), name)))})"
"""A pattern for the name of any key."""
KEY_LINE: Final = lazy(rf"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)(?P<quote>[\"']?)(?P<name>{KEY})(?P=quote):(?=\s|\Z)")
"""The beginning of a line with a key of a blueprint."""
ANY_KEY: Final = lazy(r"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)(?P<name>[\"']?[\w$]+[\"']?):(?=\s|\Z)")
"""The beginning of a line with any key of one word."""


def key_column(key: re.Match[str]) -> int:
    """The column at which the key of a match of `KEY_LINE` or `ANY_KEY` begins, behind its dashes."""
    return len(key["margin"]) + len(key["dashes"])


def begins_prompt(written: str) -> bool:
    """Whether a line is an item that begins with a key of prompts."""
    key = KEY_LINE.match(written)
    return key is not None and bool(key["dashes"]) and key["name"] in PROMPT_KEYS
