"""Adding points to a prompt, drafted ones too, in its present block or in a new one."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Block, Prompt
from engine.parsing import Parsed
from engine.rules.source.commas import added, key_like, list_like, new_list
from engine.rules.source.layout import column, dash_before, line_end, line_start, newline_of, next_line_start, quoted
from engine.rules.source.node_search import mapping_at
from engine.rules.views import FileView
from engine.text.diagnostics import Fix
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, resolved

_DEEPER = "  "
_PLAIN = lazy(r"[^\W\d_]+ [^:#\s](?:[^:#\n\r\t]*[^:#\s])?")
"""Text of two or more words that YAML reads unchanged without quotation marks."""
_BLOCKS = [block.value for block in Block]


def added_points(view: FileView, prompt: Prompt, block: Block, points: tuple[str, ...]) -> TextEdit | None:
    """The edit that adds `points`, each a mapping `$name: argument` on one line, at the end of a block of `prompt`.

    In JSON each has its braces. None where the layout of the block or the prompt leaves no room.
    """
    return _added(view, prompt, block, points, tuple(_braced(point, view) for point in points))


def _added(
    view: FileView, prompt: Prompt, block: Block, points: tuple[str, ...], in_brackets: tuple[str, ...]
) -> TextEdit | None:
    mapping = mapping_at(view.tree, prompt.span)
    if mapping is None or mapping.span != prompt.span or not mapping.pairs:
        return None
    rubric = prompt.should if block is Block.SHOULD else prompt.should_not
    node = None if rubric is None else _written(mapping, rubric.span)
    unfilled = mapping.pair(block.value)
    if unfilled is not None and _is_unfilled(resolved(unfilled.value)) and not view.is_json:
        return _filled(view.text, mapping, unfilled, points, in_brackets)
    if rubric is not None and (not isinstance(node, SequenceNode) or not node.items):
        return None
    if isinstance(node, SequenceNode):
        is_flow = node.flow or view.is_json
        return added(view.text, node, list(in_brackets)) if is_flow else _into_list(view.text, node, points)
    if mapping.flow or view.is_json:
        return _own_in_flow(mapping, block, in_brackets, view.text)
    return _own_block(view.text, mapping, block, points)


def added_criteria(view: FileView, prompt: Prompt, block: Block, criteria: tuple[str, ...]) -> TextEdit | None:
    """The edit that adds `criteria`, points in words, at the end of a block of `prompt`; None where there is no room.

    Each is quoted only where YAML would otherwise read something else.
    """
    in_brackets = tuple(_in_brackets(each, is_json=view.is_json) for each in criteria)
    return _added(view, prompt, block, tuple(as_item(each) for each in criteria), in_brackets)


def as_item(criterion: str) -> str:
    """A point in words as an item of a block list, quoted where necessary.

    One that begins with `$` would be read as a check: it is the `text` of a mapping.
    """
    if criterion.startswith("$"):
        return f"text: {quoted(criterion)}"
    return criterion if _PLAIN.fullmatch(criterion) else quoted(criterion)


def _in_brackets(criterion: str, *, is_json: bool) -> str:
    written = quoted(criterion, is_json=is_json)
    if not criterion.startswith("$"):
        return written
    return f'{{"text": {written}}}' if is_json else f"{{text: {written}}}"


def _is_unfilled(node: Node) -> bool:
    """Whether a block has nothing in it yet: `should:` or `should: []`."""
    if isinstance(node, SequenceNode):
        return node.flow and not node.items
    return isinstance(node, ScalarNode) and node.value is None


def _filled(
    text: str, mapping: MappingNode, pair: Pair, points: tuple[str, ...], in_brackets: tuple[str, ...]
) -> TextEdit | None:
    """The edit that writes the points of a block that has a key and no point yet."""
    colon = text.find(":", pair.key.span.end, max(pair.value.span.start, pair.key.span.end) + 2) + 1
    if not colon:
        return None
    there = Span(colon, max(pair.value.span.end, colon))
    if mapping.flow:
        return TextEdit(there, f" [{', '.join(in_brackets)}]")
    newline, indent = newline_of(text), " " * column(text, pair.key.span.start)
    comment = text[there.end : line_end(text, there.end)]
    items = "".join(f"{newline}{indent}{_DEEPER}- {point}" for point in points)
    return TextEdit(Span(there.start, there.end + len(comment)), comment.rstrip() + items)


def _written(mapping: MappingNode, span: Span) -> Node | None:
    found = next((pair.value for pair in mapping.pairs if pair.value.span == span), None)
    return None if found is None else resolved(found)


def _own_in_flow(mapping: MappingNode, block: Block, points: tuple[str, ...], text: str) -> TextEdit:
    last = mapping.pairs[-1]
    like = next((found for name in _BLOCKS if (found := _list_of(mapping, name)) is not None), None)
    listed = new_list(text, mapping, list(points)) if like is None else list_like(text, like, list(points))
    return added(text, mapping, [f"{key_like(text, last.key, block.value)}: {listed}"])


def _list_of(mapping: MappingNode, name: str) -> SequenceNode | None:
    node = mapping.get(name)
    return node if isinstance(node, SequenceNode) and node.flow and node.items else None


def _braced(point: str, view: FileView) -> str:
    return point if view.is_json else f"{{{point}}}"


def _into_list(text: str, node: SequenceNode, points: tuple[str, ...]) -> TextEdit | None:
    dash = dash_before(text, node.items[-1].span.start)
    if dash is None:
        return None
    indent = " " * column(text, dash)
    return _lines(text, node.span.end, [f"{indent}- {point}" for point in points])


def _own_block(text: str, mapping: MappingNode, block: Block, points: tuple[str, ...]) -> TextEdit | None:
    start = mapping.pairs[0].key.span.start
    if text[line_start(text, start) : start].strip(" -"):
        return None
    indent = " " * column(text, start)
    lines = [f"{indent}{block.value}:", *(f"{indent}{_DEEPER}- {point}" for point in points)]
    return _lines(text, mapping.span.end, lines)


def _lines(text: str, end: int, lines: list[str]) -> TextEdit:
    """The edit that inserts `lines` after the line on which a node ends; `end` is the end of its span."""
    newline = newline_of(text)
    at = next_line_start(text, max(end - 1, 0))
    written = "".join(f"{line}{newline}" for line in lines)
    if text[at - 1 : at] in ("\n", "\r"):
        return TextEdit(Span(at, at), written)
    return TextEdit(Span(at, at), newline + written.removesuffix(newline))


def insertion(parsed: Parsed, prompt: Prompt, points: Sequence[str]) -> Fix | None:
    """The fix that adds `points` in words to `should` of `prompt`; None where its layout leaves no room for them."""
    edit = added_criteria(FileView(parsed), prompt, Block.SHOULD, tuple(points))
    counted = "1 point" if len(points) == 1 else f"{len(points)} points"
    return None if edit is None else Fix(f"add {counted} to should", False, (edit,))


def as_yaml(points: Sequence[str]) -> str:
    """The block `should` with `points` in words, as an author would write it below a prompt."""
    return "".join(["should:\n", *(f"  - {as_item(point)}\n" for point in points)])


def why_not(prompt: Prompt) -> str | None:
    """Why no points can be drafted for `prompt`, as a message for authors; None where they can."""
    if prompt.points():
        return f"{prompt.id} has points already: points are drafted only for a prompt without any."
    if not (prompt.ideal or "").strip():
        return f"{prompt.id} has no ideal: points are drafted from an ideal answer."
    return None
