"""Parts of the rows of several sections: headings, the columns of costs and gains, score colours and sums."""

from __future__ import annotations

from engine.scoring.waterfall import tenths_text
from studio.tui.panes.result_row import Cell, Ink, ResultRow, hundred

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


def cost_cell(tenths: int) -> Cell:
    """The cost of a point, in tenths of a point of the score, as a cell of its column."""
    return Cell(tenths_text(tenths).rjust(COLUMN_WIDTH), Ink.DIM if tenths == 0 else Ink.PLAIN)


def severity_cell(severity: float | None) -> Cell:
    """What an answer can still score that fails a point alone (0–1), as a cell of its column."""
    return Cell(("" if severity is None else hundred(severity)).rjust(_SEVERITY_WIDTH), Ink.DIM)


def gain_cell(gain: float) -> Cell:
    """The gain of a point or a path (0–1) as a cell of its column."""
    return Cell(hundred(gain).rjust(COLUMN_WIDTH), Ink.DIM if gain < 0.0005 else Ink.PLAIN)


def score_ink(score: float | None) -> Ink:
    """The colour of a score of 0–1."""
    if score is None:
        return Ink.DIM
    return Ink.MET if score >= 1 else Ink.UNMET if score <= 0 else Ink.PARTLY


def as_sum(working: str, result: str) -> str:
    """A working with its result; a single figure is not written as a sum."""
    return f"{working} = {result}" if " " in working else f"its only point: {result}"
