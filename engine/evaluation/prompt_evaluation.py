"""`evaluate`: one prompt × one answer source, from the first word of the answer to the explanation of its score."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.conversation import Variant, conversation
from engine.evaluation.answer_notes import answer_notes
from engine.evaluation.answer_stream import Resolve, answer
from engine.evaluation.events import AllJudged, Assessed, Event, Failed, JudgingBegan, Responded, Response, Scored
from engine.evaluation.point_assessment import Grades, assess, by_service, subject_of
from engine.evaluation.sources import AnswerSource, IdealSource, StoredSource, answering_model
from engine.providers.chat import WHAT_HAD_ARRIVED, Provider, Stop
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, IdealScore, PublishedScore
from engine.scoring.explanation_builder import explain

if TYPE_CHECKING:
    from engine.evaluation.judge_assessment import EarlierVerdicts, Judges
    from engine.evaluation.service_assessment import Services
    from engine.javascript import JavaScript


async def evaluate(
    prompt: Prompt,
    blueprint: Blueprint,
    source: AnswerSource,
    *,
    javascript: JavaScript,
    providers: Resolve | None = None,
    grades: Grades | Callable[[str], Grades] | None = None,
    variant: Variant | None = None,
    stop: asyncio.Event | None = None,
    prefilled: Sequence[str] = (),
    prefilled_stops: Sequence[Stop | None] = (),
    ideal: IdealScore | None = None,
    judges: Judges | None = None,
    said: Callable[[Response], EarlierVerdicts] | None = None,
    services: Services | None = None,
) -> AsyncGenerator[Event]:
    """Evaluate `prompt` with the answer of `source`, as a stream of events.

    A run ends with one `Scored` or one `Failed`. Before it come the `Delta`s of a model's answer, one `Responded`, and
    one `Assessed` for each point that was checked or graded; of checks by a service they come as it answers, where
    `services` tell who may be asked, and such points stay open otherwise. Where `judges` are given, they are asked
    about the points in words that nobody graded: instead of `Scored` come one `JudgingBegan`, the events of
    `engine.evaluation.judge_assessment`, and one `AllJudged` as the end.

    `providers` finds a model's provider (`engine.providers.resolve` with the blueprint's own models, unless given).
    `grades` are the author's own, or a function from the text that is judged to them, which is called in a thread.
    `stop`, once set, ends a model's answer: the run ends with `Failed`, whose `partial` is what had arrived; of
    services and judges it ends what is still open. Cancelling the task or closing the stream ends the run
    without a last event. `ideal` goes to the explanation. `prefilled` are generated turns that are there already: a
    model is asked only for those after them, and `prefilled_stops` is why each of them ended, as far as that is known.
    An answer that a filter withheld is never scored: it is a `Failed`. `said` gives the earlier verdicts on this answer
    before: it holds, and nobody is asked about those criteria again.
    """
    talk = conversation(prompt, blueprint.header, variant)
    response: Response | None = None
    answering = answer(
        prompt,
        talk,
        source,
        providers=providers or _known_providers(blueprint),
        variant=variant or Variant(),
        stop=stop or asyncio.Event(),
        prefilled=prefilled,
        prefilled_stops=prefilled_stops,
        prompts=blueprint.prompts,
    )
    async with aclosing(answering):
        async for event in answering:
            if isinstance(event, Responded):
                response = event.response
            yield event
    if response is None:
        return
    rubric = _Rubric(
        prompt, blueprint.header, source, javascript, grades, ideal, judges, said, services, stop, anew=False
    )
    async with aclosing(rubric.hold(response)) as holding:
        async for event in holding:
            yield event


async def judge_again(
    prompt: Prompt,
    source: AnswerSource,
    response: Response,
    *,
    javascript: JavaScript,
    header: Header,
    grades: Grades | Callable[[str], Grades] | None = None,
    ideal: IdealScore | None = None,
    judges: Judges | None = None,
    said: Callable[[Response], EarlierVerdicts] | None = None,
    services: Services | None = None,
    stop: asyncio.Event | None = None,
) -> AsyncGenerator[Event]:
    """Hold an answer that is already there against the rubric of today: `Responded`, the `Assessed`s, `Scored`.

    Nothing is requested, unless `judges` are asked: of `services` only cached replies on this answer are used.
    `source` is where the answer came from, `header` the blueprint's; the rest is as in `evaluate`. Verdicts that are
    carried over are asked for anew where there are `judges`. It ends with `AllJudged` where anything is in it that
    judges said. An answer that a filter withheld is not scored: then it ends with `Failed`.
    """
    yield Responded(response)
    cached_services = None if services is None else replace(services, ask=False)
    rubric = _Rubric(prompt, header, source, javascript, grades, ideal, judges, said, cached_services, stop, anew=True)
    async with aclosing(rubric.hold(response)) as holding:
        async for event in holding:
            yield event


@dataclass(frozen=True, slots=True)
class _Rubric:
    """The rubric of `prompt` with all that it takes to hold an answer of `source` against it, as in `evaluate`.

    `anew`: judges are asked about verdicts that are carried over, too.
    """

    prompt: Prompt
    header: Header
    source: AnswerSource
    javascript: JavaScript
    grades: Grades | Callable[[str], Grades] | None
    ideal: IdealScore | None
    judges: Judges | None
    said: Callable[[Response], EarlierVerdicts] | None
    services: Services | None
    stop: asyncio.Event | None
    anew: bool

    async def hold(self, response: Response) -> AsyncGenerator[Event]:
        """An answer against the rubric: the `Assessed`s, then `Scored`, or what judges say and `AllJudged`."""
        if response.withheld:
            yield _not_scored(response)
            return
        assessments, published = await asyncio.to_thread(self._checked, response)
        asked = self.services is not None and any(map(by_service, assessments))
        for index, assessment in enumerate(assessments):
            if _has_verdict(assessment) and not (asked and by_service(assessment)):
                yield Assessed(index, assessment)
        if self.services is not None and asked:
            async with aclosing(self._served(response, assessments, self.services)) as serving:
                async for index, assessment in serving:
                    assessments = (*assessments[:index], assessment, *assessments[index + 1 :])
                    yield Assessed(index, assessment)
        async with aclosing(self._judged(response, assessments, published)) as judging:
            async for event in judging:
                yield event

    def _checked(self, response: Response) -> tuple[tuple[Assessment, ...], PublishedScore | None]:
        """What needs nobody's answer, and the published score where there is one. Blocks while functions run."""
        own = self.grades(response.subject) if callable(self.grades) else self.grades
        model = answering_model(self.source)
        found = assess(self.prompt, response.subject, self.javascript, thread=response.thread, model=model, grades=own)
        if not isinstance(self.source, StoredSource):
            return found, None
        from engine.evaluation.published_answer import standing  # here, as only published answers need it

        return standing(self.prompt, self.header, self.source, response, found)

    async def _served(
        self, response: Response, assessments: tuple[Assessment, ...], services: Services
    ) -> AsyncGenerator[tuple[int, Assessment]]:
        """What services say of their points, by place."""
        from engine.evaluation.service_assessment import (
            service_verdicts,  # here, as it brings httpx, which only such points need
        )

        subject = subject_of(self.prompt, response.subject, response.thread, answering_model(self.source))
        async with aclosing(service_verdicts(assessments, subject, services, self.stop)) as verdicts:
            async for index, assessment in verdicts:
                # What was published stands where the service says nothing now.
                if assessment.assessed or not assessments[index].assessed:
                    yield index, assessment

    async def _judged(
        self, response: Response, assessments: tuple[Assessment, ...], published: PublishedScore | None
    ) -> AsyncGenerator[Event]:
        """The last of it: the score, with earlier and new verdicts."""
        explained = partial(_explained, self.prompt, self.source, self.ideal, published, response)
        judges = self.judges
        if judges is None and self.said is None:
            yield Scored(response, assessments, explained(assessments))
            return
        from engine.evaluation.judge_assessment import (
            judged,
            open_points,
            points_to_judge,
            with_verdicts,
        )  # here, as only runs with judges need them
        from engine.judging.consensus import agreement_of
        from engine.judging.judge_prompt import questions

        asked = questions(self.prompt, response.thread, self.header.description)
        assessments, before = with_verdicts(assessments, {} if self.said is None else self.said(response), asked)
        scored = Scored(response, assessments, explained(assessments))
        if judges is None:
            yield AllJudged(scored, before, agreement_of(before.values())) if before else scored
            return
        waiting = points_to_judge(scored) if self.anew else open_points(scored)
        yield JudgingBegan(scored, waiting)
        judging = judged(
            self.prompt,
            judges.header,
            scored,
            judges.panel,
            providers=judges.providers,
            cached=judges.cached,
            explained=explained,
            stop=self.stop,
            before=before,
            waiting=waiting,
        )
        async with aclosing(judging):
            async for event in judging:
                yield event


def _not_scored(response: Response) -> Failed:
    assert response.stop is not None
    advice = f"{WHAT_HAD_ARRIVED} Run the prompt again, or choose another model."
    return Failed(f"The answer was {response.stop.label}.", advice=advice, partial=response, stop=response.stop)


def _explained(
    prompt: Prompt,
    source: AnswerSource,
    ideal: IdealScore | None,
    published: PublishedScore | None,
    response: Response,
    assessments: tuple[Assessment, ...],
) -> Explanation:
    explanation = replace(explain(prompt, assessments, ideal), published=published)
    explanation = replace(explanation, notes=(*answer_notes(response, assessments), *explanation.notes))
    if isinstance(source, IdealSource) and explanation.score is not None and explanation.score < 1:
        return replace(explanation, against_ideal="this is your ideal: fix the rubric")
    return explanation


def _has_verdict(assessment: Assessment) -> bool:
    return assessment.assessed or assessment.error is not None


def _known_providers(blueprint: Blueprint) -> Resolve:
    def known(model: str, base_url: str | None) -> tuple[Provider, str]:
        from engine.providers import resolve  # here, as it brings httpx, which only models need

        return resolve(model, base_url, blueprint.header.models)

    return known
