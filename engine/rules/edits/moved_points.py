"""Moving a point between `should` and `should_not`, with its comment and its layout."""

from __future__ import annotations

from engine.blueprint import Block, Point, Rubric
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import (
    Edits,
    changed,
    insert,
    item_at,
    item_lines,
    list_in_brackets,
    move,
    pair_of,
    pair_source,
    remove,
    remove_pair_of,
    rename,
)
from engine.yaml.layout import line_start, newline_of

_TITLE = "move it to should"


def moved_to_should(view: PromptView, point: Point) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should_not` on lines of its own or in brackets; else empty.

    With the only point the key is removed too, or renamed where there is no `should` yet.
    """
    source, mapping = view.prompt.should_not, view.prompt.node
    at = None if source is None else pair_of(mapping, source.node)
    if source is None or at is None or not source.requires(point) or source.paths:
        return ()
    if view.prompt.should is not None:
        edits = _moved(view, point, source, view.prompt.should)
    else:
        edits = rename(view.text, mapping.pairs[at].key, "should") if len(source.entries) == 1 else ()
    return (Fix(_TITLE, False, edits),) if edits else ()


def moved_to_should_not(view: PromptView, point: Point, words: Span, instead: str, title: str) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should`, to `should_not` with `instead` in place of `words`.

    Empty where it is the only point, is neither in brackets nor on lines of its own, belongs to another prompt through
    an alias, or where there is no room for the block.
    """
    wanted, target = view.prompt.should, view.prompt.should_not
    if wanted is None or not wanted.requires(point) or len(wanted.entries) < 2:
        return ()
    change = (TextEdit(words, instead),)
    if target is not None:
        edits = _moved(view, point, wanted, target, change)
    else:
        edits = _to_new_block(view, point, wanted, change)
    return (Fix(title, False, edits),) if edits else ()


def _moved(view: PromptView, point: Point, source: Rubric, target: Rubric, change: Edits = ()) -> Edits:
    """Edits that move `point` with `change` applied to the end of `target`; a block that they empty goes with its key.

    None where one block is in brackets and the other is not, or where a comment would be lost.
    """
    text, mapping, listed = view.text, view.prompt.node, source.node
    at, index = pair_of(mapping, listed), item_at(listed, point.span)
    if at is None or index is None or pair_of(mapping, target.node) is None:
        return ()
    if len(listed.items) > 1:
        return move(text, listed, index, target.node, change)
    if listed.flow:
        return move(text, listed, index, target.node, change, remove_pair_of(text, mapping, listed))
    start, lines = line_start(text, mapping.pairs[at].key.span.start), item_lines(text, point.span)
    if lines is None or text[start : mapping.pairs[at].key.span.start].strip():
        return ()
    return move(text, listed, index, target.node, change, (TextEdit(Span(start, lines.end), ""),))


def _to_new_block(view: PromptView, point: Point, wanted: Rubric, change: Edits) -> Edits:
    """Edits that move `point` of `should` with `change` applied to a new `should_not` below it."""
    text, mapping, listed = view.text, view.prompt.node, wanted.node
    at, index, name = pair_of(mapping, listed), item_at(listed, point.span), Block.SHOULD_NOT.value
    if at is None or index is None or mapping.pair(name) is not None:
        return ()
    if listed.flow:
        removed = remove(text, listed, index)
        written = list_in_brackets(text, mapping, listed, changed(text, point.span, change))
        added = insert(text, mapping, at + 1, pair_source(text, mapping, name, written))
        return (*added, *removed) if added and removed else ()
    lines, last = item_lines(text, point.span), item_lines(text, wanted.entries[-1].span)
    key = mapping.pairs[at].key.span.start
    margin = text[line_start(text, key) : key]
    if lines is None or last is None or mapping.flow or margin.strip(" -") or text[last.end - 1] not in "\r\n":
        return ()
    newline, moved = newline_of(text), changed(text, lines, change)
    moved += "" if moved.endswith(("\n", "\r")) else newline
    block = f"{' ' * len(margin)}{name}:{newline}{moved}"
    return (TextEdit(lines, ""), TextEdit(Span(last.end, last.end), block))
