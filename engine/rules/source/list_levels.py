"""Edits that remove one level of nesting, or an item of a list."""

from __future__ import annotations

from collections.abc import Iterator

from engine.rules.source.commas import indent_at, outdented, without
from engine.rules.source.layout import (
    column,
    dash_before,
    is_one_line,
    line_start,
    newline_of,
    next_line_start,
    reindented,
)
from engine.rules.source.node_search import indices_near, nodes_around
from engine.text.spans import Span, TextEdit
from engine.yaml.nodes import MappingNode, Node, NodeTree, SequenceNode


def unnested(text: str, node: SequenceNode) -> tuple[TextEdit, ...]:
    """Edits that remove the list around the items of `node`, itself an item of a list.

    None if a comment would be lost, or if moving lines or removing brackets is not enough.
    """
    if node.flow:
        return _unbracketed(text, node)
    dash = dash_before(text, node.span.start)
    if dash is None or "#" in text[dash : node.span.start] or text[line_start(text, dash) : dash].strip():
        return ()
    by = column(text, node.span.start) - column(text, dash)
    return (TextEdit(Span(dash, node.span.start), ""), *reindented(text, node.span, -by))


def _unbracketed(text: str, node: SequenceNode) -> tuple[TextEdit, ...]:
    """The same for `[a, b]`: unchanged within brackets; in a block list, each item on a line of its own."""
    start, end = node.span.start, node.span.end
    if not node.items:
        return ()
    opening, closing = Span(start, node.items[0].span.start), Span(node.items[-1].span.end, end)
    if "#" in opening.of(text) or "#" in closing.of(text):
        return ()
    edits = [TextEdit(opening, ""), TextEdit(closing, "")]
    dash = dash_before(text, start)
    if dash is None:
        return (*edits, *_moved_out(text, node))
    if len(node.items) == 1:
        return tuple(edits) if is_one_line(text, node.span) else ()
    if text[line_start(text, dash) : dash].strip() or not is_one_line(text, node.span):
        return ()
    item = f"{newline_of(text)}{' ' * column(text, dash)}- "
    gaps = zip(node.items, node.items[1:], strict=False)
    edits += (TextEdit(Span(before.span.end, after.span.start), item) for before, after in gaps)
    return tuple(sorted(edits, key=lambda edit: edit.span))


def _moved_out(text: str, node: SequenceNode) -> Iterator[TextEdit]:
    """Edits that outdent the items of `node`, on lines of their own, to the column of its bracket."""
    first = node.items[0].span.start
    if not is_one_line(text, Span(node.span.start, first)):
        span = Span(first, node.items[-1].span.end)
        yield from outdented(text, span, indent_at(text, first), indent_at(text, node.span.start))


def item_removed(tree: NodeTree, span: Span) -> TextEdit | None:
    """The edit that removes the list item whose content is at `span`.

    A list in brackets that would be empty is removed with its key. None if the item's lines contain anything else, or
    if a comment would be lost.
    """
    above: Node | None = None
    for node in nodes_around(tree, span):
        index = _item(node, span)
        if isinstance(node, SequenceNode) and node.flow and index is not None:
            if len(node.items) == 1 and isinstance(above, MappingNode):
                return pair_removed(tree.text, above, node)
            return without(tree.text, node, index)
        above = node
    lines = item_lines(tree.text, span)
    return None if lines is None else TextEdit(lines, "")


def _item(node: Node, span: Span) -> int | None:
    if not isinstance(node, SequenceNode):
        return None
    near = indices_near(node, span.start)
    return next((index for index in near if node.items[index].span == span), None)


def pair_removed(text: str, mapping: MappingNode, listed: SequenceNode) -> TextEdit | None:
    """The edit that removes a key of `mapping` with its value `listed`, a list in brackets of one item.

    None if it is the only key, if its lines contain anything else, or if a comment would be lost.
    """
    at = next((index for index, pair in enumerate(mapping.pairs) if pair.value is listed), None)
    if at is None:
        return None
    span, item = mapping.pairs[at].span, listed.items[0].span
    has_comment = "#" in text[mapping.pairs[at].key.span.end : item.start] + text[item.end : span.end]
    return None if has_comment else key_removed(text, mapping, at)


def key_removed(text: str, mapping: MappingNode, at: int) -> TextEdit | None:
    """The edit that removes the pair `at` of `mapping`.

    None if it is the only pair, if its lines contain anything else, or if a comment beside it would be lost.
    """
    if mapping.flow or len(mapping.pairs) < 2:
        return without(text, mapping, at)
    span = mapping.pairs[at].span
    lines = Span(line_start(text, span.start), next_line_start(text, span.end))
    if at == 0:
        lines = Span(span.start, mapping.pairs[1].span.start)
    beside = text[lines.start : span.start] + text[span.end : lines.end]
    return None if beside.strip() else TextEdit(lines, "")


def item_lines(text: str, span: Span) -> Span | None:
    """The whole lines of the block list item whose content is at `span`; None if they contain anything else.

    A comment counts too: lines with a comment must not be removed.
    """
    dash = dash_before(text, span.start)
    if dash is None or text[line_start(text, dash) : dash].strip():
        return None
    lines = Span(line_start(text, dash), next_line_start(text, max(span.end - 1, dash)))
    has_comment = "#" in text[dash : span.start] or "#" in text[span.end : lines.end]
    inner = any(line.lstrip().startswith("#") or " #" in line for line in span.of(text).splitlines())
    return None if has_comment or inner else lines
