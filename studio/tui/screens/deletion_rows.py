"""The rows of a deletion test: the sentences of the ideal, then the checks."""

from __future__ import annotations

from collections.abc import Iterator

from engine.deletion_test import CheckTrial, CriterionTrial, DeletionTest, SentenceState
from engine.deletion_test.deletion_text import check_text, criterion_text, numbers_text, sentence_text
from engine.functions.function_text import count
from engine.scoring.explanation_text import path_label, point_label
from engine.scoring.placement import place as placed_points
from studio.session.views.deletion_view import DeletionView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading

_MOST_SENTENCES = 4
"""How many of the sentences that a check notices are shown below the list."""
_MARKS = {
    SentenceState.NOTICED: Cell("● ", Ink.MET),
    SentenceState.UNASSESSED: Cell("○ ", Ink.WARNING),
    SentenceState.UNNOTICED: Cell("○ ", Ink.DIM),
}


def deletion_rows(view: DeletionView) -> tuple[ResultRow, ...]:
    """All rows of `view`."""
    return (*_sentence_rows(view), *_check_rows(view), *_criterion_rows(view))


def _sentence_rows(view: DeletionView) -> Iterator[ResultRow]:
    test = view.test
    if not test.deletions:
        return
    yield heading("sentences", "Sentences of the ideal", (Cell("noticed by", Ink.DIM),))
    digits = len(str(len(test.deletions)))
    for number, (deletion, place) in enumerate(zip(test.deletions, view.places, strict=True)):
        yield ResultRow(
            f"sentence:{number}",
            " ".join(deletion.text.split()),
            lead=(_MARKS[test.state(number)], Cell(f"{number + 1:>{digits}} ", Ink.DIM)),
            tail=(Cell(f"  {_noticed_by(test, number)}", Ink.DIM),),
            target=place,
            detail_source=(Cell(deletion.text, Ink.STRONG), Cell(_sentence(sentence_text(test, number)))),
        )


def _noticed_by(test: DeletionTest, number: int) -> str:
    match test.state(number):
        case SentenceState.NOTICED:
            return count(len(test.noticing(number)) + len(test.depending(number)), "point" if test.trials else "check")
        case SentenceState.UNASSESSED:
            return "unassessed"
        case SentenceState.UNNOTICED:
            return "no point" if test.trials else "no check"


def _check_rows(view: DeletionView) -> Iterator[ResultRow]:
    test = view.test
    if not test.checks:
        return
    if test.deletions:
        yield ResultRow("gap:checks", "", selectable=False)
    yield heading("checks", "Checks", (Cell("notices", Ink.DIM),))
    for check in test.checks:
        remark = _remark(test, check)
        yield ResultRow(
            f"check:{check.place}",
            f"{'not: ' if check.placed.inverted else ''}{point_label(check.placed.point, longest=200)}",
            lead=(Cell("  "),),
            tail=(
                *([Cell(f"  {remark}", Ink.WARNING)] if remark else []),
                Cell(f"  {_notices(check)}".rjust(14), Ink.DIM),
            ),
            target=check.placed.point.subject_span,
            detail_source=(
                Cell(f"{point_label(check.placed.point)}{_place_of(test, check)}", Ink.STRONG),
                Cell(_sentence(check_text(test, check))),
                *(
                    Cell(f"{number + 1} {' '.join(test.deletions[number].text.split())}", Ink.DIM)
                    for number in check.noticed[:_MOST_SENTENCES]
                ),
            ),
        )


def _criterion_rows(view: DeletionView) -> Iterator[ResultRow]:
    test = view.test
    if not test.criteria:
        return
    trials = {trial.place: trial for trial in test.trials}
    yield ResultRow("gap:criteria", "", selectable=False)
    yield heading("criteria", "Criteria", (Cell("depends on", Ink.DIM),))
    for place, placed in enumerate(placed_points(view.prompt)):
        if place not in test.criteria:
            continue
        trial = trials.get(place)
        label = point_label(placed.point)
        told = "Not tried: a asks judges, after it has shown the price." if trial is None else (
            _sentence(criterion_text(test, trial))
        )  # fmt: skip
        yield ResultRow(
            f"criterion:{place}",
            f"{'not: ' if placed.inverted else ''}{label}",
            lead=(Cell("  "),),
            tail=(Cell(f"  {_depends(test, trial)}", Ink.DIM),),
            target=placed.point.subject_span,
            detail_source=(Cell(label, Ink.STRONG), Cell(told)),
        )


def _depends(test: DeletionTest, trial: CriterionTrial | None) -> str:
    if trial is None or trial.problem:
        return "not tried"
    if trial.depends_on:
        return numbers_text(trial.depends_on, len(test.deletions))
    return "none" if trial.tried else "not decided"


def _remark(test: DeletionTest, check: CheckTrial) -> str:
    same = "redundant here" if test.same_as(check) else ""
    echo = "passes the prompt echoed back" if check.rewards_echo else ""
    return " · ".join(part for part in (same, echo) if part)


def _notices(check: CheckTrial) -> str:
    if not check.is_tried:
        return "not tried"
    return count(len(check.noticed), "sentence") if check.noticed else "none"


def _place_of(test: DeletionTest, check: CheckTrial) -> str:
    """` (should_not)`, ` (path 2)`, or nothing for a required point of `should`."""
    paths = list(dict.fromkeys(each.placed.path_id for each in test.checks if each.placed.path_id is not None))
    path = "" if check.placed.path_id is None else path_label(paths.index(check.placed.path_id) + 1)
    block = "should_not" if check.placed.inverted else ""
    found = ", ".join(part for part in (block, path) if part)
    return f" ({found})" if found else ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
