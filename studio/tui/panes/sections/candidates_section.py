"""The candidates beside each other, with their scores on this prompt."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.sources import ControlKind, ControlSource
from studio.session.views.result_view import CandidateScore, ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import COLUMN_WIDTH, heading


def candidate_rows(view: ResultView) -> Iterator[ResultRow]:
    """One row for each candidate, in the chosen order; none for a single one. Enter shows its result."""
    if not view.beside:
        return
    scores = [" ".join(filter(None, (_figure(each), each.state, _cut(each)))) for each in view.beside]
    width = max(COLUMN_WIDTH, *(len(score) + 2 for score in scores))
    yield heading("candidates", "Variants", tail=(Cell("score".rjust(width), Ink.DIM),), text="v next")
    for each, score in zip(view.beside, scores, strict=True):
        details = () if each.headline is None else (Cell(str(each.headline)),)
        key = () if _is_test_answer(each) else (Cell(each.key, Ink.DIM),)
        yield ResultRow(
            key=f"candidate:{each.key}",
            text=each.label,
            lead=(Cell("▸ " if each.shown else "  ", Ink.STRONG),),
            tail=(Cell(score.rjust(width), Ink.DIM if each.headline is None else Ink.PLAIN),),
            ink=Ink.STRONG if each.shown else Ink.PLAIN,
            candidate=each.key,
            detail_source=(Cell(each.label, Ink.STRONG), *details, *key),
        )


def _is_test_answer(each: CandidateScore) -> bool:
    """Whether it is a test answer: its label says all that its key does."""
    return any(each.key.startswith(ControlSource(kind).key) for kind in ControlKind)


def _cut(each: CandidateScore) -> str:
    return "cut off" if each.headline is not None and each.headline.is_cut else ""


def _figure(each: CandidateScore) -> str:
    return "" if each.headline is None else each.headline.whole_figure
