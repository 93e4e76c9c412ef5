"""The value that a piece of YAML has where it stands after a key."""

from __future__ import annotations

from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import MappingNode, Node, SequenceNode

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
