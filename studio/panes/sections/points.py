"""The points that are required, and how one point is drawn wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore, PointScore
from studio.panes.result_view import Cell, Ink, ResultRow, ResultView
from studio.panes.sections.detail import point_detail, point_text
from studio.panes.sections.parts import COSTS, COSTS_WIDTH, costs_cell, heading

_WEIGHT_WIDTH = 8


def required_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The points of `should` and `should_not` that stand on no path."""
    if explanation.required is None:
        return
    weight = (Cell("weight".rjust(_WEIGHT_WIDTH), Ink.DIM),) if _weighs(explanation) else ()
    yield heading("points", "Points", (*weight, COSTS))
    yield from point_rows(view, explanation, explanation.required)


def point_rows(view: ResultView, explanation: Explanation, group: GroupScore, indent: str = "") -> Iterator[ResultRow]:
    """The points of one group, each with its mark and score, its text, and what it costs."""
    places = {id(assessment): place for place, assessment in enumerate(view.assessments)}
    weighs = _weighs(explanation)
    for point in group.points:
        place = places[id(point.assessment)]
        detail = tuple(point_detail(view, explanation, point, place))
        waits = place in view.waiting
        yield _point_row(point, place, detail, indent=indent, weighs=weighs, waits=waits)


def _point_row(
    point: PointScore, place: int, detail: tuple[Cell, ...], *, indent: str, weighs: bool, waits: bool
) -> ResultRow:
    assessment = point.assessment
    mark, ink = ("…", Ink.YOURS) if waits else _mark(assessment)
    score = "  –" if assessment.extent is None else f"{assessment.extent * 100:3.0f}"
    weight = Cell(f"{assessment.point.multiplier:g}".rjust(_WEIGHT_WIDTH), Ink.DIM)
    unknown = Cell(("waits" if waits else "–").rjust(COSTS_WIDTH), Ink.YOURS if waits else Ink.DIM)
    costs = costs_cell(point.costs) if assessment.assessed else unknown
    lead = [Cell(indent), Cell(f"{mark} {score}  ", ink)]
    if assessment.placed.inverted:
        lead.append(Cell("not: ", Ink.DIM))
    return ResultRow(
        key=f"point:{place}",
        text=point_text(assessment),
        lead=tuple(lead),
        tail=(weight, costs) if weighs else (costs,),
        point=place,
        gradeable=assessment.point.function is None,
        target=assessment.point.subject_span,
        detail=detail,
    )


def _weighs(explanation: Explanation) -> bool:
    """Whether any point has a weight of its own: only then is the column worth its room."""
    return any(point.assessment.point.multiplier != 1 for group in explanation.groups() for point in group.points)


def _mark(assessment: Assessment) -> tuple[str, Ink]:
    if assessment.error is not None:
        return "!", Ink.ERROR
    if assessment.extent is None:
        return "?", Ink.DIM
    if assessment.extent >= 1:
        return "●", Ink.MET
    if assessment.extent <= 0:
        return "○", Ink.UNMET
    return "◐", Ink.PARTLY
