"""How one response uses tools: its calls, the checks that apply to each, and the tool policy, as text and as JSON.

The checks are those of the rubric (002, "Scoring tool-use"). The policy is `requiredTools`, `prohibitedTools`,
`maxCalls` and `maxSteps`. Weval validates these keys and then ignores them (platform.md, A26). Here each is shown as
kept or broken beside the score, without affecting it; the rule `not-enforced` adds points that count. No tool is
executed, so each call is one step, and `maxSteps` limits the calls as `maxCalls` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header, Prompt
from engine.evaluation.point_assessment import is_negated
from engine.functions.function_text import times, written
from engine.functions.tool_call_checks import ToolCall, calls_in
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import point_label
from engine.text.patterns import lazy
from engine.text.record import Record, TooDeep, read_json
from engine.text.spans import LineIndex, Span, count
from engine.yaml.nodes import Data, json_text

_LONGEST_LABEL = 200


class CheckOnCall(Record):
    """A check that applies to a call. `place` is its index in `Prompt.points()`, `label` the check as written.

    `meets` is whether the call is one that the check names: in `should_not`, one that should not occur.
    """

    place: int
    label: str
    meets: bool
    inverted: bool

    @property
    def as_it_should(self) -> bool:
        """Whether this raises the score."""
        return self.meets is not self.inverted

    @property
    def text(self) -> str:
        """`meets $tool_called: calculator`; for a check of `should_not`, whether the call avoids it."""
        if self.inverted:
            return f"meets {self.label}, and should not" if self.meets else f"avoids {self.label}"
        return f"meets {self.label}" if self.meets else f"does not meet {self.label}"


def is_about_tools(call: FunctionCall) -> bool:
    """Whether a check is one on tool calls."""
    return _plain_name(call).startswith("tool_")


def tools_named(call: FunctionCall) -> Iterator[str]:
    """The tools that a check names."""
    match call.args:
        case str(name):
            yield name
        case {"name": str(name)}:
            yield name
        case [_, _, str(name)] if "count" in call.name:
            yield name
        case [*names] if "order" in call.name:
            yield from (name for name in names if isinstance(name, str))
        case _:
            return


def _checks_on(seen: ToolCall, assessments: Sequence[Assessment]) -> Iterator[CheckOnCall]:
    """The checks among `assessments`, in order, that apply to a call, except those that could not run.

    A check is negated that names what should not occur: by its own name or by its block, but not by both.
    """
    for place, assessment in enumerate(assessments):
        check = assessment.point.function
        if check is None or not is_about_tools(check) or assessment.extent is None or assessment.error is not None:
            continue
        named = set(tools_named(check))
        counts_all = not named and _plain_name(check) == "tool_call_count_between"
        if seen.name in named or counts_all:
            label = point_label(assessment.point, _LONGEST_LABEL).replace("$not_", "$", 1)
            negated = is_negated(check) is not assessment.placed.inverted
            yield CheckOnCall(place, label, _meets(check, seen, assessment, negated=negated), negated)


def _meets(check: FunctionCall, seen: ToolCall, assessment: Assessment, *, negated: bool) -> bool:
    """Whether the call is one that the check, without its negation, names."""
    holds = (assessment.extent or 0.0) < 1 if negated else (assessment.extent or 0.0) >= 1
    is_evidence = seen.line in assessment.evidence
    match _plain_name(check):
        case "tool_call_order":
            return is_evidence
        case "tool_args_match":
            return holds and is_evidence
        case _:
            return holds


def _plain_name(call: FunctionCall) -> str:
    """The main name of the function, whichever alias or negation is written."""
    function = functions.find(call.name)
    if function is None:
        return ""
    return function.negates or function.name


MAXIMUM_CALLS = 200
"""The number of calls for which checks are listed; the policy covers all calls."""
_LINES_NAMED = 5
_LONGEST_ARGUMENTS = 2000
_LINE = lazy(r"[^\r\n]+")
_LIKE_A_CALL = lazy(r"(?P<before>[^\w\r\n]*(?:\d+[.)]\s*)?)(?P<mark>tool[_ -]?call)(?P<rest>[^\w].*)?", re.I)
_MARKS = "tool_call", "toolcall", "tool call", "tool-call"
"""A response without any of these has no calls, and no lines that look like calls."""
_MOST_SLIPS = 50


class Slip(Record):
    """A line of the response that looks like a call but is not one, with the `reason` in an author's words.

    `line` counts from 1; `text` is untrusted.
    """

    span: Span
    line: int
    text: str
    reason: str


class Trace(Record):
    """The calls of a response, in order, with the line of each, from 1, and at most 50 slips."""

    calls: tuple[ToolCall, ...]
    lines: tuple[int, ...]
    slips: tuple[Slip, ...]


@lru_cache(maxsize=4)
def read_trace(response: str) -> Trace:
    """The trace of `response`, with the calls that the tool functions read (platform.md, A27)."""
    lowered = response.lower()
    if not any(mark in lowered for mark in _MARKS):
        return Trace((), (), ())
    calls = calls_in(response)
    starts = [call.line.start for call in calls]
    index = LineIndex(response)
    lines = tuple(index.position(start).line + 1 for start in starts)
    return Trace(calls, lines, tuple(_slips(response, set(starts), index)))


def _slips(response: str, calls: set[int], index: LineIndex) -> Iterator[Slip]:
    found = 0
    for match in _LINE.finditer(response):
        text = match[0].strip()
        start = match.start() + match[0].index(text)
        reason = None if start in calls or found == _MOST_SLIPS else _why_not_a_call(text)
        if reason is not None:
            found += 1
            yield Slip(Span(start, start + len(text)), index.position(start).line + 1, text, reason)


def _why_not_a_call(text: str) -> str | None:
    """Why a line that looks like a call is not one; None for any other line."""
    match = _LIKE_A_CALL.fullmatch(text)
    if match is None:
        return None
    rest = match["rest"] or ""
    is_plain = not match["before"] and match["mark"] == "TOOL_CALL"
    if "{" not in rest and not (is_plain and rest[:1] in (" ", ":")):
        return None
    if match["before"]:
        return f"the line begins with {match['before'].strip() or 'something else'}, not with TOOL_CALL"
    if match["mark"] != "TOOL_CALL":
        return f"it says {match['mark']}, not TOOL_CALL"
    if not rest.startswith(" "):
        return "TOOL_CALL is not followed by a space"
    return _why_not_an_object(rest.strip())


def _why_not_an_object(text: str) -> str:
    if not text.startswith("{"):
        return "the text after TOOL_CALL is not a JSON object"
    try:
        data = read_json(text)
    except TooDeep:
        return "its JSON is nested too deeply"
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return "there is text after the JSON object"
        unfinished = text.count("{") > text.count("}")
        return "its JSON object does not end on this line" if unfinished else "the JSON after TOOL_CALL is invalid"
    if not isinstance(data.get("name"), str) or not data["name"]:
        return "its JSON object has no `name` in quotes"
    return "its JSON contains NaN or Infinity, which are not JSON"


class PolicyKey(StrEnum):
    """The keys of the policy, as a blueprint writes them."""

    REQUIRED = "requiredTools"
    PROHIBITED = "prohibitedTools"
    MAX_CALLS = "maxCalls"
    MAX_STEPS = "maxSteps"


class Finding(Record):
    """One rule of the policy, met or broken. `tool` is the tool that it names, None for a limit.

    `calls` are the indices in `Trace.calls` of the calls that keep or break it; for a limit, those beyond it.
    """

    key: PolicyKey
    is_met: bool
    text: str
    tool: str | None = None
    calls: tuple[int, ...] = ()


def _findings(prompt: Prompt, header: Header, trace: Trace) -> Iterator[Finding]:
    """All rules of the policy, met or broken by `trace`, in the order of `PolicyKey`."""
    for key, tools in ((PolicyKey.REQUIRED, prompt.required_tools), (PolicyKey.PROHIBITED, prompt.prohibited_tools)):
        is_prohibited = key is PolicyKey.PROHIBITED
        for tool in dict.fromkeys(tools):
            calls = tuple(place for place, each in enumerate(trace.calls) if each.name == tool)
            text = f"{tool} is {'not' if is_prohibited else 'never'} called"
            if calls:
                text = f"{tool} is called {times(len(calls))}{_in_lines(calls, trace) if is_prohibited else ''}"
            yield Finding(key, bool(calls) is not is_prohibited, text, tool, calls)
    for key, limit in ((PolicyKey.MAX_CALLS, prompt.max_calls), (PolicyKey.MAX_STEPS, _most_steps(header))):
        if limit is not None:
            beyond = tuple(range(max(int(limit), 0), len(trace.calls)))
            too_many = f": too many from line {trace.lines[beyond[0]]} on" if beyond else ""
            text = f"{count(len(trace.calls), 'call')}, of at most {written(limit)}{too_many}"
            yield Finding(key, not beyond, text, None, beyond)


def _most_steps(header: Header) -> float | None:
    """The `maxSteps` of the header; None if `toolUse` sets none or is disabled."""
    use = header.fields.get("toolUse")
    steps = use.get("maxSteps") if isinstance(use, dict) and use.get("enabled") is not False else None
    return steps if isinstance(steps, int | float) and not isinstance(steps, bool) else None


def _in_lines(calls: tuple[int, ...], trace: Trace) -> str:
    lines = sorted({trace.lines[place] for place in calls})
    named = ", ".join(map(str, lines[:_LINES_NAMED])) + (" …" if len(lines) > _LINES_NAMED else "")
    return f", in line {named}" if len(lines) == 1 else f", in lines {named}"


class ToolUse(Record):
    """The trace of a response, the checks on each of its first `MAXIMUM_CALLS` calls, and the result of the policy.

    `declared` are the names under `tools`; empty if the blueprint declares none.
    """

    trace: Trace
    checks: tuple[tuple[CheckOnCall, ...], ...]
    declared: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def listed(self) -> tuple[tuple[ToolCall, int, tuple[CheckOnCall, ...]], ...]:
        """The first `MAXIMUM_CALLS` calls, each with its line, from 1, and the checks on it."""
        return tuple(zip(self.trace.calls, self.trace.lines, self.checks, strict=False))

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The rules of the policy that the trace breaks."""
        return tuple(each for each in self.findings if not each.is_met)

    def is_declared(self, tool: str) -> bool:
        """Whether the blueprint declares a tool; any tool counts as declared if it declares none."""
        return not self.declared or tool in self.declared


def tool_use(prompt: Prompt, header: Header, response: str, assessments: Sequence[Assessment] = ()) -> ToolUse | None:
    """The tool use of `response`; None if neither the response nor the prompt involves tools.

    `assessments` are those of the same response, in the order of `Prompt.points()`.
    """
    trace = read_trace(response)
    has_checks = any(each.function is not None and is_about_tools(each.function) for each in prompt.points())
    has_policy = bool(prompt.required_tools or prompt.prohibited_tools) or prompt.max_calls is not None
    if not (trace.calls or trace.slips or has_policy or has_checks):
        return None
    checks = tuple(tuple(_checks_on(call, assessments)) for call in trace.calls[:MAXIMUM_CALLS])
    tools = header.fields.get("tools")
    names = [each.get("name") for each in tools if isinstance(each, dict)] if isinstance(tools, list) else []
    declared = tuple(name for name in names if isinstance(name, str))
    return ToolUse(trace, checks, declared, tuple(_findings(prompt, header, trace)))


def tool_use_json(use: ToolUse) -> dict[str, Data]:
    """The calls with the checks that they meet, the lines that are no calls, and the policy held."""
    return {
        "calls": [
            {
                "line": line,
                "name": seen.name,
                "declared": use.is_declared(seen.name),
                "checks": [{"index": each.place, "meets": each.meets, "isInverted": each.inverted} for each in checks],
            }
            for seen, line, checks in use.listed
        ],
        "slips": [{"line": each.line, "text": each.text, "reason": each.reason} for each in use.trace.slips],
        "rules": [
            {"rule": each.key.value, "tool": each.tool, "kept": each.is_met, "told": each.text} for each in use.findings
        ],
    }


def call_text(call: ToolCall, longest: int = _LONGEST_ARGUMENTS) -> str:
    """`calculator {"expression": "(312*49)-777"}`, on one line, its arguments shortened to `longest`."""
    if call.arguments is ABSENT:
        return f"{call.name} without arguments"
    arguments = json_text(call.arguments, " ")
    return f"{call.name} {arguments if len(arguments) <= longest else arguments[: longest - 1] + '…'}"


def rule_text(finding: Finding) -> str:
    """`requiredTools: search is never called`."""
    return f"{finding.key}: {finding.text}"


def calls_text(use: ToolUse) -> str:
    """`2 calls, 1 line is not a call`, or `no call`."""
    calls = count(len(use.trace.calls), "call") if use.trace.calls else "no call"
    slips = len(use.trace.slips)
    return calls + ("" if not slips else ", 1 line is not a call" if slips == 1 else f", {slips} lines are not calls")
