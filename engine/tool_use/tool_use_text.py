"""Tool calls and the policy as text, for the app and the command line. Text of models is still untrusted."""

from __future__ import annotations

from engine.blueprint import ABSENT
from engine.functions.call_description import as_json
from engine.functions.function_text import count
from engine.functions.point_function import ToolCall
from engine.tool_use.policy import Finding
from engine.tool_use.tool_use_report import ToolUse

_LONGEST_ARGUMENTS = 2000


def call_text(call: ToolCall, longest: int = _LONGEST_ARGUMENTS) -> str:
    """`calculator {"expression": "(312*49)-777"}`, on one line, its arguments shortened to `longest`."""
    if call.arguments is ABSENT:
        return f"{call.name} without arguments"
    arguments = as_json(call.arguments, " ")
    return f"{call.name} {arguments if len(arguments) <= longest else arguments[: longest - 1] + '…'}"


def rule_text(finding: Finding) -> str:
    """`requiredTools: search is never called`."""
    return f"{finding.key}: {finding.text}"


def calls_text(use: ToolUse) -> str:
    """`2 calls, 1 line is not a call`, or `no call`."""
    calls = count(len(use.trace.calls), "call") if use.trace.calls else "no call"
    slips = len(use.trace.slips)
    return calls + ("" if not slips else ", 1 line is not a call" if slips == 1 else f", {slips} lines are not calls")
