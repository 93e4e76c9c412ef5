"""# inline-flags

A pattern that begins with `(?i)`.

The documents show it, and it works here as they describe. JavaScript, and so Weval, refuses the pattern: the check
never runs there, and if it is the only one of its block, the block has no effect.

Bad:

    - id: advice
      prompt: Should I sell my shares?
      should_not:
        - $matches: "(?i)not a (financial|tax) advisor"

Good:

    - id: advice
      prompt: Should I sell my shares?
      should_not:
        - $imatches: "not a (financial|tax) advisor"

Fix (safe): the check of the same name with an `i`, which ignores case.

Documents: Blueprint format, Sequential multi-turn, `(?i)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.rules.checks import check_hooks, renamed_function
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import source_offset
from engine.rules.source.node_search import argument_node
from engine.rules.source.pattern_places import INLINE_CASE, Pattern, patterns_of, place_in_source
from engine.rules.views import FileView
from engine.text import Span, TextEdit


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        patterns = list(patterns_of(point))
        if not any(pattern.written.startswith(INLINE_CASE) for pattern in patterns):
            continue
        fixes = _fixes(view, point, patterns)
        for pattern in patterns:
            if pattern.written.startswith(INLINE_CASE):
                span = place_in_source(view, point, pattern, Span(-len(INLINE_CASE), 0))
                yield Report(span, "Weval refuses a pattern that begins with (?i)", flagged=True, fixes=fixes)
                fixes = ()


def _fixes(view: FileView, point: Point, patterns: list[Pattern]) -> tuple[Fix, ...]:
    call = point.function
    assert call is not None
    renaming: tuple[TextEdit, ...] = ()
    title = "remove (?i): case is ignored anyway"
    if "imatch" not in call.name:
        twin = functions.find(call.name.replace("match", "imatch", 1))
        name = None if twin is None else twin.weval_name
        edit = None if name is None else renamed_function(view, point, name)
        if edit is None or not all(pattern.written.startswith(INLINE_CASE) for pattern in patterns):
            return ()
        renaming = (edit,)
        title = f"use ${name}"
    edits: list[TextEdit] = []
    for pattern in dict.fromkeys(patterns):
        node = argument_node(view.tree, point, pattern.written)
        start = None if node is None else source_offset(view.text, node, 0)
        if start is None or patterns.count(pattern) > 1:
            return ()
        if pattern.written.startswith(INLINE_CASE):
            edits.append(TextEdit(Span(start, start + len(INLINE_CASE)), ""))
    return (Fix(title, True, (*renaming, *edits)),)


_on_prompt, _on_file = check_hooks(_check)

RULES = (
    Rule(
        code="F010",
        slug="inline-flags",
        title="Flags inside a pattern",
        severity=Severity.WARNING,
        why="Weval never runs the check and leaves the point out of the score.",
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)
