"""The section on the score that the author expected: what an answer would have to do for it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation
from engine.scoring.what_if import (
    Obstacle,
    PointSet,
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
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.detail import point_text
from studio.tui.panes.sections.parts import heading


def target_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """What is needed, the smallest sets of points that are enough, and what no answer can reach."""
    if view.wanted is None:
        return
    found = target(explanation, view.wanted)
    yield heading("target", f"Expected {number_text(found.wanted)}", (Cell("t takes it away", Ink.DIM),))
    summary = target_headline(found)
    ink = Ink.MET if found.is_reached else Ink.WARNING if not found.is_reachable else Ink.PLAIN
    yield ResultRow(
        "target:summary", summary, lead=(Cell("  "),), ink=ink, detail_source=_summary_detail(found, summary)
    )
    yield from (_set_row(number, each) for number, each in enumerate(found.sets, 1))
    if found.has_others:
        yield ResultRow("target:others", "and others", lead=(Cell("    "),), ink=Ink.DIM, selectable=False)
    if ceiling := ceiling_text(found):
        yield ResultRow("target:ceiling", ceiling, lead=(Cell("  "),), ink=Ink.DIM, detail_source=(Cell(ceiling),))
    yield from (_obstacle_row(number, each) for number, each in enumerate(found.obstacles))


def _summary_detail(found: Target, summary: str) -> tuple[Cell, ...]:
    return (Cell(summary, Ink.STRONG), *(Cell(note, Ink.DIM) for note in target_notes(found)))


def _set_row(number: int, found: PointSet) -> ResultRow:
    points = [
        Cell(f"{'avoid' if point.assessment.placed.inverted else 'meet'}  {point_text(point.assessment)}")
        for point in found.points
    ]
    return ResultRow(
        key=f"target:{number}",
        text=set_text(found.points),
        lead=(Cell(f"{number:2}  ", Ink.DIM),),
        tail=(Cell(f"  → {outcome_text(found)}", Ink.MET),),
        target=found.points[0].assessment.point.subject_span,
        detail_source=(Cell(f"an answer that does this scores {outcome_text(found)}", Ink.STRONG), *points),
    )


def _obstacle_row(number: int, obstacle: Obstacle) -> ResultRow:
    text = obstacle_text(obstacle)
    return ResultRow(
        key=f"target:obstacle:{number}",
        text=text,
        lead=(Cell("  ! ", Ink.ERROR),),
        ink=Ink.DIM,
        target=obstacle.point.assessment.point.subject_span,
        detail_source=(Cell(text),),
    )
