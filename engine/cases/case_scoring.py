"""The score of a case's answer by the present rubric. Nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt
from engine.cases.case import Case
from engine.cases.case_verdicts import Recorded, recorded_verdicts
from engine.cases.rubric_points import criteria_of
from engine.conversation import conversation, subject_text
from engine.evaluation.events import Response, Scored
from engine.evaluation.point_assessment import Grades, assess
from engine.evaluation.verdicts import KnownVerdicts, StoredJudgements
from engine.judging.judge_prompt import Question, questions
from engine.judging.panel import Panel
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation_builder import explain

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner

_MODEL = "case"
"""The name under which scripts see the model of an answer whose model is not known."""


def response_of(case: Case, prompt: Prompt, header: Header) -> Response:
    """The answer of a case, in the conversation of its prompt."""
    thread = conversation(prompt, header).answered(case.turns)
    return Response(subject_text(thread), thread)


def questions_of(case: Case, prompt: Prompt, header: Header) -> dict[int, Question]:
    """What judges are asked about the answer of a case, by place in `Prompt.points()`."""
    return questions(prompt, response_of(case, prompt, header).thread, header.description)


def grades_of(case: Case, prompt: Prompt) -> Mapping[Criterion, Grade]:
    """The grades that count: of criteria whose wording is the same, the last one where several grade the same."""
    return {
        criterion: grade.grade
        for grade in case.grades
        for criterion in criteria_of(prompt)
        if criterion.text == grade.point.text and grade.point.block in (None, criterion.block)
    }


def known_verdicts(
    case: Case,
    prompt: Prompt,
    header: Header,
    panel: Panel,
    stored: StoredJudgements | None = None,
    recorded: Recorded | None = None,
) -> KnownVerdicts:
    """The verdicts on the answer of a case: `stored` ones, and those `recorded` in case files. Blocks."""
    response = response_of(case, prompt, header)
    asked = questions_of(case, prompt, header).values()
    found = recorded_verdicts(recorded or {}, asked, panel)
    return KnownVerdicts.on(prompt, header, response, panel, stored, found)


def scored_case(
    case: Case,
    prompt: Prompt,
    header: Header,
    javascript: TaskRunner,
    known: KnownVerdicts | None = None,
    grades: Grades | None = None,
) -> Scored:
    """The answer of a case by the rubric of its prompt. Blocks while checks run.

    Checks run, `grades` of people come first, by default those of the case. Checks by a service stay open.
    """
    response = response_of(case, prompt, header)
    assessments = assess(
        prompt,
        response.subject,
        javascript,
        thread=response.thread,
        model=case.model or _MODEL,
        grades=grades_of(case, prompt) if grades is None else grades,
    )
    if known is None:
        return Scored(response, assessments, explain(prompt, assessments))
    assessments = known.assessed(assessments)
    return Scored(response, assessments, known.told(explain(prompt, assessments)))
