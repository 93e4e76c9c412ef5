"""Several candidates beside each other: how each did on this prompt."""

from __future__ import annotations

from collections.abc import Iterator

from studio.panes.result_view import Cell, Ink, ResultRow, ResultView
from studio.panes.sections.parts import COSTS_WIDTH, heading


def candidate_rows(view: ResultView) -> Iterator[ResultRow]:
    """One row for each, in the order chosen; none where there is only one. Enter shows its result."""
    if not view.beside:
        return
    yield heading("candidates", "Variants", tail=(Cell("score".rjust(COSTS_WIDTH), Ink.DIM),), said="v next")
    for each in view.beside:
        score = each.state if each.figure is None else f"{each.figure} {each.state}".rstrip()
        yield ResultRow(
            key=f"candidate:{each.key}",
            text=each.label,
            lead=(Cell("▸ " if each.shown else "  ", Ink.STRONG),),
            tail=(Cell(f"  {score.rjust(COSTS_WIDTH - 2)}", Ink.DIM if each.figure is None else Ink.PLAIN),),
            ink=Ink.STRONG if each.shown else Ink.PLAIN,
            candidate=each.key,
            told=(Cell(each.label, Ink.STRONG), Cell(each.key, Ink.DIM)),
        )
