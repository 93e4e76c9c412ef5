"""The tool policy, compared with a trace: `requiredTools`, `prohibitedTools`, `maxCalls` and `maxSteps`.

Weval validates these keys and then ignores them (platform.md, A26). Here each is shown as kept or broken beside the
score, without affecting it; the rule `not-enforced` adds points that count. No tool is executed, so each call is one
step, and `maxSteps` limits the calls as `maxCalls` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from engine.blueprint import Header, Prompt
from engine.functions.function_text import count, times, written
from engine.record import Record
from engine.tool_use.trace import Trace

_LINES_NAMED = 5


class PolicyKey(StrEnum):
    """The keys of the policy, as a blueprint writes them."""

    REQUIRED = "requiredTools"
    PROHIBITED = "prohibitedTools"
    MAX_CALLS = "maxCalls"
    MAX_STEPS = "maxSteps"


class Policy(Record):
    """The rules of a prompt and the header for a trace. `max_steps` is None if `toolUse` sets none or is disabled.

    `declared` are the names under `tools`; empty if the blueprint declares none.
    """

    required: tuple[str, ...] = ()
    prohibited: tuple[str, ...] = ()
    max_calls: float | None = None
    max_steps: float | None = None
    declared: tuple[str, ...] = ()

    @property
    def of_prompt(self) -> bool:
        """Whether the prompt itself has any rules."""
        return bool(self.required or self.prohibited) or self.max_calls is not None


class Finding(Record):
    """One rule of the policy, met or broken. `tool` is the tool that it names, None for a limit.

    `calls` are the indices in `Trace.calls` of the calls that keep or break it; for a limit, those beyond it.
    """

    key: PolicyKey
    is_met: bool
    text: str
    tool: str | None = None
    calls: tuple[int, ...] = ()


def policy_of(prompt: Prompt, header: Header) -> Policy:
    """The policy for `prompt`."""
    use = header.fields.get("toolUse")
    steps = use.get("maxSteps") if isinstance(use, dict) and use.get("enabled") is not False else None
    tools = header.fields.get("tools")
    names = [each.get("name") for each in tools if isinstance(each, dict)] if isinstance(tools, list) else []
    return Policy(
        tuple(dict.fromkeys(prompt.required_tools)),
        tuple(dict.fromkeys(prompt.prohibited_tools)),
        prompt.max_calls,
        steps if isinstance(steps, int | float) and not isinstance(steps, bool) else None,
        tuple(name for name in names if isinstance(name, str)),
    )


def findings(policy: Policy, trace: Trace) -> tuple[Finding, ...]:
    """All rules of `policy`, met or broken by `trace`, in the order of `PolicyKey`."""
    return tuple(_findings(policy, trace))


def _findings(policy: Policy, trace: Trace) -> Iterator[Finding]:
    for tool in policy.required:
        calls = _calls_of(tool, trace)
        text = f"{tool} is called {times(len(calls))}" if calls else f"{tool} is never called"
        yield Finding(PolicyKey.REQUIRED, bool(calls), text, tool, calls)
    for tool in policy.prohibited:
        calls = _calls_of(tool, trace)
        text = f"{tool} is called {times(len(calls))}{_in_lines(calls, trace)}" if calls else f"{tool} is not called"
        yield Finding(PolicyKey.PROHIBITED, not calls, text, tool, calls)
    for key, limit in ((PolicyKey.MAX_CALLS, policy.max_calls), (PolicyKey.MAX_STEPS, policy.max_steps)):
        if limit is not None:
            beyond = tuple(range(max(int(limit), 0), len(trace.calls)))
            too_many = f": too many from line {trace.lines[beyond[0]]} on" if beyond else ""
            text = f"{count(len(trace.calls), 'call')}, of at most {written(limit)}{too_many}"
            yield Finding(key, not beyond, text, None, beyond)


def _calls_of(tool: str, trace: Trace) -> tuple[int, ...]:
    return tuple(place for place, each in enumerate(trace.calls) if each.call.name == tool)


def _in_lines(calls: tuple[int, ...], trace: Trace) -> str:
    lines = sorted({trace.lines[place] for place in calls})
    named = ", ".join(map(str, lines[:_LINES_NAMED])) + (" …" if len(lines) > _LINES_NAMED else "")
    return f", in line {named}" if len(lines) == 1 else f", in lines {named}"
