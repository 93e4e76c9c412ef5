"""The size of a text once its aliases are expanded, checked before any walk over its values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from engine.text_limits import ALIAS_VALUES, DEPTH, EXPANDED_CHARACTERS
from engine.yaml_nodes.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode
from engine.yaml_nodes.values import TOO_DEEP, TOO_MANY, TooLarge

_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR: Final = "&" + _NAME
_ALIAS: Final = r"\*" + _NAME


def check_size(tree: NodeTree) -> None:
    """Raise `TooLarge` if the aliases of `tree` add over `ALIAS_VALUES`, or expand beyond `EXPANDED_CHARACTERS`.

    Its place is the value with which they exceed the limit.
    """
    if tree.is_json or not has_aliases(tree.text):
        return
    known: dict[int, _Size | None] = {}
    _sum((document.root for document in tree.documents if document.root is not None), 0, known)


def has_aliases(text: str) -> bool:
    """Whether `text` may contain an alias: a `*name` with a matching `&name`. Rarely true without one."""
    anchors = set(re.findall(_ANCHOR, text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(re.findall(_ALIAS, text))


class _Size(NamedTuple):
    """What a node expands to: its values, how many of them aliases add to the written ones, and their characters."""

    values: int
    added: int
    characters: int


def _sum(nodes: Iterable[Node], depth: int, known: dict[int, _Size | None]) -> _Size:
    """What `nodes` expand to."""
    values = added = characters = 0
    for node in nodes:
        size = _size(node, depth, known)
        values += size.values
        added += size.values - 1 if type(node) is AliasNode else size.added
        characters += size.characters
        if added > ALIAS_VALUES or characters > EXPANDED_CHARACTERS:
            raise TooLarge(TOO_MANY, node.span)
    return _Size(values, added, characters)


def _size(written: Node, depth: int, known: dict[int, _Size | None]) -> _Size:
    """The size of `written`. `known` are the sizes of collections, None for one whose size is being computed."""
    node = written
    while isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, ScalarNode):
        return _Size(1, 0, len(node.text))
    size = known.get(id(node))
    if size is not None:
        return size
    if id(node) in known or depth > DEPTH:
        raise TooLarge(TOO_DEEP, written.span)
    known[id(node)] = None
    if isinstance(node, MappingNode):
        inner = (part for pair in node.pairs for part in (pair.key, pair.value))
    else:
        inner = iter(node.items)
    within = _sum(inner, depth + 1, known)
    known[id(node)] = size = within._replace(values=within.values + 1)
    return size
