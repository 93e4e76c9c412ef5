"""# documented-only

A function that the documents name and Weval does not know, such as `$imatches_all_of`.

It works here. Weval reports "Unknown point function" and leaves the point out of the score.

Bad:

    - id: ruling
      prompt: Sum up the ruling.
      should:
        - $imatches_all_of: ["^the ruling", "states that$"]

Good:

    - id: ruling
      prompt: Sum up the ruling.
      should:
        - $imatch_all_of: ["^the ruling", "states that$"]

Fix (safe if Weval has an equivalent): the name that Weval knows.

Documents: Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.rules.checks import check_hooks, renamed_function
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        call = point.function
        function = functions.find(call.name) if call is not None else None
        if call is None or function is None or function.known_to_weval_as(call.name):
            continue
        twin = function.weval_name
        fixes: tuple[Fix, ...] = ()
        if twin is not None and (edit := renamed_function(view, point, twin)) is not None:
            fixes = (Fix(f"use ${twin}", True, (edit,)),)
        named = f": it knows ${twin}" if twin is not None else ""
        yield Report(
            point.subject_span, f"${call.name} works here, but Weval does not know it{named}", flagged=True, fixes=fixes
        )


_on_prompt, _on_file = check_hooks(_check)

RULES = (
    Rule(
        code="F009",
        slug="documented-only",
        title="Function that Weval documents and does not run",
        severity=Severity.WARNING,
        why="Weval never runs the check and leaves the point out of the score.",
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)
