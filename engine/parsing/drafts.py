"""A list item that is still empty: YAML lets it swallow the prompts behind it, which no author means.

Behind `    - ` with nothing in it yet, js-yaml goes on with the same list, whatever the indentation: the prompts that
follow become points of this one. Weval refuses such a file for the empty point; while the point is being written, the
prompts are read as they will stand again once it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine.parsing.normalised_form import POINT_KEYS
from engine.parsing.structure import Structure
from engine.record import replace
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, property_name

_EMPTY_ITEM: Final = r"-(?<!--)[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*[ \t]*-[ \t]"
_LISTS = frozenset((*POINT_KEYS, "should_not", "messages"))


def without_swallowing(text: str, structure: Structure) -> Structure | None:
    """`structure` with the swallowed prompts in their own right; None where there are none."""
    if re.search(_EMPTY_ITEM, text) is None:
        return None
    prompts = tuple(prompt for item in structure.prompts for prompt in _freed(text, item))
    return None if len(prompts) == len(structure.prompts) else replace(structure, prompts=prompts)


def _freed(text: str, item: Node) -> Iterator[Node]:
    if isinstance(item, MappingNode) and item.pairs:
        last = item.pairs[-1]
        if isinstance(last.value, SequenceNode) and property_name(last.key) in _LISTS:
            kept, swallowed = _cut(text, last.value)
            if swallowed:
                yield MappingNode(Span(item.span.start, kept.span.end), (*item.pairs[:-1], Pair(last.key, kept)), False)
                for inner in swallowed:
                    yield from _freed(text, inner)
                return
    yield item


def _cut(text: str, node: SequenceNode) -> tuple[SequenceNode, tuple[Node, ...]]:
    """`node` up to the items that stand further left than it does, and these; a flow list swallows nothing."""
    if node.flow:
        return node, ()
    column = _column(text, node.span.start)
    for index in range(1, len(node.items)):
        before, item = node.items[index - 1], node.items[index]
        if isinstance(before, ScalarNode) and before.value is None and _dash_column(text, item.span.start) < column:
            kept = SequenceNode(Span(node.span.start, before.span.end), node.items[:index], False)
            return kept, node.items[index:]
    last = node.items[-1] if node.items else None
    if isinstance(last, SequenceNode):
        kept, swallowed = _cut(text, last)
        if swallowed:
            span = Span(node.span.start, kept.span.end)
            return SequenceNode(span, (*node.items[:-1], kept), False), swallowed
    return node, ()


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset) - 1


def _dash_column(text: str, offset: int) -> int:
    """Where the first dash of the line of `offset` stands."""
    start = text.rfind("\n", 0, offset) + 1
    return len(text[start:offset]) - len(text[start:offset].lstrip(" "))
