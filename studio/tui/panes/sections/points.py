"""The section on required points, and the rows of points for all sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore, PointScore
from engine.scoring.waterfall import waterfall
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.detail import point_detail, point_text
from studio.tui.panes.sections.parts import COLUMN_WIDTH, COST, GAIN, cost_cell, gain_cell, heading

_WEIGHT_WIDTH = 8


def required_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The points of `should` and `should_not` that are on no path."""
    if explanation.required is None:
        return
    points = PointRows(view, explanation)
    weight = (Cell("weight".rjust(_WEIGHT_WIDTH), Ink.DIM),) if points.weighs else ()
    yield heading("points", "Points", (*weight, COST, GAIN))
    yield from points.of(explanation.required)


class PointRows:
    """Makes the rows of the points of one result."""

    def __init__(self, view: ResultView, explanation: Explanation) -> None:
        self._view = view
        self._explanation = explanation
        self._places = {id(assessment): place for place, assessment in enumerate(view.assessments)}
        self._costs = {self._places[id(fall.point.assessment)]: fall.tenths for fall in waterfall(explanation)}
        points = (point for group in explanation.groups() for point in group.points)
        self.weighs = any(point.assessment.point.multiplier != 1 for point in points)
        """Whether any point has a weight other than 1: only then is there a column of weights."""

    def of(self, group: GroupScore, indent: str = "") -> Iterator[ResultRow]:
        """The points of one group, each with its mark and score, its text, its cost and its gain."""
        for point in group.points:
            place = self._places[id(point.assessment)]
            detail_source = partial(_detail, self._view, self._explanation, point, place)
            waits = place in self._view.waiting
            gain = self._explanation.certain_gain(point.met, point.gain)
            figures = (cost_cell(self._costs.get(place, 0)), gain_cell(gain))
            yield _point_row(point, place, detail_source, figures, indent=indent, weighs=self.weighs, waits=waits)


def _detail(view: ResultView, explanation: Explanation, point: PointScore, place: int) -> tuple[Cell, ...]:
    return tuple(point_detail(view, explanation, point, place))


def _point_row(
    point: PointScore,
    place: int,
    detail_source: Callable[[], tuple[Cell, ...]],
    figures: tuple[Cell, ...],
    *,
    indent: str,
    weighs: bool,
    waits: bool,
) -> ResultRow:
    assessment = point.assessment
    mark, ink = ("…", Ink.YOURS) if waits else _mark(assessment)
    score = "  –" if assessment.extent is None else f"{assessment.extent * 100:3.0f}"
    weight = Cell(f"{assessment.point.multiplier:g}".rjust(_WEIGHT_WIDTH), Ink.DIM)
    unknown = Cell(("waits" if waits else "–").rjust(COLUMN_WIDTH * 2), Ink.YOURS if waits else Ink.DIM)
    tail = figures if assessment.assessed else (unknown,)
    lead = [Cell(indent), Cell(f"{mark} {score}  ", ink)]
    if assessment.carried_over:
        lead.append(Cell("carried over: ", Ink.WARNING))
    if assessment.placed.inverted:
        lead.append(Cell("not: ", Ink.DIM))
    return ResultRow(
        key=f"point:{place}",
        text=point_text(assessment),
        lead=tuple(lead),
        tail=(weight, *tail) if weighs else tail,
        point=place,
        gradeable=assessment.point.function is None,
        target=assessment.point.subject_span,
        detail_source=detail_source,
    )


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
