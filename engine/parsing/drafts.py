"""Items that a list swallows behind a dash that is still empty.

After `    - ` with nothing in it yet, js-yaml continues the same list, whatever the indentation: an item of an outer
list, also the next prompt, becomes an item of this one. Weval refuses such a file where a point or a message is empty.
While the author is still writing it, the outer lists are read as they will be once it is written.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

from engine.parsing.normalised_form import POINT_KEYS
from engine.parsing.structure import Structure
from engine.record import Record, replace
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, Node, NodeTree, Pair, SequenceNode, property_name

_EMPTY_ITEM: Final = r"-(?<!--)[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*[ \t]*-\s"
_LISTS = frozenset((*POINT_KEYS, "should_not", "messages"))


class Swallowed(Record):
    """An item that the `list` named `name` swallowed, "" for a path, behind its `empty` one."""

    item: Node
    empty: Node
    name: str


def swallowed_items(tree: NodeTree) -> Iterator[Swallowed]:
    """All items of block lists that stand further left than their lists."""
    if not tree.is_json and re.search(_EMPTY_ITEM, tree.text) is not None:
        for document in tree.documents:
            if document.root is not None:
                yield from _swallowed(tree.text, document.root, "")


def _swallowed(text: str, node: Node, name: str) -> Iterator[Swallowed]:
    match node:
        case SequenceNode(items=items, flow=False):
            column = _column(text, node.span.start)
            for index, item in enumerate(items):
                if index and _dash_column(text, item.span.start) < column:
                    yield Swallowed(item, items[index - 1], name)
                yield from _swallowed(text, item, "")
        case MappingNode(pairs=pairs, flow=False):
            for pair in pairs:
                yield from _swallowed(text, pair.value, property_name(pair.key))
        case _:
            return


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
    waiting = deque(node.items)
    kept: list[Node] = []
    while waiting:
        if kept and _dash_column(text, waiting[0].span.start) < column:
            break
        item = waiting.popleft()
        if isinstance(item, SequenceNode):
            item, swallowed = _cut(text, item)
            waiting.extendleft(reversed(swallowed))
        kept.append(item)
    return SequenceNode(Span(node.span.start, kept[-1].span.end), tuple(kept), False), tuple(waiting)


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset) - 1


def _dash_column(text: str, offset: int) -> int:
    """The column of the first dash on the line of `offset`."""
    start = text.rfind("\n", 0, offset) + 1
    return len(text[start:offset]) - len(text[start:offset].lstrip(" "))
