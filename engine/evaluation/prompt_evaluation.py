"""`evaluate`: one prompt × one answer source, from the first token of the answer to the explanation of its score.

`ideal_score` does so for a prompt's ideal: evidence on where to look, at the rubric or the answer.

Checks by a service, `$call` and `$factcheck`, are sent all at once, and each verdict is reported as it arrives.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Required, TypedDict, Unpack

from engine.blueprint import Blueprint, FunctionCall, Header, Prompt
from engine.blueprint.conversation import Stop, Variant, conversation
from engine.evaluation.answer_stream import generated_answer, given_answer
from engine.evaluation.events import (
    Assessed,
    Event,
    Failed,
    JudgingBegan,
    Responded,
    Response,
    Scored,
    answer_notes,
)
from engine.evaluation.headline import headline
from engine.evaluation.point_assessment import (
    Grades,
    assess,
    check_assessment,
    error_assessment,
    is_negated,
    service_check,
    subject_of,
)
from engine.evaluation.sources import AnswerSource, IdealSource, ModelSource, StoredSource, answering_model
from engine.functions.function_text import written
from engine.functions.point_function import Checked, Subject
from engine.models.addresses import PrivateAddressError, RequestCounter
from engine.models.chat import WHAT_HAD_ARRIVED, Failure, ProviderError, Resolve
from engine.models.definitions import ServiceCall, service_call
from engine.models.provider_registry import resolve
from engine.models.service_client import Answer, NoAnswerError, PreparedCall, ask, prepare, read_answer
from engine.scoring.assessment import Assessment, OnWeval, PlacedPoint
from engine.scoring.explanation import Explanation, IdealScore, PublishedScore
from engine.scoring.explanation_builder import explain
from engine.text.record import Record, replace
from engine.text.spans import in_quotes, visible

if TYPE_CHECKING:
    from engine.evaluation.verdicts import Judges, KnownVerdicts
    from engine.functions.v8 import JavaScript

FRESH_FOR = timedelta(days=1)
"""How long a service's answer stays cached (platform.md, D)."""


class ServiceAnswerStore(Protocol):
    """The cache of service answers. Its methods are called in threads and raise nothing, not even for disk errors."""

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The answer cached under `key` at `not_before` or later, None where there is none."""
        ...

    def save_service_answer(self, key: str, text: str) -> None:
        """Cache an answer under `key`."""
        ...


class Services(Record):
    """The services that the checks of an answer may use.

    `header` is the blueprint's, which declares services. `allowed` are the hosts that the author consented to, by
    `engine.models.service_client.Host.name`; checks by other hosts stay open. `private` are the allowed hosts that may
    be on this machine or in its network. `cache` finds replies of the last day, which need no request. Without
    `may_send` nothing is sent, and cached replies of any age count. `counter` counts each request and refuses those
    above a cap; their points stay open.
    """

    header: Header
    allowed: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    cache: ServiceAnswerStore | None = None
    may_send: bool = True
    counter: RequestCounter | None = None


class Scoring(TypedDict, total=False):
    """What an answer is scored with.

    `javascript` runs checks. `grades` are the author's, or a function from the subject text to them, called in a
    thread. With `judges`, the text points that the author has not graded are judged. `verdicts` returns those that an
    answer has already, of the panel of `judges`: they count until there are new ones. `services` are those that checks
    may ask; without them these points stay open. `ideal` is passed on to the explanation. `stop`, once set, ends the
    open requests to models, services and judges.
    """

    javascript: Required[JavaScript]
    grades: Grades | Callable[[str], Grades] | None
    ideal: IdealScore | None
    judges: Judges | None
    verdicts: Callable[[Response], KnownVerdicts] | None
    services: Services | None
    stop: asyncio.Event | None


async def evaluate(
    prompt: Prompt,
    blueprint: Blueprint,
    source: AnswerSource,
    *,
    providers: Resolve | None = None,
    variant: Variant | None = None,
    prefilled: Sequence[str] = (),
    prefilled_stops: Sequence[Stop | None] = (),
    **scoring: Unpack[Scoring],
) -> AsyncGenerator[Event]:
    """Evaluate `prompt` with the answer of `source`, as a stream of events.

    A run ends with one `Scored` or one `Failed`. Before that come the `Delta`s of a model's answer, one `Responded`,
    and one `Assessed` for each point that was checked, graded or judged, by its place in `prompt.points()`. Checks by a
    service are reported as its replies arrive. With `judges` there are also one `JudgingBegan`, and a `JudgeAnswered`
    for each verdict. An answer withheld by a filter is never scored: the run ends with `Failed`. Extents, scores and
    bounds are 0–1, unrounded (002, "The Algorithm").

    `providers` finds a model's provider (default: `engine.models` with the blueprint's own models), `variant` is one
    of `variants(blueprint.header)`. `prefilled` are the first generated turns, where they are known already: a model is
    asked only for the turns after them, and `prefilled_stops` is why each of them ended, as far as that is known. The
    other parameters are those of `Scoring`; `javascript` is needed.

    Nothing is raised for what an author wrote, or for a provider that fails. When `stop` ends a model's answer, the run
    ends with `Failed`, whose `partial` is what had arrived. Cancelling the task or closing the stream ends the run
    without a final event.
    """
    variant = variant or Variant()
    talk = conversation(prompt, blueprint.header, variant)
    response: Response | None = None
    if isinstance(source, ModelSource):
        found, stop = providers or partial(resolve, custom=blueprint.header.models), scoring.get("stop")
        answering = generated_answer(talk, source, found, stop or asyncio.Event(), prefilled, prefilled_stops)
        async with aclosing(answering):
            async for event in answering:
                if isinstance(event, Responded):
                    response = event.response
                yield event
    else:
        given = await asyncio.to_thread(given_answer(prompt, talk, source, variant, blueprint.prompts))
        response = None if isinstance(given, Failed) else given
        yield given if isinstance(given, Failed) else Responded(given)
    if response is None:
        return
    scorer = _AnswerScoring(prompt, blueprint.header, source, scoring)
    async with aclosing(scorer.events(response)) as events:
        async for event in events:
            yield event


async def rescore(
    prompt: Prompt, source: AnswerSource, response: Response, *, header: Header, **scoring: Unpack[Scoring]
) -> AsyncGenerator[Event]:
    """Score an existing answer by today's rubric: `Responded`, the `Assessed`s, and `Scored`.

    Only `judges` are sent anything: of `services` only cached replies on this answer are used. Verdicts that are
    carried over are judged again where there are `judges`. `source` is where the answer came from, `header` the
    blueprint's. It ends with `Failed` for an answer that a filter withheld.
    """
    yield Responded(response)
    scorer = _AnswerScoring(prompt, header, source, _without_sending(scoring))
    async with aclosing(scorer.events(response)) as events:
        async for event in events:
            yield event


def _without_sending(scoring: Scoring) -> Scoring:
    if (services := scoring.get("services")) is not None:
        scoring["services"] = replace(services, may_send=False)
    return scoring


class _AnswerScoring(Record):
    """All that scoring an answer of `source` by the rubric of `prompt` takes."""

    prompt: Prompt
    header: Header
    source: AnswerSource
    given: Scoring

    async def events(self, response: Response) -> AsyncGenerator[Event]:
        """The `Assessed`s, the judges' events, and `Scored`."""
        if response.withheld:
            assert response.stop is not None
            advice = f"{WHAT_HAD_ARRIVED} Run the prompt again, or choose another model."
            title = f"The answer was {response.stop.label}."
            yield Failed(title, advice=advice, partial=response, stop=response.stop)
            return
        assessments, published = await asyncio.to_thread(self._check, response)
        services = self.given.get("services") if any(map(service_check, assessments)) else None
        for index, assessment in enumerate(assessments):
            is_settled = assessment.assessed or assessment.error is not None
            if is_settled and not (services is not None and service_check(assessment)):
                yield Assessed(index, assessment)
        if services is not None:
            subject = subject_of(self.prompt, response.subject, response.thread, answering_model(self.source))
            async with aclosing(service_verdicts(assessments, subject, services, self.given.get("stop"))) as verdicts:
                async for index, assessment in verdicts:
                    # A published verdict stays where the service gives none now.
                    if assessment.assessed or not assessments[index].assessed:
                        assessments = (*assessments[:index], assessment, *assessments[index + 1 :])
                        yield Assessed(index, assessment)
        async with aclosing(self._score(response, assessments, published)) as scoring:
            async for event in scoring:
                yield event

    def _check(self, response: Response) -> tuple[tuple[Assessment, ...], PublishedScore | None]:
        """The assessments that need no request, and the published score where there is one. Blocks while checks run."""
        given, javascript = self.given.get("grades"), self.given["javascript"]
        grades = given(response.subject) if callable(given) else given
        model = answering_model(self.source)
        assessments = assess(
            self.prompt, response.subject, javascript, thread=response.thread, model=model, grades=grades
        )
        if not isinstance(self.source, StoredSource):
            return assessments, None
        from engine.evaluation.published import with_published_verdicts

        return with_published_verdicts(self.prompt, self.header, self.source, response, assessments)

    async def _score(
        self, response: Response, assessments: tuple[Assessment, ...], published: PublishedScore | None
    ) -> AsyncGenerator[Event]:
        """The final events: the score, with earlier and new verdicts of judges."""
        verdicts, judges = self.given.get("verdicts"), self.given.get("judges")
        if verdicts is None and judges is None:
            yield Scored(response, assessments, self._explained(published, response, None, assessments))
            return
        from engine.evaluation.verdicts import KnownVerdicts, judge_answer, open_points, points_to_judge
        from engine.judging.judgement import agreement_of, judged_today

        if verdicts is None and judges is not None:
            verdicts = partial(KnownVerdicts.on, self.prompt, self.header, panel=judges.panel)
        assert verdicts is not None
        known = await asyncio.to_thread(verdicts, response)
        explained = partial(self._explained, published, response, known)
        graded, assessments = assessments, known.assessed(assessments)
        scored = Scored(response, assessments, explained(assessments))
        if judges is None:
            if known.consensus:
                agreed = agreement_of(judged_today(known.consensus, known.asked))
                scored = replace(scored, verdicts=known.consensus, agreement=agreed, judged=True)
            yield scored
            return
        pending = open_points(graded) if judges.again else points_to_judge(assessments)
        yield JudgingBegan(scored, pending)
        judging = judge_answer(scored, known, judges, pending, explained, self.given.get("stop"))
        async with aclosing(judging):
            async for event in judging:
                yield event

    def _explained(
        self,
        published: PublishedScore | None,
        response: Response,
        known: KnownVerdicts | None,
        assessments: tuple[Assessment, ...],
    ) -> Explanation:
        explanation = replace(explain(self.prompt, assessments, self.given.get("ideal")), published=published)
        if known is not None:
            explanation = known.told(explanation)
        explanation = replace(explanation, notes=(*answer_notes(response, assessments), *explanation.notes))
        if isinstance(self.source, IdealSource) and explanation.bounds.high < 1:
            return replace(explanation, against_ideal="evidence: look at the rubric, as this is your ideal")
        return explanation


async def ideal_score(prompt: Prompt, blueprint: Blueprint, **scoring: Unpack[Scoring]) -> IdealScore | None:
    """The score of the ideal of `prompt`, by the author's grades and `verdicts`; None where there is no ideal.

    Nothing is requested: of `services` only cached replies are used.
    """
    if prompt.ideal is None:
        return None
    events = evaluate(prompt, blueprint, IdealSource(), **_without_sending(scoring))
    scored: Scored | None = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Scored):
                scored = event
    if scored is None or not scored.assessments:
        return None
    head = headline(scored.explanation, scored.response)
    return IdealScore(scored.explanation.bounds, head.judged or 0, head.figure, head.details)


class IdealScores:
    """The scores of ideals in runs that start together, each computed once for all answers to a prompt."""

    def __init__(self) -> None:
        self._found: dict[int, IdealScore | None] = {}
        self._locks = defaultdict[int, asyncio.Lock](asyncio.Lock)

    async def of(self, prompt: Prompt, score: Callable[[], Awaitable[IdealScore | None]]) -> IdealScore | None:
        """The score of the ideal of `prompt`, computed by `score` at the first call."""
        async with self._locks[prompt.index]:
            if prompt.index not in self._found:
                self._found[prompt.index] = await score()
            return self._found[prompt.index]


# --- Checks by a service


async def service_verdicts(
    assessments: Sequence[Assessment], subject: Subject, services: Services, stop: asyncio.Event | None = None
) -> AsyncGenerator[tuple[int, Assessment]]:
    """The verdicts of services on `subject`: the place in `assessments` and the new assessment of each of their points.

    Equal requests are sent once. `stop`, once set, ends the requests without an answer; their points stay open. Closing
    the stream ends every request.
    """
    calls = {index: call for index, each in enumerate(assessments) if (call := service_check(each)) is not None}
    service_calls = _ServiceCalls(subject, services)
    stop = stop or asyncio.Event()
    stopped = asyncio.ensure_future(stop.wait())
    tasks = {
        asyncio.ensure_future(service_calls.assessment(assessments[index].placed, call)): index
        for index, call in calls.items()
    }
    try:
        while tasks and not stop.is_set():
            await asyncio.wait((*tasks, stopped), return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in tasks if task.done()]:
                yield tasks.pop(task), task.result()
        for index in tasks.values():
            yield index, _open(assessments[index].placed, "stopped before the service answered")
    finally:
        ending: set[asyncio.Future[Any]] = {*tasks, *service_calls.sent.values(), stopped}
        for task in ending:
            task.cancel()
        await asyncio.wait(ending)


class _ServiceCalls:
    """The calls about one answer. `sent` are its requests by key."""

    def __init__(self, subject: Subject, services: Services) -> None:
        self._subject = subject
        self._services = services
        self.sent: dict[str, asyncio.Task[Answer]] = {}

    async def assessment(self, placed: PlacedPoint, point: FunctionCall) -> Assessment:
        """The assessment of one point by its call; open where nothing was sent."""
        try:
            call = service_call(point, self._services.header)
            prepared = prepare(call, self._subject)
            key = prepared.key
            may_reuse = call.service.cached or not self._services.may_send
            found = await self._cached_answer(key) if may_reuse else None
            if found is not None:
                return _assessment(placed, call, point, found, ", as it did before")
            if not self._services.may_send:
                return _open(placed, f"not called again: no reply of {prepared.host} on this answer is cached")
            if prepared.host not in self._services.allowed:
                return _open(placed, f"not called: this run may not send anything to {prepared.host}")
            return _assessment(placed, call, point, await self._answer(key, call, prepared))
        except ProviderError as error:
            if error.failure is Failure.CAPPED:
                return _open(placed, f"not called: {error.title[:1].lower()}{error.title[1:]}")
            return error_assessment(placed, _in_words(error))
        except PrivateAddressError as error:
            host = visible(error.host)
            return _open(placed, f"not called: {host} is on this machine or in its network, which must be allowed")

    async def _answer(self, key: str, call: ServiceCall, prepared: PreparedCall) -> Answer:
        """The answer to a request. Equal requests are sent once, unless the service is declared as not cached."""
        once = key if call.service.cached else f"{key} {len(self.sent)}"
        if once not in self.sent:
            self.sent[once] = asyncio.ensure_future(self._send(key, prepared))
        return await self.sent[once]

    async def _send(self, key: str, prepared: PreparedCall) -> Answer:
        services = self._services
        answer = await ask(prepared, private_too=prepared.host in services.private, counter=services.counter)
        if self._services.cache is not None:
            await asyncio.to_thread(self._services.cache.save_service_answer, key, answer.as_text())
        return answer

    async def _cached_answer(self, key: str) -> Answer | None:
        if self._services.cache is None:
            return None
        since = datetime.now(UTC) - FRESH_FOR if self._services.may_send else datetime.fromtimestamp(0, UTC)
        text = await asyncio.to_thread(self._services.cache.service_answer, key, since)
        try:
            return None if text is None else read_answer(text)
        except NoAnswerError:
            return None  # cached by another version: sent again


def _assessment(
    placed: PlacedPoint, call: ServiceCall, point: FunctionCall, answer: Answer, again: str = ""
) -> Assessment:
    is_negation = is_negated(point)
    inverted_note = ", which is inverted here" if is_negation else ""
    detail = f"{visible(call.service.name)} gives {written(answer.score)} of 1{again}{inverted_note}"
    extent = 1 - answer.score if is_negation else answer.score
    assessment = check_assessment(placed, point, Checked(extent, detail, reflection=answer.explanation))
    return assessment if call.works_on_weval else replace(assessment, on_weval=OnWeval.ERROR)


def _open(placed: PlacedPoint, why: str) -> Assessment:
    return Assessment(placed, error=why, detail=why)


def _in_words(error: ProviderError) -> str:
    """What happened, the server's message and what to do, on one line."""
    reply = f", saying {in_quotes(error.detail)}" if error.detail else ""
    return f"{error.title}{reply}. {error.advice}".strip()
