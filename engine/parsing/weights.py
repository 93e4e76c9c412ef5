"""How much a point or a prompt counts: 0.1 to 10, whatever is written."""

from __future__ import annotations

from typing import Final

from engine.parsing.fields import number, value_of
from engine.parsing.findings import Kind
from engine.parsing.notes import Notes
from engine.yaml_nodes.nodes import Node, Pair, ScalarNode, resolved
from engine.yaml_nodes.values import javascript_number, json_text, to_data

_LEAST: Final = 0.1
_MOST: Final = 10


def weight(notes: Notes, pair: Pair, refusal: str) -> float:
    """The weight written in `pair`, brought within 0.1–10. `refusal` is Weval's message, `{}` for what was found."""
    value = value_of(pair)
    found = number(value)
    if found is not None and _LEAST <= found <= _MOST:
        return float(found)
    if found is not None and found != found:
        notes.add(Kind.BAD_WEIGHT, pair.value, pair_name(pair))
        return 1.0
    notes.add(Kind.BAD_WEIGHT, pair.value, pair_name(pair), refusal=refusal.replace("{}", _shown(value)))
    return 1.0 if found is None else float(min(max(found, _LEAST), _MOST))


def pair_name(pair: Pair) -> str:
    """The key of `pair` as text."""
    key = resolved(pair.key)
    return key.text if isinstance(key, ScalarNode) else ""


def _shown(node: Node | None) -> str:
    if isinstance(node, ScalarNode):
        value = node.value
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        return javascript_number(value) if isinstance(value, int | float) else str(value)
    return "" if node is None else json_text(to_data(node))
