"""A grid of scores: prompts × models, or the criteria of one prompt × models.

Spreads and orders show where to look. They are never called significant: a grid has one answer in each cell. X less Y
is by prompt and by criterion, such that the parts add up to the difference of the means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from engine.evaluation.headline import Headline, overall
from engine.evaluation.results import ResultFile, StoredResult
from engine.evaluation.sources import compared_models
from engine.scoring.assessment import ANY_EXTENT, Assessment, Bounds, PlacedPoint
from engine.scoring.sums import PointExtent
from engine.study.case import is_failed
from engine.study.scored_answer import (
    NOT_RUN,
    AnswerState,
    PointName,
    ScoredAnswer,
    judges_of,
    less,
    point_costs,
    under_judge,
)
from engine.text.record import Record, replace

_Cell = TypeVar("_Cell")
NOTHING = Bounds(0.0, 0.0)


class RowOrder(StrEnum):
    """The orders of the rows: the greatest spread first, the greatest cost first, or as in the file."""

    SPREAD = "spread"
    COST = "cost"
    FILE = "file"

    @property
    def next(self) -> RowOrder:
        """The next order; after the last the first."""
        orders = list(RowOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


class PromptRow(Record, eq=False, dict=True):
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


class Matrix(Record, eq=False, dict=True):
    """Scores of prompts (rows) × sources of answers (columns), each cell with the range that open points leave.

    `columns` are the keys of models in a variant, or of other sources, each once: `openai:gpt-4o`, `ideal`. `rows` have
    one `ScoredAnswer` for each column, in this order, and a weight of 0 or more. All scores, spreads and costs are
    floats of 0 to 1, unrounded, as `Bounds`: the least and the most, equal once all points are judged. A cell is scored
    as `engine.scoring.explanation_builder.explain` does, means are weighted by prompt as Weval's are. An answer that
    failed, was withheld or has not run is a cell without a score: it is left out of means, spreads and costs, and only
    `ColumnTotal.bounded` counts it, as 0 to 1.

    Make one by `Matrix.of`, or of a result file by `grid_of`; `under` counts the verdicts of one judge alone, and
    `criteria_of` opens a row into its points. Cells are read where they are looked at, so a method may block as long as
    reading takes, and raises what reading raises. The same input gives the same matrix; nothing is sent.
    """

    columns: tuple[str, ...]
    rows: tuple[PromptRow, ...]

    @cached_property
    def totals(self) -> tuple[ColumnTotal, ...]:
        """The total of each column."""
        return tuple(self._total(column) for column in range(len(self.columns)))

    @cached_property
    def _costs(self) -> Mapping[str, Bounds | None]:
        costs = costs_of([(row.weight, row.mean) for row in self.rows])
        return dict(zip((row.name for row in self.rows), costs, strict=True))

    def cost(self, row: PromptRow) -> Bounds | None:
        """What a prompt takes from the mean score of the grid (0–1); None without a score."""
        return self._costs[row.name]

    def under(self, judge: str) -> Matrix:
        """The grid with the verdicts of one judge alone."""
        rows = (replace(row, answers=tuple(under_judge(each, judge) for each in row.answers)) for row in self.rows)
        return Matrix(self.columns, tuple(rows))

    @classmethod
    def of(
        cls, prompts: Iterable[tuple[str, float]], columns: Sequence[str], cell: Callable[[str, str], ScoredAnswer]
    ) -> Matrix:
        """A row for each prompt, a unique name and a weight, and a column for each key.

        `cell` returns the answer in a row and a column, which reads its points only where they are needed: a matrix of
        300 prompts is made at once.
        """
        models = compared_models(columns)
        rows = (
            PromptRow(name, number, weight, tuple([cell(name, column) for column in columns]), models)
            for number, (name, weight) in enumerate(prompts, 1)
        )
        return cls(tuple(columns), tuple(rows))

    def _total(self, column: int) -> ColumnTotal:
        cells = [(row.weight, row.answers[column]) for row in self.rows]
        scored = [(weight, each) for weight, answer in cells if (each := answer.headline) is not None]
        states = Counter(answer.state for _, answer in cells)
        without = (AnswerState.FAILED, AnswerState.WITHHELD)
        every = [(weight, each.counted_bounds) for weight, each in scored]
        every += [(weight, ANY_EXTENT) for weight, answer in cells if answer.state in without]
        weights = sum(weight for weight, _ in scored) or 1.0
        cut = [(weight, each.counted_bounds) for weight, answer in cells if answer.is_cut and (each := answer.headline)]
        return ColumnTotal(
            overall(scored),
            len(scored),
            states[AnswerState.FAILED],
            states[AnswerState.WITHHELD],
            states[AnswerState.NOT_RUN],
            len(cut),
            mean_of(every),
            Bounds(
                sum((1 - bounds.high) * weight for weight, bounds in cut) / weights,
                sum((1 - bounds.low) * weight for weight, bounds in cut) / weights,
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


_Row = TypeVar("_Row", "PromptRow", "CriterionRow")


def in_order(rows: Sequence[_Row], order: RowOrder, cost: Callable[[_Row], Bounds | None]) -> Sequence[_Row]:
    """Rows in `order`; rows without the figure come last, as in the file."""
    if order is RowOrder.FILE:
        return rows

    def figure(row: _Row) -> tuple[float, float]:
        found = row.spread if order is RowOrder.SPREAD else cost(row)
        return (-1.0, -1.0) if found is None else (found.low, found.high)

    return sorted(rows, key=figure, reverse=True)


# --- The criteria of one prompt


class Standing(StrEnum):
    """What all models have in common on a criterion, or that they differ."""

    ALL_PASS = "all pass"
    ALL_FAIL = "all fail"
    DIFFER = "differ"


def standing_of(extents: Sequence[float | None]) -> Standing | None:
    """The standing of a criterion with these extents; None if one is open, or there is only one."""
    known = [each for each in extents if each is not None]
    if len(known) < 2 or len(known) < len(extents):
        return None
    failed = sum(map(is_failed, known))
    if not failed:
        return Standing.ALL_PASS
    return Standing.ALL_FAIL if failed == len(known) else Standing.DIFFER


class CriterionRow(Record, eq=False, dict=True):
    """One point of a prompt and its assessment in each column, None where a column's rubric lacks it.

    `costs` is what it takes from the mean score of `models` (0–1), with open points met and failed; None where none of
    them is judged. `models` are as in `PromptRow`.
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
        found = standing_of(extents)
        return None if found is Standing.DIFFER else found


def criteria_of(row: PromptRow) -> tuple[CriterionRow, ...]:
    """The points of a prompt, in the order of the rubric; points that only some columns have come last."""
    placed: dict[PointName, PlacedPoint] = {}
    found: list[dict[PointName, tuple[Assessment, Bounds]]] = []
    for answer in row.answers:
        is_scored = answer.bounds is not None
        costs = point_costs(answer.settled) if is_scored else ()
        cells = zip(answer.names, answer.assessments, costs, strict=True) if is_scored else ()
        found.append({name: (assessment, cost) for name, assessment, cost in cells})
        for name, (assessment, _) in found[-1].items():
            placed.setdefault(name, assessment.placed)
    scored = sum(bounds is not None for bounds in of_models(row.bounds, row.models)) or 1
    rows: list[CriterionRow] = []
    for number, (name, point) in enumerate(placed.items(), 1):
        cells = [column.get(name) for column in found]
        counted = [cell for cell in of_models(cells, row.models) if cell is not None]
        ends = [sum(cost.low for _, cost in counted) / scored, sum(cost.high for _, cost in counted) / scored]
        costs = Bounds(*sorted(ends)) if any(each.assessed for each, _ in counted) else None
        assessments = tuple(None if cell is None else cell[0] for cell in cells)
        rows.append(CriterionRow(name, point, number, assessments, costs, row.models))
    return tuple(rows)


class StandingCounts(Record):
    """How many criteria of a grid all models pass and all fail, of the `known` ones: those that no model leaves
    open."""

    passed: int
    failed: int
    known: int


def standing_counts(grid: Matrix) -> StandingCounts:
    """The criteria of all prompts that every model with a score passes, or fails."""
    found: Counter[Standing | None] = Counter()
    for row in grid.rows:
        answers = [answer for answer in of_models(row.answers, row.models) if answer.bounds is not None]
        extents: dict[PointName, list[float | None]] = {}
        for answer in answers if len(answers) > 1 else ():
            for name, assessment in zip(answer.names, answer.assessments, strict=True):
                extents.setdefault(name, []).append(assessment.extent)
        found.update(map(standing_of, extents.values()))
    passed, failed = found[Standing.ALL_PASS], found[Standing.ALL_FAIL]
    return StandingCounts(passed, failed, passed + failed + found[Standing.DIFFER])


class MatrixSource(Record, eq=False, dict=True):
    """A matrix to look at: its title, and the names of its columns on the screen.

    `asked` is what each prompt of the file is called, by its number less 1; () for their ids. `phrase` is `…` in these.
    """

    title: str
    grid: Matrix
    labels: tuple[str, ...]
    asked: tuple[str, ...] = ()
    phrase: str = ""

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges with a verdict anywhere in the matrix."""
        return judges_of([answer for row in self.grid.rows for answer in row.answers])

    @cached_property
    def standings(self) -> StandingCounts:
        """The criteria that all pass or all fail."""
        return standing_counts(self.grid)

    def only(self, keys: Collection[str]) -> MatrixSource:
        """The same with the columns that have these keys."""
        kept = [(at, key) for at, key in enumerate(self.grid.columns) if key in keys]
        columns = tuple([key for _, key in kept])
        models = compared_models(columns)
        rows = [
            replace(row, answers=tuple([row.answers[at] for at, _ in kept]), models=models) for row in self.grid.rows
        ]
        return replace(self, grid=Matrix(columns, tuple(rows)), labels=tuple([self.labels[at] for at, _ in kept]))


# --- The results of a file


def answer_of(result: StoredResult) -> ScoredAnswer:
    """One result. Without points, its score is that of the file; its points are read when they are needed."""
    stop, subject = result.stop, result.response or ""
    if result.error is not None or (stop is not None and stop.is_withheld):
        is_withheld = stop is not None and stop.is_withheld
        return ScoredAnswer(AnswerState.WITHHELD if is_withheld else AnswerState.FAILED, subject=subject)
    is_cut = stop is not None and stop.is_cut
    return ScoredAnswer(AnswerState.SCORED, lambda: result.assessments, subject=subject, is_cut=is_cut)


def grid_of(file: ResultFile, prompts: Sequence[str] = (), models: Sequence[str] = ()) -> Matrix:
    """All results of a file, or those of these prompts and models; columns and rows in the order of the file."""
    answers = {(each.bare_prompt.id, each.model): each for each in file.results}

    def cell(prompt: str, model: str) -> ScoredAnswer:
        found = answers.get((prompt, model))
        return NOT_RUN if found is None else answer_of(found)

    columns = [model for model in file.models if not models or model in models]
    found = Matrix.of(((each.id, each.weight) for each in file.prompts), columns, cell)
    return Matrix(found.columns, tuple(row for row in found.rows if not prompts or row.name in prompts))


# --- X less Y: the parts of prompts and criteria add up to the difference of the means


class PromptDifference(Record, eq=False, dict=True):
    """X less Y on one prompt of a grid, or X less the mean of `others` where there are several. All have scores.

    `share` is the part of the prompt in the weights of the prompts that are compared.
    """

    row: PromptRow
    answer: ScoredAnswer
    others: tuple[ScoredAnswer, ...]
    share: float = 1.0

    @cached_property
    def total(self) -> Bounds:
        """The difference of the scores."""
        others = mean_of([(1.0, each.bounds) for each in self.others if each.bounds is not None])
        assert self.answer.bounds is not None
        assert others is not None
        return less(self.answer.bounds, others)

    @property
    def part(self) -> Bounds:
        """Its part of the difference of the means."""
        return Bounds(self.total.low * self.share, self.total.high * self.share)

    @cached_property
    def by_criterion(self) -> dict[PointName, Bounds]:
        """The part of each point of any of the rubrics; points that no score depends on have a part of 0.

        The part of a point is its cost for Y less its cost for X. As the costs of an answer add up to 100 less its
        score, these parts add up to the difference of the two scores, with and without paths.
        """
        found: dict[PointName, Bounds] = {}
        for answer, factor in ((self.answer, -1.0), *((each, 1.0 / len(self.others)) for each in self.others)):
            for name, cost in zip(answer.names, point_costs(answer.points), strict=True):
                low, high = (cost.high, cost.low) if factor < 0 else (cost.low, cost.high)
                before = found.get(name, NOTHING)
                found[name] = Bounds(before.low + factor * low, before.high + factor * high)
        return found

    @cached_property
    def placed(self) -> dict[PointName, PlacedPoint]:
        """The points by their names."""
        found: dict[PointName, PlacedPoint] = {}
        for answer in (self.answer, *self.others):
            for name, each in zip(answer.names, answer.assessments, strict=True):
                found.setdefault(name, each.placed)
        return found


class ColumnDifference(Record, eq=False):
    """X less Y, or less the mean of the other models, over the prompts on which both have a score.

    `total` is the difference of the weighted means, None without a prompt. `left_out` are the names of the others.
    """

    prompts: tuple[PromptDifference, ...]
    total: Bounds | None
    left_out: tuple[str, ...]


def column_difference(grid: Matrix, column: int, other: int | None) -> ColumnDifference:
    """Column `column` less column `other`; None for the mean of the other models, prompt by prompt."""
    found = [each for row in grid.rows if (each := row_difference(row, column, other)) is not None]
    weights = sum(each.row.weight for each in found)
    if not weights > 0:
        return ColumnDifference((), None, tuple(row.name for row in grid.rows))
    shared = tuple(replace(each, share=each.row.weight / weights) for each in found)
    compared = {each.row.name for each in found}
    left_out = tuple(row.name for row in grid.rows if row.name not in compared)
    return ColumnDifference(shared, mean_of([(each.row.weight, each.total) for each in found]), left_out)


def row_difference(row: PromptRow, column: int, other: int | None) -> PromptDifference | None:
    """As `column_difference`, on one prompt; None if one of the two has no score."""
    columns = of_models(range(len(row.answers)), row.models) if other is None else (other,)
    others = [row.answers[at] for at in columns if other is not None or at != column]
    scored = tuple(each for each in others if each.bounds is not None)
    if row.answers[column].bounds is None or not scored:
        return None
    return PromptDifference(row, row.answers[column], scored)
