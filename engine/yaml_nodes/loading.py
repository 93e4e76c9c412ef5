"""`load`: a whole text to its tree, with everything that is wrong in it."""

from __future__ import annotations

from engine.yaml_nodes.composer import NotQuick, compose
from engine.yaml_nodes.nodes import NodeTree, YamlError
from engine.yaml_nodes.reader import Reader, Refusal


def load(text: str, *, is_json: bool = False) -> NodeTree:
    """`text` as a tree of nodes: YAML as js-yaml 4.1.0 reads it, or JSON as `JSON.parse` does.

    Never raises on any text; what is wrong is in the tree's `diagnostics` and `error`.
    """
    del is_json
    try:
        composed = compose(text, 0, len(text))
        documents, duplicates, error = composed.documents, composed.duplicates, None
    except NotQuick:
        reader = Reader(text, 0, len(text), {})
        documents, duplicates, error = reader.documents, reader.duplicates, None
        try:
            reader.read()
        except Refusal as refusal:
            error = YamlError(refusal.reason, min(refusal.offset, len(text)))
    if duplicates:
        first = min(duplicates, key=lambda d: d.pair.span.end)
        if error is None or first.pair.span.end <= error.offset:
            error = YamlError("duplicated mapping key", first.pair.key.span.start)
    return NodeTree(text, tuple(documents), (), error)
