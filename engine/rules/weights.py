"""# bad-weight

A weight that is not a number from 0.1 to 10, on a point or on a prompt.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 20

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 10

Fix (unsafe): 10 for a higher weight, 0.1 for a lower one. Safe for a valid number in quotation marks, which are
removed. A negative weight was meant as a penalty, and 0.1 would be a reward: the fix moves the point to `should_not`
and removes the sign; in `should_not`, it only removes the sign. A penalty out of bounds gets the nearest weight. There
is no fix for a weight of 0, nor for a penalty that cannot be moved: in an alternative path, on a prompt, or on the only
point.

Documents: Blueprint format, Prompt Fields, `weight`, "Valid range"; Blueprint format, Point Definition Formats 4.

# weight-as-point: Weight that became a criterion

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

# equal-weights

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

import math
import re
from collections.abc import Iterable, Iterator

from engine.blueprint import Point, Prompt
from engine.parsing.demands import HIGHEST, LOWEST, Finding, Kind
from engine.rules.rubric_edits import moved_to_should_not
from engine.rules.rule import FileView, PromptView, Report, finding_rule, fix_at, prompt_rule
from engine.rules.source.spoilt_blocks import joined_with_point_above
from engine.text import Fix, Span, TextEdit, in_quotes, lazy
from engine.yaml.edit import remove
from engine.yaml.nodes import ScalarNode, Style


@finding_rule(Kind.BAD_WEIGHT)
def bad_weight(finding: Finding, view: FileView) -> Report:
    node = finding.node
    if not isinstance(node, ScalarNode):
        return Report(finding.span, "a weight must be a number from 0.1 to 10")
    written = " ".join(node.span.of(view.text).split()) or "nothing"
    value = _number(node)
    if value is not None and LOWEST <= value <= HIGHEST:
        fixes = fix_at("write it as a number", node.span, node.text, safe=True)
        return Report(finding.span, f"the weight {written} is a string: remove the quotation marks", fixes=fixes)
    if value is not None and value < 0:
        return _negative(finding, view, node, value)
    nearest = None if value is None or value == 0 else _bound(value)
    fixes = () if nearest is None else fix_at(f"make it {nearest}", node.span, nearest)
    return Report(finding.span, f"the weight {written} is not a number from 0.1 to 10", fixes=fixes)


def _number(node: ScalarNode) -> float | None:
    """The number in `node`, quoted or not; None for anything else."""
    value = node.value
    if isinstance(value, str):
        is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
        return float(value) if is_quoted and re.fullmatch(r"-?\d+(\.\d+)?", value) is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def _negative(finding: Finding, view: FileView, node: ScalarNode, value: float) -> Report:
    """The report on a weight below 0: of a point a penalty, of a prompt nothing."""
    written = node.span.of(view.text).strip()
    prompt = view.prompt(finding.prompt)
    if prompt is not None and _holding(prompt.points(), node.span) is None:
        message = f"the weight {written} is negative: a prompt cannot count against the score, give it 0.1 to 10"
        return Report(finding.span, message)
    message = f"the weight {written} is negative: write a penalty under `should_not`, with a weight from 0.1 to 10"
    return Report(finding.span, message, fixes=() if prompt is None else _as_penalty(prompt, view, node, -value))


def _bound(value: float) -> str:
    """The weight that is nearest to `value`, which is out of bounds."""
    return "10" if value > HIGHEST else "0.1"


def _as_penalty(prompt: Prompt, view: FileView, node: ScalarNode, value: float) -> tuple[Fix, ...]:
    """The fix for a weight of -`value`: move the point to `should_not`, or remove the sign there."""
    is_allowed = LOWEST <= value <= HIGHEST
    positive = node.text.strip().lstrip("-") if is_allowed else _bound(value)
    weight = "" if is_allowed else f", with weight {positive}"
    if prompt.should_not is not None and _holding(prompt.should_not.points(), node.span) is not None:
        return fix_at(f"remove the minus sign{weight}", node.span, positive)
    point = None if prompt.should is None else _holding(prompt.should.required, node.span)
    if point is None:
        return ()
    title = f"make it a penalty: move it to should_not{weight}"
    return moved_to_should_not(view.in_prompt(prompt), point, node.span, positive, title)


def _holding(points: Iterable[Point], span: Span) -> Point | None:
    return next((point for point in points if point.span.start <= span.start and span.end <= point.span.end), None)


_WEIGHT = lazy(r"[(\[]?(?:weight|multiplier)[ :=x×*]*(\d+(?:\.\d+)?)[)\]]?", re.IGNORECASE)


def _weight_as_point(finding: Finding, view: FileView) -> Report:
    message = f"`{finding.detail}` is a criterion of its own here, not part of the criterion above"
    asked = in_quotes(finding.detail)
    why = f"A judge assesses whether the answer expresses {asked}, and the criterion above does not get it."
    return Report(finding.span, message, why, fixes=joined_with_point_above(finding.span, view))


@prompt_rule(kinds=(Kind.WEIGHT_AS_POINT,), on_finding=_weight_as_point)
def weight_as_point(view: PromptView) -> Iterator[Report]:
    for point in view.prompt.points():
        found = _WEIGHT.fullmatch(point.text or "")
        if found is not None:
            message = (
                f"{in_quotes(point.text or '')} is a criterion of its own here, not the weight of the criterion above"
            )
            fixes = joined_with_point_above(point.span, view.file, found[1])
            yield Report(point.subject_span, message, fixes=fixes)


@prompt_rule()
def equal_weights(view: PromptView) -> Iterator[Report]:
    points = view.prompt.points()
    weights = {point.multiplier for point in points}
    if len(points) > 1 and len(weights) == 1 and weights != {1} and LOWEST <= points[0].multiplier <= HIGHEST:
        edits = tuple(edit for point in points for edit in _unweighted(view, point))
        yield Report(
            points[0].subject_span,
            f"every criterion of this rubric weighs {weights.pop():g}: none of the weights changes the score",
            fixes=(Fix("remove the weights", False, edits),) if len(edits) == len(points) else (),
        )


def _unweighted(view: PromptView, point: Point) -> Iterator[TextEdit]:
    """The edit that removes the weight; none where it stands elsewhere, or where more would be removed."""
    for at, name in enumerate(point.mapping.keys() if point.mapping else ()):
        if point.mapping and name in ("weight", "multiplier"):
            yield from remove(view.text, point.mapping, at)
