"""The local checks of a prompt, tried on its ideal without each sentence, all in one batch. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine import functions
from engine.blueprint import FunctionCall, Header, Prompt
from engine.closest_sentence.sentences import whole_sentences, without_sentence
from engine.conversation import conversation, subject_text
from engine.deletion_test.deletions import CheckTrial, Deletion, DeletionTest
from engine.evaluation.controls import control_answer
from engine.evaluation.point_assessment import check_assessment, subject_of
from engine.evaluation.sources import ControlKind, IdealSource
from engine.functions.point_function import Subject
from engine.scoring.assessment import Assessment, PlacedPoint
from engine.scoring.placement import place

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner

_PASSES = 0.5
_WHOLE, _ECHO, _EMPTY = 0, 1, 2
"""The places of the answers that are no deletions among those tried."""
_FIRST_DELETION = 3

_Check: TypeAlias = tuple[int, PlacedPoint, FunctionCall]


def deletions(ideal: str) -> tuple[Deletion, ...]:
    """Each sentence of `ideal` with the ideal without it, in order."""
    return tuple(Deletion(span, span.of(ideal), without_sentence(ideal, span)) for span in whole_sentences(ideal))


def deletion_test(prompt: Prompt, header: Header, javascript: TaskRunner) -> DeletionTest | None:
    """The deletion test of the local checks of `prompt`; None without an ideal. Blocks while the checks run.

    Checks by a service are never called, and criteria in words are not judged: both are listed as not tried.
    """
    ideal = prompt.ideal
    if ideal is None:
        return None
    made = deletions(ideal)
    placed = list(enumerate(place(prompt)))
    checks = [(at, one, call) for at, one in placed if (call := one.point.function) is not None]
    local = [check for check in checks if not _is_by_service(check[2])]
    controls = (control_answer(ControlKind.ECHO, prompt), control_answer(ControlKind.EMPTY, prompt))
    answers = (ideal, *controls, *(each.without for each in made))
    by_answer = _assessed(local, [_subject(prompt, header, answer) for answer in answers], javascript)
    return DeletionTest(
        ideal,
        made,
        tuple(_trial(check, [row[at] for row in by_answer]) for at, check in enumerate(local)),
        criteria=tuple(at for at, one in placed if one.point.function is None),
        services=tuple(at for at, _, call in checks if _is_by_service(call)),
    )


def _is_by_service(call: FunctionCall) -> bool:
    function = functions.find(call.name)
    return function is not None and function.by_service


def _subject(prompt: Prompt, header: Header, answer: str) -> Subject:
    thread = conversation(prompt, header).answered((answer,))
    return subject_of(prompt, subject_text(thread), thread, IdealSource().key)


def _assessed(checks: Sequence[_Check], subjects: Sequence[Subject], javascript: TaskRunner) -> list[list[Assessment]]:
    """The assessments of all `checks` on each subject."""
    if not checks:
        return [[] for _ in subjects]
    pairs = [(call, subject) for subject in subjects for _, _, call in checks]
    results = iter(functions.run_pairs(pairs, javascript))
    return [[check_assessment(one, call, next(results)) for _, one, call in checks] for _ in subjects]


def _trial(check: _Check, assessments: Sequence[Assessment]) -> CheckTrial:
    at, placed, _ = check
    whole = _extent(assessments[_WHOLE])
    if whole is None:
        return CheckTrial(at, placed, None, assessments[_WHOLE].error or assessments[_WHOLE].detail)
    left = [_extent(each) for each in assessments[_FIRST_DELETION:]]
    return CheckTrial(
        at,
        placed,
        whole,
        noticed=tuple(number for number, extent in enumerate(left) if extent is not None and extent < whole),
        raised=tuple(number for number, extent in enumerate(left) if extent is not None and extent > whole),
        untried=tuple(number for number, extent in enumerate(left) if extent is None),
        passes_echo=_passes(assessments[_ECHO]),
        passes_empty=_passes(assessments[_EMPTY]),
    )


def _extent(assessment: Assessment) -> float | None:
    return assessment.extent if assessment.error is None else None


def _passes(assessment: Assessment) -> bool | None:
    extent = _extent(assessment)
    return None if extent is None else extent >= _PASSES
