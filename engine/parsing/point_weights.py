"""Reads the weight of a point or a prompt, which is 0.1–10."""

from __future__ import annotations

from typing import Final

from engine.parsing.fields import number, value_of
from engine.parsing.findings import Kind
from engine.parsing.parser_notes import Notes
from engine.yaml_nodes.nodes import Pair, ScalarNode, resolved

LOWEST: Final = 0.1
HIGHEST: Final = 10
"""The bounds of a weight (002, "Point Definition Formats")."""


def weight(notes: Notes, pair: Pair) -> float:
    """The weight in `pair`, clamped to 0.1–10; 1 if it is not a number. Notes a weight that is out of range."""
    value = value_of(pair)
    found = number(value)
    if found is not None and LOWEST <= found <= HIGHEST:
        return float(found)
    if found is not None and found != found:
        notes.add(Kind.BAD_WEIGHT, pair.value, pair_name(pair))
        return 1.0
    notes.add(Kind.BAD_WEIGHT, pair.value, pair_name(pair), refused=True)
    return 1.0 if found is None else float(min(max(found, LOWEST), HIGHEST))


def pair_name(pair: Pair) -> str:
    """The key of `pair` as text."""
    key = resolved(pair.key)
    return key.text if isinstance(key, ScalarNode) else ""
