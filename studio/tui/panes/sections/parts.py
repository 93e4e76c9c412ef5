"""Parts of the rows of several sections: headings, the columns of costs and gains, score colours and sums."""

from __future__ import annotations

from engine.scoring.explanation import points_text
from studio.tui.panes.result_row import Cell, Ink, ResultRow

COLUMN_WIDTH = 6
"""Cells of each column at the right edge."""
COST = Cell("cost".rjust(COLUMN_WIDTH), Ink.DIM)
GAIN = Cell("gain".rjust(COLUMN_WIDTH), Ink.DIM)
_SEVERITY_WIDTH = 10
SEVERITY = Cell("severity".rjust(_SEVERITY_WIDTH), Ink.DIM)


def heading(
    key: str,
    title: str,
    tail: tuple[Cell, ...] = (),
    text: str = "",
    short_tail: tuple[Cell, ...] | None = None,
    wide_tail: tuple[Cell, ...] | None = None,
) -> ResultRow:
    """The heading of a section: its title, a text about it, and the names of columns."""
    lead = (Cell(f"{title}  " if text else title, Ink.STRONG),)
    return ResultRow(
        f"heading:{key}",
        text,
        lead=lead,
        tail=tail,
        short_tail=short_tail,
        wide_tail=wide_tail,
        ink=Ink.DIM,
        selectable=False,
    )


def severity_cell(severity: float | None) -> Cell:
    """What an answer can still score that fails a point alone (0–1), as a cell of its column."""
    return Cell(("" if severity is None else points_text(severity)).rjust(_SEVERITY_WIDTH), Ink.DIM)


def figure_cell(figure: float | None) -> Cell:
    """The cost or the gain of a point or a path (0–1) as a cell of its column; a dash while it is open."""
    text = points_text(figure)
    return Cell(text.rjust(COLUMN_WIDTH), Ink.DIM if text in ("0.0", "–") else Ink.PLAIN)


def score_ink(score: float | None) -> Ink:
    """The colour of a score of 0–1."""
    if score is None:
        return Ink.DIM
    return Ink.MET if score >= 1 else Ink.UNMET if score <= 0 else Ink.PARTLY


def as_sum(working: str, result: str) -> str:
    """A working with its result; a single figure is not written as a sum."""
    return f"{working} = {result}" if " " in working else f"its only point: {result}"
