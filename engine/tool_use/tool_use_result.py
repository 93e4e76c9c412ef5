"""Tool use as the result JSON has it (`engine.evaluation.coverage_result` documents its shape)."""

from __future__ import annotations

from engine.tool_use.policy import Finding
from engine.tool_use.tool_use_report import ToolUse
from engine.tool_use.trace import Slip
from engine.yaml_nodes.nodes import Data


def tool_use_json(use: ToolUse) -> dict[str, Data]:
    """The calls with the checks that they meet, the lines that are no calls, and the policy held."""
    return {
        "calls": [
            {
                "line": line,
                "name": seen.call.name,
                "declared": use.is_declared(seen.call.name),
                "checks": [{"index": each.place, "meets": each.meets, "isInverted": each.inverted} for each in checks],
            }
            for seen, line, checks in use.listed
        ],
        "slips": [_slip(each) for each in use.trace.slips],
        "rules": [_rule(each) for each in use.findings],
    }


def _slip(slip: Slip) -> dict[str, Data]:
    return {"line": slip.line, "text": slip.text, "reason": slip.reason}


def _rule(finding: Finding) -> dict[str, Data]:
    return {"rule": finding.key.value, "tool": finding.tool, "kept": finding.is_met, "told": finding.text}
