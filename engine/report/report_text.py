"""The sentences and figures that all forms of a report share."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Role
from engine.evaluation.headline import Headline
from engine.functions.function_text import count
from engine.report.report import (
    Assessor,
    CaseReport,
    KeyTotal,
    PointResult,
    Report,
    ReportedCase,
    ReportedPoint,
    ReportedTurn,
)
from engine.scoring.explanation_text import points_text, weight_text, whole

GRID_NOTE = (
    "Scores of 100. A range is what is still possible while points are open. All prompts: the weighted mean of the "
    "scores as Weval stores them."
)
NOTHING_JUDGED = "No judge: only checks and grades count."
NOTHING_GRADED = "Nobody graded by hand."
_ROLES = {Role.SYSTEM: "system prompt", Role.USER: "user", Role.ASSISTANT: "assistant"}


def made_text(report: Report) -> str:
    """`tenants.yml · 12 prompts · 3 sources of answers · 2026-11-23 12:30 UTC`."""
    prompts, sources = count(len(report.prompts), "prompt"), f"{count(len(report.keys), 'source')} of answers"
    return " · ".join((report.source, prompts, sources, report.made.strftime("%Y-%m-%d %H:%M UTC")))


def total_text(total: KeyTotal, prompts: int) -> str:
    """`66 from 3 of 5 prompts`; `–` if nothing was scored."""
    if total.headline is None:
        return "–"
    figure = cell_figure(total.headline)
    failed = f", {total.failed} failed" if total.failed else ""
    return figure if total.scored == prompts else f"{figure} from {total.scored} of {prompts}{failed}"


def cell_figure(headline: Headline | None) -> str:
    """A score in a table: `37.5`, `50.0, between 33 and 67 (gpt-4o-mini failed on 1 point)`; `failed` without one."""
    return "failed" if headline is None else headline.by_itself


def turn_title(turn: ReportedTurn) -> str:
    """`user`, or `assistant, to be generated`."""
    return _ROLES[turn.role] + (", to be generated" if turn.text is None else "")


def point_place(point: ReportedPoint) -> str:
    """`should_not · path 2 · weight 3`: what differs from a required point of weight 1; "" for such a one."""
    parts = [
        "should not" if point.block.inverted else "",
        point.path,
        f"weight {weight_text(point.weight)}" if point.weight != 1 else "",
    ]
    return " · ".join(part for part in parts if part)


def extent_figure(result: PointResult) -> str:
    """The result of a point from 0 to 100; `open` if it is not assessed, `failed` if no judge could judge it."""
    return "failed" if result.failed else "open" if result.extent is None else f"{whole(result.extent)}"


def figures_of(result: PointResult) -> tuple[str, str]:
    """What the point took, and what the score would rise by, `8.3`; `–` while the point is open."""
    return points_text(result.cost), points_text(result.gain)


def verdict_texts(result: PointResult) -> Iterator[tuple[str, str]]:
    """What the judges say beside the detail, as heading and reflection; either may be "", and nothing is said twice."""
    reasons = sum(bool(each.reflection) for each in result.verdicts)
    for each in result.verdicts:
        reflection = "" if each.reflection == result.detail else each.reflection
        if not result.detail_has_verdicts:
            yield ": ".join(part for part in (each.judge, each.verdict) if part), reflection
        elif reflection:
            yield each.judge if reasons > 1 else "", reflection


def case_label(case: ReportedCase) -> str:
    """`bad`; `bad, test answer: refusal`."""
    return ", ".join(filter(None, (case.label, f"test answer: {case.test}" if case.test else "")))


def case_counts_text(cases: CaseReport) -> str:
    """`3 cases: 2 passed, 1 undecided.`"""
    states = ", ".join(f"{number} {state}" for state, number in cases.counts)
    return f"{count(len(cases.cases), 'case')}: {states}." if cases.cases else "The case file has no cases."


def assessor_text(assessor: Assessor) -> str:
    """`holistic, by openrouter.ai: 12 verdicts, 1 failed, 2 before this edit`."""
    parts = [count(assessor.verdicts, "verdict")]
    if assessor.failures:
        parts.append(f"{assessor.failures} without a verdict")
    if assessor.carried_over:
        parts.append(f"{assessor.carried_over} before this edit")
    return f"{assessor.about}: {', '.join(parts)}"
