"""The section on required points, and the rows of points for all sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore, PointScore, points_text, whole_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.detail import point_detail, point_text
from studio.tui.panes.sections.parts import (
    COLUMN_WIDTH,
    COST,
    GAIN,
    SEVERITY,
    figure_cell,
    heading,
    severity_cell,
)

_WEIGHT_WIDTH = 8


def required_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The points of `should` and `should_not` that are on no path."""
    if explanation.required is None:
        return
    points = PointRows(view, explanation)
    columns = points.heading
    yield heading("points", "Points", columns, short_tail=points.short_heading, wide_tail=(SEVERITY, *columns))
    yield from points.of(explanation.required)


class PointRows:
    """Makes the rows of the points of one result."""

    def __init__(self, view: ResultView, explanation: Explanation) -> None:
        self._view = view
        self._explanation = explanation
        self._places = {id(assessment): place for place, assessment in enumerate(view.assessments)}
        points = [point for group in explanation.groups() for point in group.points]
        weights = [point.assessment.point.multiplier for point in points]
        self._weighs = any(weight != 1 for weight in weights)
        self._short_weight = max((len(_short_weight(weight)) for weight in weights), default=0) + 1
        self.gains_differ = bool(explanation.paths) or any(
            points_text(point.gain) != points_text(point.cost) for point in points
        )
        """Whether the column of gains tells more than that of costs."""

    @property
    def heading(self) -> tuple[Cell, ...]:
        """The names of the columns. There is one of weights only where some weight is not 1."""
        weight = (Cell("weight".rjust(_WEIGHT_WIDTH), Ink.DIM),) if self._weighs else ()
        return (*weight, COST, GAIN)

    @property
    def short_heading(self) -> tuple[Cell, ...]:
        """The names of the columns in a narrow list."""
        weight = (Cell(" " * self._short_weight),) if self._weighs else ()
        return (*weight, COST, GAIN) if self.gains_differ else (*weight, COST)

    def of(self, group: GroupScore, indent: str = "") -> Iterator[ResultRow]:
        """The points of one group, each with its mark and score, its text, its cost and its gain."""
        for point in group.points:
            place = self._places[id(point.assessment)]
            detail_source = partial(_detail, self._view, self._explanation, point, place)
            waits = place in self._view.waiting
            tails = self._tails(point, waits=waits)
            yield _point_row(point, place, detail_source, tails, indent=indent, waits=waits)

    def _tails(self, point: PointScore, *, waits: bool) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
        """The weight, the cost and the gain of a point, and what of it a narrow list shows."""
        figures = [figure_cell(point.cost), figure_cell(point.gain)]
        short = figures if self.gains_differ else figures[:1]
        if waits and not point.assessment.assessed:
            figures = [Cell("waits".rjust(COLUMN_WIDTH * 2), Ink.YOURS)]
            short = [Cell("waits".rjust(COLUMN_WIDTH * len(short)), Ink.YOURS)]
        if not self._weighs:
            return tuple(figures), tuple(short)
        weight = point.assessment.point.multiplier
        in_full = Cell(f"{weight:g}".rjust(_WEIGHT_WIDTH), Ink.DIM)
        return (in_full, *figures), (Cell(_short_weight(weight).rjust(self._short_weight), Ink.DIM), *short)


def _short_weight(weight: float) -> str:
    """`×2`, "" for a weight of 1."""
    return "" if weight == 1 else f"×{weight:g}"


def _detail(view: ResultView, explanation: Explanation, point: PointScore, place: int) -> tuple[Cell, ...]:
    return tuple(point_detail(view, explanation, point, place))


def _point_row(
    point: PointScore,
    place: int,
    detail_source: Callable[[], tuple[Cell, ...]],
    tails: tuple[tuple[Cell, ...], tuple[Cell, ...]],
    *,
    indent: str,
    waits: bool,
) -> ResultRow:
    assessment = point.assessment
    mark, ink = ("…", Ink.YOURS) if waits else _mark(assessment)
    lead = [Cell(indent), Cell(f"{mark} {whole_text(assessment.extent):>3}  ", ink)]
    if assessment.carried_over:
        lead.append(Cell("before this edit: ", Ink.WARNING))
    if assessment.placed.inverted:
        lead.append(Cell("not: ", Ink.DIM))
    return ResultRow(
        key=f"point:{place}",
        text=point_text(assessment),
        lead=tuple(lead),
        tail=tails[0],
        short_tail=tails[1],
        point=place,
        gradeable=assessment.point.function is None,
        wide_tail=(severity_cell(point.severity), *tails[0]),
        target=assessment.point.subject_span,
        detail_source=detail_source,
    )


def _mark(assessment: Assessment) -> tuple[str, Ink]:
    if assessment.errs:
        return "!", Ink.ERROR
    if assessment.extent is None:
        return "?", Ink.DIM
    if assessment.extent >= 1:
        return "●", Ink.MET
    if assessment.extent <= 0:
        return "○", Ink.UNMET
    return "◐", Ink.PARTLY
