"""The size of a text once its aliases are expanded, checked before any walk over its values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine.yaml_nodes.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode
from engine.yaml_nodes.values import MAXIMUM_DEPTH, MAXIMUM_NODES, TOO_DEEP, TOO_MANY, TooLarge

_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR: Final = "&" + _NAME
_ALIAS: Final = r"\*" + _NAME
_OPEN = -1


def check_size(tree: NodeTree) -> None:
    """Raise `TooLarge` if the aliases of `tree` expand to more than `MAXIMUM_NODES` values, or without end.

    Its place is the value with which they exceed the limit.
    """
    if tree.is_json or not has_aliases(tree.text):
        return
    known: dict[int, int] = {}
    _sum((document.root for document in tree.documents if document.root is not None), 0, known)


def has_aliases(text: str) -> bool:
    """Whether `text` may contain an alias: a `*name` with a matching `&name`. Rarely true without one."""
    anchors = set(re.findall(_ANCHOR, text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(re.findall(_ALIAS, text))


def _sum(nodes: Iterable[Node], depth: int, known: dict[int, int]) -> int:
    """The number of values that `nodes` expand to."""
    total = 0
    for node in nodes:
        total += _size(node, depth, known)
        if total > MAXIMUM_NODES:
            raise TooLarge(TOO_MANY, node.span)
    return total


def _size(written: Node, depth: int, known: dict[int, int]) -> int:
    node = written
    while isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, ScalarNode):
        return 1
    size = known.get(id(node))
    if size == _OPEN or depth > MAXIMUM_DEPTH:
        raise TooLarge(TOO_DEEP, written.span)
    if size is None:
        known[id(node)] = _OPEN
        if isinstance(node, MappingNode):
            inner = (part for pair in node.pairs for part in (pair.key, pair.value))
        else:
            inner = iter(node.items)
        size = known[id(node)] = 1 + _sum(inner, depth + 1, known)
    return size
