"""One cell of a grid: a score, a difference of two, or what became of an answer."""

from __future__ import annotations

from enum import StrEnum

from engine.evaluation.headline import Headline
from engine.scoring.explanation import Bounds
from engine.scoring.explanation_text import bounds_text, tenths
from engine.study.scored_answer import AnswerState, ScoredAnswer
from engine.study.two_runs import part_text
from engine.text.record import Record


class CellInk(StrEnum):
    """The meaning of a cell."""

    PLAIN = "plain"
    DIM = "dim"
    OPEN = "open"
    ERROR = "error"


class GridCell(Record):
    """One cell: its text, its ink, and its heat from −2 (nothing met, or far below) to 2; None without a figure."""

    text: str
    ink: CellInk = CellInk.PLAIN
    heat: int | None = None


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


def whole_figure(bounds: Bounds | None) -> str:
    """Bounds of a score, 0–1, in whole points of 100; "" for None."""
    return "" if bounds is None else Headline(bounds, None, None).whole_figure
