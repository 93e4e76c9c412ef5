"""A matrix as it is shown: its rows in order, a second result laid under it, and the text about the selected cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from engine.asking.planner import UnjudgedAnswer
from engine.scoring.explanation import Bounds, bounds_text
from engine.study.criterion_counts import placed_label
from engine.study.matrix import (
    NOTHING,
    ColumnDifference,
    CriterionRow,
    Matrix,
    MatrixSource,
    PromptDifference,
    PromptRow,
    RowOrder,
    column_difference,
    criteria_of,
    in_order,
    mean_of,
    of_models,
    row_difference,
)
from engine.study.matrix_cells import (
    NO_FIGURE,
    MatrixCell,
    criterion_cell,
    difference_cell,
    figure_cell,
    score_cell,
    whole_figure,
    with_extremes,
)
from engine.study.scored_answer import AnswerState, PointName, ScoredAnswer, point_names
from engine.study.two_runs import (
    LINES,
    Combination,
    ComparedRun,
    CriterionChange,
    TwoRuns,
    WordEdit,
    cause_word,
    change_text,
    criterion_changes,
    extent_of,
    missing_text,
    other_text,
    other_word,
    part_text,
    unjudged_answers,
    verdicts_text,
    word_difference,
)
from engine.text.record import Record, replace
from engine.text.spans import count

Cell: TypeAlias = tuple[str, str]
"""The name of a prompt, and the key of a column."""
_ADVICE = " J asks judges."

_UNCOMPARED = "one of the two has no score"


class MatrixMode(StrEnum):
    """What the rows are: all prompts, or the criteria of one prompt."""

    PROMPTS = "prompts"
    CRITERIA = "criteria"


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
    """How a grid is looked at.

    `prompt` is the name of the prompt whose criteria are shown. `less` is the column that is subtracted; with
    `less_mean`, the mean of the other models is. `judge` is the judge whose verdicts alone count, "" for all.
    """

    mode: MatrixMode = MatrixMode.PROMPTS
    order: RowOrder = RowOrder.SPREAD
    prompt: str = ""
    less: int | None = None
    less_mean: bool = False
    judge: str = ""

    @property
    def is_difference(self) -> bool:
        """Whether cells show differences."""
        return self.less is not None or self.less_mean


class ComparedCell(Record, eq=False, dict=True):
    """A cell with what is laid under it: the old and the new run, and the two compared."""

    old: ComparedRun
    new: ComparedRun
    runs: TwoRuns

    @property
    def unjudged(self) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
        """What judges could be asked, with the run whose rubric it is by."""
        both = zip((self.old, self.new), unjudged_answers([(self.runs, self.old, self.new)]), strict=True)
        return [(run, answers) for run, answers in both if answers]

    @property
    def figures(self) -> str:
        """The scores: `50.0 → 66.7`."""
        return " → ".join(self.runs.scores[of].figure for of in (Combination.OLD, Combination.NEW))

    @property
    def cell(self) -> MatrixCell:
        """The difference of the scores, and what is another one."""
        return replace(difference_cell(self.runs.difference), word=other_word(self.runs), was=self.figures)

    @property
    def text(self) -> str:
        """`50.0 → 66.7, +16.7: answer, rubric`."""
        moved = ": ".join(filter(None, (part_text(self.runs.difference), other_text(self.runs))))
        return f"{self.figures}, {moved}"

    @property
    def crossed(self) -> str:
        """What each answer scores on the other rubric; "" where answer or rubric is the same."""
        scores, mixed = self.runs.scores, (Combination.OLD_ON_NEW, Combination.NEW_ON_OLD)
        is_both = not (self.runs.same_answer or self.runs.same_rubric)
        return " · ".join(f"{LINES[of]} {scores[of].figure}" for of in mixed) if is_both else ""

    def notes(self, about_old: str) -> tuple[str, ...]:
        """What cannot be told, and how many verdicts are missing."""
        missing = missing_text(sum(map(len, self.runs.missing.values())), _ADVICE if self.unjudged else "")
        return tuple(filter(None, (about_old, verdicts_text(self.runs), missing)))

    @cached_property
    def edits(self) -> tuple[WordEdit, ...]:
        """The difference of the answers by words."""
        return word_difference(self.runs.old.answer[-1], self.runs.new.answer[-1])

    # --- The criteria

    @cached_property
    def changes(self) -> Mapping[PointName, CriterionChange]:
        """The changes of the criteria by their names in the new rubric; of those that are gone, by other names."""
        old, new = (self.runs.assessments[of] for of in (Combination.OLD, Combination.NEW))
        changes = criterion_changes(old, new)
        gone = point_names(each.old.placed for each in changes if each.old is not None and each.new is None)
        names = (*point_names(each.placed for each in new), *(("gone", *name) for name in gone))
        return dict(zip(names, changes, strict=True))

    def criterion(self, name: PointName) -> MatrixCell:
        """The part of a criterion in the difference, and what made it count otherwise."""
        change = self.changes.get(name)
        if change is None:
            return NO_FIGURE
        was = f"{extent_of(change.old)} → {extent_of(change.new)}"
        return replace(difference_cell(change.part), word=cause_word(change, self.runs), was=was)

    def criterion_text(self, name: PointName) -> str:
        """`100.0 → 0.0, −33.3: reworded, weight 2, was 1`."""
        cell, change = self.criterion(name), self.changes.get(name)
        why = (change_text(change) if change is not None else "") or cell.word
        return ": ".join(filter(None, (f"{cell.was}, {cell.figure}", why))) if change is not None else ""


class SecondRun(Record, eq=False):
    """A second result: its name, what it is laid under, and the cells that both have. `note` is what to know of it."""

    label: str
    source: MatrixSource
    cells: Mapping[Cell, ComparedCell]
    note: str = ""


class MatrixView(Record, eq=False, dict=True):
    """A matrix as it is drawn."""

    source: MatrixSource
    options: MatrixOptions
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
        if self.options.mode is MatrixMode.PROMPTS:
            return None
        named = (row for row in self.grid.rows if row.name == self.options.prompt)
        return next(named, next(iter(self.grid.rows), None))

    @cached_property
    def rows(self) -> Sequence[PromptRow | CriterionRow]:
        """The rows in order; above a second result, those that moved most first in the place of the greatest spread."""
        order = self.options.order
        if self.prompt is None:
            return self._by_move(self.grid.rows) or in_order(self.grid.rows, order, self.grid.cost)
        found = criteria_of(self.prompt)
        criteria = (*found, *self._gone(self.prompt, len(found) + 1))
        return self._by_move(criteria) or in_order(criteria, order, lambda row: row.costs)

    def _by_move(self, rows: Sequence[PromptRow | CriterionRow]) -> Sequence[PromptRow | CriterionRow]:
        is_sorted = self.is_second_shown and self.options.order is RowOrder.SPREAD
        return sorted(rows, key=self._moved, reverse=True) if is_sorted else ()

    @cached_property
    def lines(self) -> tuple[MatrixLine, ...]:
        """The rows as they are drawn."""
        return tuple(
            self._criterion_line(row) if isinstance(row, CriterionRow) else self._prompt_line(row) for row in self.rows
        )

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
    def totals(self) -> tuple[MatrixCell, ...]:
        """The cells of the line above all rows: the mean of each column, or the score of the prompt."""
        if self.prompt is not None:
            if self.is_second_shown:
                return _compared_cells(self._each_compared(self.prompt))
            if self.options.is_difference:
                return _difference_cells(self._of_prompt)
            return tuple(score_cell(answer, whole=False) for answer in self.prompt.answers)
        if self.is_second_shown:
            return tuple(map(self._second_total, range(len(self.labels))))
        if self.options.is_difference:
            return tuple(difference_cell(each.total) for each in self.differences)
        return tuple(
            NO_FIGURE if each.headline is None else figure_cell(each.headline, whole=False) for each in self.grid.totals
        )

    @property
    def total_label(self) -> str:
        """What `totals` are."""
        is_difference = self.options.is_difference or self.is_second_shown
        if self.prompt is not None:
            return "difference" if is_difference else "score"
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

    # --- The result laid under it

    @property
    def is_second_shown(self) -> bool:
        """Whether cells show the difference from a second result: under all judges together."""
        return self.second is not None and not self.options.is_difference and not self.options.judge

    def cell(self, row: PromptRow | CriterionRow, column: int) -> Cell:
        """The names of a cell, or of the one that a criterion is of."""
        prompt = row if self.prompt is None else self.prompt
        return str(prompt.name), self.grid.columns[column]

    def compared(self, row: PromptRow | CriterionRow, column: int) -> ComparedCell | None:
        """A cell, or the one that a criterion is of, with what is laid under it; None where that is not shown."""
        return (
            self.second.cells.get(self.cell(row, column)) if self.second is not None and self.is_second_shown else None
        )

    def _each_compared(self, row: PromptRow | CriterionRow) -> tuple[ComparedCell | None, ...]:
        return tuple(self.compared(row, column) for column in range(len(self.labels)))

    def _gone(self, prompt: PromptRow, first: int) -> Iterator[CriterionRow]:
        """Rows for the criteria that only the rubrics of the second result have, numbered from `first`."""
        changes = (each.changes.items() for each in self._each_compared(prompt) if each is not None)
        gone = {name: each.old for name, each in chain.from_iterable(changes) if each.new is None}
        for number, (name, old) in enumerate(gone.items(), first):
            if old is not None:
                yield CriterionRow(name, old.placed, number, (None,) * len(self.labels), None)

    def _moved(self, row: PromptRow | CriterionRow) -> float:
        """By how much a row moved at most."""
        every = [each for each in self._each_compared(row) if each is not None]
        if isinstance(row, CriterionRow):
            parts = [each.changes[row.name].part for each in every if row.name in each.changes]
        else:
            parts = [each.runs.difference for each in every]
        return max((max(abs(part.low), abs(part.high)) for part in parts), default=-1.0)

    def _second_total(self, column: int) -> MatrixCell:
        every = ((row.weight, self.compared(row, column)) for row in self.grid.rows)
        return difference_cell(mean_of([(weight, each.runs.difference) for weight, each in every if each is not None]))

    def notes(self, row: PromptRow | CriterionRow, column: int) -> tuple[str, ...]:
        """Sentences about a cell and what is laid under it."""
        compared = self.compared(row, column)
        return () if compared is None or self.second is None else compared.notes(self.second.note)

    # --- Lines

    def _prompt_line(self, row: PromptRow) -> MatrixLine:
        if self.is_second_shown:
            cells = _compared_cells(self._each_compared(row))
        elif self.options.is_difference:
            cells = _difference_cells(self._less(row))
        else:
            cells = with_extremes(map(score_cell, row.answers), row)
        label = self.source.asked[row.number - 1] if self.source.asked else row.name
        return MatrixLine(row, label, cells, whole_figure(row.spread), _tenths(self.grid.cost(row)))

    def _criterion_line(self, row: CriterionRow) -> MatrixLine:
        if self.is_second_shown:
            every = self._each_compared(row)
            cells = tuple(NO_FIGURE if each is None else each.criterion(row.name) for each in every)
        elif self.options.is_difference:
            parts = (None if each is None else each.by_criterion.get(row.name, NOTHING) for each in self._of_prompt)
            cells = tuple(map(difference_cell, parts))
        else:
            cells = with_extremes(map(criterion_cell, row.assessments, row.bounds), row)
        note = "" if row.standing is None else row.standing.value
        figures = whole_figure(row.spread), _tenths(row.costs)
        return MatrixLine(row, placed_label(row.placed), cells, *figures, note)

    # --- The selected cell

    def detail(self, row: PromptRow | CriterionRow, column: int) -> tuple[str, ...]:
        """Sentences about the cell in this row and column, the heading of it first."""
        if isinstance(row, CriterionRow):
            return self._criterion_detail(row, column)
        label = self.labels[column]
        answer, compared = row.answers[column], self.compared(row, column)
        parts = [f"{row.name} · {label}", _state_text(answer)]
        if row.weight != 1:
            parts.append(f"weight {row.weight:g}")
        if self.is_second_shown:
            parts[1] = _UNCOMPARED if compared is None else compared.text
        elif self.options.is_difference:
            parts.append(self._part_text(row, column))
        crossed = "" if compared is None else compared.crossed
        return (" · ".join(filter(None, parts)), crossed, self.column_text(column), self.standing_text)

    def _criterion_detail(self, row: CriterionRow, column: int) -> tuple[str, ...]:
        assessment, compared = row.assessments[column], self.compared(row, column)
        if self.is_second_shown:
            text = (compared and compared.criterion_text(row.name)) or _UNCOMPARED
        elif assessment is None:
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
        return (first, " ".join(reflection.split()), "" if compared is None else compared.crossed)

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


def _difference_cells(differences: Iterable[PromptDifference | None]) -> tuple[MatrixCell, ...]:
    return tuple(difference_cell(None if each is None else each.total) for each in differences)


def _compared_cells(compared: Iterable[ComparedCell | None]) -> tuple[MatrixCell, ...]:
    return tuple(NO_FIGURE if each is None else each.cell for each in compared)
