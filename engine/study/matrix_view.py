"""A matrix as it is shown: its rows in order, a second result laid under it, and the text about the selected cell.

A cell has a figure, and a word that says the same or why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from engine.evaluation.headline import Headline, points_headline
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds, bounds_text, tenths
from engine.study.criterion_counts import placed_label
from engine.study.matrix import (
    MEAN,
    NOTHING,
    AnswerState,
    ColumnDifference,
    CriterionRow,
    Matrix,
    PointName,
    PromptDifference,
    PromptRow,
    RowOrder,
    ScoredAnswer,
    Standing,
    column_difference,
    criteria_of,
    in_order,
    mean_of,
    of_models,
    row_difference,
)
from engine.study.two_runs import (
    TwoRuns,
    cause_word,
    change_text,
    crossed_text,
    extent_of,
    figures_text,
    missing_text,
    other_text,
    other_word,
    part_text,
    unjudged_answers,
    verdicts_text,
)
from engine.text.record import Record, replace
from engine.text.spans import count

_WORDS = "none", "little", "half", "most", "all"
_ALL, _MET, _FAILED = 1000, 750, 500
"""Extents in tenths of a point of 100."""


class CellInk(StrEnum):
    """The meaning of a cell."""

    DIM = "dim"
    MET = "met"
    PARTLY = "partly"
    UNMET = "unmet"
    OPEN = "open"
    ERROR = "error"


class MatrixCell(Record):
    """One cell: its figure, a word that says the same or why, the marks of the figure, and its ink.

    `was` are the figures before and after where it shows a difference. `is_best` and `is_worst` are of its row.
    """

    figure: str
    word: str = ""
    marks: str = ""
    was: str = ""
    ink: CellInk = CellInk.DIM
    is_best: bool = False
    is_worst: bool = False

    @property
    def text(self) -> str:
        """The figure with its marks; without one, the word."""
        return f"{self.figure}{self.marks}" or self.word


NO_FIGURE = MatrixCell("–")


def with_extremes(cells: Iterable[MatrixCell], row: PromptRow | CriterionRow) -> tuple[MatrixCell, ...]:
    """The cells of a row with the best and the worst of its models marked; none where all are level.

    Scores are level that are the same to the tenth of a point. One with open points is neither.
    """
    compared = row.models or range(len(row.bounds))
    closed = {at: each.low for at in compared if (each := row.bounds[at]) is not None and each.closed}
    figures = {at: tenths(low) for at, low in closed.items()}
    best, worst = max(figures.values(), default=0), min(figures.values(), default=0)
    if best == worst:
        return tuple(cells)
    return tuple(
        replace(cell, is_best=figures.get(at) == best, is_worst=figures.get(at) == worst)
        for at, cell in enumerate(cells)
    )


def score_cell(answer: ScoredAnswer, *, whole: bool = True) -> MatrixCell:
    """A score, 0–1, as a whole number or, without `whole`, to a tenth; what became of the answer where it has none."""
    state, headline = answer.state, answer.headline
    if headline is None:
        if state in (AnswerState.FAILED, AnswerState.WITHHELD):
            return MatrixCell("", state.value, ink=CellInk.ERROR)
        return MatrixCell("", "runs") if state is AnswerState.RUNNING else NO_FIGURE
    cell, marks = figure_cell(headline, whole=whole), answer.marks
    return replace(cell, marks=marks, word="cut" if answer.is_cut else "earlier" if marks else cell.word)


def criterion_cell(assessment: Assessment | None, bounds: Bounds | None) -> MatrixCell:
    """The extent of a criterion, after inversion."""
    if assessment is None or bounds is None:
        return NO_FIGURE
    if assessment.failed:
        return MatrixCell("", "failed", ink=CellInk.OPEN)
    return figure_cell(points_headline([assessment], bounds, assessment.extent))


def figure_cell(headline: Headline, *, whole: bool = True) -> MatrixCell:
    """A score, or its bounds, with how much of what is asked that is."""
    bounds = headline.bounds
    is_short = whole or not (headline.is_open or bounds.closed)  # a tenth has no room beside its bounds
    text = headline.whole_figure if is_short else bounds_text(bounds.low, bounds.high)
    if headline.is_unjudged and not whole:
        return MatrixCell("", headline.figure, ink=CellInk.OPEN)
    if not bounds.closed:
        return MatrixCell(text, "open", ink=CellInk.OPEN)
    extent = tenths(bounds.low)
    ink = CellInk.MET if extent >= _MET else CellInk.UNMET if extent < _FAILED else CellInk.PARTLY
    return MatrixCell(text, _WORDS[max(4 * extent // _ALL, extent > 0)], ink=ink)


def difference_cell(part: Bounds | None, word: str = "", was: str = "") -> MatrixCell:
    """What one of two has more of, in points of 100, and a word that says why; a dash where that is not known."""
    if part is None:
        return NO_FIGURE
    low = tenths(part.low)
    is_open = low != tenths(part.high)
    ink = CellInk.OPEN if is_open else CellInk.MET if low > 0 else CellInk.UNMET if low < 0 else CellInk.DIM
    return MatrixCell(part_text(part), word, was=was, ink=ink)


def _difference_cell(found: Difference | None) -> MatrixCell:
    if not isinstance(found, TwoRuns):
        return difference_cell(None if found is None else found.difference)
    return difference_cell(found.difference, other_word(found), figures_text(found))


def _criterion_difference(found: Difference | None, name: PointName) -> MatrixCell:
    """The part of a criterion in a difference and, of two runs, what made it count otherwise."""
    if not isinstance(found, TwoRuns):
        return difference_cell(None if found is None else found.by_criterion.get(name, NOTHING))
    change = found.changes.get(name)
    if change is None:
        return NO_FIGURE
    return difference_cell(change.part, cause_word(change, found), f"{extent_of(change.old)} → {extent_of(change.new)}")


def _whole(bounds: Bounds | None) -> str:
    return "" if bounds is None else Headline(bounds, None, None).whole_figure


def _tenths(bounds: Bounds | None) -> str:
    return "–" if bounds is None else bounds_text(bounds.low, bounds.high)


# --- The view


Cell: TypeAlias = tuple[str, str]
"""The name of a prompt, and the key of a column."""
Difference: TypeAlias = PromptDifference | TwoRuns
"""What a cell has more of than another column, or than what is laid under it."""
_ADVICE = " J asks judges."
_UNCOMPARED = "one of the two has no score"


class MatrixLine(Record):
    """One row as it is drawn: what is to know of it, its label, its cells and its figures.

    `note` says what all models have in common on a criterion.
    """

    row: PromptRow | CriterionRow
    label: str
    cells: tuple[MatrixCell, ...]
    spread: str
    cost: str
    note: str = ""


class MatrixOptions(Record):
    """How a matrix is looked at.

    `prompt` is the name of the prompt whose criteria are shown, "" for all prompts. `less` is the column that is
    subtracted, or `MEAN`; None for none. `judge` is the judge whose verdicts alone count, "" for all.
    """

    prompt: str = ""
    order: RowOrder = RowOrder.SPREAD
    less: int | None = None
    judge: str = ""


class SecondRun(Record, eq=False):
    """A second result: its name, what it is laid under, and the cells that both have. `note` is what to know of it."""

    label: str
    matrix: Matrix
    cells: Mapping[Cell, TwoRuns]
    note: str = ""


class MatrixView(Record, eq=False, dict=True):
    """A matrix as it is drawn. `all_judges` is the matrix with all verdicts."""

    all_judges: Matrix
    options: MatrixOptions
    second: SecondRun | None = None

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix, or the one under one judge."""
        judge = self.options.judge
        return self.all_judges.under(judge) if judge else self.all_judges

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.matrix.labels

    @cached_property
    def prompt(self) -> PromptRow | None:
        """The prompt whose criteria are shown: the first one where it is gone; None for all prompts."""
        rows = self.matrix.rows if self.options.prompt else ()
        return next((row for row in rows if row.name == self.options.prompt), next(iter(rows), None))

    @cached_property
    def rows(self) -> Sequence[PromptRow | CriterionRow]:
        """The rows in order; above a second result, those that moved most first in the place of the greatest spread."""
        order = self.options.order
        if self.prompt is None:
            return self._by_move(self.matrix.rows) or in_order(self.matrix.rows, order, self.matrix.cost)
        found = criteria_of(self.prompt)
        criteria = (*found, *self._gone(self.prompt, len(found) + 1))
        return self._by_move(criteria) or in_order(criteria, order, lambda row: row.costs)

    def _by_move(self, rows: Sequence[PromptRow | CriterionRow]) -> Sequence[PromptRow | CriterionRow]:
        is_sorted = self.is_second_shown and self.options.order is RowOrder.SPREAD
        return sorted(rows, key=self._moved, reverse=True) if is_sorted else ()

    def _gone(self, prompt: PromptRow, first: int) -> Iterator[CriterionRow]:
        """Rows for the criteria that only the rubrics of the second result have, numbered from `first`."""
        changes = chain.from_iterable(each.changes.items() for each in self._each_compared(prompt) if each is not None)
        gone = {name: each.old for name, each in changes if each.new is None and each.old is not None}
        for number, (name, old) in enumerate(gone.items(), first):
            yield CriterionRow(prompt, name, old.placed, number)

    def _moved(self, row: PromptRow | CriterionRow) -> float:
        """By how much a row moved at most."""
        every = [each for each in self._each_compared(row) if each is not None]
        if isinstance(row, CriterionRow):
            parts = [each.changes[row.name].part for each in every if row.name in each.changes]
        else:
            parts = [each.difference for each in every]
        return max((max(abs(part.low), abs(part.high)) for part in parts), default=-1.0)

    # --- The heading

    @property
    def title(self) -> str:
        """What the rows and columns are: `3 prompts × 2 models`."""
        columns = count(len(self.labels), "source of answers", "sources of answers")
        if self.prompt is not None:
            return f"{self.prompt.name} · {count(len(self.rows), 'criterion', 'criteria')} × {columns}"
        return f"{count(len(self.rows), 'prompt')} × {columns}"

    @property
    def state(self) -> str:
        """How it is sorted, what is subtracted and whose verdicts count."""
        spread = "difference" if self.is_second_shown else "spread"
        orders = {RowOrder.SPREAD: spread, RowOrder.COST: "cost", RowOrder.FILE: "place in the file"}
        parts = [f"sorted by {orders[self.options.order]}"]
        row = next(iter(self.matrix.rows), None)
        models = len(self.labels) if row is None else len(of_models(self.labels, row.models))
        if self.options.less == MEAN:
            parts.insert(0, f"each less the mean of the {'others' if models == len(self.labels) else 'other models'}")
        elif self.options.less is not None:
            parts.insert(0, f"each less {self.labels[self.options.less]}")
        if self.is_second_shown and self.second is not None:
            parts.insert(0, f"each less {self.second.label}")
        if self.options.judge:
            parts.append(f"{self.options.judge} alone")
        if models < len(self.labels):
            parts.append(f"spread and cost of the {models} models")
        return " · ".join(parts)

    @cached_property
    def totals(self) -> tuple[MatrixCell, ...]:
        """The cells of the line above all rows: the mean of each column, or the score of the prompt."""
        if self.prompt is not None:
            if self.is_difference:
                return tuple(map(_difference_cell, self._differences(self.prompt)))
            return tuple(score_cell(answer, whole=False) for answer in self.prompt.answers)
        if self.is_second_shown:
            return tuple(map(self._second_total, range(len(self.labels))))
        if self.is_difference:
            return tuple(difference_cell(each.total) for each in self.differences)
        totals = (each.headline for each in self.matrix.totals)
        return tuple(NO_FIGURE if each is None else figure_cell(each, whole=False) for each in totals)

    @property
    def total_label(self) -> str:
        """What `totals` are."""
        if self.prompt is not None:
            return "difference" if self.is_difference else "score"
        return "difference of the means" if self.is_difference else "mean"

    # --- Differences

    @property
    def is_second_shown(self) -> bool:
        """Whether cells show the difference from a second result: under all judges together."""
        return self.second is not None and self.options.less is None and not self.options.judge

    @property
    def is_difference(self) -> bool:
        """Whether cells show differences, from another column or from a second result."""
        return self.options.less is not None or self.is_second_shown

    @cached_property
    def differences(self) -> tuple[ColumnDifference, ...]:
        """Each column less what is subtracted, over all prompts; none without that."""
        less, columns = self.options.less, range(len(self.labels))
        return () if less is None else tuple(column_difference(self.matrix, column, less) for column in columns)

    def _differences(self, row: PromptRow) -> Sequence[Difference | None]:
        """What each cell of a prompt has more of than what is subtracted, or laid under it."""
        less, columns = self.options.less, range(len(self.labels))
        return self._each_compared(row) if less is None else [row_difference(row, column, less) for column in columns]

    @cached_property
    def _of_prompt(self) -> Sequence[Difference | None]:
        return () if self.prompt is None else self._differences(self.prompt)

    def cell(self, row: PromptRow | CriterionRow, column: int) -> Cell:
        """The names of a cell, or of the one that a criterion is of."""
        return (row.prompt if isinstance(row, CriterionRow) else row).name, self.matrix.columns[column]

    def compared(self, row: PromptRow | CriterionRow, column: int) -> TwoRuns | None:
        """A cell, or the one that a criterion is of, with what is laid under it; None where that is not shown."""
        second = self.second if self.is_second_shown else None
        return None if second is None else second.cells.get(self.cell(row, column))

    def _each_compared(self, row: PromptRow | CriterionRow) -> tuple[TwoRuns | None, ...]:
        return tuple(self.compared(row, column) for column in range(len(self.labels)))

    def _second_total(self, column: int) -> MatrixCell:
        every = ((row.weight, self.compared(row, column)) for row in self.matrix.rows)
        return difference_cell(mean_of([(weight, each.difference) for weight, each in every if each is not None]))

    def notes(self, row: PromptRow | CriterionRow, column: int) -> tuple[str, ...]:
        """Sentences about a cell and what is laid under it: what cannot be told, and how many verdicts are missing."""
        runs = self.compared(row, column)
        if runs is None or self.second is None:
            return ()
        missing = missing_text(sum(map(len, runs.missing.values())), _ADVICE if unjudged_answers([runs]) else "")
        return tuple(filter(None, (self.second.note, verdicts_text(runs), missing)))

    # --- Lines

    @cached_property
    def lines(self) -> tuple[MatrixLine, ...]:
        """The rows as they are drawn."""
        return tuple(
            self._criterion_line(row) if isinstance(row, CriterionRow) else self._prompt_line(row) for row in self.rows
        )

    def _prompt_line(self, row: PromptRow) -> MatrixLine:
        if self.is_difference:
            cells = tuple(map(_difference_cell, self._differences(row)))
        else:
            cells = with_extremes(map(score_cell, row.answers), row)
        label = self.matrix.asked[row.number - 1] if self.matrix.asked else row.name
        return MatrixLine(row, label, cells, _whole(row.spread), _tenths(self.matrix.cost(row)))

    def _criterion_line(self, row: CriterionRow) -> MatrixLine:
        if self.is_difference:
            cells = tuple(_criterion_difference(each, row.name) for each in self._of_prompt)
        else:
            cells = with_extremes(map(criterion_cell, row.assessments, row.bounds), row)
        note = "" if row.standing is None else row.standing.value
        return MatrixLine(row, placed_label(row.placed), cells, _whole(row.spread), _tenths(row.costs), note)

    # --- The selected cell

    def detail(self, row: PromptRow | CriterionRow, column: int) -> tuple[str, ...]:
        """Sentences about the cell in this row and column, the heading of it first."""
        runs = self.compared(row, column)
        crossed = "" if runs is None else crossed_text(runs)
        if isinstance(row, CriterionRow):
            assessment = row.assessments[column]
            reflection = "" if assessment is None else assessment.detail or assessment.reflection or ""
            return (self._criterion_text(row, column, runs), " ".join(reflection.split()), crossed)
        parts = [f"{row.name} · {self.labels[column]}", _state_text(row.answers[column])]
        if row.weight != 1:
            parts.append(f"weight {row.weight:g}")
        if self.is_second_shown:
            moved = "" if runs is None else ": ".join(filter(None, (part_text(runs.difference), other_text(runs))))
            parts[1] = _UNCOMPARED if runs is None else f"{figures_text(runs)}, {moved}"
        elif self.is_difference:
            parts.append(self._part_text(row, column))
        return (" · ".join(filter(None, parts)), crossed, self.column_text(column), self.standing_text)

    def _criterion_text(self, row: CriterionRow, column: int, runs: TwoRuns | None) -> str:
        assessment = row.assessments[column]
        if self.is_second_shown:
            text = ("" if runs is None else _change_text(runs, row.name)) or _UNCOMPARED
        elif assessment is None:
            text = "no answer is assessed by it"
        elif assessment.extent is None:
            text = assessment.unjudged_text
        else:
            text = f"counts {bounds_text(assessment.extent, assessment.extent)}"
        note = "" if row.standing is None else f"{row.standing.value} it"
        place = "should not" if row.placed.inverted else "should"
        weight = "" if row.placed.point.multiplier == 1 else f"weight {row.placed.point.multiplier:g}"
        return " · ".join(filter(None, (f"{self.labels[column]} · {place}", weight, text, note)))

    def _part_text(self, row: PromptRow, column: int) -> str:
        """The part of a prompt in the difference of two columns."""
        compared = self.differences[column]
        if compared.total is None:
            return ""
        part = next((each.part for each in compared.prompts if each.row.name == row.name), None)
        if part is None:
            return f"left out of the difference: {_UNCOMPARED}"
        return f"{part_text(part)} of the difference of {part_text(compared.total)}"

    def column_text(self, column: int) -> str:
        """`a: mean 66.2 over 8 of 10 prompts; 1 failed, 1 withheld: 53–73 counting them; 2 cut answers lose 3.1`."""
        total = self.matrix.totals[column]
        if total.headline is None:
            parts = ["no score"]
        else:
            over = f"{total.scored} of {count(len(self.matrix.rows), 'prompt')}"
            parts = [f"{total.headline.said('mean', total.headline.by_itself)} over {over}"]
        without = ((total.failed, "failed"), (total.withheld, "withheld"))
        missing = ", ".join(f"{number} {word}" for number, word in without if number)
        if missing and total.bounded is not None:
            parts.append(f"{missing}: {bounds_text(total.bounded.low, total.bounded.high)} counting them")
        if total.cut:
            lost = bounds_text(total.cut_cost.low, total.cut_cost.high)
            parts.append(f"{count(total.cut, 'cut answer')} {'loses' if total.cut == 1 else 'lose'} {lost}")
        return f"{self.labels[column]}: {'; '.join(parts)}"

    @property
    def standing_text(self) -> str:
        """`all pass 12 criteria and all fail 3, of 80 that are judged for all`; "" for none, and for one column."""
        counts = self.all_judges.standings if len(self.labels) > 1 else None
        if not counts:
            return ""
        passed = count(counts[Standing.ALL_PASS], "criterion", "criteria")
        return (
            f"all pass {passed} and all fail {counts[Standing.ALL_FAIL]}, of {counts.total()} that are judged for all"
        )


def _state_text(answer: ScoredAnswer) -> str:
    if answer.headline is None:
        return "no criteria" if answer.state is AnswerState.SCORED else answer.state.value
    scored = answer.headline.said("scores", answer.headline.by_itself)
    return f"{scored}{', cut short' if answer.is_cut else ''}"


def _change_text(runs: TwoRuns, name: PointName) -> str:
    """`100.0 → 0.0, −33.3: reworded, weight 2, was 1`; "" for a criterion that is in neither rubric."""
    change, cell = runs.changes.get(name), _criterion_difference(runs, name)
    if change is None:
        return ""
    return ": ".join(filter(None, (f"{cell.was}, {cell.figure}", change_text(change) or cell.word)))
