"""Parts of the rows of several sections: headings, the column of costs, score colours and sums."""

from __future__ import annotations

from studio.tui.panes.result_row import Cell, Ink, ResultRow, hundred

COSTS_WIDTH = 7
"""Cells of the column at the right edge."""
COSTS = Cell("costs".rjust(COSTS_WIDTH), Ink.DIM)


def heading(key: str, title: str, tail: tuple[Cell, ...] = (), text: str = "") -> ResultRow:
    """The heading of a section: its title, a text about it, and the names of columns."""
    lead = (Cell(f"{title}  " if text else title, Ink.STRONG),)
    return ResultRow(f"heading:{key}", text, lead=lead, tail=tail, ink=Ink.DIM, selectable=False)


def costs_cell(costs: float) -> Cell:
    """The cost of a point or a path (0–1) as a cell of its column."""
    return Cell(hundred(costs).rjust(COSTS_WIDTH), Ink.DIM if costs < 0.0005 else Ink.PLAIN)


def score_ink(score: float | None) -> Ink:
    """The colour of a score of 0–1."""
    if score is None:
        return Ink.DIM
    return Ink.MET if score >= 1 else Ink.UNMET if score <= 0 else Ink.PARTLY


def as_sum(working: str, result: str) -> str:
    """A working with its result; a single figure is not written as a sum."""
    return f"{working} = {result}" if " " in working else f"its only point: {result}"
