"""The costs of points as a waterfall from 100 to the score."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation, points_text
from engine.scoring.what_if import Fall, waterfall
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.detail import point_text
from studio.tui.panes.sections.parts import COLUMN_WIDTH, heading

BAR_CELLS = 12
"""The width of a bar: 100 points of the score."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def waterfall_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """A row for each point that costs something: what is left of 100 below it, and its cost."""
    falls = waterfall(explanation)
    if not falls:
        return
    at_most = "" if explanation.settled.closed else "at most "
    columns = (Cell("cost".rjust(COLUMN_WIDTH + 1), Ink.DIM), Cell("left".rjust(COLUMN_WIDTH), Ink.DIM))
    text = "in the order it is done" if len(falls) > 1 else ""
    yield heading("waterfall", f"From 100 to {at_most}{points_text(explanation.settled.high)}", columns, text)
    places = {id(assessment): place for place, assessment in enumerate(view.assessments)}
    for fall in falls:
        assessment = fall.point.assessment
        cost, after = points_text(fall.cost), points_text(fall.after)
        yield ResultRow(
            key=f"fall:{places[id(assessment)]}",
            text=point_text(assessment),
            lead=(Cell("  "),),
            tail=(
                Cell(" "),
                *bar(fall),
                Cell(f"−{cost}".rjust(COLUMN_WIDTH + 1)),
                Cell(after.rjust(COLUMN_WIDTH), Ink.DIM),
            ),
            target=assessment.point.subject_span,
            detail_source=(
                Cell(point_text(assessment), Ink.STRONG),
                Cell(f"It takes {cost} from {points_text(fall.before)}, which leaves {after}."),
                Cell(
                    "Costs add up to 100 less the score. Gains need not: each is for one change alone.",
                    Ink.DIM,
                ),
            ),
        )


def bar(fall: Fall) -> tuple[Cell, ...]:
    """What is left after a cost, then the cost itself, in eighths of a cell; empty beyond it."""
    after, before = (round(each * BAR_CELLS * 8) for each in (fall.after, fall.before))
    before = max(before, 1)
    after = min(after, before - 1)  # the smallest cost is an eighth
    left, edge = divmod(after, 8)
    cells = [Cell("█" * left, Ink.LEFT)]
    whole, rest = divmod(before, 8)
    if edge and whole > left:
        cells.append(Cell(_EIGHTHS[edge], Ink.EDGE))
        left += 1
    cells.append(Cell("█" * (whole - left), Ink.COST))
    if rest and whole >= left:
        cells.append(Cell(_EIGHTHS[rest], Ink.COST))
    drawn = sum(len(cell.text) for cell in cells)
    return (*(cell for cell in cells if cell.text), Cell(" " * (BAR_CELLS - drawn)))
