"""Quoted texts that are closed by the opening mark of a text further down, where js-yaml reads on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from engine.text import Span
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.nodes import Document, MappingNode, Node, Pair, ScalarNode, SequenceNode


def late_closing(text: str, documents: Iterable[Document]) -> Refusal | None:
    """The refusal that the first key behind such a text would deserve; None if there is none.

    js-yaml accepts a key on the line on which the value above it ends, if that value began on a line above.
    """
    for document in documents:
        for above, pair in _neighbours(document.root):
            quoted, at = _last_scalar(above.value), pair.key.span.start
            if quoted is not None and quoted.span.start < line_start(text, at) < quoted.span.end:
                refusal = Refusal("bad indentation of a mapping entry", at)
                refusal.multiline_quote = Span(quoted.span.start, quoted.span.end)
                return refusal
    return None


def _neighbours(node: Node | None) -> Iterator[tuple[Pair, Pair]]:
    """Each two pairs of a block mapping that follow on each other, in `node` and all that it holds."""
    match node:
        case MappingNode(pairs=pairs, flow=False):
            for above, pair in pairwise(pairs):
                yield from _neighbours(above.value)
                yield above, pair
            yield from _neighbours(pairs[-1].value if pairs else None)
        case SequenceNode(items=items, flow=False):
            for item in items:
                yield from _neighbours(item)
        case _:
            return


def _last_scalar(node: Node) -> ScalarNode | None:
    """The scalar with which `node` ends."""
    match node:
        case ScalarNode():
            return node
        case MappingNode(pairs=(*_, last)):
            return _last_scalar(last.value)
        case SequenceNode(items=(*_, item)):
            return _last_scalar(item)
        case _:
            return None
