"""Moving a point from `should` to `should_not`."""

from __future__ import annotations

from engine.blueprint import Point, Rubric
from engine.diagnostics import Fix
from engine.rules.edits.moved_in_brackets import moved_in_brackets
from engine.rules.edits.moved_points import end_of_block, lines_of
from engine.rules.source.layout import line_start, newline_of, next_line_start
from engine.rules.source.node_search import enclosing_mapping
from engine.rules.views import PromptView
from engine.text import Span, TextEdit


def moved_to_should_not(view: PromptView, point: Point, words: Span, instead: str, title: str) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should`, to `should_not` with `instead` in place of `words`.

    Empty where it is the only point, is neither in brackets nor on lines of its own, belongs to another prompt through
    an alias, or where there is no room for the block.
    """
    wanted = view.prompt.should
    if wanted is None or point not in wanted.required or len(wanted.entries) < 2:
        return ()
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()
    if _has_room(view, wanted) and (in_brackets := moved_in_brackets(view, point, wanted, TextEdit(words, instead))):
        return (Fix(title, False, in_brackets),)
    taken = lines_of(view.text, point)
    if taken is None or not taken.start <= words.start <= words.end <= taken.end:
        return ()
    moved = view.text[taken.start : words.start] + instead + view.text[words.end : taken.end]
    if not moved.endswith(("\n", "\r")):
        moved += newline_of(view.text)
    target = view.prompt.should_not
    if target is not None:
        at = end_of_block(view, target, point)
    else:
        at = _line_after(view, wanted.entries[-1].span)
        key = _key_line(view, wanted.span)
        if key is None:
            return ()
        moved = f"{key}{newline_of(view.text)}{moved}"
    if at is None or taken.start < at < taken.end:
        return ()
    return (Fix(title, False, (TextEdit(taken, ""), TextEdit(Span(at, at), moved))),)


def _has_room(view: PromptView, wanted: Rubric) -> bool:
    """Whether the prompt has a `should_not`, or one can be written beside `wanted`."""
    mapping = enclosing_mapping(view.tree, wanted.span)
    return view.prompt.should_not is not None or (mapping is not None and mapping.pair("should_not") is None)


def _line_after(view: PromptView, last: Span) -> int | None:
    at = next_line_start(view.text, max(last.end - 1, last.start))
    return at if at <= len(view.text) and view.text[at - 1 : at] in ("\n", "\r") else None


def _key_line(view: PromptView, block: Span) -> str | None:
    """`should_not:` in the column of the key that holds `block`."""
    mapping = enclosing_mapping(view.tree, block)
    pair = None if mapping is None else next((pair for pair in mapping.pairs if pair.value.span == block), None)
    if mapping is None or mapping.flow or pair is None or mapping.pair("should_not") is not None:
        return None
    before = view.text[line_start(view.text, pair.key.span.start) : pair.key.span.start]
    return f"{' ' * len(before)}should_not:" if not before.strip(" -") else None
