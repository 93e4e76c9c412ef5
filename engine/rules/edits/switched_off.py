"""Taking a point out of its list: commented out where it has lines of its own, removed in brackets."""

from __future__ import annotations

from engine.blueprint import Point
from engine.rules.source.layout import column, dash_before, line_start, next_line_start
from engine.rules.source.list_levels import item_removed
from engine.rules.source.node_search import enclosing_mapping, nodes_around
from engine.rules.views import PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import Node, SequenceNode


def switched_off(view: PromptView, point: Point) -> tuple[TextEdit, ...]:
    """Edits after which `point` is no point any more; none where its layout leaves no way.

    Its lines become a comment, which can be taken back. With the only point of a path or a block, the path or the key
    goes with it. In brackets and in JSON the point is removed.
    """
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()
    around = list(nodes_around(view.tree, point.span))
    lists = [node for node in around if isinstance(node, SequenceNode) and _has_item(node, point.span)]
    if not lists:
        return ()
    listed = lists[-1]
    if listed.flow:
        removed = item_removed(view.tree, point.span)
        return (removed,) if removed is not None else ()
    span = point.span
    while isinstance(listed, SequenceNode) and len(listed.items) == 1:
        span = listed.span  # the list goes with its only item
        listed = next((each for each in around if isinstance(each, SequenceNode) and _has_item(each, span)), None)
    if listed is None:
        return _block_off(view, span)
    return _item_off(view, listed, span)


def _has_item(node: SequenceNode, span: Span) -> bool:
    return any(item.span == span for item in node.items)


def _block_off(view: PromptView, span: Span) -> tuple[TextEdit, ...]:
    """Comment out a key of a block with its list at `span`."""
    mapping = enclosing_mapping(view.tree, span)
    pair = None if mapping is None else next((pair for pair in mapping.pairs if pair.value.span == span), None)
    if mapping is None or pair is None or mapping.flow or len(mapping.pairs) < 2:
        return ()
    start = line_start(view.text, pair.key.span.start)
    if view.text[start : pair.key.span.start].strip():
        return ()
    return _commented(view.text, Span(start, next_line_start(view.text, max(span.end - 1, start))), pair.key)


def _commented(text: str, lines: Span, first: Node) -> tuple[TextEdit, ...]:
    """`#` before each line, in the column of `first`."""
    return _with_signs(text, lines, column(text, first.span.start))


def _with_signs(text: str, lines: Span, at: int) -> tuple[TextEdit, ...]:
    edits: list[TextEdit] = []
    start = lines.start
    while start < lines.end:
        end = next_line_start(text, start)
        line = text[start:end]
        indent = min(at, len(line) - len(line.lstrip(" ")))
        if line.strip():
            edits.append(TextEdit(Span(start + indent, start + indent), "# "))
        start = end
    return tuple(edits)


def _item_off(view: PromptView, listed: SequenceNode, span: Span) -> tuple[TextEdit, ...]:
    text = view.text
    dash = dash_before(text, span.start)
    if dash is None:
        return ()
    start = line_start(text, dash)
    if not text[start:dash].strip():
        last = next_line_start(text, max(span.end - 1, dash))
        return _with_signs(text, Span(start, last), dash - start)
    index = next(at for at, item in enumerate(listed.items) if item.span == span)
    if index + 1 >= len(listed.items):
        return ()
    following = dash_before(text, listed.items[index + 1].span.start)
    if following is None or "#" in text[dash:following]:
        return ()  # the first item of a path, on the line of the path, with a comment behind it
    return (TextEdit(Span(dash, following), ""),)
