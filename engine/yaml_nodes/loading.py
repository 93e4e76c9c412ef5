"""`load`: a whole text to its tree, with everything that is wrong in it."""

from __future__ import annotations

from engine.yaml_nodes.composer import NotQuick, compose
from engine.yaml_nodes.nodes import NodeTree, YamlError


def load(text: str, *, is_json: bool = False) -> NodeTree:
    """`text` as a tree of nodes: YAML as js-yaml 4.1.0 reads it, or JSON as `JSON.parse` does.

    Never raises on any text; what is wrong is in the tree's `diagnostics` and `error`.
    """
    del is_json
    try:
        composed = compose(text, 0, len(text), {})
    except NotQuick as problem:
        return NodeTree(text, (), (), YamlError(str(problem.__cause__), 0))
    return NodeTree(text, tuple(composed.documents))
