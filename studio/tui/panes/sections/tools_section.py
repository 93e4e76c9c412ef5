"""The section on tools: each parsed call with its checks, lines that only look like calls, and the tool policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation.tool_use import CheckOnCall, Finding, Slip, ToolUse, call_text, calls_text, rule_text
from engine.functions.tool_call_checks import ToolCall
from engine.scoring.explanation import Explanation
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading


def tool_rows(view: ResultView, _: Explanation) -> Iterator[ResultRow]:
    """The rows on tools; none if neither the answer nor the prompt involves any."""
    use = view.tools
    if use is None:
        return
    yield heading("tools", "Tools", text=f"{calls_text(use)} · not in the score")
    calls = [(line, _call_row(use, place, seen, line, checks)) for place, (seen, line, checks) in enumerate(use.listed)]
    slips = [(slip.line, _slip_row(slip)) for slip in use.trace.slips]
    yield from (row for _, row in sorted([*calls, *slips], key=lambda each: each[0]))
    if len(use.trace.calls) > len(use.listed):
        yield ResultRow("call:more", f"and {len(use.trace.calls) - len(use.listed)} more calls", lead=(Cell("  "),))
    for finding in use.findings:
        yield _rule_row(use, finding)


def _call_row(use: ToolUse, place: int, seen: ToolCall, line: int, checks: Sequence[CheckOnCall]) -> ResultRow:
    wrong = sum(not check.as_it_should for check in checks)
    broken = [finding for finding in use.broken if place in finding.calls]
    tail: list[Cell] = []
    if checks:
        tail.append(Cell(f"  fails {wrong} of {len(checks)}" if wrong else "  as checked", _ink(not wrong)))
    if broken:
        tail.append(Cell("  breaks a rule", Ink.UNMET))
    detail = [Cell(call_text(seen), Ink.STRONG), Cell(f"a call in line {line} of the answer", Ink.DIM)]
    if not use.is_declared(seen.name):
        detail.append(Cell(f"{seen.name} is not among the tools of this blueprint", Ink.WARNING))
    detail += [Cell(f"{'●' if each.as_it_should else '○'} {each.text}", _ink(each.as_it_should)) for each in checks]
    detail += [Cell(f"○ breaks {rule_text(finding)}", Ink.UNMET) for finding in broken]
    if not checks:
        detail.append(Cell("no check concerns it", Ink.DIM))
    return ResultRow(
        f"call:{place}",
        call_text(seen, 200),
        lead=(Cell(f"  line {line:<4}", Ink.DIM),),
        tail=tuple(tail),
        evidence=(seen.line,),
        detail_source=tuple(detail),
    )


def _slip_row(slip: Slip) -> ResultRow:
    return ResultRow(
        f"slip:{slip.span.start}",
        slip.text,
        lead=(Cell(f"! line {slip.line:<4}", Ink.WARNING),),
        tail=(Cell("  no call", Ink.WARNING),),
        ink=Ink.DIM,
        evidence=(slip.span,),
        detail_source=(
            Cell(slip.text, Ink.STRONG),
            Cell(f"This looks like a call but is not one: {slip.reason}.", Ink.WARNING),
            Cell('A call is one line of TOOL_CALL {"name": "…", "arguments": {…}}, here and on Weval.', Ink.DIM),
        ),
    )


def _rule_row(use: ToolUse, finding: Finding) -> ResultRow:
    state = "kept" if finding.is_met else "broken"
    lines = tuple(use.trace.calls[place].line for place in finding.calls)
    detail = [Cell(rule_text(finding), Ink.STRONG), Cell(f"{state}; it is not in the score, neither here nor on Weval")]
    if not finding.is_met:
        detail.append(Cell("A point can ask for the same and count: see the problem not-enforced at its key.", Ink.DIM))
    return ResultRow(
        f"rule:{finding.key}:{finding.tool or ''}",
        rule_text(finding),
        lead=(Cell(f"{'●' if finding.is_met else '○'} {state:<8}", _ink(finding.is_met)),),
        rule=finding,
        evidence=lines,
        detail_source=tuple(detail),
    )


def _ink(good: bool) -> Ink:
    return Ink.MET if good else Ink.UNMET
