"""Prompts swallowed by a list item that is still empty.

After `    - ` with nothing in it yet, js-yaml continues the same list, whatever the indentation: the prompts after it
become points of it. Weval refuses such a file for the empty point. While the author is still writing the point, the
prompts are read as they will be once it is written.
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


def release_swallowed_prompts(text: str, structure: Structure) -> Structure | None:
    """`structure` with the swallowed prompts as prompts again; None if there are none."""
    if re.search(_EMPTY_ITEM, text) is None:
        return None
    prompts = tuple(prompt for item in structure.prompts for prompt in _with_released(text, item))
    return None if len(prompts) == len(structure.prompts) else replace(structure, prompts=prompts)


def _with_released(text: str, item: Node) -> Iterator[Node]:
    if isinstance(item, MappingNode) and item.pairs:
        last = item.pairs[-1]
        if isinstance(last.value, SequenceNode) and property_name(last.key) in _LISTS:
            rest, swallowed = _cut(text, last.value)
            if swallowed:
                yield MappingNode(Span(item.span.start, rest.span.end), (*item.pairs[:-1], Pair(last.key, rest)), False)
                for inner in swallowed:
                    yield from _with_released(text, inner)
                return
    yield item


def _cut(text: str, node: SequenceNode) -> tuple[SequenceNode, tuple[Node, ...]]:
    """`node` without the items that are indented less than it is, and those items. A flow list swallows nothing."""
    if node.flow:
        return node, ()
    column = _column(text, node.span.start)
    for index in range(1, len(node.items)):
        before, item = node.items[index - 1], node.items[index]
        if isinstance(before, ScalarNode) and before.value is None and _dash_column(text, item.span.start) < column:
            rest = SequenceNode(Span(node.span.start, before.span.end), node.items[:index], False)
            return rest, node.items[index:]
    last = node.items[-1] if node.items else None
    if isinstance(last, SequenceNode):
        rest, swallowed = _cut(text, last)
        if swallowed:
            span = Span(node.span.start, rest.span.end)
            return SequenceNode(span, (*node.items[:-1], rest), False), swallowed
    return node, ()


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset) - 1


def _dash_column(text: str, offset: int) -> int:
    """The column of the first dash on the line of `offset`."""
    start = text.rfind("\n", 0, offset) + 1
    return len(text[start:offset]) - len(text[start:offset].lstrip(" "))
