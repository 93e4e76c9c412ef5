"""Joining `weight: 2`, written as a point of its own, with the point before it."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.parsing.demands import HIGHEST, LOWEST
from engine.rules.views import FileView
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import insert, key_like, remove
from engine.yaml.layout import column, dash_before, is_one_line, line_start
from engine.yaml.node_search import nodes_around
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name


def joined_with_point_above(span: Span, view: FileView) -> tuple[Fix, ...]:
    """The fix that makes the pair at `span` part of the point above it in the same list."""
    text = view.text
    around = reversed([*pairwise(nodes_around(view.tree, span))])
    listed, node = next(
        ((above, node) for above, node in around if isinstance(above, SequenceNode) and isinstance(node, MappingNode)),
        (None, None),
    )
    if listed is None or node is None or len(node.pairs) != 1:
        return ()
    index = next(index for index, item in enumerate(listed.items) if item is node)
    key, value = property_name(node.pairs[0].key), node.pairs[0].value
    if index == 0 or not isinstance(value, ScalarNode):
        return ()
    is_weight = key in ("weight", "multiplier")
    if is_weight and not (re.fullmatch(r"\d+(\.\d+)?", value.text) and LOWEST <= float(value.text) <= HIGHEST):
        return ()
    if listed.flow:
        edits = _joined_in_brackets(text, listed, index, value.text if is_weight else None)
        return (Fix("join it with the point above", False, edits),) if edits else ()
    return _joined_below(
        text, listed.items[index - 1], node.span, key, value.text if is_weight else value.span.of(text)
    )


def weight_joined_with_point_above(span: Span, weight: str, view: FileView) -> tuple[Fix, ...]:
    """The fix that makes the text at `span`, which only names a `weight`, the weight of the point above it."""
    for listed in nodes_around(view.tree, span):
        items = listed.items if isinstance(listed, SequenceNode) and not listed.flow else ()
        for above, node in pairwise(items):
            if node.span == span:
                return _joined_below(view.text, above, span, "weight", weight)
    return ()


def _joined_below(text: str, above: Node, span: Span, key: str, written: str) -> tuple[Fix, ...]:
    """The fix that writes the item at `span` as a key of the item `above` it."""
    dash = dash_before(text, span.start)
    in_full = _in_full(above, key, text)
    if dash is None or in_full is None or text[line_start(text, dash) : dash].strip():
        return ()
    line = f"{' ' * column(text, above.span.start)}{key}: {written}"
    edit = TextEdit(Span(line_start(text, dash), span.end), line)
    return (Fix("join it with the point above", False, (*in_full, edit)),)


def _in_full(point: Node, key: str, text: str) -> tuple[TextEdit, ...] | None:
    """The edits that turn `point` into a mapping with room for `key`; None where that needs more than one line."""
    match point:
        case MappingNode(flow=False):
            return () if _accepts_key(point, key) else None
        case ScalarNode(value=str(written)) if is_one_line(text, point.span) and not written.startswith("$"):
            return (TextEdit(Span(point.span.start, point.span.start), "point: "),)
        case _:
            return None


def _accepts_key(point: MappingNode, key: str) -> bool:
    """Whether `key` can be added to `point`: it lacks the key, and is a check or a mapping with `point` or `text`."""
    names = [property_name(pair.key) for pair in point.pairs]
    return key not in names and any(name in ("point", "text", "fn") or name.startswith("$") for name in names)


def _joined_in_brackets(text: str, listed: SequenceNode, index: int, weight: str | None) -> tuple[TextEdit, ...]:
    """Edits that join the item `index` of `listed`, a mapping of one key, with the item before it.

    `weight` replaces its value unless it is None. Empty where the item before has another form, or where a comment
    would be lost.
    """
    before, node = listed.items[index - 1], listed.items[index]
    removal = remove(text, listed, index)
    if not isinstance(node, MappingNode) or not removal:
        return ()
    pair = node.pairs[0]
    value = pair.value.span.of(text) if weight is None else weight
    match before:
        case MappingNode() if _accepts_key(before, property_name(pair.key)) and text[before.span.start] == "{":
            return (*insert(text, before, len(before.pairs), f"{pair.key.span.of(text)}: {value}"), *removal)
        case ScalarNode(value=str(written)) if not written.startswith("$"):
            return _with_text(text, before, node, value)
        case _:
            return ()


def _with_text(text: str, point: Node, node: MappingNode, value: str) -> tuple[TextEdit, ...]:
    """Edits that write `point`, a plain string, as the first pair of `node`."""
    key = node.pairs[0].key
    has_braces = text[node.span.start] == "{"
    opening = text[node.span.start + 1 : key.span.start] if has_braces else ""
    if opening.strip():
        return ()
    gap = f",{opening}" if re.search(r"[\r\n]", opening) else ", "
    first = f"{{{opening}{key_like(text, key, 'point')}: {point.span.of(text)}{gap}"
    edits = (TextEdit(Span(point.span.start, key.span.start), first), TextEdit(node.pairs[0].value.span, value))
    return edits if has_braces else (*edits, TextEdit(Span(node.span.end, node.span.end), "}"))
