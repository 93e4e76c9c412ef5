"""Moving a point from `should_not` to `should`, with its comment and its layout."""

from __future__ import annotations

from engine.blueprint import Point, Rubric
from engine.diagnostics import Fix
from engine.rules.edits.moved_in_brackets import moved_in_brackets
from engine.rules.source.layout import column, dash_before, line_start, next_line_start
from engine.rules.source.node_search import sequence_at
from engine.rules.views import PromptView
from engine.text import Span, TextEdit

_TITLE = "move it to should"


def moved_to_should(view: PromptView, point: Point) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should_not` on lines of its own or in brackets; else empty.

    With the only point the key is removed too, or renamed where there is no `should` yet.
    """
    source = view.prompt.should_not
    if source is None or point not in source.required or source.paths:
        return ()
    key = _key_before(view, source)
    if view.prompt.should is None:
        is_alone = len(source.entries) == 1 and key is not None
        return (Fix(_TITLE, False, (TextEdit(key, "should"),)),) if is_alone and key is not None else ()
    if in_brackets := moved_in_brackets(view, point, source):
        return (Fix(_TITLE, False, in_brackets),)
    taken = lines_of(view.text, point)
    at = end_of_block(view, view.prompt.should, point)
    if taken is None or at is None:
        return ()
    moved = taken.of(view.text)
    if len(source.entries) == 1:
        if key is None or view.text[line_start(view.text, key.start) : key.start].strip():
            return ()
        taken = Span(line_start(view.text, key.start), taken.end)
    if not moved.endswith(("\n", "\r")):
        moved += "\n"
    return (Fix(_TITLE, False, (TextEdit(Span(at, at), moved), TextEdit(taken, ""))),)


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
    at = next_line_start(text, max(last.span.end - 1, last.span.start))
    return at if at <= len(text) and text[at - 1] in "\r\n" else None


def lines_of(text: str, point: Point) -> Span | None:
    """The whole lines of a block list item; None where they hold something else too."""
    dash = dash_before(text, point.span.start)
    if dash is None or text[line_start(text, dash) : dash].strip():
        return None
    return Span(line_start(text, dash), next_line_start(text, max(point.span.end - 1, dash)))
