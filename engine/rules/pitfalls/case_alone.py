"""# case-alone

A check that misses the prompt's own ideal answer only because capitals and small letters differ.

The ideal says "Nairobi" and the check looks for "nairobi". A good answer that is written like the ideal loses the point
for a capital: with two points that is half of its score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $icontains: nairobi

Fix (unsafe): the check of the same name with an `i`, which ignores case.

Documents: 002, "Point Definition Formats", 3, `$icontains`; "Troubleshooting", 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Fix, Severity
from engine.rules.case import missed_by_case, twin_of
from engine.rules.checks import renamed
from engine.rules.pitfalls.ideal_fails import failures
from engine.rules.registry import PromptView, Report, Rule


def _check(view: PromptView) -> Iterator[Report]:
    ideal, javascript = view.prompt.ideal, view.javascript
    calls = (point.function for point in view.checks)
    if not ideal or javascript is None or not any(call is not None and twin_of(call.name) for call in calls):
        return
    for failed, _ in failures(view):
        point = failed.point
        twin = missed_by_case(point, ideal, javascript)
        if twin is not None:
            naming = renamed(view.file, point, twin)
            fixes = () if naming is None else (Fix(f"ignore case: ${twin}", False, (naming,)),)
            yield Report(
                point.subject_span, f"only its case makes this miss the prompt's own ideal: ${twin} passes", fixes=fixes
            )


RULES = (
    Rule(
        code="F017",
        slug="case-alone",
        severity=Severity.HINT,
        why="An answer that differs only in capitals loses the point.",
        on_prompt=_check,
        needs_javascript=True,
    ),
)
