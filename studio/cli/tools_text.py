"""The tool calls of an answer as text, which `run` prints below the arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from engine.text import visible
from engine.tool_use import ToolUse
from engine.tool_use.tool_use_report import call_text, calls_text, rule_text


def tools_text(use: ToolUse) -> str:
    """Each call with the checks that it fails, malformed calls, and the rules kept or broken. Safe to print."""
    return visible("\n".join(_lines(use)))


def _lines(use: ToolUse) -> Iterator[str]:
    yield f"  tools: {calls_text(use)} (beside the score, never in it)"
    for seen, line, checks in use.listed:
        yield f"    line {line}: {call_text(seen.call, 100)}"
        yield from (f"      {check.text}" for check in checks)
        if not use.is_declared(seen.call.name):
            yield f"      {seen.call.name} is not among the tools of this blueprint"
    if len(use.trace.calls) > len(use.listed):
        yield f"    and {len(use.trace.calls) - len(use.listed)} more calls"
    for slip in use.trace.slips:
        yield f"    line {slip.line} is no call: {slip.reason}"
    for finding in use.findings:
        yield f"    {'kept' if finding.is_met else 'broken'}: {rule_text(finding)}"
