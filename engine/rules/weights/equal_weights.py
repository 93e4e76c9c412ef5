"""# equal-weights

All points of a rubric have the same weight, and it is not 1.

A weight counts against the other weights. Where all are equal, the score is what it is without any.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - text: Says that it is the largest city
          weight: 2

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - Says that it is the largest city

Fix (unsafe): remove the weights.

Documents: Blueprint format, Point Definition Formats 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.parsing.demands import HIGHEST, LOWEST
from engine.rules.rule import Report, Rule
from engine.rules.source.list_levels import key_removed
from engine.rules.source.node_search import point_mapping
from engine.rules.views import PromptView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import property_name


def _check(view: PromptView) -> Iterator[Report]:
    points = view.prompt.points()
    weights = {point.multiplier for point in points}
    if len(points) > 1 and len(weights) == 1 and weights != {1} and LOWEST <= points[0].multiplier <= HIGHEST:
        edits = tuple(edit for point in points for edit in _unweighted(view, point))
        yield Report(
            points[0].subject_span,
            f"every point of this rubric weighs {weights.pop():g}: none of the weights changes the score",
            fixes=(Fix("remove the weights", False, edits),) if len(edits) == len(points) else (),
        )


def _unweighted(view: PromptView, point: Point) -> Iterator[TextEdit]:
    """The edit that removes the weight; none where it stands elsewhere, or where more would be removed."""
    mapping = point_mapping(view.tree, point)
    for at, pair in enumerate(mapping.pairs if mapping else ()):
        if mapping and property_name(pair.key) in ("weight", "multiplier"):
            edit = key_removed(view.text, mapping, at)
            yield from () if edit is None else (edit,)


RULES = (
    Rule(
        code="S043",
        slug="equal-weights",
        severity=Severity.HINT,
        why="A weight counts against the other weights, so the score is what it is without them.",
        on_prompt=_check,
    ),
)
