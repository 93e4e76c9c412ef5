"""The tool calls written in a response: the parsed trace, the checks on its calls, and the policy.

No tool is ever called, and nothing here affects a score (002, "Tool-Use (Trace-Only) Support"; platform.md, A26).
"""

from engine.tool_use.call_expectations import CheckOnCall, checks_on, tools_named
from engine.tool_use.tool_use_report import Finding, Policy, PolicyKey, ToolUse, findings, policy_of, tool_use
from engine.tool_use.trace import Slip, Trace, read_trace

__all__ = [
    "CheckOnCall",
    "Finding",
    "Policy",
    "PolicyKey",
    "Slip",
    "ToolUse",
    "Trace",
    "checks_on",
    "findings",
    "policy_of",
    "read_trace",
    "tool_use",
    "tools_named",
]
