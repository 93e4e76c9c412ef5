"""The size of a text once its aliases are expanded, checked before any walk over its values."""

from __future__ import annotations

import re
from typing import Final

from engine.yaml_nodes.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode
from engine.yaml_nodes.values import MAXIMUM_DEPTH, MAXIMUM_NODES, TOO_DEEP, TOO_MANY, TooLarge

_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR: Final = "&" + _NAME
_ALIAS: Final = r"\*" + _NAME
_OPEN = -1


def check_size(tree: NodeTree) -> None:
    """Raise `TooLarge` if the aliases of `tree` expand to more than `MAXIMUM_NODES` values, or without end."""
    if tree.is_json or not has_aliases(tree.text):
        return
    known: dict[int, int] = {}
    roots = (document.root for document in tree.documents)
    if sum(_size(root, 0, known) for root in roots if root is not None) > MAXIMUM_NODES:
        raise TooLarge(TOO_MANY)


def has_aliases(text: str) -> bool:
    """Whether `text` may contain an alias: a `*name` with a matching `&name`. Rarely true without one."""
    anchors = set(re.findall(_ANCHOR, text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(re.findall(_ALIAS, text))


def _size(node: Node, depth: int, known: dict[int, int]) -> int:
    while isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, ScalarNode):
        return 1
    size = known.get(id(node))
    if size == _OPEN or depth > MAXIMUM_DEPTH:
        raise TooLarge(TOO_DEEP)
    if size is None:
        known[id(node)] = _OPEN
        if isinstance(node, MappingNode):
            size = 1 + sum(
                _size(pair.key, depth + 1, known) + _size(pair.value, depth + 1, known) for pair in node.pairs
            )
        else:
            size = 1 + sum(_size(item, depth + 1, known) for item in node.items)
        known[id(node)] = size
    return size
