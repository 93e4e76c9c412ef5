"""The tool use of one response: its trace, the checks on each call, and the policy."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Header, Prompt
from engine.functions.traces import SeenCall
from engine.record import Record
from engine.scoring.assessment import Assessment
from engine.tool_use.call_expectations import CheckOnCall, checks_on, is_about_tools
from engine.tool_use.policy import Finding, Policy, findings, policy_of
from engine.tool_use.trace import Trace, read_trace

MAXIMUM_CALLS = 200
"""The number of calls for which checks are listed; the policy covers all calls."""


class ToolUse(Record):
    """The trace of a response, the checks on each of its first `MAXIMUM_CALLS` calls, and the result of the policy."""

    trace: Trace
    checks: tuple[tuple[CheckOnCall, ...], ...]
    policy: Policy
    findings: tuple[Finding, ...]

    @property
    def listed(self) -> tuple[tuple[SeenCall, int, tuple[CheckOnCall, ...]], ...]:
        """The first `MAXIMUM_CALLS` calls, each with its line, from 1, and the checks on it."""
        return tuple(zip(self.trace.calls, self.trace.lines, self.checks, strict=False))

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The rules of the policy that the trace breaks."""
        return tuple(each for each in self.findings if not each.is_met)

    def is_declared(self, tool: str) -> bool:
        """Whether the blueprint declares a tool; any tool counts as declared if it declares none."""
        return not self.policy.declared or tool in self.policy.declared


def tool_use(prompt: Prompt, header: Header, response: str, assessments: Sequence[Assessment] = ()) -> ToolUse | None:
    """The tool use of `response`; None if neither the response nor the prompt involves tools.

    `assessments` are those of the same response, in the order of `Prompt.points()`.
    """
    policy = policy_of(prompt, header)
    trace = read_trace(response)
    has_checks = any(each.function is not None and is_about_tools(each.function) for each in prompt.points())
    if not (trace.calls or trace.slips or policy.of_prompt or has_checks):
        return None
    checks = tuple(checks_on(call, assessments) for call in trace.calls[:MAXIMUM_CALLS])
    return ToolUse(trace, checks, policy, findings(policy, trace))
