"""The verdicts that a case file records, and what is recorded.

A recorded verdict is of an answer, a criterion, all else that the judge saw, and the judge. So it counts alike in every
clone of the repository, and nothing has to be asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from engine.blueprint import Block
from engine.cases.case import Case, CaseVerdict, VerdictDigests
from engine.cases.case_places import read_case_text
from engine.cases.case_reader import cases_in
from engine.cases.prompt_names import DERIVED
from engine.digests import short_data_digest
from engine.evaluation.point_assessment import Grades
from engine.judging.consensus import Consensus
from engine.judging.judge_prompt import Question, context_of, first_request
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Panel, PanelJudge, Scale
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict
from engine.models.chat import ChatRequest
from engine.record import replace
from engine.scoring.assessment import Criterion
from engine.store.database import UNNAMED, PromptPlace
from engine.text import NOWHERE

Recorded: TypeAlias = Mapping[str, Sequence[CaseVerdict]]
"""The verdicts of a case file by the digest of their answer."""


def recorded_in(blueprint: Path) -> Recorded:
    """Every verdict in the case file of a blueprint; {} without one, or if it cannot be read. Blocks."""
    return _recorded_in(read_case_text(blueprint)[0])


def recorded_grades(place: PromptPlace, subject: str) -> Grades:
    """The grades that a case file gives the answer `subject` to the prompt at `place`. Blocks.

    Of two prompts without an id, what cases say of the same answer is the same.
    """
    cases = [
        case
        for case in cases_in(read_case_text(Path(place.blueprint))[0]).cases
        if case.grades and "\n\n".join(case.turns) == subject and _is_of(case, place.prompt)
    ]
    return {
        Criterion(block, grade.point.text): grade.grade
        for case in cases
        for grade in case.grades
        for block in Block
        if grade.point.block in (None, block)
    }


def _is_of(case: Case, prompt: str) -> bool:
    return case.prompt == prompt or (prompt.startswith(UNNAMED) and case.prompt.startswith(DERIVED))


@lru_cache(maxsize=4)
def _recorded_in(text: str) -> Recorded:
    file = cases_in(text)
    found: dict[str, list[CaseVerdict]] = {}
    for verdict in chain(*(case.verdicts for case in file.cases), *file.ideals.values()):
        found.setdefault(verdict.digests.answer, []).append(verdict)
    return found


def recorded_verdicts(recorded: Recorded, questions: Iterable[Question], panel: Panel) -> Iterator[Judgement]:
    """Those `recorded` on this answer, of the judges in `panel`; also those from before an edit."""
    for question in questions:
        for judge in panel.every_judge:
            digests = digests_of(question, judge, panel.scale)
            for verdict in recorded.get(digests.answer, ()):
                if (
                    replace(verdict.digests, context=digests.context) == digests
                    and verdict.criterion == question.criterion
                ):
                    yield _judgement(verdict, judge, question, panel.scale, is_today=verdict.digests == digests)


def verdicts_to_record(
    questions: Mapping[int, Question], points: Mapping[int, Consensus], scale: Scale
) -> tuple[CaseVerdict, ...]:
    """The verdicts of a run in the form of a case file. `questions` and `points` are by place in `Prompt.points()`."""
    return tuple(
        CaseVerdict(
            criterion=judgement.criterion,
            judge=judgement.judge.id,
            model=judgement.judge.model,
            approach=judgement.judge.approach.value,
            extent=None if judgement.verdict is None else judgement.verdict.extent,
            reflection="" if judgement.verdict is None else judgement.verdict.reflection,
            digests=digests_of(questions[index], judgement.judge, scale),
            span=NOWHERE,
            failed="" if judgement.failure is None else judgement.failure.message,
            reply=judgement.last.reply if judgement.failure or judgement.last.reading.on_weval else "",
            given=judgement.given,
        )
        for index, consensus in sorted(points.items())
        for judgement in consensus.judgements
        if judgement.failure is None or judgement.failure.reason is not Reason.NOT_ASKED
    )


def digests_of(question: Question, judge: PanelJudge, scale: Scale) -> VerdictDigests:
    """What a verdict of `judge` on `question` is about."""
    context = context_of(judge.approach, question)
    answer = [turn.content for turn in question.thread if turn.generated]
    return VerdictDigests(
        answer=short_data_digest(answer or [turn.content for turn in question.thread[-1:]]),
        criterion=short_data_digest(question.criterion),
        context=short_data_digest([context.transcript, context.criteria, context.description]),
        judge=short_data_digest([judge.model, judge.approach.value, scale.name]),
    )


def _judgement(
    verdict: CaseVerdict, judge: PanelJudge, question: Question, scale: Scale, *, is_today: bool
) -> Judgement:
    """The recorded verdict as a judgement; its request from before an edit was not recorded."""
    request = first_request(question, judge.approach, scale, judge.model.partition(":")[2])
    if not is_today:
        request = ChatRequest(request.model, ())
    attempt = Attempt(request, verdict.reply, _reading(verdict, scale))
    shown = context_of(judge.approach, question) if is_today else None
    return Judgement(judge, question.criterion, (attempt,), reused=True, shown=shown, given=verdict.given)


def _reading(verdict: CaseVerdict, scale: Scale) -> Reading:
    read = read_verdict(verdict.reply, scale) if verdict.reply else None
    if verdict.extent is None:
        is_same = isinstance(read, NoVerdict) and read.message == verdict.failed
        return read if read is not None and is_same else NoVerdict(Reason.FAILED, verdict.failed)
    step = next((each for each in scale.steps if each.extent == verdict.extent), None)
    return Verdict(verdict.extent, step, verdict.reflection, None if read is None else read.on_weval)
