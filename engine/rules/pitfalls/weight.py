"""# bad-weight

A weight that is no number from 0.1 to 10, on a point or on a prompt.

Weval refuses the whole file for it, so nothing in it is scored.

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

Fix (unsafe): the nearest weight that is allowed. (Safe where it is such a number in quotation marks: take them away.)

Documents: 002, "Prompt Fields", `weight`: "Valid range: `0.1`–`10`"; "Point Definition Formats", 4.
"""

from __future__ import annotations

import math
import re

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import REFUSED
from engine.rules.registry import FileView, Report, Rule
from engine.text import TextEdit
from engine.yaml_nodes.nodes import ScalarNode, Style

LOWEST, HIGHEST = 0.1, 10


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    if not isinstance(node, ScalarNode):
        return Report(finding.span, "a weight is a number from 0.1 to 10")
    written = node.span.of(view.text).strip() or "nothing"
    fixes = _fixes(node)
    if any(fix.safe for fix in fixes):
        return Report(finding.span, f"the weight {written} is a text: a number has no quotation marks", fixes=fixes)
    return Report(finding.span, f"the weight {written} is not a number from 0.1 to 10", fixes=fixes)


def _fixes(node: ScalarNode) -> tuple[Fix, ...]:
    value = node.value
    if isinstance(value, str):
        is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
        if not is_quoted or re.fullmatch(r"-?\d+(\.\d+)?", value) is None:
            return ()
        if LOWEST <= float(value) <= HIGHEST:
            return (Fix("write it as a number", True, (TextEdit(node.span, value),)),)
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return ()
    nearest = "10" if value > HIGHEST else "0.1"
    return (Fix(f"make it {nearest}", False, (TextEdit(node.span, nearest),)),)


RULES = (
    Rule(
        code="S012",
        slug="bad-weight",
        severity=Severity.ERROR,
        why=REFUSED,
        taken="Weval takes it for a number, and every score that it weighs is none.",
        kinds=(Kind.BAD_WEIGHT,),
        on_finding=_check,
    ),
)
