"""Turning alternative paths of one check each into one check that takes any of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.blueprint import Path, Rubric
from engine.diagnostics import Fix
from engine.rules.registry import PromptView
from engine.rules.source import (
    column,
    dash_before,
    is_one_line,
    line_end,
    line_start,
    newline_of,
    next_line_start,
    nodes_around,
    quoted,
)
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, ScalarNode

_LITERALS = {"contains": "contains_any_of", "icontains": "icontains_any_of"}
_PATTERNS = {"matches", "imatches"}


@dataclass(frozen=True, slots=True)
class _Check:
    """One path as it stands in the source: its dash, its list, its check and the check's argument."""

    dash: int
    span: Span
    argument: ScalarNode


def as_any_of(view: PromptView, rubric: Rubric, *, keeps_score: bool) -> tuple[Fix, ...]:
    """The fix that makes one check of the paths of `rubric`, where they are literals or patterns of one function.

    Only where each is written on a line of its own with neither weight nor citation, and nothing stands between them.
    """
    entries = rubric.entries
    first = next(index for index, entry in enumerate(entries) if isinstance(entry, Path))
    paths = rubric.paths
    if entries[first : first + len(paths)] != paths:
        return ()
    functions = {path.points[0].function.name for path in paths if path.points[0].function is not None}
    checks = [_read(view, path) for path in paths]
    written = [check for check in checks if check is not None]
    if len(functions) != 1 or len(written) != len(paths):
        return ()
    name = functions.pop()
    if name in _LITERALS:
        return (Fix(f"any will do: ${_LITERALS[name]}", keeps_score, _listed(view.text, written, _LITERALS[name])),)
    if name in _PATTERNS and (edits := _joined(view.text, written, name)):
        return (Fix("any will do: one pattern with |", keeps_score, edits),)
    return ()


def _read(view: PromptView, path: Path) -> _Check | None:
    text = view.text
    point = path.points[0]
    node = next((node for node in nodes_around(view.tree, point.span) if node.span == point.span), None)
    if not isinstance(node, MappingNode) or node.flow or len(node.pairs) != 1 or not is_one_line(text, path.span):
        return None
    argument = node.pairs[0].value
    dash = dash_before(text, path.span.start)
    if not isinstance(argument, ScalarNode) or not isinstance(argument.value, str) or dash is None:
        return None
    is_on_own_line = not text[line_start(text, dash) : dash].strip() and is_one_line(text, Span(dash, path.span.end))
    return _Check(dash, path.span, argument) if is_on_own_line and point.span.start > path.span.start else None


def _listed(text: str, checks: Sequence[_Check], name: str) -> tuple[TextEdit, ...]:
    """`- - $contains: a` and the lines after it as `- $contains_any_of:` with a list below it."""
    first = checks[0]
    item = f"{' ' * 4}- "
    head = f"${name}:{newline_of(text)}{' ' * column(text, first.dash)}{item}"
    return (
        TextEdit(Span(first.span.start, first.argument.span.start), head),
        *(TextEdit(Span(check.dash, check.argument.span.start), item) for check in checks[1:]),
    )


def _joined(text: str, checks: Sequence[_Check], name: str) -> tuple[TextEdit, ...]:
    """One pattern that matches where any of the patterns does; none where a comment would be lost."""
    if any(text[check.span.end : line_end(text, check.span.end)].strip() for check in checks[1:]):
        return ()
    first = checks[0]
    pattern = "|".join(f"(?:{check.argument.text})" for check in checks)
    return (
        TextEdit(Span(first.span.start, first.argument.span.end), f"${name}: {quoted(pattern)}"),
        *(
            TextEdit(Span(line_start(text, check.dash), next_line_start(text, check.span.end)), "")
            for check in checks[1:]
        ),
    )
