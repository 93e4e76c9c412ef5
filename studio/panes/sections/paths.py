"""The alternative paths, best or not, each with its points."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation, GroupScore, StepKind
from engine.scoring.wording import path_label
from studio.panes.result_view import Cell, Ink, ResultRow, ResultView, hundred
from studio.panes.sections.parts import COSTS, as_sum, costs_cell, heading, score_ink
from studio.panes.sections.points import PointRows


def path_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """Every path with its points; the best one counts."""
    if not explanation.paths:
        return
    said = "the best is half of this score" if explanation.required is not None else "the best is the score"
    yield heading("paths", "Paths", (COSTS,), said)
    points = PointRows(view, explanation)
    for number, path in enumerate(explanation.paths, 1):
        yield _path_row(number, path, explanation)
        yield from points.of(path, indent="   ")


def _path_row(number: int, path: GroupScore, explanation: Explanation) -> ResultRow:
    is_best = path.path_id == explanation.best_path_id
    score = "  –" if path.score is None else f"{path.score * 100:3.0f}"
    is_inverted = path.points[0].assessment.placed.inverted
    means = (step for step in explanation.steps if step.kind is StepKind.PATH_MEAN)
    working = next((step.working for step in means if step.label == path_label(number)), "")
    best = "the best path: it is the one that counts" if is_best else "not the best path: it does not count"
    detail = [Cell(path_label(number) + (" of should_not" if is_inverted else ""), Ink.STRONG)]
    if path.score is None:
        detail.append(Cell("nothing of it is judged yet, so it takes no part", Ink.DIM))
    else:
        detail += [Cell(as_sum(working, hundred(path.score))), Cell(best)]
    if path.costs > 0:
        detail.append(Cell(f"met in full, it would add {hundred(path.costs)}", Ink.DIM))
    return ResultRow(
        key=f"path:{path.path_id}",
        text=path_label(number) + (" to keep clear of" if is_inverted else "") + (", the best" if is_best else ""),
        lead=(Cell("▸ " if is_best else "  ", Ink.STRONG), Cell(f"{score}  ", score_ink(path.score))),
        tail=(costs_cell(path.costs),),
        ink=Ink.STRONG if is_best else Ink.DIM,
        target=path.span,
        told=tuple(detail),
    )
