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
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from engine.blueprint import Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.parsing.demands import HIGHEST, LOWEST
from engine.parsing.findings import Finding, Kind
from engine.rules.edits.moved_points import moved_to_should_not
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import ScalarNode, Style


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    if not isinstance(node, ScalarNode):
        return Report(finding.span, "a weight must be a number from 0.1 to 10")
    written = " ".join(node.span.of(view.text).split()) or "nothing"
    value = _number(node)
    if value is not None and LOWEST <= value <= HIGHEST:
        fix = Fix("write it as a number", True, (TextEdit(node.span, node.text),))
        return Report(finding.span, f"the weight {written} is a string: remove the quotation marks", fixes=(fix,))
    if value is not None and value < 0:
        return _negative(finding, view, node, value)
    fixes = () if value is None or value == 0 else _nearest(node, value)
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
    prompt = None if finding.prompt is None else view.prompt(finding.prompt)
    if prompt is not None and _holding(prompt.points(), node.span) is None:
        message = f"the weight {written} is negative: a prompt cannot count against the score, give it 0.1 to 10"
        return Report(finding.span, message)
    message = f"the weight {written} is negative: write a penalty under `should_not`, with a weight from 0.1 to 10"
    return Report(finding.span, message, fixes=() if prompt is None else _as_penalty(prompt, view, node, -value))


def _nearest(node: ScalarNode, value: float) -> tuple[Fix, ...]:
    nearest = _bound(value)
    return (Fix(f"make it {nearest}", False, (TextEdit(node.span, nearest),)),)


def _bound(value: float) -> str:
    """The weight that is nearest to `value`, which is out of bounds."""
    return "10" if value > HIGHEST else "0.1"


def _as_penalty(prompt: Prompt, view: FileView, node: ScalarNode, value: float) -> tuple[Fix, ...]:
    """The fix for a weight of -`value`: move the point to `should_not`, or remove the sign there."""
    is_allowed = LOWEST <= value <= HIGHEST
    positive = node.text.strip().lstrip("-") if is_allowed else _bound(value)
    weight = "" if is_allowed else f", with weight {positive}"
    if prompt.should_not is not None and _holding(prompt.should_not.points(), node.span) is not None:
        return (Fix(f"remove the minus sign{weight}", False, (TextEdit(node.span, positive),)),)
    point = None if prompt.should is None else _holding(prompt.should.required, node.span)
    if point is None:
        return ()
    title = f"make it a penalty: move it to should_not{weight}"
    return moved_to_should_not(view.in_prompt(prompt), point, node.span, positive, title)


def _holding(points: Iterable[Point], span: Span) -> Point | None:
    return next((point for point in points if point.span.start <= span.start and span.end <= point.span.end), None)


RULES = (
    Rule(
        code="S012",
        slug="bad-weight",
        severity=Severity.ERROR,
        why=REFUSED,
        why_accepted="Weval accepts it, and every score that it weights becomes invalid.",
        kinds=(Kind.BAD_WEIGHT,),
        on_finding=_check,
    ),
)
