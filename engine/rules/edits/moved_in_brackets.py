"""Moving a point of a block in brackets, `[a, b]`, to the other block, which is added where it is absent."""

from __future__ import annotations

from engine.blueprint import Block, Point, Rubric
from engine.rules.source.commas import added, added_after, key_like, list_like, moved_text, without
from engine.rules.source.layout import line_end, line_start, newline_of
from engine.rules.source.list_levels import pair_removed
from engine.rules.source.node_search import enclosing_mapping, indices_near
from engine.rules.views import PromptView
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes.nodes import MappingNode, SequenceNode


def moved_in_brackets(
    view: PromptView, point: Point, source: Rubric, change: TextEdit | None = None
) -> tuple[TextEdit, ...]:
    """Edits that move `point`, a required point of `source`, with `change` applied, to the end of the other block.

    An emptied block is removed with its key. An absent block is added, `should` before `should_not`. Empty where a
    block is not in brackets, where a comment would be lost, or where the only point would move to an absent block:
    there the key has to be renamed instead.
    """
    text = view.text
    mapping = enclosing_mapping(view.tree, source.span)
    at = None if mapping is None else _index(mapping, source.span)
    if mapping is None or at is None:
        return ()
    node = mapping.pairs[at].value
    item = _item(node, point)
    if not isinstance(node, SequenceNode) or not node.flow or item is None:
        return ()
    written = _changed(text, point.span, change)
    target = view.prompt.should if source.block is Block.SHOULD_NOT else view.prompt.should_not
    if target is not None:
        list_at = _index(mapping, target.span)
        listed = None if list_at is None else mapping.pairs[list_at].value
        if not isinstance(listed, SequenceNode) or not listed.flow or not listed.items:
            return ()
        again = moved_text(text, written, point.span.start, listed.items[-1].span.start)
        addition = added(text, listed, [again])
    else:
        addition = _new_block(text, mapping, at, source.block, list_like(text, node, [written]))
    removal = without(text, node, item)
    if removal is None and len(node.items) == 1 and target is not None:
        removal = pair_removed(text, mapping, node)
    return () if removal is None or addition is None else (addition, removal)


def _index(mapping: MappingNode, span: Span) -> int | None:
    return next((index for index, pair in enumerate(mapping.pairs) if pair.value.span == span), None)


def _item(node: object, point: Point) -> int | None:
    if not isinstance(node, SequenceNode):
        return None
    near = indices_near(node, point.span.start)
    return next((index for index in near if node.items[index].span == point.span), None)


def _changed(text: str, span: Span, change: TextEdit | None) -> str:
    if change is None:
        return span.of(text)
    return apply_edits(span.of(text), [change.shifted(-span.start)])


def _new_block(text: str, mapping: MappingNode, at: int, beside: Block, listed: str) -> TextEdit | None:
    """The edit that adds the other block beside `beside`, the pair `at` of `mapping`."""
    key = mapping.pairs[at].key
    block = Block.SHOULD if beside is Block.SHOULD_NOT else Block.SHOULD_NOT
    written = f"{key_like(text, key, block.value)}: {listed}"
    if mapping.flow:
        is_first = block is Block.SHOULD
        return added(text, mapping, [written], before=at) if is_first else added_after(text, mapping, at, [written])
    line = line_start(text, key.span.start)
    margin = text[line : key.span.start]
    if block is Block.SHOULD:
        return None if margin.strip() else TextEdit(Span(line, line), f"{margin}{written}{newline_of(text)}")
    end = line_end(text, mapping.pairs[at].span.end)
    return None if margin.strip(" -") else TextEdit(Span(end, end), f"{newline_of(text)}{' ' * len(margin)}{written}")
