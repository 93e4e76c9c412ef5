"""The fix that moves a check from `should_not` to `should` as its `$not_` twin, with everything written with it."""

from __future__ import annotations

import re

from engine import functions
from engine.blueprint import Point, Rubric
from engine.diagnostics import Fix
from engine.rules.edits.moved_in_brackets import moved_in_brackets
from engine.rules.edits.moved_points import end_of_block, lines_of
from engine.rules.source.layout import line_start, newline_of
from engine.rules.source.node_search import enclosing_mapping
from engine.rules.views import PromptView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Pair, SequenceNode

_NAME = re.compile(r"""["']?\$?([a-z_]+)["']?""")
_SHOULD = ("should", "points", "expect", "expects", "expectations")


def twin_of(point: Point) -> str | None:
    """The name of the `$not_` twin of a point's function; None if Weval has none, or if the function is one itself."""
    if point.function is None:
        return None
    function = functions.find(point.function.name)
    twin = f"not_{point.function.name}"
    is_positive = function is not None and function.negates is None
    return twin if is_positive and functions.known_to_weval(twin) else None


def negated(view: PromptView, point: Point, twin: str) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should_not`, to the end of `should` as `$twin`.

    Safe if the prompt has `should`: the required points of both blocks are one group with one weighted mean, a check
    under `should_not` counts 1 minus its result, as its twin does, and an error counts 0 in both (Weval leaves it out
    in both). No fix if `should_not` has paths: Weval names a path by its place in its block. An empty `should_not` is
    removed.
    """
    source, target = view.prompt.should_not, view.prompt.should
    if source is None or not source.requires(point) or source.paths:
        return ()
    pair, name = _key_of(view, source), _name_in(view.text, point)
    if pair is None or name is None:
        return ()
    if in_brackets := _in_brackets(view, point, source, pair, TextEdit(name, twin)):
        return (Fix(f"move it to should as ${twin}", False, in_brackets),)
    lines = lines_of(view.text, point)
    if lines is None:
        return ()
    moved = view.text[lines.start : name.start] + twin + view.text[name.end : lines.end]
    moved += "" if moved.endswith(("\n", "\r")) else newline_of(view.text)
    is_last = len(source.entries) == 1
    if target is None:
        return _with_new_block(view.text, pair, moved, TextEdit(name, twin), lines, is_last=is_last)
    at = end_of_block(view, target, point)
    taken = _with_its_key(view.text, pair, lines) if is_last else lines
    if at is None or taken is None:
        return ()
    return (Fix(f"move it to should as ${twin}", False, (TextEdit(Span(at, at), moved), TextEdit(taken, ""))),)


def _in_brackets(view: PromptView, point: Point, source: Rubric, pair: Pair, renamed: TextEdit) -> tuple[TextEdit, ...]:
    """The edits for a block written as `[a, b]`; none for other blocks."""
    if not (isinstance(pair.value, SequenceNode) and pair.value.flow):
        return ()
    if view.prompt.should is None and len(source.entries) == 1:
        return (TextEdit(_inside_quotes(view.text, pair.key.span), "should"), renamed)
    return moved_in_brackets(view, point, source, renamed)


def _with_new_block(
    text: str, pair: Pair, moved: str, renamed: TextEdit, lines: Span, *, is_last: bool
) -> tuple[Fix, ...]:
    """The fix for a prompt without `should`: it adds the key, or renames `should_not`.

    Unsafe, because Weval looks at `should` first to see whether the prompt has points at all.
    """
    title = f"move it to should as ${renamed.text}"
    if is_last:
        return (Fix(title, False, (TextEdit(_inside_quotes(text, pair.key.span), "should"), renamed)),)
    start = line_start(text, pair.key.span.start)
    before = text[start : pair.key.span.start]
    if before.strip():
        return ()
    block = TextEdit(Span(start, start), f"{before}should:{newline_of(text)}{moved}")
    return (Fix(title, False, (block, TextEdit(lines, ""))),)


def _with_its_key(text: str, pair: Pair, lines: Span) -> Span | None:
    """The lines of the last point together with those of its key; None if they contain anything else."""
    start = line_start(text, pair.key.span.start)
    between = text[pair.key.span.end : lines.start]
    if text[start : pair.key.span.start].strip() or between.strip(": \t\r\n"):
        return None
    return Span(start, lines.end)


def _key_of(view: PromptView, rubric: Rubric) -> Pair | None:
    """The key `should_not` and its list; None if `should` cannot be added beside it."""
    mapping = enclosing_mapping(view.tree, rubric.span)
    if mapping is None:
        return None
    has_unread = view.prompt.should is None and any(mapping.pair(key) is not None for key in _SHOULD)
    return None if has_unread else _pair_with(mapping, rubric.span)


def _pair_with(mapping: MappingNode, span: Span) -> Pair | None:
    return next((pair for pair in mapping.pairs if pair.value.span == span), None)


def _name_in(text: str, point: Point) -> Span | None:
    """The place of the function's name, without `$` and quotes."""
    found = _NAME.fullmatch(point.subject_span.of(text))
    start = point.subject_span.start
    return None if found is None else Span(start + found.start(1), start + found.end(1))


def _inside_quotes(text: str, span: Span) -> Span:
    return Span(span.start + 1, span.end - 1) if text[span.start] in "\"'" else span
