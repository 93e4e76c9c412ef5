"""Finds the nodes of a text by span."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from engine.text.spans import Span
from engine.yaml.nodes import (
    NO_MAPPING,
    MappingNode,
    Node,
    NodeTree,
    Pair,
    SequenceNode,
    holds_bytes,
    property_name,
    resolved,
)
from engine.yaml.tree_loader import load


def nodes_around(tree: NodeTree, span: Span) -> Iterator[Node]:
    """All nodes that cover `span`, the outermost first; aliases are not followed."""
    for document in tree.documents:
        root = document.root
        if root is not None and root.span.start <= span.start and span.end <= root.span.end:
            yield from _down(root, span)


def _down(node: Node, span: Span) -> Iterator[Node]:
    yield node
    for child in _children_near(node, span.start):
        if child.span.start <= span.start and span.end <= child.span.end:
            yield from _down(child, span)
            return


def _children_near(node: Node, offset: int) -> Iterable[Node]:
    """The children of `node` that may cover `offset`: of a list or mapping, which may be long, only a few."""
    match node:
        case SequenceNode(items=items):
            return [items[index] for index in indices_near(node, offset)]
        case MappingNode(pairs=pairs) if holds_bytes(node):
            return (pairs[0].key,)
        case MappingNode(pairs=pairs):
            end = bisect_right(pairs, offset, key=_start_of_pair)
            return [part for pair in pairs[max(end - 2, 0) : end] for part in (pair.key, pair.value)]
        case _:
            return ()


def indices_near(node: SequenceNode, offset: int) -> range:
    """The indices of the two items of `node` that may cover `offset`."""
    end = bisect_right(node.items, offset, key=_start)
    return range(max(end - 2, 0), end)


def _start(node: Node) -> int:
    return node.span.start


def _start_of_pair(pair: Pair) -> int:
    return pair.key.span.start


def mapping_at(tree: NodeTree, span: Span) -> MappingNode | None:
    """The mapping at exactly `span`, also through an alias; None if there is none."""
    for node in nodes_around(tree, span):
        if node.span == span and isinstance(target := resolved(node), MappingNode):
            return target
    return None


def enclosing_mapping(tree: NodeTree, span: Span) -> MappingNode:
    """The innermost mapping that covers `span`; an empty one outside of all."""
    around = [node for node in nodes_around(tree, span) if isinstance(node, MappingNode)]
    return around[-1] if around else NO_MAPPING


def function_pair(node: MappingNode) -> Pair | None:
    """The pair that holds a function's argument: `$name: argument`, or `fnArgs` / `arg` beside `fn`."""
    for pair in node.pairs:
        if property_name(pair.key).startswith("$"):
            return pair
    return node.pair("fnArgs") or node.pair("arg")


_KEY = "a:"


def value_on_line(source: str) -> Node | None:
    """The value that `source` is after a key; None if it is not a value, or a comment ends it early."""
    before = f"{_KEY} "
    root = _single_pair(before + source)
    return root.pairs[0].value if root is not None and root.span.end == len(before) + len(source) else None


def value_below(source: str) -> Node | None:
    """The list or mapping that `source`, on lines of its own from its first line break on, is below a key."""
    root = _single_pair(_KEY + source)
    value = None if root is None else root.pairs[0].value
    return value if isinstance(value, MappingNode | SequenceNode) else None


def _single_pair(text: str) -> MappingNode | None:
    """The mapping of one pair that `text` is; None if it is anything else."""
    tree = load(text)
    root = tree.documents[0].root if tree.error is None and len(tree.documents) == 1 else None
    return root if isinstance(root, MappingNode) and len(root.pairs) == 1 else None
