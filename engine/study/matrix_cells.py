"""The cells of a matrix as they are shown: a figure, and a word that says the same or why."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from engine.evaluation.headline import Headline, points_headline
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds, bounds_text, tenths
from engine.study.matrix import CriterionRow, PromptRow
from engine.study.scored_answer import AnswerState, ScoredAnswer
from engine.study.two_runs import part_text
from engine.text.record import Record, replace

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


def difference_cell(part: Bounds | None) -> MatrixCell:
    """What one of two columns has more of, in points of 100; a dash where that is not known."""
    if part is None:
        return NO_FIGURE
    low = tenths(part.low)
    if low != tenths(part.high):
        return MatrixCell(part_text(part), ink=CellInk.OPEN)
    ink = CellInk.MET if low > 0 else CellInk.UNMET if low < 0 else CellInk.DIM
    return MatrixCell(part_text(part), ink=ink)


def whole_figure(bounds: Bounds | None) -> str:
    """Bounds of a score, 0–1, in whole points of 100; "" for None."""
    return "" if bounds is None else Headline(bounds, None, None).whole_figure
