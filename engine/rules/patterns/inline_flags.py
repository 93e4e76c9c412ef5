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
from engine.rules.checks import check_hooks
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.rule import Report, Rule
from engine.rules.source.pattern_places import INLINE_CASE, Pattern, patterns_of, place_in_source
from engine.rules.views import FileView
from engine.text import Span


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        patterns = list(patterns_of(point))
        if not any(pattern.head for pattern in patterns):
            continue
        fixes = _fixes(view, point, patterns)
        for pattern in patterns:
            if pattern.head:
                span = place_in_source(view, point, pattern, Span(-len(INLINE_CASE), 0))
                yield Report(span, "Weval refuses a pattern that begins with (?i)", flagged=True, fixes=fixes)
                fixes = ()


def _fixes(view: FileView, point: Point, patterns: list[Pattern]) -> tuple[Fix, ...]:
    call = point.function
    assert call is not None
    bare = {pattern.written: pattern.bare for pattern in patterns if pattern.head}
    if "imatch" in call.name:
        edits, title = rewritten(view, point, bare), "remove (?i): case is ignored anyway"
    else:
        twin = functions.find(call.name.replace("match", "imatch", 1))
        name = None if twin is None else twin.weval_name
        edits, title = () if name is None else rewritten(view, point, bare, name), f"use ${name}"
    return (Fix(title, True, edits),) if edits else ()


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
