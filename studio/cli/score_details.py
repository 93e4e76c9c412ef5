"""What stands below the arithmetic of a score as text: the evidence of checks, tool calls, and a target."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.tool_use import ToolUse, call_text, calls_text, rule_text
from engine.evidence.prompt_evidence import PromptEvidence
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_text import point_label
from engine.scoring.what_if import (
    Target,
    ceiling_text,
    number_text,
    obstacle_text,
    outcome_text,
    set_text,
    target,
    target_headline,
    target_notes,
)
from engine.text.spans import visible


def evidence_text(evidence: PromptEvidence | None) -> str:
    """What each check found or nearly found, safe to print; "" where no check searches the answer."""
    lines = [] if evidence is None else list(_evidence_lines(evidence))
    return visible("\n".join(("", "", "  evidence", *lines))) if lines else ""


def _evidence_lines(evidence: PromptEvidence) -> Iterator[str]:
    for point in evidence.prompt.points():
        found = list(evidence.lines(point))
        if found:
            yield f"    {point_label(point)}"
            yield from (f"      {line}" for line in found)


def tools_text(use: ToolUse) -> str:
    """Each call with the checks that it fails, malformed calls, and the rules kept or broken. Safe to print."""
    return visible("\n".join(_tool_lines(use)))


def _tool_lines(use: ToolUse) -> Iterator[str]:
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


def target_text(explanation: Explanation, wanted: float | None) -> str:
    """What an answer would have to do for a score of `wanted`, 0–100, safe to print; "" where no score is wanted."""
    if wanted is None:
        return ""
    return visible("\n".join(("", "", *_target_lines(target(explanation, wanted / 100)))))


def _target_lines(found: Target) -> Iterator[str]:
    yield f"  expected {number_text(found.wanted)}: {target_headline(found)}"
    for each in found.sets:
        yield f"    {set_text(each.points)} → {outcome_text(each)}"
    if found.has_others:
        yield "    and others"
    yield from (f"    {note}" for note in target_notes(found))
    if ceiling := ceiling_text(found):
        yield f"    {ceiling}"
    yield from (f"    {obstacle_text(each)}" for each in found.obstacles)
