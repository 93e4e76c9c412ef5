"""Scores of prompts × sources of answers, or of the criteria of one prompt × sources, and what one has more of.

Spreads and orders show where to look. They are never called significant: a matrix has one answer in each cell. X less Y
is by prompt and by criterion, such that the parts add up to the difference of the means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final, TypeVar

from engine.evaluation.headline import CARRIED_MARK, CUT_MARK, Headline, overall, points_headline
from engine.evaluation.pairing import words
from engine.evaluation.results import ResultFile, StoredResult
from engine.evaluation.sources import compared_models
from engine.scoring.assessment import ANY_EXTENT, AssessedBy, Assessment, Bounds, PlacedPoint, StoredJudgement
from engine.scoring.sums import PointExtent, groups_of, to_fixed
from engine.study.case import is_failed
from engine.text.record import Record, replace

_Cell = TypeVar("_Cell")
NOTHING, _FULL = Bounds(0.0, 0.0), Bounds(1.0, 1.0)


# --- One answer


class AnswerState(StrEnum):
    """Whether there is a score, and if not, why."""

    SCORED = "scored"
    RUNNING = "runs"
    FAILED = "failed"
    WITHHELD = "withheld"
    NOT_RUN = "not run"


PointName = tuple[Hashable, ...]
"""What a point is called in all rubrics that have it: its block, its content, and its number among equal ones."""


def point_names(points: Iterable[PlacedPoint]) -> tuple[PointName, ...]:
    """The name of each point, in order. No two are the same."""
    counts: Counter[Hashable] = Counter()
    names: list[PointName] = []
    for placed in points:
        key = placed.rubric.block, words(placed.point)
        names.append((*key, counts[key]))
        counts[key] += 1
    return tuple(names)


Verdicts = Sequence[Sequence[StoredJudgement]]
"""The verdicts of judges on each point, before inversion."""


class ScoredAnswer(Record, eq=False, dict=True):
    """One answer to one prompt, assessed by a rubric.

    `read` returns its assessments, one for each point, in the order of `Prompt.points()`: a large grid reads them only
    where it needs them. `read_verdicts` returns the verdicts of single judges in the same order. `is_cut`: the answer
    was cut short. `known` are the bounds of its score, if these are known already. `is_partial`: a YAML error hides
    points of the rubric.
    """

    state: AnswerState
    read: Callable[[], Sequence[Assessment]] = tuple
    read_verdicts: Callable[[], Verdicts] | None = None
    is_cut: bool = False
    known: Bounds | None = None
    is_partial: bool = False

    @cached_property
    def assessments(self) -> Sequence[Assessment]:
        """The assessments, one for each point."""
        return self.read()

    @property
    def marks(self) -> str:
        """The marks behind its score: for an answer that was cut, and for verdicts from before an edit."""
        is_carried = self.state is AnswerState.SCORED and any(each.carried_over for each in self.assessments)
        return f"{CUT_MARK if self.is_cut else ''}{CARRIED_MARK if is_carried else ''}"

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts of single judges on each point."""
        if self.read_verdicts is not None:
            return self.read_verdicts()
        return [each.published for each in self.assessments]

    @cached_property
    def points(self) -> tuple[PointExtent, ...]:
        """The numbers of the points."""
        return tuple(map(PointExtent.of, self.assessments))

    @cached_property
    def names(self) -> tuple[PointName, ...]:
        """The name of each point in all rubrics that have it."""
        return point_names(each.placed for each in self.assessments)

    @cached_property
    def bounds(self) -> Bounds | None:
        """The lowest and the highest score that is still possible, 0–1; None without a score, or if no point counts."""
        if self.state is not AnswerState.SCORED:
            return None
        if self.known is not None:
            return self.known
        if self.is_partial:
            return Bounds(0.0, 1.0)
        return groups_of(self.points).bounds if any(point.multiplier > 0 for point in self.points) else None

    @cached_property
    def places(self) -> Mapping[PointName, int]:
        """The places of the points in `assessments`, by their names; none without a score."""
        return {} if self.bounds is None else {name: at for at, name in enumerate(self.names)}

    @cached_property
    def costs(self) -> tuple[Bounds, ...]:
        """What each point takes from 100 (0–1), by the judges that answered."""
        return point_costs(tuple(map(PointExtent.settled, self.assessments)))

    @cached_property
    def headline(self) -> Headline | None:
        """Its score, with what is to know of its verdicts; None without a score."""
        if self.bounds is None or self.is_partial:
            return None if self.bounds is None else Headline(self.bounds, int(not self.is_partial), 1)
        return points_headline(self.assessments, self.bounds, groups_of(self.points).score)


NOT_RUN = ScoredAnswer(AnswerState.NOT_RUN)


def point_costs(points: Sequence[PointExtent]) -> tuple[Bounds, ...]:
    """What each point takes from 100 (0–1), in order: with all open points met, and with all of them failed.

    The sums are 1 less the upper, and 1 less the lower bound of the score. While points are open, a point on a path can
    cost more in the first case than in the second: another path may be the best one.
    """

    def costs(extents: Sequence[float]) -> list[float]:
        closed = [PointExtent(extent, *kept) for extent, kept in zip(extents, weights, strict=True)]
        groups = groups_of(closed)
        return [groups.cost(each.path_id, (1.0 - (each.extent or 0.0)) * each.multiplier) for each in closed]

    weights = [(each.multiplier, each.path_id) for each in points]
    failed = costs([each.bounds.low for each in points])
    is_closed = all(each.bounds.closed for each in points)
    met = failed if is_closed else costs([each.bounds.high for each in points])
    return tuple(map(Bounds, met, failed))


def less(one: Bounds, other: Bounds) -> Bounds:
    """The least and the most by which `one` can be above `other` (−1 to 1)."""
    return Bounds(one.low - other.high, one.high - other.low)


def under_judge(answer: ScoredAnswer, judge: str) -> ScoredAnswer:
    """`answer` with the verdicts of one judge alone: a point in words without a verdict of this judge is open.

    Checks count as they are. Grades of people and verdicts of other judges do not count.
    """
    if answer.state is not AnswerState.SCORED:
        return answer

    def read() -> tuple[Assessment, ...]:
        both = zip(answer.assessments, answer.verdicts, strict=True)
        return tuple(_by_judge(assessment, verdicts, judge) for assessment, verdicts in both)

    return replace(answer, read=read, read_verdicts=lambda: answer.verdicts, known=None)


def _by_judge(assessment: Assessment, verdicts: Sequence[StoredJudgement], judge: str) -> Assessment:
    if assessment.point.function is not None:
        return assessment
    given = next((each.extent for each in verdicts if each.judge == judge and each.extent is not None), None)
    if given is None:
        return replace(assessment, extent=None, by=None, error=None, possible=None)
    rounded = float(to_fixed(given, 2))
    extent = 1 - rounded if assessment.placed.inverted else rounded
    return replace(assessment, extent=extent, by=AssessedBy.JUDGE, error=None, possible=None)


# --- Rows: prompts, and the criteria of one


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


class Standing(StrEnum):
    """What all models have in common on a criterion, or that they differ."""

    ALL_PASS = "all pass"
    ALL_FAIL = "all fail"
    DIFFER = "differ"


class CriterionRow(Record, eq=False, dict=True):
    """One point of a prompt, by its name in all rubrics that have it, and its number there from 1."""

    prompt: PromptRow
    name: PointName
    placed: PlacedPoint
    number: int

    @property
    def models(self) -> tuple[int, ...]:
        """The columns that are compared, as in `PromptRow`."""
        return self.prompt.models

    @cached_property
    def assessments(self) -> tuple[Assessment | None, ...]:
        """Its assessment in each column, None where a column's rubric lacks it."""
        places = [(answer, answer.places.get(self.name)) for answer in self.prompt.answers]
        return tuple([None if at is None else answer.assessments[at] for answer, at in places])

    @cached_property
    def bounds(self) -> tuple[Bounds | None, ...]:
        """The extent of the point in each column, after inversion, with missing verdicts at 0 and at 1."""
        return tuple(None if each is None else PointExtent.of(each).bounds for each in self.assessments)

    @cached_property
    def spread(self) -> Bounds | None:
        """By how much the extents lie apart."""
        return spread_of(of_models(self.bounds, self.models))

    @cached_property
    def costs(self) -> Bounds | None:
        """What it takes from the mean score of `models` (0–1), with open points met and failed; None where none of
        them is judged."""
        answers = of_models(self.prompt.answers, self.models)
        having = [(each, each.places[self.name]) for each in answers if self.name in each.places]
        if not any(each.assessments[at].assessed for each, at in having):
            return None
        costs, scored = [each.costs[at] for each, at in having], sum(each.bounds is not None for each in answers)
        return Bounds(*sorted([sum(cost.low for cost in costs) / scored, sum(cost.high for cost in costs) / scored]))

    @cached_property
    def in_common(self) -> Standing | None:
        """What all models have in common; None if it is open for one, or there is only one."""
        extents = [each.extent for each in of_models(self.assessments, self.models) if each is not None]
        known = [each for each in extents if each is not None]
        if len(known) < 2 or len(known) < len(extents):
            return None
        failed = sum(map(is_failed, known))
        if not failed:
            return Standing.ALL_PASS
        return Standing.ALL_FAIL if failed == len(known) else Standing.DIFFER

    @property
    def standing(self) -> Standing | None:
        """Whether all models pass or all fail; None also if they differ."""
        return None if self.in_common is Standing.DIFFER else self.in_common


def criteria_of(row: PromptRow) -> tuple[CriterionRow, ...]:
    """The points of a prompt, in the order of the rubric; points that only some columns have come last."""
    placed: dict[PointName, PlacedPoint] = {}
    for answer in row.answers:
        for name, at in answer.places.items():
            placed.setdefault(name, answer.assessments[at].placed)
    return tuple(CriterionRow(row, name, point, number) for number, (name, point) in enumerate(placed.items(), 1))


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


# --- The matrix


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

    On the screen it has a `title`, and its columns are called `labels`. `asked` is what each prompt of the file is
    called, by its number less 1; () for their names. `phrase` is `…` in these.

    Make one by `Matrix.of`, or of a result file by `matrix_of`; `under` counts the verdicts of one judge alone, and
    `criteria_of` opens a row into its points. Cells are read where they are looked at, so a method may block as long as
    reading takes, and raises what reading raises. The same input gives the same matrix; nothing is sent.
    """

    columns: tuple[str, ...]
    rows: tuple[PromptRow, ...]
    title: str = ""
    labels: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    phrase: str = ""

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

    @cached_property
    def totals(self) -> tuple[ColumnTotal, ...]:
        """The total of each column."""
        return tuple(self._total(column) for column in range(len(self.columns)))

    @cached_property
    def _costs(self) -> Mapping[str, Bounds | None]:
        costs = costs_of([(row.weight, row.mean) for row in self.rows])
        return dict(zip((row.name for row in self.rows), costs, strict=True))

    def cost(self, row: PromptRow) -> Bounds | None:
        """What a prompt takes from the mean score of the matrix (0–1); None without a score."""
        return self._costs[row.name]

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges with a verdict on any point, in the order in which they first appear."""
        found = (
            verdict.judge
            for row in self.rows
            for answer in row.answers
            if answer.state is AnswerState.SCORED
            for verdicts in answer.verdicts
            for verdict in verdicts
            if verdict.extent is not None
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def standings(self) -> Counter[Standing]:
        """The criteria of all prompts that no model with a score leaves open, by what these have in common."""
        found = (each.in_common for row in self.rows for each in criteria_of(row))
        return Counter(each for each in found if each is not None)

    def under(self, judge: str) -> Matrix:
        """The matrix with the verdicts of one judge alone."""
        rows = [replace(row, answers=tuple(under_judge(each, judge) for each in row.answers)) for row in self.rows]
        return replace(self, rows=tuple(rows))

    def only(self, keys: Collection[str]) -> Matrix:
        """The matrix with the columns that have these keys."""
        kept = [at for at, key in enumerate(self.columns) if key in keys]
        columns, labels = (tuple([names[at] for at in kept]) for names in (self.columns, self.labels))
        models = compared_models(columns)
        rows = [replace(row, answers=tuple([row.answers[at] for at in kept]), models=models) for row in self.rows]
        return replace(self, columns=columns, labels=labels, rows=tuple(rows))

    def _total(self, column: int) -> ColumnTotal:
        cells = [(row.weight, row.answers[column]) for row in self.rows]
        scored = [(weight, each) for weight, answer in cells if (each := answer.headline) is not None]
        states = Counter(answer.state for _, answer in cells)
        without = (AnswerState.FAILED, AnswerState.WITHHELD)
        every = [(weight, each.counted_bounds) for weight, each in scored]
        every += [(weight, ANY_EXTENT) for weight, answer in cells if answer.state in without]
        cut = [answer.is_cut for _, answer in cells if answer.headline is not None]
        lost = [
            (weight, less(_FULL, each.counted_bounds) if is_cut else NOTHING)
            for (weight, each), is_cut in zip(scored, cut, strict=True)
        ]
        return ColumnTotal(
            overall(scored),
            len(scored),
            states[AnswerState.FAILED],
            states[AnswerState.WITHHELD],
            states[AnswerState.NOT_RUN],
            sum(cut),
            mean_of(every),
            mean_of(lost) or NOTHING,
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


_Row = TypeVar("_Row", PromptRow, CriterionRow)


def in_order(rows: Sequence[_Row], order: RowOrder, cost: Callable[[_Row], Bounds | None]) -> Sequence[_Row]:
    """Rows in `order`; rows without the figure come last, as in the file."""
    if order is RowOrder.FILE:
        return rows

    def figure(row: _Row) -> tuple[float, float]:
        found = row.spread if order is RowOrder.SPREAD else cost(row)
        return (-1.0, -1.0) if found is None else (found.low, found.high)

    return sorted(rows, key=figure, reverse=True)


# --- The results of a file


def answer_of(result: StoredResult) -> ScoredAnswer:
    """One result. Without points, its score is that of the file; its points are read when they are needed."""
    stop = result.stop
    if result.error is not None or (stop is not None and stop.is_withheld):
        is_withheld = stop is not None and stop.is_withheld
        return ScoredAnswer(AnswerState.WITHHELD if is_withheld else AnswerState.FAILED)
    is_cut = stop is not None and stop.is_cut
    return ScoredAnswer(AnswerState.SCORED, lambda: result.assessments, is_cut=is_cut)


def matrix_of(file: ResultFile, prompts: Sequence[str] = (), models: Sequence[str] = ()) -> Matrix:
    """All results of a file, or those of these prompts and models; columns and rows in the order of the file."""
    answers = {(each.bare_prompt.id, each.model): each for each in file.results}

    def cell(prompt: str, model: str) -> ScoredAnswer:
        found = answers.get((prompt, model))
        return NOT_RUN if found is None else answer_of(found)

    columns = [model for model in file.models if not models or model in models]
    found = Matrix.of(((each.id, each.weight) for each in file.prompts), columns, cell)
    rows = tuple(row for row in found.rows if not prompts or row.name in prompts)
    return replace(found, rows=rows, title=str(file.path), labels=found.columns)


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
    def difference(self) -> Bounds:
        """That of the scores."""
        others = mean_of([(1.0, each.bounds) for each in self.others if each.bounds is not None])
        assert self.answer.bounds is not None
        assert others is not None
        return less(self.answer.bounds, others)

    @property
    def part(self) -> Bounds:
        """Its part of the difference of the means."""
        return Bounds(self.difference.low * self.share, self.difference.high * self.share)

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


class ColumnDifference(Record, eq=False):
    """X less Y, or less the mean of the other models, over the prompts on which both have a score.

    `total` is the difference of the weighted means, None without a prompt. `left_out` are the names of the others.
    """

    prompts: tuple[PromptDifference, ...]
    total: Bounds | None
    left_out: tuple[str, ...]


MEAN: Final = -1
"""In the place of a column: the mean of the other models, prompt by prompt."""


def column_difference(matrix: Matrix, column: int, other: int) -> ColumnDifference:
    """Column `column` less column `other`, or less `MEAN`."""
    found = [each for row in matrix.rows if (each := row_difference(row, column, other)) is not None]
    weights = sum(each.row.weight for each in found)
    shared = tuple(replace(each, share=each.row.weight / weights) for each in found) if weights > 0 else ()
    compared = {each.row.name for each in shared}
    left_out = tuple(row.name for row in matrix.rows if row.name not in compared)
    return ColumnDifference(shared, mean_of([(each.row.weight, each.difference) for each in shared]), left_out)


def row_difference(row: PromptRow, column: int, other: int) -> PromptDifference | None:
    """As `column_difference`, on one prompt; None if one of the two has no score."""
    columns = of_models(range(len(row.answers)), row.models) if other == MEAN else (other,)
    others = (row.answers[at] for at in columns if other != MEAN or at != column)
    scored = tuple(each for each in others if each.bounds is not None)
    if row.answers[column].bounds is None or not scored:
        return None
    return PromptDifference(row, row.answers[column], scored)
