"""How much a text unfolds to once its aliases are followed, so that no walk over it can be drowned."""

from __future__ import annotations

import re
from typing import Final

from engine.yaml_nodes.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode
from engine.yaml_nodes.values import MAXIMUM_DEPTH, MAXIMUM_NODES, TooMuch

_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR: Final = "&" + _NAME
_ALIAS: Final = r"\*" + _NAME
_OPEN = -1


def check_size(tree: NodeTree) -> None:
    """Raises `TooMuch` where the aliases of `tree` unfold to more than `MAXIMUM_NODES`, or for ever."""
    if tree.is_json or not has_aliases(tree.text):
        return
    known: dict[int, int] = {}
    roots = (document.root for document in tree.documents)
    if sum(_size(root, 0, known) for root in roots if root is not None) > MAXIMUM_NODES:
        raise TooMuch("The aliases (`*name`) of this text unfold to more than can be held.")


def has_aliases(text: str) -> bool:
    """Whether `text` may hold an alias: a `*name` for which there is an `&name`. Seldom true where there is none."""
    anchors = set(re.findall(_ANCHOR, text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(re.findall(_ALIAS, text))


def _size(node: Node, depth: int, known: dict[int, int]) -> int:
    while isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, ScalarNode):
        return 1
    size = known.get(id(node))
    if size == _OPEN or depth > MAXIMUM_DEPTH:
        raise TooMuch(
            f"This is nested more than {MAXIMUM_DEPTH} levels deep, or contains itself by an alias (`*name`)."
        )
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
