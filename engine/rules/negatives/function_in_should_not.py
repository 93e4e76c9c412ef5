"""# function-in-should-not

A check under `should_not` that has a `$not_` twin, which says the same under `should`.

    should_not:
      - $contains: guaranteed

gives 0 to an answer that says "guaranteed" and 1 to any other. So does `$not_contains: guaranteed` under `should`, with
the same weight: the required points of both blocks are one group. The documents call checks under `should_not`
deprecated, because they are easily misread; a newer document still shows one. The score is right either way.

Bad:

    - id: investment
      prompt: Should I buy this share?
      should:
        - Names the risks
      should_not:
        - $icontains: guaranteed

Good:

    - id: investment
      prompt: Should I buy this share?
      should:
        - Names the risks
        - $not_icontains: guaranteed

Fix (unsafe): move it to `should` as `$not_…`, with its weight and citation.

Documents: The `should` system, Part 1, Negative Point-Functions, "Best Practice".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.rules.negatives.negated_twins import negated, twin_of
from engine.rules.rule import Report, Rule
from engine.rules.shares import percent, shares_of
from engine.rules.source.pattern_places import patterns_of
from engine.rules.views import PromptView


def _check(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should_not
    if rubric is None:
        return
    for point in rubric.required:
        twin = twin_of(point)
        if twin is not None and not any(pattern.written != pattern.bare for pattern in patterns_of(point)):
            yield Report(
                point.subject_span,
                f"${twin} under `should` says the same: {percent(shares_of(view.prompt).of(point))} "
                "of this score, there as here",
                fixes=negated(view, point, twin),
            )


RULES = (
    Rule(
        code="R012",
        slug="function-in-should-not",
        title="Check under `should_not` that has a negative form",
        severity=Severity.HINT,
        off=True,
        why="The score is the same either way, but a check that another block inverts is easily misread.",
        on_prompt=_check,
    ),
)
