"""The view of a grid of scores: its columns, its rows in order, and the text about the selected cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from engine.evaluation.headline import Headline, points_headline
from engine.functions.function_text import count
from engine.scoring.explanation import Bounds, bounds_text, point_label, tenths
from engine.study.criterion_counts import placed_label
from engine.study.matrix import (
    NOTHING,
    ColumnDifference,
    CriterionRow,
    Matrix,
    PromptDifference,
    PromptRow,
    RowOrder,
    StandingCounts,
    column_difference,
    criteria_of,
    in_order,
    mean_of,
    of_models,
    row_difference,
    standing_counts,
)
from engine.study.scored_answer import AnswerState, ScoredAnswer, Side, judges_of
from engine.study.two_runs import Combination, TwoRuns, other_text, other_word, part_text, verdicts_text
from engine.text.record import Record, replace

_LONGEST_CRITERION = 400


class GridMode(StrEnum):
    """What the rows are: all prompts, or the criteria of one prompt."""

    PROMPTS = "prompts"
    CRITERIA = "criteria"


class GridLine(Record):
    """One row as it is drawn: its number in the file or the rubric, its label, its cells and its figures."""

    key: str
    number: int
    label: str
    cells: tuple[GridCell, ...]
    spread: str
    cost: str
    note: str = ""


class GridSource(Record, eq=False, dict=True):
    """A grid to look at: its title, and the names of its columns on the screen."""

    title: str
    grid: Matrix
    labels: tuple[str, ...]

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges with a verdict anywhere in the grid."""
        return judges_of([answer for row in self.grid.rows for answer in row.answers])

    @cached_property
    def standings(self) -> StandingCounts:
        """The criteria that all pass or all fail."""
        return standing_counts(self.grid)


class SecondRun(Record, eq=False):
    """A run that is laid under a grid: its name, and its answers by prompt and column."""

    label: str
    sides: Mapping[tuple[str, str], Side]


class GridOptions(Record):
    """How a grid is looked at.

    `prompt` is the name of the prompt whose criteria are shown. `less` is the column that is subtracted; with
    `less_mean`, the mean of the other models is. `judge` is the judge whose verdicts alone count, "" for all.
    """

    mode: GridMode = GridMode.PROMPTS
    order: RowOrder = RowOrder.SPREAD
    prompt: str = ""
    less: int | None = None
    less_mean: bool = False
    judge: str = ""

    @property
    def is_difference(self) -> bool:
        """Whether cells show differences."""
        return self.less is not None or self.less_mean


class GridView(Record, eq=False, dict=True):
    """A grid as it is drawn. Lines are made on access: a grid may have a thousand."""

    source: GridSource
    options: GridOptions
    second: SecondRun | None = None

    @cached_property
    def grid(self) -> Matrix:
        """The grid of the source, or under one judge."""
        judge = self.options.judge
        return self.source.grid.under(judge) if judge else self.source.grid

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.source.labels

    @cached_property
    def prompt(self) -> PromptRow | None:
        """The prompt whose criteria are shown."""
        if self.options.mode is GridMode.PROMPTS:
            return None
        named = (row for row in self.grid.rows if row.name == self.options.prompt)
        return next(named, next(iter(self.grid.rows), None))

    @cached_property
    def rows(self) -> Sequence[PromptRow | CriterionRow]:
        """The rows in order."""
        if self.prompt is not None:
            return in_order(criteria_of(self.prompt), self.options.order, lambda row: row.costs)
        return in_order(self.grid.rows, self.options.order, self.grid.cost)

    @cached_property
    def lines(self) -> dict[int, GridLine]:
        """The lines made so far, by index; see `line`."""
        return {}

    def line(self, index: int) -> GridLine:
        """The row at `index` as it is drawn."""
        line = self.lines.get(index)
        if line is None:
            row = self.rows[index]
            line = self._criterion_line(row) if isinstance(row, CriterionRow) else self._prompt_line(row)
            self.lines[index] = line
        return line

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
        orders = {RowOrder.SPREAD: "spread", RowOrder.COST: "cost", RowOrder.FILE: "place in the file"}
        parts = [f"sorted by {orders[self.options.order]}"]
        if self.options.less_mean:
            others = "others" if self._models == len(self.labels) else "other models"
            parts.insert(0, f"each less the mean of the {others}")
        elif self.options.less is not None:
            parts.insert(0, f"each less {self.labels[self.options.less]}")
        if self.is_second_shown and self.second is not None:
            parts.insert(0, f"each less {self.second.label}")
        if self.options.judge:
            parts.append(f"{self.options.judge} alone")
        if self._models < len(self.labels):
            parts.append(f"spread and cost of the {self._models} models")
        return " · ".join(parts)

    @property
    def _models(self) -> int:
        """How many columns are compared with each other."""
        row = next(iter(self.grid.rows), None)
        return len(self.labels) if row is None else len(of_models(self.labels, row.models))

    @cached_property
    def totals(self) -> tuple[GridCell, ...]:
        """The cells of the line above all rows: the mean of each column, or the score of the prompt."""
        if self.prompt is not None:
            if self.options.is_difference:
                return _difference_cells(self._of_prompt)
            return tuple(score_cell(answer, whole=False) for answer in self.prompt.answers)
        if self.is_second_shown:
            return tuple(self._second_total(column) for column in range(len(self.labels)))
        if self.options.is_difference:
            return tuple(difference_cell(each.total) for each in self.differences)
        return tuple(
            difference_cell(None) if each.headline is None else figure_cell(each.headline, whole=False)
            for each in self.grid.totals
        )

    @property
    def total_label(self) -> str:
        """What `totals` are."""
        if self.prompt is not None:
            return "difference" if self.options.is_difference else "score"
        is_difference = self.options.is_difference or self.is_second_shown
        return "difference of the means" if is_difference else "mean"

    @cached_property
    def differences(self) -> tuple[ColumnDifference, ...]:
        """Each column less what is subtracted, over all prompts."""
        return tuple(column_difference(self.grid, column, self._other) for column in range(len(self.labels)))

    @property
    def _other(self) -> int | None:
        return None if self.options.less_mean else self.options.less

    def _less(self, row: PromptRow) -> tuple[PromptDifference | None, ...]:
        """Each column less what is subtracted, on one prompt."""
        return tuple(row_difference(row, column, self._other) for column in range(len(self.labels)))

    @cached_property
    def _of_prompt(self) -> tuple[PromptDifference | None, ...]:
        return () if self.prompt is None else self._less(self.prompt)

    # --- The run laid under it

    @property
    def is_second_shown(self) -> bool:
        """Whether cells show the difference from a second run: of prompts, under all judges together."""
        plain = not self.options.is_difference and not self.options.judge
        return self.second is not None and self.prompt is None and plain

    def compared(self, row: PromptRow, column: int) -> TwoRuns | None:
        """A cell compared with the second run; None if one of the two has no score."""
        answer = row.answers[column]
        old = None if self.second is None else self.second.sides.get((row.name, self.grid.columns[column]))
        if old is None or answer.bounds is None:
            return None
        found = self._compared.get((row.name, column))
        if found is None and answer.side is not None:
            found = self._compared[row.name, column] = TwoRuns(old, answer.side)
        return found

    @cached_property
    def _compared(self) -> dict[tuple[str, int], TwoRuns]:
        return {}

    def _second_cell(self, row: PromptRow, column: int) -> GridCell:
        runs = self.compared(row, column)
        if runs is None:
            return difference_cell(None)
        cell = difference_cell(runs.difference)
        return GridCell(f"{cell.text} {other_word(runs)}".strip(), cell.ink, cell.heat)

    def _second_total(self, column: int) -> GridCell:
        every = ((row.weight, self.compared(row, column)) for row in self.grid.rows)
        return difference_cell(mean_of([(weight, runs.difference) for weight, runs in every if runs is not None]))

    def _second_text(self, row: PromptRow, column: int) -> str:
        """`50.0 → 66.7, +16.7: answer, rubric`."""
        runs = self.compared(row, column)
        if runs is None:
            return "one of the two runs has no score"
        old, new = (runs.scores[of].figure for of in (Combination.OLD, Combination.NEW))
        moved = ": ".join(filter(None, (part_text(runs.difference), other_text(runs))))
        return " · ".join(filter(None, (f"{old} → {new}, {moved}", verdicts_text(runs))))

    # --- Lines

    def _prompt_line(self, row: PromptRow) -> GridLine:
        if self.is_second_shown:
            cells = tuple(self._second_cell(row, column) for column in range(len(self.labels)))
        elif self.options.is_difference:
            cells = _difference_cells(self._less(row))
        else:
            cells = with_extremes(map(score_cell, row.answers), row)
        return GridLine(row.name, row.number, row.name, cells, whole_figure(row.spread), _tenths(self.grid.cost(row)))

    def _criterion_line(self, row: CriterionRow) -> GridLine:
        if self.options.is_difference:
            parts = (None if each is None else each.by_criterion.get(row.name, NOTHING) for each in self._of_prompt)
            cells = tuple(map(difference_cell, parts))
        else:
            found = (
                difference_cell(None)
                if each is None or bounds is None
                else GridCell("failed", CellInk.OPEN)
                if each.failed
                else figure_cell(points_headline([each], bounds, each.extent))
                for each, bounds in zip(row.assessments, row.bounds, strict=True)
            )
            cells = with_extremes(found, row)
        label = placed_label(row.placed, _LONGEST_CRITERION)
        note = "" if row.standing is None else row.standing.value
        return GridLine(f"{row.number}", row.number, label, cells, whole_figure(row.spread), _tenths(row.costs), note)

    # --- The selected cell

    def detail(self, index: int, column: int) -> tuple[str, ...]:
        """Sentences about the cell in this row and column, the heading of it first."""
        if not self.rows or not self.labels:
            return ()
        row, label = self.rows[index], self.labels[column]
        if isinstance(row, CriterionRow):
            return self._criterion_detail(row, column)
        answer = row.answers[column]
        parts = [f"{row.name} · {label}", _state_text(answer)]
        if row.weight != 1:
            parts.append(f"weight {row.weight:g}")
        if self.is_second_shown:
            parts[1] = self._second_text(row, column)
        elif self.options.is_difference:
            parts.append(self._part_text(row, column))
        return (" · ".join(filter(None, parts)), self.column_text(column), self.standing_text)

    def _criterion_detail(self, row: CriterionRow, column: int) -> tuple[str, ...]:
        assessment = row.assessments[column]
        label = point_label(row.placed.point, _LONGEST_CRITERION)
        if assessment is None:
            text = "no answer is assessed by it"
        elif assessment.extent is None:
            text = assessment.unjudged_text
        else:
            text = f"counts {bounds_text(assessment.extent, assessment.extent)}"
        note = "" if row.standing is None else f"{row.standing.value} it"
        place = "should not" if row.placed.inverted else "should"
        weight = "" if row.placed.point.multiplier == 1 else f"weight {row.placed.point.multiplier:g}"
        first = " · ".join(filter(None, (f"{self.labels[column]} · {place}", weight, text, note)))
        reflection = "" if assessment is None else assessment.detail or assessment.reflection or ""
        return (first, label, " ".join(reflection.split()))

    def _part_text(self, row: PromptRow, column: int) -> str:
        """The part of a prompt in the difference of two columns."""
        compared = self.differences[column]
        if compared.total is None:
            return ""
        part = next((each.part for each in compared.prompts if each.row.name == row.name), None)
        if part is None:
            return "left out of the difference: one of the two has no score"
        return f"{part_text(part)} of the difference of {part_text(compared.total)}"

    def column_text(self, column: int) -> str:
        """`a: mean 66.2 over 8 of 10 prompts; 1 failed, 1 withheld: 53–73 counting them; 2 cut answers lose 3.1`."""
        total = self.grid.totals[column]
        if total.headline is None:
            parts = ["no score"]
        else:
            over = f"{total.scored} of {count(len(self.grid.rows), 'prompt')}"
            parts = [f"{total.headline.said('mean', total.headline.by_itself)} over {over}"]
        without = ((total.failed, "failed"), (total.withheld, "withheld"))
        missing = ", ".join(f"{count} {word}" for count, word in without if count)
        if missing and total.bounded is not None:
            parts.append(f"{missing}: {bounds_text(total.bounded.low, total.bounded.high)} counting them")
        if total.cut:
            lost = bounds_text(total.cut_cost.low, total.cut_cost.high)
            parts.append(f"{count(total.cut, 'cut answer')} {'loses' if total.cut == 1 else 'lose'} {lost}")
        return f"{self.labels[column]}: {'; '.join(parts)}"

    @property
    def standing_text(self) -> str:
        """`all pass 12 criteria and all fail 3, of 80 that are judged for all`; "" for none, and for one column."""
        if len(self.labels) < 2 or not self.source.standings.known:
            return ""
        counts = self.source.standings
        passed = count(counts.passed, "criterion", "criteria")
        return f"all pass {passed} and all fail {counts.failed}, of {counts.known} that are judged for all"


def _state_text(answer: ScoredAnswer) -> str:
    if answer.headline is None:
        return "no criteria" if answer.state is AnswerState.SCORED else answer.state.value
    scored = answer.headline.said("scores", answer.headline.by_itself)
    return f"{scored}{', cut short' if answer.is_cut else ''}"


def _tenths(bounds: Bounds | None) -> str:
    return "–" if bounds is None else bounds_text(bounds.low, bounds.high)


class CellInk(StrEnum):
    """The meaning of a cell."""

    PLAIN = "plain"
    DIM = "dim"
    OPEN = "open"
    ERROR = "error"


class GridCell(Record):
    """One cell: its text, its ink, and its heat from −2 (nothing met, or far below) to 2; None without a figure.

    `is_best` and `is_worst` are of its row.
    """

    text: str
    ink: CellInk = CellInk.PLAIN
    heat: int | None = None
    is_best: bool = False
    is_worst: bool = False


def with_extremes(cells: Iterable[GridCell], row: PromptRow | CriterionRow) -> tuple[GridCell, ...]:
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


def score_cell(answer: ScoredAnswer, *, whole: bool = True) -> GridCell:
    """A score, 0–1, as a whole number or, without `whole`, to a tenth; what became of the answer where it has none."""
    state, headline = answer.state, answer.headline
    if headline is None:
        if state in (AnswerState.FAILED, AnswerState.WITHHELD):
            return GridCell(state.value, CellInk.ERROR)
        return GridCell("runs" if state is AnswerState.RUNNING else "–", CellInk.DIM)
    cell = figure_cell(headline, whole=whole)
    return GridCell(f"{cell.text}{answer.marks}", cell.ink, cell.heat)


def figure_cell(headline: Headline, *, whole: bool = True) -> GridCell:
    """A score, or its bounds; with heat where these are closed."""
    bounds = headline.bounds
    is_short = whole or not (headline.is_open or bounds.closed)  # a tenth has no room beside its bounds
    text = headline.whole_figure if is_short else bounds_text(bounds.low, bounds.high)
    text = headline.figure if headline.is_unjudged and not whole else text
    if not bounds.closed:
        return GridCell(text, CellInk.OPEN)
    return GridCell(text, heat=round(bounds.low * 4) - 2)


def difference_cell(part: Bounds | None) -> GridCell:
    """What one of two columns has more of, in points of 100; a dash where that is not known."""
    if part is None:
        return GridCell("–", CellInk.DIM)
    text, low = part_text(part), tenths(part.low)
    if low != tenths(part.high):
        return GridCell(text, CellInk.OPEN)
    size = min(abs(low) // 100 + 1, 2) if low else 0
    return GridCell(text, CellInk.PLAIN if low else CellInk.DIM, size if low >= 0 else -size)


def _difference_cells(differences: Iterable[PromptDifference | None]) -> tuple[GridCell, ...]:
    return tuple(difference_cell(None if each is None else each.total) for each in differences)


def whole_figure(bounds: Bounds | None) -> str:
    """Bounds of a score, 0–1, in whole points of 100; "" for None."""
    return "" if bounds is None else Headline(bounds, None, None).whole_figure
