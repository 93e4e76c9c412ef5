"""The arithmetic of a score, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation, Step, StepKind
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import COLUMN_WIDTH, as_sum, heading

_STEP_NAMES = {
    StepKind.REQUIRED_MEAN: "required points",
    StepKind.BEST_PATH: "best path",
    StepKind.COMBINED: "their mean",
}


def arithmetic_rows(_: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """Every step with its working and its result."""
    if not explanation.steps:
        return
    yield heading("arithmetic", "Arithmetic", text=_order(explanation))
    for number, step in enumerate(explanation.steps):
        is_stored = step.kind is StepKind.STORED
        detail = [Cell(step.label, Ink.STRONG), Cell(step.working if is_stored else as_sum(step.working, step.figure))]
        if is_stored:
            detail += [Cell(reason) for reason in explanation.weval.reasons]
        name = _name(step)
        yield ResultRow(
            key=f"step:{number}",
            text="two decimals" if is_stored else step.working,
            lead=(Cell(f"  {name:<17}", Ink.DIM if is_stored else Ink.PLAIN),),
            tail=(Cell(step.figure.rjust(COLUMN_WIDTH)),),
            ink=Ink.DIM,
            detail_source=tuple(detail),
        )


def _name(step: Step) -> str:
    return _STEP_NAMES.get(step.kind) or step.label


def _order(explanation: Explanation) -> str:
    return "over what is judged" if explanation.is_open else "in the order it is done"
