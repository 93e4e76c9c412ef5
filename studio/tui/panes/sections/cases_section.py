"""The cases of a prompt: whether its rubric agrees with its labelled answers."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation
from engine.study.case import CaseState
from studio.session.views.case_view import CaseLine, RubricLine, counts_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading

_MARKS = {
    CaseState.PASSED: ("●", Ink.MET),
    CaseState.FAILED: ("○", Ink.UNMET),
    CaseState.UNDECIDED: ("?", Ink.DIM),
    CaseState.LABELLED: ("–", Ink.DIM),
    CaseState.ORPHANED: ("!", Ink.WARNING),
}


def case_rows(view: ResultView, _: Explanation) -> Iterator[ResultRow]:
    """How many pass, what the cases say of the rubric, then one row for each case."""
    if view.cases is None or not view.cases.lines:
        return
    yield heading("cases", "Cases", text=counts_text(view.cases.lines))
    for number, line in enumerate(view.cases.rubric):
        yield _rubric_row(number, line)
    yield from map(_row, view.cases.lines)


def _rubric_row(number: int, line: RubricLine) -> ResultRow:
    return ResultRow(
        key=f"cases-rubric:{number}",
        text=line.text,
        lead=(Cell("  "),),
        ink=Ink.DIM,
        detail_source=(Cell(line.text, Ink.STRONG), *map(Cell, line.parts)),
    )


def _row(line: CaseLine) -> ResultRow:
    mark, ink = _MARKS[line.state]
    label = {True: "bad", False: "good", None: ""}[line.is_bad]
    name = f"case {line.number}"
    about = f"{label}, a test answer ({line.test})" if line.test else label
    return ResultRow(
        key=f"case:{line.number}",
        text=f"{line.why} · test answer: {line.test}" if line.test else line.why,
        lead=(Cell(f"{mark} ", ink), Cell(f"{name:<8}{label:<6}", Ink.DIM)),
        detail_source=(
            Cell(f"{', '.join(filter(None, (name, about)))}: {line.state.value}", Ink.STRONG),
            Cell(line.why),
            *((Cell(line.reason, Ink.DIM),) if line.reason else ()),
        ),
    )
