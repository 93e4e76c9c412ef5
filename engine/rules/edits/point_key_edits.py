"""Writing a key of a point, such as its weight or its citation, with its comments and its layout."""

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
    quoted,
    reindented,
)
from engine.rules.source.node_search import mapping_at, node_at
from engine.rules.views import PromptView
from engine.text.spans import Span, TextEdit
from engine.yaml.nodes import MappingNode, Pair, ScalarNode

_WEIGHTS = ("weight", "multiplier")
_CITATIONS = ("citation",)


def weight_edits(view: PromptView, point: Point, weight: float) -> tuple[TextEdit, ...]:
    """Edits that give `point` the weight `weight`; none where there is no room for it.

    A written weight is replaced. A check or a criterion with keys gets a key `weight`; a bare criterion becomes the
    `text` of a mapping.
    """
    return _key_edits(view, point, _WEIGHTS, f"{weight:g}")


def citation_edits(view: PromptView, point: Point, citation: str) -> tuple[TextEdit, ...]:
    """Edits that give `point` a citation; none where there is no room for it.

    A written citation is replaced, also that of `Point: citation`. Otherwise as for `weight_edits`.
    """
    written = quoted(citation, is_json=view.file.is_json)
    mapping = mapping_at(view.tree, point.span)
    if mapping is not None and mapping.span == point.span and len(mapping.pairs) == 1 and point.citation is not None:
        return replaced_value(mapping.pairs[0], written)
    return _key_edits(view, point, _CITATIONS, written)


def _key_edits(view: PromptView, point: Point, keys: tuple[str, ...], written: str) -> tuple[TextEdit, ...]:
    """Edits that write a value under the first of `keys`, or in the place of the value under any of them."""
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()  # it is written elsewhere, and an alias here
    mapping = mapping_at(view.tree, point.span)
    if mapping is not None and mapping.span == point.span:
        pair = next((pair for key in keys if (pair := mapping.pair(key)) is not None), None)
        return replaced_value(pair, written) if pair is not None else added_key(view.text, mapping, keys[0], written)
    return _around(view, point, keys[0], written)


def replaced_value(pair: Pair, written: str) -> tuple[TextEdit, ...]:
    """The edit that writes another value, or one where none is written."""
    is_missing = pair.value.span.start == pair.value.span.end
    return (TextEdit(pair.value.span, f" {written}" if is_missing else written),)


def added_key(text: str, mapping: MappingNode, key: str, written: str) -> tuple[TextEdit, ...]:
    """The edit that adds a key at the end of a mapping, which is not empty."""
    first = mapping.pairs[0]
    if mapping.flow:
        return (added(text, mapping, [f"{key_like(text, first.key, key)}: {written}"]),)
    at = line_end(text, max(mapping.span.end - 1, mapping.span.start))
    indent = " " * column(text, first.key.span.start)
    return (TextEdit(Span(at, at), f"{newline_of(text)}{indent}{key}: {written}"),)


def _around(view: PromptView, point: Point, key: str, written: str) -> tuple[TextEdit, ...]:
    """Edits that make a bare criterion the `text` of a mapping with another key."""
    text, span = view.text, point.span
    node = node_at(view.tree, span)
    if not isinstance(node, ScalarNode):
        return ()
    dash = dash_before(text, span.start)
    if dash is None:
        sign = '"' if text[span.start] == '"' else ""
        opening = TextEdit(Span(span.start, span.start), f"{{{sign}text{sign}: ")
        return (opening, TextEdit(Span(span.end, span.end), f", {sign}{key}{sign}: {written}}}"))
    if line_start(text, dash) != line_start(text, span.start):
        return ()
    indent = " " * column(text, span.start)
    at = line_end(text, max(span.end - 1, span.start))
    inner = () if is_one_line(text, span) else tuple(reindented(text, span, 2))
    return (
        TextEdit(Span(span.start, span.start), "text: "),
        *inner,
        TextEdit(Span(at, at), f"{newline_of(text)}{indent}{key}: {written}"),
    )
