"""A grid of scores: prompts × models, or the criteria of one prompt × models.

Spreads and orders show where to look. They are never called significant: a grid has one answer in each cell.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from engine.blueprint import Point
from engine.comparison.point_names import PointName, point_names
from engine.comparison.scored_answer import AnswerState, ScoredAnswer, point_costs, under_judge
from engine.evaluation.headline import Headline, overall
from engine.record import Record, replace
from engine.scoring.aggregation import PointExtent
from engine.scoring.assessment import Assessment, PlacedPoint
from engine.scoring.explanation import Bounds

_Cell = TypeVar("_Cell")

PASSED = 0.5
"""An answer passes a criterion if its extent after inversion is at least this."""


class GridOrder(StrEnum):
    """The orders of the rows: the greatest spread first, the greatest cost first, or as in the file."""

    SPREAD = "spread"
    COST = "cost"
    FILE = "file"

    @property
    def next(self) -> GridOrder:
        """The next order; after the last the first."""
        orders = list(GridOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


class GridRow(Record, eq=False, dict=True):
    """One prompt: its unique name, its number in the file from 1, its weight, and its answer in each column.

    `models` are the columns that are compared with each other: spread and cost, what all pass or fail, and the mean of
    the others are theirs alone. () stands for all columns.
    """

    name: str
    number: int
    weight: float
    answers: tuple[ScoredAnswer, ...]
    models: tuple[int, ...] = ()

    @cached_property
    def bounds(self) -> tuple[Bounds | None, ...]:
        """The bounds of each score."""
        return tuple([answer.bounds for answer in self.answers])

    @cached_property
    def spread(self) -> Bounds | None:
        """By how much the scores lie apart, 0–1: the least and the most; None with fewer than two scores."""
        return spread_of(of_models(self.bounds, self.models))

    @cached_property
    def mean(self) -> Bounds | None:
        """The mean of the scores as Weval stores them; None without a score, and where no judge could judge any."""
        headlines = (answer.headline for answer in of_models(self.answers, self.models))
        return mean_of([(1.0, each.counted_bounds) for each in headlines if each is not None and not each.is_failed])


class ColumnTotal(Record):
    """A column over all prompts.

    `headline` is the weighted mean of the scores, None without one. `bounded` counts answers that failed or were
    withheld too, each with a score of 0 to 1. `cut_cost` is what the answers that were cut short lose of the mean.
    """

    headline: Headline | None
    scored: int
    failed: int
    withheld: int
    not_run: int
    cut: int
    bounded: Bounds | None
    cut_cost: Bounds


class Grid(Record, eq=False, dict=True):
    """Prompts × columns. A column is a model in a variant, or another source of answers, by its key."""

    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]

    @cached_property
    def totals(self) -> tuple[ColumnTotal, ...]:
        """The total of each column."""
        return tuple(self._total(column) for column in range(len(self.columns)))

    @cached_property
    def _costs(self) -> Mapping[str, Bounds | None]:
        costs = costs_of([(row.weight, row.mean) for row in self.rows])
        return dict(zip((row.name for row in self.rows), costs, strict=True))

    def cost(self, row: GridRow) -> Bounds | None:
        """What a prompt takes from the mean score of the grid (0–1); None without a score."""
        return self._costs[row.name]

    def in_order(self, order: GridOrder) -> tuple[GridRow, ...]:
        """The rows in `order`; rows without the figure come last, as in the file."""
        match order:
            case GridOrder.FILE:
                return self.rows
            case GridOrder.SPREAD:
                return _greatest_first(self.rows, lambda row: row.spread)
            case GridOrder.COST:
                return _greatest_first(self.rows, self.cost)

    def under(self, judge: str) -> Grid:
        """The grid with the verdicts of one judge alone."""
        rows = (replace(row, answers=tuple(under_judge(each, judge) for each in row.answers)) for row in self.rows)
        return Grid(self.columns, tuple(rows))

    def row(self, name: str) -> GridRow | None:
        """The row of the prompt with this name."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, GridRow]:
        return {row.name: row for row in self.rows}

    def _total(self, column: int) -> ColumnTotal:
        cells = [(row.weight, answer, answer.headline) for row in self.rows for answer in (row.answers[column],)]
        scored = [(weight, each) for weight, _, each in cells if each is not None]
        states = [answer.state for _, answer, _ in cells]
        failed, withheld = states.count(AnswerState.FAILED), states.count(AnswerState.WITHHELD)
        lost = [
            (weight, Bounds(0.0, 1.0))
            for weight, answer, _ in cells
            if answer.state in (AnswerState.FAILED, AnswerState.WITHHELD)
        ]
        weights = sum(weight for weight, _ in scored)
        cut = [(weight, each.counted_bounds) for weight, answer, each in cells if answer.is_cut and each is not None]
        return ColumnTotal(
            overall(scored),
            len(scored),
            failed,
            withheld,
            states.count(AnswerState.NOT_RUN),
            len(cut),
            mean_of([*((weight, each.counted_bounds) for weight, each in scored), *lost]),
            Bounds(
                sum((1 - bounds.high) * weight for weight, bounds in cut) / weights if weights > 0 else 0.0,
                sum((1 - bounds.low) * weight for weight, bounds in cut) / weights if weights > 0 else 0.0,
            ),
        )


def of_models(cells: Sequence[_Cell], models: Sequence[int]) -> Sequence[_Cell]:
    """The cells in the columns `models`; all of them where there are no such columns."""
    return [cells[column] for column in models] if models else cells


def mean_of(scores: Sequence[tuple[float, Bounds]]) -> Bounds | None:
    """The weighted mean of scores, each with its weight; None if the weights add up to 0."""
    weights = sum(weight for weight, _ in scores)
    if not weights > 0:
        return None
    low = sum(bounds.low * weight for weight, bounds in scores) / weights
    closed = all(bounds.closed for _, bounds in scores)
    return Bounds(low, low if closed else sum(bounds.high * weight for weight, bounds in scores) / weights)


def costs_of(scores: Sequence[tuple[float, Bounds | None]]) -> list[Bounds | None]:
    """What each score, with its weight, takes from the mean of all (0–1); None where there is none."""
    weights = sum(weight for weight, score in scores if score is not None)
    return [
        Bounds((1 - score.high) * weight / weights, (1 - score.low) * weight / weights) if score and weights else None
        for weight, score in scores
    ]


def spread_of(scores: Sequence[Bounds | None]) -> Bounds | None:
    """The least and the greatest possible difference between the highest and the lowest of `scores`."""
    known = [each for each in scores if each is not None]
    if len(known) < 2:
        return None
    lows, highs = sorted(each.low for each in known), sorted(each.high for each in known)
    least = max(lows[-1] - highs[0], 0.0)
    if all(each.closed for each in known):
        return Bounds(least, least)
    widest = max(
        high - low for high, low in ((highs[-1], lows[0]), (highs[-2], lows[0]), (highs[-1], lows[1])) if high >= low
    )
    if sum(each.low == lows[0] and each.high == highs[-1] for each in known) == 1:
        widest = max(highs[-2] - lows[0], highs[-1] - lows[1])
    return Bounds(least, max(widest, least))


def _greatest_first(rows: tuple[GridRow, ...], figure: Callable[[GridRow], Bounds | None]) -> tuple[GridRow, ...]:
    found = [(figure(row), row) for row in rows]
    missing = (-1.0, -1.0)
    ordered = sorted(found, key=lambda one: missing if one[0] is None else (one[0].low, one[0].high), reverse=True)
    return tuple(row for _, row in ordered)


# --- The criteria of one prompt


class Standing(StrEnum):
    """What all models have in common on a criterion."""

    ALL_PASS = "all pass"
    ALL_FAIL = "all fail"


class CriterionRow(Record, eq=False, dict=True):
    """One point of a prompt and its assessment in each column, None where a column's rubric lacks it.

    `costs` is what it takes from the mean score of `models` (0–1), with open points met and failed; None where none of
    them is judged. `models` are as in `GridRow`.
    """

    name: PointName
    placed: PlacedPoint
    number: int
    assessments: tuple[Assessment | None, ...]
    costs: Bounds | None
    models: tuple[int, ...] = ()

    @cached_property
    def bounds(self) -> tuple[Bounds | None, ...]:
        """The extent of the point in each column, after inversion, with missing verdicts at 0 and at 1."""
        return tuple(None if each is None else PointExtent.of(each).bounds for each in self.assessments)

    @cached_property
    def spread(self) -> Bounds | None:
        """By how much the extents lie apart."""
        return spread_of(of_models(self.bounds, self.models))

    @property
    def standing(self) -> Standing | None:
        """Whether all models pass or all fail; None if they differ, one is open, or there is only one."""
        extents = [each.extent for each in of_models(self.assessments, self.models) if each is not None]
        known = [each for each in extents if each is not None]
        if len(known) < 2 or len(known) < len(extents):
            return None
        if all(each >= PASSED for each in known):
            return Standing.ALL_PASS
        return Standing.ALL_FAIL if all(each < PASSED for each in known) else None


def criteria_of(row: GridRow) -> tuple[CriterionRow, ...]:
    """The points of a prompt, in the order of the rubric; points that only some columns have come last."""
    placed: dict[Hashable, PlacedPoint] = {}
    found: list[dict[Hashable, tuple[Assessment, float, float]]] = []
    for answer in row.answers:
        if answer.bounds is None:
            found.append({})
            continue
        names = point_names(each.placed for each in answer.assessments)
        costs = point_costs(answer.settled)
        found.append(
            {
                name: (assessment, least, most)
                for name, assessment, least, most in zip(
                    names, answer.assessments, costs.least, costs.most, strict=True
                )
            }
        )
        for name, assessment in zip(names, answer.assessments, strict=True):
            placed.setdefault(name, assessment.placed)
    scored = sum(bounds is not None for bounds in of_models(row.bounds, row.models)) or 1
    rows: list[CriterionRow] = []
    for number, (name, point) in enumerate(placed.items(), 1):
        cells = [column.get(name) for column in found]
        counted = [cell for cell in of_models(cells, row.models) if cell is not None]
        least = sum(cell[1] for cell in counted) / scored
        most = sum(cell[2] for cell in counted) / scored
        assessments = tuple(None if cell is None else cell[0] for cell in cells)
        is_judged = any(cell[0].assessed for cell in counted)
        costs = Bounds(min(least, most), max(least, most)) if is_judged else None
        rows.append(CriterionRow(name, point, number, assessments, costs, row.models))  # pyright: ignore[reportArgumentType]
    return tuple(rows)


def criteria_in_order(rows: Sequence[CriterionRow], order: GridOrder) -> tuple[CriterionRow, ...]:
    """The criteria in `order`."""

    def key(row: CriterionRow) -> tuple[float, float]:
        figure = row.spread if order is GridOrder.SPREAD else row.costs
        return (-1.0, -1.0) if figure is None else (figure.low, figure.high)

    return tuple(rows) if order is GridOrder.FILE else tuple(sorted(rows, key=key, reverse=True))


class StandingCounts(Record):
    """How many criteria of a grid all models pass and all fail, of the `known` ones: those that no model leaves
    open."""

    passed: int
    failed: int
    known: int


def standing_counts(grid: Grid) -> StandingCounts:
    """The criteria of all prompts that every model with a score passes, or fails."""
    passed = failed = known = 0
    for row in grid.rows:
        answers = [answer for answer in of_models(row.answers, row.models) if answer.bounds is not None]
        if len(answers) < 2:
            continue
        for each in _extents_by_point(answers):
            judged = [extent for extent in each if extent is not None]
            if len(judged) < 2 or len(judged) < len(each):
                continue
            known += 1
            passed += all(extent >= PASSED for extent in judged)
            failed += all(extent < PASSED for extent in judged)
    return StandingCounts(passed, failed, known)


def _extents_by_point(answers: Sequence[ScoredAnswer]) -> Iterable[Sequence[float | None]]:
    """The extents of each point in all `answers` that have it."""
    points = [each.point for each in answers[0].assessments]
    if all(_are(points, answer.assessments) for answer in answers[1:]):
        return zip(*([each.extent for each in answer.assessments] for answer in answers), strict=True)
    extents: dict[Hashable, list[float | None]] = {}
    for answer in answers:
        names = point_names(each.placed for each in answer.assessments)
        for name, assessment in zip(names, answer.assessments, strict=True):
            extents.setdefault(name, []).append(assessment.extent)
    return extents.values()


def _are(points: Sequence[Point], assessments: Sequence[Assessment]) -> bool:
    """Whether `assessments` are of these very points."""
    return len(points) == len(assessments) and all(
        point is each.placed.point for point, each in zip(points, assessments, strict=True)
    )
