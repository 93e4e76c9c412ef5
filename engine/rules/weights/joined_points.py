"""Joining `weight: 2`, written in brackets as a point of its own, with the point before it."""

from __future__ import annotations

import re

from engine.rules.source.commas import added, key_like, without
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name


def accepts_key(point: MappingNode, key: str) -> bool:
    """Whether `key` can be added to `point`: it lacks the key, and is a check or a mapping with `point` or `text`."""
    names = [property_name(pair.key) for pair in point.pairs]
    return key not in names and any(name in ("point", "text", "fn") or name.startswith("$") for name in names)


def joined_in_brackets(text: str, listed: SequenceNode, index: int, weight: str | None) -> tuple[TextEdit, ...]:
    """Edits that join the item `index` of `listed`, a mapping of one key, with the item before it.

    `weight` replaces its value unless it is None. Empty where the item before has another form, or where a comment
    would be lost.
    """
    before, node = listed.items[index - 1], listed.items[index]
    removal = without(text, listed, index)
    if not isinstance(node, MappingNode) or removal is None:
        return ()
    pair = node.pairs[0]
    value = pair.value.span.of(text) if weight is None else weight
    match before:
        case MappingNode() if accepts_key(before, property_name(pair.key)) and text[before.span.start] == "{":
            return (added(text, before, [f"{pair.key.span.of(text)}: {value}"]), removal)
        case ScalarNode(value=str(written)) if not written.startswith("$"):
            return _with_text(text, before, node, value)
        case _:
            return ()


def _with_text(text: str, point: Node, node: MappingNode, value: str) -> tuple[TextEdit, ...]:
    """Edits that write `point`, a plain string, as the first pair of `node`."""
    key = node.pairs[0].key
    has_braces = text[node.span.start] == "{"
    opening = text[node.span.start + 1 : key.span.start] if has_braces else ""
    if opening.strip():
        return ()
    gap = f",{opening}" if re.search(r"[\r\n]", opening) else ", "
    first = f"{{{opening}{key_like(text, key, 'point')}: {point.span.of(text)}{gap}"
    edits = (TextEdit(Span(point.span.start, key.span.start), first), TextEdit(node.pairs[0].value.span, value))
    return edits if has_braces else (*edits, TextEdit(Span(node.span.end, node.span.end), "}"))
