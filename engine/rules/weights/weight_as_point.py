"""# weight-as-point

A `- weight: "2"` as an item of its own, which is a criterion: the text "weight" with the citation "2".

A judge assesses whether the answer expresses "weight", which costs a share of the score, and the point that the weight
was meant for weighs 1.

A text that only names a weight, `- (weight 3)`, is reported too.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
        - weight: "2"

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 2

Fix (unsafe): join it with the point above.

Documents: Blueprint format, Point Definition Formats 2 and 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.parsing.findings import Finding, Kind
from engine.patterns import lazy
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView, PromptView
from engine.rules.weights.joined_points import joined_with_point_above, weight_joined_with_point_above
from engine.text import in_quotes

_WEIGHT = lazy(r"[(\[]?(?:weight|multiplier)[ :=x×*]*(\d+(?:\.\d+)?)[)\]]?", re.IGNORECASE)


def _weight_as_point(finding: Finding, view: FileView) -> Report:
    message = f"`{finding.detail}` is a criterion of its own here, not part of the point above"
    asked = in_quotes(finding.detail)
    why = f"A judge assesses whether the answer expresses {asked}, and the point above does not get it."
    return Report(finding.span, message, why, fixes=joined_with_point_above(finding.span, view))


def _in_words(view: PromptView) -> Iterator[Report]:
    for point in view.prompt.points():
        found = _WEIGHT.fullmatch(point.text or "")
        if found is not None:
            message = f"{in_quotes(point.text or '')} is a criterion of its own here, not the weight of the point above"
            fixes = weight_joined_with_point_above(point.span, found[1], view.file)
            yield Report(point.subject_span, message, fixes=fixes)


RULES = (
    Rule(
        code="S013",
        slug="weight-as-point",
        title="Weight that became a point",
        severity=Severity.WARNING,
        why="A judge assesses whether the answer expresses “weight”, and the point that was meant does not get it.",
        kinds=(Kind.WEIGHT_AS_POINT,),
        on_finding=_weight_as_point,
        on_prompt=_in_words,
    ),
)
