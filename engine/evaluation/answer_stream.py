"""An answer source → the response, as it arrives, and the cache of answers: no request is paid for twice.

Two requests are the same if they send the same turns with the same settings to the same place. The place is identified
by its address or, for a custom model of the blueprint, by a digest of all that its definition sends. Only whole answers
are cached, each before the next turn is requested, so that a run of several turns that ended early continues at the
first missing turn. Judgements have a cache of their own (`engine.judging.judgement`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from engine.blueprint import Prompt
from engine.blueprint.conversation import Conversation, Stop, StopReason, ThreadTurn, Variant, subject_text
from engine.evaluation.events import Delta, Failed, Responded, Response
from engine.evaluation.sources import (
    REQUESTS,
    ControlSource,
    FixtureRequest,
    FixtureRequests,
    FixtureSource,
    IdealSource,
    ModelSource,
    StoredSource,
    WrittenSource,
    control_answer,
    key_of,
)
from engine.models.chat import (
    MORE_TOKENS,
    MOST_SECONDS,
    USUAL_MAX_TOKENS,
    ChatEvent,
    ChatRequest,
    Finished,
    Knob,
    Provider,
    ProviderError,
    Resolve,
    TextDelta,
    Turn,
    Usage,
    request_key,
)
from engine.models.provider_registry import answering_place
from engine.text.record import Record, replace
from engine.yaml.nodes import Data

_Event = TypeVar("_Event")


GivenSource: TypeAlias = IdealSource | WrittenSource | ControlSource | FixtureSource | StoredSource
"""The sources that ask no model."""


def given_answer(
    prompt: Prompt,
    conversation: Conversation,
    source: GivenSource,
    variant: Variant,
    prompts: Sequence[Prompt] = (),
    requests: FixtureRequests = REQUESTS,
) -> Callable[[], Response | Failed]:
    """What reads the answer of `source`, or says why there is none; reading may block.

    `prompts` are all prompts of the blueprint: they distinguish the saved answers to prompts that share an id. A
    request for a saved answer is added to `requests` at once, so that turns follow the order of these calls.
    """
    match source:
        case IdealSource():
            text, advice = prompt.ideal, "Write `ideal:`, or choose another source of answers."
            return partial(_given, conversation, text, "This prompt has no ideal answer.", advice)
        case WrittenSource(text):
            advice = "Type or paste one, or choose the test answer “empty”."
            return partial(_given, conversation, text if text.strip() else None, "There is no answer yet.", advice)
        case ControlSource(kind):
            return partial(_given, conversation, control_answer(kind, prompt))
        case FixtureSource():
            from engine.evaluation.fixtures import fixture_answer  # here, as it brings pydantic

            request = FixtureRequest(source.model, variant.suffix, key_of(prompt, prompts))
            earlier = requests.setdefault((source.path, prompt.id), [])
            read = partial(fixture_answer, prompt, conversation, source, request, tuple(earlier))
            earlier.append(request)
            return read
        case StoredSource():
            from engine.evaluation.published import stored_answer  # here, as only published answers need it

            return partial(stored_answer, prompt, conversation, source)


def _given(conversation: Conversation, text: str | None, title: str = "", advice: str = "") -> Response | Failed:
    return Failed(title, advice=advice) if text is None else Response(text, conversation.answered([text]))


@dataclass(slots=True)
class _PartialAnswer:
    """The answer of a model while it arrives."""

    model: str
    max_tokens: int = USUAL_MAX_TOKENS
    started: float = field(default_factory=time.monotonic)
    thread: list[ThreadTurn] = field(default_factory=list[ThreadTurn])
    pieces: list[str] = field(default_factory=list[str])
    finished: list[Finished] = field(default_factory=list[Finished])

    def response(self, *, complete: bool) -> Response:
        thread = tuple(self.thread)
        reused = complete and bool(self.finished) and all(each.reused for each in self.finished)
        ignored = {knob for each in self.finished for knob in each.ignored}
        is_usual = self.max_tokens == USUAL_MAX_TOKENS or Knob.MAX_TOKENS in ignored
        return Response(
            subject_text(thread) if any(turn.generated for turn in thread) else "",
            thread,
            self.model,
            None if reused else time.monotonic() - self.started,
            Usage(
                _sum(each.usage.input_tokens for each in self.finished),
                _sum(each.usage.output_tokens for each in self.finished),
            ),
            complete,
            reused,
            ignored=tuple(knob for knob in Knob if knob in ignored),
            token_limit=None if is_usual or not self.finished else self.max_tokens,
        )

    def finish(self, finished: Finished) -> None:
        self.finished.append(finished)
        self.model = finished.model or self.model
        self.thread[-1] = replace(self.thread[-1], stop=finished.stop)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of those that were counted; None without any."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


async def generated_answer(
    conversation: Conversation,
    source: ModelSource,
    providers: Resolve,
    stop: asyncio.Event,
    prefilled: Sequence[str],
    prefilled_stops: Sequence[Stop | None],
) -> AsyncGenerator[Delta | Responded | Failed]:
    """The answer of a model as it arrives, ended by one `Responded` or `Failed`.

    `prefilled` are the first generated turns, where they are known already: the model is asked only for the turns after
    them. `prefilled_stops` is why each of them ended, as far as that is known. The time and tokens of the response
    cover only what was requested now.
    """
    if conversation.answer is not None:
        thread = conversation.as_written()
        yield Responded(Response(subject_text(thread), thread))
        return
    growing = _PartialAnswer(source.model, source.max_tokens or USUAL_MAX_TOKENS)
    try:
        provider, model = providers(source.model, source.base_url)
        for number, (turns, message) in enumerate(conversation.up_to_each_answer()):
            growing.thread += turns
            if number < len(prefilled):
                ended = prefilled_stops[number] if number < len(prefilled_stops) else None
                turn = ThreadTurn(message.role, prefilled[number], generated=True, written=message, stop=ended)
                growing.thread.append(turn)
                continue
            turns = tuple(Turn(turn.role, turn.content) for turn in growing.thread)
            seconds = source.seconds or MOST_SECONDS
            request = ChatRequest(model, turns, conversation.temperature, growing.max_tokens, seconds=seconds)
            generated = ThreadTurn(message.role, "", generated=True, written=message)
            growing.thread.append(generated)
            growing.pieces.clear()
            if number > len(prefilled):
                yield Delta(number, "")
            async with aclosing(until(stop, provider.stream(request))) as arriving:
                async for events in arriving:
                    text = "".join([event.text for event in events if isinstance(event, TextDelta)])
                    if text:
                        growing.pieces.append(text)
                        growing.thread[-1] = replace(generated, content="".join(growing.pieces))
                        yield Delta(number, text)
                    if isinstance(events[-1], Finished):
                        growing.finish(events[-1])
            if stop.is_set():
                yield Failed("Stopped.", partial=growing.response(complete=False), stopped=True)
                return
            if not growing.thread[-1].content.strip():
                yield _empty_answer(growing, source)
                return
    except ProviderError as error:
        if error.finished is not None:
            growing.finish(error.finished)
        partial = growing.response(complete=False)
        ended = None if error.finished is None else error.finished.stop
        yield Failed(error.title, error.detail, error.advice, partial if partial.subject.strip() else None, stop=ended)
        return
    if not growing.thread:
        yield Failed("This prompt has no message for a model.", advice="Write `prompt:` or `messages:`.")
        return
    yield Responded(growing.response(complete=True))


def _empty_answer(growing: _PartialAnswer, source: ModelSource) -> Failed:
    partial = growing.response(complete=False)
    cut = f"It was {partial.cut} before it sent any text. " if partial.stop is not None else ""
    if partial.stop is not None and partial.stop.reason is StopReason.LENGTH:
        cut += f"{MORE_TOKENS} "
    return Failed(
        f"{source.model} answered nothing.",
        advice=f"{cut}An empty answer is not scored. Run it again, or choose another model.",
        partial=partial,
        stop=partial.stop,
    )


async def until(stop: asyncio.Event, stream: AsyncGenerator[_Event, None]) -> AsyncGenerator[list[_Event]]:
    """The events of `stream` until it ends or `stop` is set, in batches of all events that are there without waiting.

    A fast server sends many pieces at once, and handling each by itself costs more than everything else. Events that
    arrived before `stop` was set are yielded; the stream is closed in either case.
    """
    waiting: list[_Event] = []
    news = asyncio.Event()

    async def listen() -> None:
        async with aclosing(stream):
            async for event in stream:
                waiting.append(event)
                news.set()

    listening, stopping = asyncio.create_task(listen()), asyncio.create_task(stop.wait())
    for task in (listening, stopping):
        task.add_done_callback(lambda _: news.set())
    try:
        while True:
            await news.wait()
            news.clear()
            over = listening.done() or stopping.done()
            if waiting:
                batch, waiting[:] = waiting.copy(), []
                yield batch
            if over:
                break
        if not stopping.done():
            listening.result()
    finally:
        stopping.cancel()
        listening.cancel()
        await asyncio.gather(listening, stopping, return_exceptions=True)


_NOT_CACHED = (StopReason.WITHHELD, StopReason.INTERRUPTED)
"""Answers with these stop reasons are not cached: the same request may end otherwise next time."""


class CachedAnswer(Record):
    """One whole answer to one request, and how it ended."""

    text: str
    end: Finished


class AnswerStore(Protocol):
    """Where cached answers are stored. Both methods block, are called in threads, and never raise for disk errors."""

    def answer(self, key: str) -> CachedAnswer | None:
        """The answer saved under this key, None where there is none."""
        ...

    def save_answer(self, key: str, answer: CachedAnswer) -> None:
        """Save an answer, replacing an earlier one."""
        ...


class AnswerCache:
    """The cache of one process. Runs that make the same request at the same time wait for each other."""

    def __init__(self, store: AnswerStore) -> None:
        self._store = store
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """The locks of requests, each held by the run that sends it."""

    def wrap(self, providers: Resolve, custom: Iterable[Data] = (), *, fresh: bool = False) -> Resolve:
        """`providers` behind this cache. `custom` are the blueprint's own models, as for `resolve`.

        With `fresh`, for `noCache` or a new answer, every request is sent; the answers are cached like any other.
        """
        definitions = tuple(custom)

        def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
            provider, name = providers(model, base_url)
            place = answering_place(model, base_url, definitions)
            return _CachingProvider(provider, place, self._store, self._locks, fresh), name

        return resolve


@dataclass(frozen=True, slots=True)
class _CachingProvider:
    """A provider that answers from the cache where it can."""

    _provider: Provider
    _place: Data
    _store: AnswerStore
    _locks: WeakValueDictionary[str, asyncio.Lock]
    _fresh: bool

    @property
    def recipient(self) -> str:
        """Who receives the requests that the cache cannot answer."""
        return self._provider.recipient

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The cached answer in one piece, or the provider's as it arrives. Raises `ProviderError`."""
        key = answer_key(self._place, self.recipient, request)
        async with nullcontext() if self._fresh else self._locks.setdefault(key, asyncio.Lock()):
            cached = None if self._fresh else await asyncio.to_thread(self._store.answer, key)
            if cached is not None:
                yield TextDelta(cached.text)
                yield replace(cached.end, reused=True)
                return
            pieces: list[str] = []
            async with aclosing(self._provider.stream(request)) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        pieces.append(event.text)
                    elif isinstance(event, Finished):
                        text = "".join(pieces)
                        if text.strip() and event.stop_reason not in _NOT_CACHED:
                            await asyncio.to_thread(self._store.save_answer, key, CachedAnswer(text, event))
                    yield event


def answer_key(place: Data, recipient: str, request: ChatRequest) -> str:
    """The key of a request to a place, as `answering_place` gives it, whose texts `recipient` receives."""
    return request_key([place, recipient], request)
