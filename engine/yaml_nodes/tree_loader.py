"""`load`: a whole text to its tree, with everything that is wrong in it.

What a sound text of YAML does not need is imported when another is met: it would take longer than most texts do.
"""

from __future__ import annotations

import re

from engine.text import Span
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.nodes import Document, NodeTree, YamlError
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.tagged_nodes import Duplicate

_LONE_RETURN = re.compile(r"\r(?!\n)")


def load(text: str, *, is_json: bool = False) -> NodeTree:
    """`text` as a tree of nodes: YAML as js-yaml 4.1.0 reads it, or JSON as `JSON.parse` does.

    Never raises on any text; what is wrong is in the tree's `diagnostics` and `error`. `is_json` trees have one
    document, and equal keys in an object are no error there: the last wins.
    """
    return _load_json(text) if is_json else _load_yaml(text)


def _load_json(text: str) -> NodeTree:
    from engine.yaml_nodes.json_reader import BadJson, read_json

    whole = Span(0, len(text))
    try:
        return NodeTree(text, (Document(whole, read_json(text)),), is_json=True)
    except BadJson as error:
        from engine.yaml_nodes import diagnosis

        found = diagnosis.diagnose_json(text, error.reason, error.offset)
        refused = YamlError(error.reason, error.offset)
        return NodeTree(text, (Document(whole, error.partial),), (found,), refused, is_json=True)


def _load_yaml(text: str) -> NodeTree:
    # All line breaks mean the same, and few places need to know that a carriage return alone is one.
    lined = _LONE_RETURN.sub("\n", text) if "\r" in text else text
    reader = Reader(lined, 0, len(lined), {})
    try:
        reader.read()
    except Refusal as refusal:
        return _load_broken(text, lined, reader, refusal)
    if reader.duplicates:
        return _load_broken(text, lined, reader, None)
    return NodeTree(text, tuple(reader.documents))


def _load_broken(text: str, lined: str, reader: Reader, refusal: Refusal | None) -> NodeTree:
    """The tree of a `text` which js-yaml refuses: for that, or for the keys which the `reader` met twice."""
    from engine.yaml_nodes import diagnosis
    from engine.yaml_nodes.recovery import Recovered, recover

    if refusal is not None:
        read = recover(lined, refusal, reader.duplicates)
    else:
        read = Recovered()
        read.documents, read.duplicates, read.met = reader.documents, reader.duplicates, reader.duplicates
    found = [diagnosis.diagnose_refusal(lined, trouble.piece, trouble.refusal) for trouble in read.troubles]
    found += map(diagnosis.diagnose_duplicate, read.duplicates)
    found.sort(key=lambda diagnostic: diagnostic.span)
    return NodeTree(text, tuple(read.documents), tuple(found), _error(text, read.refusal, read.met))


def _error(text: str, refusal: Refusal | None, met: list[Duplicate]) -> YamlError | None:
    """What js-yaml refuses the whole text for: it meets a duplicate once its value is read."""
    first = min(met, key=lambda duplicate: duplicate.pair.span.end, default=None)
    if first is not None:
        return YamlError("duplicated mapping key", first.pair.key.span.start)
    return None if refusal is None else YamlError(refusal.reason, min(refusal.offset, len(text)))
