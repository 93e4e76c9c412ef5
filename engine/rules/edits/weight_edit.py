"""Writing the weight of a point, with its comments and its layout."""

from __future__ import annotations

from engine.blueprint import Point
from engine.rules.source.commas import added, key_like
from engine.rules.source.layout import (
    column,
    dash_before,
    is_one_line,
    line_end,
    line_start,
    newline_of,
    reindented,
)
from engine.rules.source.node_search import mapping_at, nodes_around
from engine.rules.views import PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Pair, ScalarNode

_KEYS = ("weight", "multiplier")


def weight_edits(view: PromptView, point: Point, weight: float) -> tuple[TextEdit, ...]:
    """Edits that give `point` the weight `weight`; none where there is no room for it.

    A written weight is replaced. A check or a criterion with keys gets a key `weight`; a bare criterion becomes the
    `text` of a mapping.
    """
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()  # it is written elsewhere, and an alias here
    written = f"{weight:g}"
    mapping = mapping_at(view.tree, point.span)
    if mapping is not None and mapping.span == point.span:
        pair = next((pair for key in _KEYS if (pair := mapping.pair(key)) is not None), None)
        return _replaced(pair, written) if pair is not None else _added(view, mapping, written)
    return _around(view, point, written)


def _replaced(pair: Pair, written: str) -> tuple[TextEdit, ...]:
    return (TextEdit(pair.value.span, written),)


def _added(view: PromptView, mapping: MappingNode, written: str) -> tuple[TextEdit, ...]:
    text, first = view.text, mapping.pairs[0]
    if mapping.flow:
        return (added(text, mapping, [f"{key_like(text, first.key, 'weight')}: {written}"]),)
    at = line_end(text, max(mapping.span.end - 1, mapping.span.start))
    indent = " " * column(text, first.key.span.start)
    return (TextEdit(Span(at, at), f"{newline_of(text)}{indent}weight: {written}"),)


def _around(view: PromptView, point: Point, written: str) -> tuple[TextEdit, ...]:
    """Edits that make a bare criterion the `text` of a mapping with a weight."""
    text, span = view.text, point.span
    node = next((node for node in nodes_around(view.tree, span) if node.span == span), None)
    if not isinstance(node, ScalarNode):
        return ()
    dash = dash_before(text, span.start)
    if dash is None:
        sign = '"' if text[span.start] == '"' else ""
        opening = TextEdit(Span(span.start, span.start), f"{{{sign}text{sign}: ")
        return (opening, TextEdit(Span(span.end, span.end), f", {sign}weight{sign}: {written}}}"))
    if line_start(text, dash) != line_start(text, span.start):
        return ()
    indent = " " * column(text, span.start)
    at = line_end(text, max(span.end - 1, span.start))
    inner = () if is_one_line(text, span) else tuple(reindented(text, span, 2))
    return (
        TextEdit(Span(span.start, span.start), "text: "),
        *inner,
        TextEdit(Span(at, at), f"{newline_of(text)}{indent}weight: {written}"),
    )
