"""Judges asked about answers that exist: what that costs, and what they say as it arrives."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from engine.asking.exchanges import CacheLookup, Job
from engine.asking.planned import PlannedRuns, Wanted
from engine.blueprint import Blueprint, Header, Prompt
from engine.evaluation.sources import WrittenSource
from engine.judging.judge_prompt import Question, questions
from engine.judging.judge_runner import JudgementLookup, JudgingEvent, judge_points
from engine.text.record import Record

if TYPE_CHECKING:
    from engine.blueprint.conversation import ThreadTurn
    from engine.judging.panel import Panel


class UnjudgedAnswer(Record):
    """An answer by one rubric, of which judges are asked about the points at `places` (in `Prompt.points()`).

    `subject` is its text, `thread` its conversation.
    """

    prompt: Prompt
    subject: str
    thread: tuple[ThreadTurn, ...]
    places: frozenset[int]

    @property
    def job(self) -> Job:
        """The job of judging it, for a plan."""
        settled = frozenset(range(len(self.prompt.points()))) - self.places
        return Job(self.prompt, WrittenSource(self.subject), thread=self.thread, settled=settled)

    def questions(self, header: Header) -> Mapping[int, Question]:
        """What judges are asked, by place. Holistic ones see all criteria, as in a full run."""
        every = questions(self.prompt, self.thread, header.description)
        return {place: every[place] for place in sorted(self.places) if place in every}


def wanted_verdicts(header: Header, answers: Sequence[UnjudgedAnswer], panel: Panel, cached: JudgementLookup) -> Wanted:
    """The verdicts of `panel` on `answers`, but for those that are `cached`."""
    blueprint = Blueprint(header, tuple(each.prompt for each in answers))
    jobs = [each.job for each in answers]
    return Wanted(blueprint, jobs, panel, CacheLookup(judgement=cached), calls_services=False)


async def judge_answers(
    answers: Sequence[UnjudgedAnswer], planned: PlannedRuns
) -> AsyncGenerator[tuple[UnjudgedAnswer, JudgingEvent]]:
    """Ask the judges about all answers at once: each event as it arrives, with the answer that it is about.

    `planned` is the approved plan of `wanted_verdicts` on them.
    """
    wanted = planned.wanted
    header, cached = wanted.blueprint.header, wanted.cached.judgement
    asked = [(answer, question) for answer in answers for question in answer.questions(header).values()]
    numbered = {number: question for number, (_, question) in enumerate(asked)}
    assert wanted.panel is not None
    judging = judge_points(numbered, wanted.panel, providers=planned.models, cached=cached, custom=header.models)
    async with aclosing(judging) as events:
        async for event in events:
            yield asked[event.index][0], event
