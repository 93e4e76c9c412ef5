"""The section on judges: how many points each judged, the failures, and the agreement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.scoring.assessment import OtherJudge
from engine.scoring.explanation import Explanation, others_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading

if TYPE_CHECKING:
    from engine.judging.judgement import Agreement, JudgeRecord


def judge_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The verdicts before this edit and those that do not count, a row for each judge, and the agreement at the end."""
    has_judgements = any(view.judgements.values())
    if has_judgements or explanation.carried_over or explanation.others:
        yield heading("judges", "Judges")
    if explanation.carried_over:
        yield _carried_row(explanation.carried_over)
    if explanation.others:
        yield _others_row(explanation.others)
    if not has_judgements:  # published verdicts, whose judges are not known one by one
        return
    from engine.judging.judgement import judge_records  # imported here: it imports all of judging

    for record in judge_records(view.judgements[place] for place in sorted(view.judgements)):
        yield _judge_row(record)
    if not view.waiting:
        yield _agreement_row(view.agreement)


def _carried_row(count: int) -> ResultRow:
    text = "1 verdict is from before this edit" if count == 1 else f"{count} verdicts are from before this edit"
    return ResultRow(
        "carried-over",
        f"{text}: a asks again",
        lead=(Cell("  "),),
        ink=Ink.WARNING,
        detail_source=(
            Cell(text, Ink.STRONG),
            Cell("The judges saw other criteria, another description or another conversation than are there now."),
            Cell("a  asks the judges again about these, and about what is open"),
        ),
    )


def _others_row(others: tuple[OtherJudge, ...]) -> ResultRow:
    text = others_text(others, {"documented": "w", "weval-today": "w"})
    return ResultRow("others", text, lead=(Cell("  "),), ink=Ink.DIM, detail_source=(Cell(text),))


def _judge_row(record: JudgeRecord) -> ResultRow:
    from engine.judging.judgement import failure_text

    judge = record.judge
    failures = [Cell(failure_text(failure, count), Ink.WARNING) for failure, count in record.failures]
    all_judged = record.judged == record.points
    return ResultRow(
        f"judge:{judge.label}:{judge.approach}",
        record.summary,
        lead=(Cell("  "), Cell(f"{judge.id}  ", Ink.STRONG)),
        ink=Ink.DIM if all_judged else Ink.WARNING,
        detail_source=(
            Cell(f"{judge.id}: {record.summary}", Ink.STRONG),
            Cell(f"{judge.model}, {judge.approach}", Ink.DIM),
            *failures,
        ),
    )


def _agreement_row(agreement: Agreement | None) -> ResultRow:
    from engine.judging.judgement import agreement_advice, agreement_text

    text = agreement_text(agreement)
    detail = [Cell(f"agreement: {text}", Ink.STRONG)]
    if agreement is not None:
        detail += [
            Cell(agreement_advice(agreement.interpretation)),
            Cell("1 is perfect agreement, 0 what chance would give; below 0 they contradict each other.", Ink.DIM),
        ]
    detail.append(Cell("b  compares the judges with you: you grade answers without seeing the verdicts", Ink.DIM))
    return ResultRow(
        "agreement", text, lead=(Cell("  agreement  ", Ink.STRONG),), ink=Ink.DIM, detail_source=tuple(detail)
    )
