"""Sending the requests to judges: the text points of one answer × the judges of a panel, all at once (002, judges).

The same models draft points from an ideal answer, for the author to accept or reject (platform.md, A33). Where a prompt
has an ideal and no points, Weval has a model draft new points for each run, without showing them. Here the author sees
them and decides which go into the blueprint: no point that nobody has read affects a score.

The other modules of the package do no I/O.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import TypeAlias

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import StopReason
from engine.judging.judge_prompt import (
    MAX_TOKENS,
    MAX_TOKENS_AGAIN,
    PROMPTS,
    Question,
    block,
    context_of,
    first_request,
    next_request,
    unused_sign,
)
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import Approach, Panel, PanelJudge, Scale
from engine.judging.verdict import (
    MAX_REPLY_LENGTH,
    NOT_ASKED,
    NoVerdict,
    Part,
    Reading,
    Reason,
    Verdict,
    read_verdict,
    refuses,
    spans,
)
from engine.models.chat import (
    ChatRequest,
    Failure,
    Finished,
    Provider,
    ProviderError,
    Resent,
    Resolve,
    TextDelta,
    Turn,
    Usage,
    request_key,
)
from engine.models.provider_registry import answering_place
from engine.text.record import Record, replace
from engine.yaml.nodes import Data


@dataclass(slots=True)
class StreamedReply:
    """The text of a reply as far as it has arrived (untrusted), and its end: `OTHER` and no counts until it ends."""

    pieces: list[str] = field(default_factory=list[str])
    stop: StopReason = StopReason.OTHER
    usage: Usage = field(default_factory=Usage)
    model: str | None = None

    @property
    def text(self) -> str:
        """All that has arrived."""
        return "".join(self.pieces)

    async def receive(self, provider: Provider, request: ChatRequest, max_length: int) -> None:
        """Receive the reply to `request` until it ends or has more than `max_length` code points.

        Raises `ProviderError`; the pieces that had arrived remain.
        """
        length = 0
        async with aclosing(provider.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self.pieces.append(text)
                        length += len(text)
                        if length > max_length:
                            return
                    case Finished():
                        self.end(event)
                    case Resent():
                        pass

    def end(self, finished: Finished) -> None:
        """Record how the reply ended."""
        self.stop, self.usage, self.model = finished.stop_reason, finished.usage, finished.model


TRIES = 2
"""The upper bound of requests to a judge about one point: without a clear verdict, a second one is sent."""

JudgementLookup: TypeAlias = Callable[[str], Judgement | None]
"""The cached judgement, with a verdict, for this `request_key`, or None. It is called in threads and may block."""

_EMPTY_ADVICE = (
    f"Choose a judge that thinks less: its limit is {MAX_TOKENS} tokens, and {MAX_TOKENS_AGAIN:,} the second time."
)
_MAY_PASS = (Failure.SERVER, Failure.TIMED_OUT, Failure.UNREACHABLE, Failure.NONSENSE, Failure.EMPTY, Failure.WITHHELD)
"""Failures that the same request may not meet again. Where there are too many, providers have waited already."""


class JudgeAnswered(Record):
    """One judge is done with one point, with or without a verdict. `index` is the place in `Prompt.points()`."""

    index: int
    judgement: Judgement


class PointJudged(Record):
    """All judges are done with one point, the backup included where it was needed."""

    index: int
    consensus: Consensus


JudgingEvent: TypeAlias = JudgeAnswered | PointJudged


async def judge_points(
    questions: Mapping[int, Question],
    panel: Panel,
    *,
    providers: Resolve,
    cached: JudgementLookup | None = None,
    custom: Iterable[Data] = (),
) -> AsyncGenerator[JudgingEvent]:
    """Ask every judge of `panel` every question, and report the replies as they arrive.

    `questions` are those of `engine.judging.judge_prompt.questions`; `custom` are the blueprint's own models, as for
    `providers`. Each question has one `JudgeAnswered` for each judge, then one `PointJudged`. All requests start at
    once; the providers limit how many run at the same time, and the time limit of a request starts when it is sent.
    Provider errors are not raised: they become judgements without a verdict. Closing the stream or cancelling the task
    ends every running request and sends no more.
    """
    queue: asyncio.Queue[JudgingEvent | None] = asyncio.Queue()
    run = _JudgeRun(panel, judge_models(panel, providers, tuple(custom)), cached, queue)
    running = asyncio.create_task(run.judge_all(questions))
    running.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await running
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@dataclass(slots=True)
class _JudgeRun:
    """One run: what all its requests share."""

    panel: Panel
    models: JudgeModels
    cached: JudgementLookup | None
    queue: asyncio.Queue[JudgingEvent | None]

    async def judge_all(self, questions: Mapping[int, Question]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for index, question in questions.items():
                tasks.create_task(self._judge_point(index, question))

    async def _judge_point(self, index: int, question: Question) -> None:
        rounds = (self._judge_round(index, question, number) for number in range(self.panel.rounds))
        given = chain.from_iterable(await asyncio.gather(*rounds))
        self.queue.put_nowait(PointJudged(index, Consensus(tuple(given))))

    async def _judge_round(self, index: int, question: Question, number: int) -> list[Judgement]:
        """The judgements of one round, in the order of the panel."""
        panel = self.panel
        asking = (self._judge_and_report(index, question, judge, number) for judge in panel.judges)
        given = await asyncio.gather(*asking)
        if panel.backup is not None and panel.needs_backup(sum(each.verdict is not None for each in given)):
            given.append(await self._judge_and_report(index, question, panel.backup, number))
        return given

    async def _judge_and_report(self, index: int, question: Question, judge: PanelJudge, number: int) -> Judgement:
        judgement = await self._ask(question, judge)
        given = judgement.given if judgement.reused else datetime.now(UTC).isoformat(timespec="milliseconds")
        judgement = replace(judgement, round=number, stands_in=judge is self.panel.backup, given=given)
        self.queue.put_nowait(JudgeAnswered(index, judgement))
        return judgement

    async def _ask(self, question: Question, judge: PanelJudge) -> Judgement:
        """The judge's judgement: the cached one, or that of up to `TRIES` requests."""
        endpoint = self.models[judge.address]
        request = first_request(question, judge.approach, self.panel.scale, endpoint.name)
        key = "" if endpoint.place is None else request_key(endpoint.place, request)
        shown = context_of(judge.approach, question)
        found = await asyncio.to_thread(self.cached, key) if self.cached is not None and key else None
        if found is not None and found.verdict is not None:
            return replace(found, judge=judge, criterion=question.criterion, reused=True, key=key, shown=shown)
        if isinstance(endpoint.provider, NoVerdict):
            attempt = Attempt(request, "", endpoint.provider)
            return Judgement(judge, question.criterion, (attempt,), key=key, shown=shown)
        attempts: list[Attempt] = []
        while True:
            attempt, failure = await self._attempt(endpoint.provider, request)
            attempts.append(attempt)
            settled = isinstance(attempt.reading, Verdict) and not attempt.reading.in_passing
            if settled or failure not in (None, *_MAY_PASS) or len(attempts) == TRIES:
                recipient = endpoint.provider.recipient
                return Judgement(judge, question.criterion, tuple(attempts), recipient, key=key, shown=shown)
            request = next_request(request, attempt.reply, attempt.reading)

    async def _attempt(self, provider: Provider, request: ChatRequest) -> tuple[Attempt, Failure | None]:
        """One request with its outcome, and the kind of failure where it failed."""
        began = time.monotonic()
        reply = StreamedReply()
        failure = None
        try:
            await reply.receive(provider, request, MAX_REPLY_LENGTH)
            reading: Reading = read_verdict(reply.text, self.panel.scale, reply.stop)
        except ProviderError as error:
            failure = error.failure
            reading = _no_verdict(error)
            if error.finished is not None:
                reply.end(error.finished)
        spent = round((time.monotonic() - began) * 1000)
        return Attempt(request, reply.text, reading, reply.model, reply.usage, spent), failure


def with_pending(given: Sequence[Judgement], question: Question, panel: Panel) -> tuple[Judgement, ...]:
    """`given`, and a judgement without a verdict for each judge of `panel` that is still to be asked `question`."""
    judgements = list(given)
    for number in range(panel.rounds):
        in_round = [each for each in given if each.round == number]
        known = {(each.judge.address, each.judge.approach) for each in in_round}
        waiting = [judge for judge in panel.judges if (judge.address, judge.approach) not in known]
        verdicts = sum(each.verdict is not None for each in in_round)
        if not waiting and panel.backup is not None and panel.needs_backup(verdicts):
            waiting = [] if any(each.stands_in for each in in_round) else [panel.backup]
        for judge in waiting:
            request = first_request(question, judge.approach, panel.scale, judge.model.partition(":")[2])
            pending = Judgement(judge, question.criterion, (Attempt(request, "", NOT_ASKED),), round=number)
            shown = context_of(judge.approach, question)
            judgements.append(replace(pending, shown=shown, stands_in=judge is panel.backup))
    return tuple(judgements)


class JudgeModel(Record):
    """A judge's model: its name in requests, and its provider, or why it cannot be used.

    `place` identifies it in the keys of the cache; None where it is unknown: its judgements are not cached.
    """

    name: str
    provider: Provider | NoVerdict
    place: Data

    @classmethod
    def of(cls, judge: PanelJudge, providers: Resolve, custom: Iterable[Data]) -> JudgeModel:
        """The model of `judge` under the name that is sent."""
        place = place_of(judge, custom)
        try:
            provider, name = providers(*judge.address)
        except ProviderError as error:
            return cls(judge.model.partition(":")[2], _no_verdict(error), place)
        return cls(name, provider, place)

    def key(self, question: Question, approach: Approach, scale: Scale) -> str:
        """The `request_key` of the first request about a question, "" where it is not cached."""
        if self.place is None:
            return ""
        return request_key(self.place, first_request(question, approach, scale, self.name))


JudgeModels: TypeAlias = Mapping[tuple[str, str | None], JudgeModel]
"""The models of judges, by `PanelJudge.address`."""


def judge_models(panel: Panel, providers: Resolve, custom: Sequence[Data]) -> JudgeModels:
    """The models of all judges of a panel, the backup included."""
    return {judge.address: JudgeModel.of(judge, providers, custom) for judge in panel.every_judge}


def place_of(judge: PanelJudge, custom: Iterable[Data]) -> Data:
    """The `answering_place` of a judge's model, None where the model is unknown: its judgements are not cached."""
    try:
        return answering_place(*judge.address, custom)
    except ProviderError:
        return None


_REASONS = {
    Failure.TIMED_OUT: Reason.TIMED_OUT,
    Failure.EMPTY: Reason.EMPTY,
    Failure.WITHHELD: Reason.DECLINED,
    Failure.CAPPED: Reason.NOT_ASKED,
}


def _no_verdict(error: ProviderError) -> NoVerdict:
    reason = _REASONS.get(error.failure, Reason.FAILED)
    given = " ".join(filter(None, (error.title, error.detail)))
    advice = _EMPTY_ADVICE if reason is Reason.EMPTY else error.advice
    return NoVerdict(reason, f"gave no verdict ({given})", advice)


# --- Points drafted from an ideal


MAX_POINTS = 12
"""The upper bound of drafted points."""
MAX_POINT_LENGTH = 500
"""The upper bound of a point's length in code points; a longer text is not a single criterion."""
_DRAFT_TOKENS = 1500
_DRAFT_SECONDS = 60.0
_MAX_REPLY_LENGTH = 40_000


class Draft(Record):
    """What a model, at `base_url` if there is one, drafts points from: a prompt with an ideal, and the `system` prompt
    in force."""

    prompt: Prompt
    model: str
    system: str | None = None
    base_url: str | None = None


class DraftFailure(Record):
    """Why there are no points: `message` follows the model's name, `advice` says what to do."""

    message: str
    advice: str


_TEXTS = PROMPTS["draft"]
_TAGGED = re.compile(r"<\s*point\b[^<>]{0,80}>(.*?)(?:<\s*/\s*point\s*>|(?=<\s*point\b))", re.I | re.S)
_ITEM = re.compile(r"^[ \t]*(?:[-*•–]|\(?\d{1,2}[.)])[ \t]+(\S.*)$", re.M)
_EDGES = ' \t\r\n*_`"“”'


def draft_request(draft: Draft, name: str) -> ChatRequest:
    """The request to a model: the written conversation with the system prompt, and the ideal. Temperature 0.

    `name` is that of the model at its provider.
    """
    turns = [("system", draft.system)] if draft.system else []
    for message in draft.prompt.messages:
        turns.append((message.role.value, "(to be generated)" if message.content is None else message.content))
    ideal = draft.prompt.ideal or ""
    texts = [*(text for _, text in turns), ideal]
    sign = unused_sign(texts, texts)
    written = "\n".join(block("turn", sign, text, f' speaker="{role}"') for role, text in turns)
    parts = (block("conversation", sign, written), block("ideal", sign, ideal), _TEXTS["task"].format(most=MAX_POINTS))
    request_turns = (Turn(Role.SYSTEM, _TEXTS["system"].format(sign=sign)), Turn(Role.USER, "\n\n".join(parts)))
    return ChatRequest(name, request_turns, 0.0, _DRAFT_TOKENS, seconds=_DRAFT_SECONDS)


def next_draft_request(request: ChatRequest, reply: str) -> ChatRequest:
    """The second request, after a `reply` to `request` without points."""
    reminder = (Turn(Role.ASSISTANT, reply), Turn(Role.USER, _TEXTS["again"]))
    return replace(request, turns=(*request.turns, *reminder))


async def draft_points(draft: Draft, *, providers: Resolve) -> tuple[str, ...] | DraftFailure:
    """Ask the model for points by which answers to the prompt can be judged: untrusted text, best first, each on one
    line, up to `MAX_POINTS`, without duplicates.

    After a reply without points, a second request is sent. Provider errors are not raised: they are a `DraftFailure`.
    """
    try:
        provider, name = providers(draft.model, draft.base_url)
        request = draft_request(draft, name)
        found, reply = await _ask(provider, request)
        if isinstance(found, DraftFailure) and reply.strip():
            found, _ = await _ask(provider, next_draft_request(request, reply))
    except ProviderError as error:
        return DraftFailure(f"gave no criteria ({' '.join(filter(None, (error.title, error.detail)))})", error.advice)
    return found


async def _ask(provider: Provider, request: ChatRequest) -> tuple[tuple[str, ...] | DraftFailure, str]:
    reply = StreamedReply()
    await reply.receive(provider, request, _MAX_REPLY_LENGTH)
    return read_points(reply.text, reply.stop), reply.text


def read_points(reply: str, stop: StopReason = StopReason.STOP) -> tuple[str, ...] | DraftFailure:
    """The points in `reply`, read leniently: between tags, as a JSON list, or as the items of a list.

    A point that was cut off by the end of the reply is left out.
    """
    text = " ".join(span.text for span in spans(reply) if span.part is not Part.THOUGHT)
    for written, is_cut in (
        (_TAGGED.findall(text), False),
        (_of_json(text), False),
        (_ITEM.findall(text), stop is StopReason.LENGTH),
    ):
        found = tuple(_cleaned(written))
        if found := found[: len(found) - is_cut]:
            return found[:MAX_POINTS]
    if stop is StopReason.REFUSAL or refuses(text):
        return DraftFailure("declined to draft criteria", "Choose another judge for this text.")
    if stop is StopReason.LENGTH:
        return DraftFailure("was cut off before its first criterion", "Choose a judge that thinks less.")
    return DraftFailure("answered without criteria", "Ask again, or choose another judge.")


def _of_json(text: str) -> list[str]:
    start, end = text.find("["), text.rfind("]")
    try:
        data: Data = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, list):
        return []
    values = [next(iter(each.values()), None) if isinstance(each, dict) else each for each in data]
    return [value for value in values if isinstance(value, str)]


def _cleaned(found: Sequence[str]) -> Iterator[str]:
    """Each point on one line, without decoration or duplicates, and no longer than `MAX_POINT_LENGTH`."""
    seen: set[str] = set()
    for text in found:
        line = " ".join(text.strip(_EDGES).split())
        if line.startswith("$"):
            line = f"Says {line}"
        if line and len(line) <= MAX_POINT_LENGTH and line.casefold() not in seen:
            seen.add(line.casefold())
            yield line
