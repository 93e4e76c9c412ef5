"""Moving a point between `should` and `should_not`, with its comment and its layout."""

from __future__ import annotations

from engine.blueprint import Block, Point, Rubric
from engine.rules.source.commas import added, added_after, key_like, list_like, moved_text, without
from engine.rules.source.layout import column, dash_before, line_end, line_start, newline_of, next_line_start
from engine.rules.source.list_levels import pair_removed
from engine.rules.source.node_search import enclosing_mapping, indices_near, sequence_at
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit, apply_edits
from engine.yaml.nodes import MappingNode, SequenceNode


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


_TITLE = "move it to should"


def moved_to_should(view: PromptView, point: Point) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should_not` on lines of its own or in brackets; else empty.

    With the only point the key is removed too, or renamed where there is no `should` yet.
    """
    source = view.prompt.should_not
    if source is None or not source.requires(point) or source.paths:
        return ()
    key = _key_before(view, source)
    if view.prompt.should is None:
        is_alone = len(source.entries) == 1 and key is not None
        return (Fix(_TITLE, False, (TextEdit(key, "should"),)),) if is_alone and key is not None else ()
    if in_brackets := moved_in_brackets(view, point, source):
        return (Fix(_TITLE, False, in_brackets),)
    lines = lines_of(view.text, point)
    at = end_of_block(view, view.prompt.should, point)
    if lines is None or at is None:
        return ()
    moved = lines.of(view.text)
    if len(source.entries) == 1:
        if key is None or view.text[line_start(view.text, key.start) : key.start].strip():
            return ()
        lines = Span(line_start(view.text, key.start), lines.end)
    if not moved.endswith(("\n", "\r")):
        moved += "\n"
    return (Fix(_TITLE, False, (TextEdit(Span(at, at), moved), TextEdit(lines, ""))),)


def moved_to_should_not(view: PromptView, point: Point, words: Span, instead: str, title: str) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should`, to `should_not` with `instead` in place of `words`.

    Empty where it is the only point, is neither in brackets nor on lines of its own, belongs to another prompt through
    an alias, or where there is no room for the block.
    """
    wanted = view.prompt.should
    if wanted is None or not wanted.requires(point) or len(wanted.entries) < 2:
        return ()
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()
    if _has_room(view, wanted) and (in_brackets := moved_in_brackets(view, point, wanted, TextEdit(words, instead))):
        return (Fix(title, False, in_brackets),)
    lines = lines_of(view.text, point)
    if lines is None or not lines.start <= words.start <= words.end <= lines.end:
        return ()
    moved = view.text[lines.start : words.start] + instead + view.text[words.end : lines.end]
    if not moved.endswith(("\n", "\r")):
        moved += newline_of(view.text)
    target = view.prompt.should_not
    if target is not None:
        at = end_of_block(view, target, point)
    else:
        at = _line_after(view.text, wanted.entries[-1].span)
        key = _key_line(view, wanted.span)
        if key is None:
            return ()
        moved = f"{key}{newline_of(view.text)}{moved}"
    if at is None or lines.start < at < lines.end:
        return ()
    return (Fix(title, False, (TextEdit(lines, ""), TextEdit(Span(at, at), moved))),)


def _key_before(view: PromptView, rubric: Rubric) -> Span | None:
    """The span of the key `should_not` before its block."""
    text = view.text
    at = text.rfind("should_not", view.prompt.span.start, rubric.span.start)
    end = at + len("should_not")
    return Span(at, end) if at >= 0 and not text[end : rubric.span.start].strip("'\": \t\r\n") else None


def end_of_block(view: PromptView, target: Rubric, point: Point) -> int | None:
    """The start of the line after a block list, if its items have the same indentation as `point`; else None."""
    text = view.text
    node = sequence_at(view.tree, target.span)
    if node is None or node.flow or not target.entries:
        return None
    last = target.entries[-1]
    dash, own_dash = dash_before(text, last.span.start), dash_before(text, point.span.start)
    if dash is None or own_dash is None or column(text, dash) != column(text, own_dash):
        return None
    return _line_after(text, last.span)


def lines_of(text: str, point: Point) -> Span | None:
    """The whole lines of a block list item; None where they hold something else too."""
    dash = dash_before(text, point.span.start)
    if dash is None or text[line_start(text, dash) : dash].strip():
        return None
    return Span(line_start(text, dash), next_line_start(text, max(point.span.end - 1, dash)))


def _line_after(text: str, last: Span) -> int | None:
    """The start of the line after `last`; None where the text ends without a line break."""
    at = next_line_start(text, max(last.end - 1, last.start))
    return at if at <= len(text) and text[at - 1 : at] in ("\n", "\r") else None


def _has_room(view: PromptView, wanted: Rubric) -> bool:
    """Whether the prompt has a `should_not`, or one can be written beside `wanted`."""
    mapping = enclosing_mapping(view.tree, wanted.span)
    return view.prompt.should_not is not None or (mapping is not None and mapping.pair("should_not") is None)


def _key_line(view: PromptView, block: Span) -> str | None:
    """`should_not:` in the column of the key that holds `block`."""
    mapping = enclosing_mapping(view.tree, block)
    pair = None if mapping is None else next((pair for pair in mapping.pairs if pair.value.span == block), None)
    if mapping is None or mapping.flow or pair is None or mapping.pair("should_not") is not None:
        return None
    before = view.text[line_start(view.text, pair.key.span.start) : pair.key.span.start]
    return f"{' ' * len(before)}should_not:" if not before.strip(" -") else None
