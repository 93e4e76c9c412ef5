"""The cache of answers: the same request is not paid for twice.

Two requests are the same if they send the same turns with the same settings to the same place. The place is identified
by its address or, for a custom model of the blueprint, by a digest of all that its definition sends. Only whole answers
are cached, each before the next turn is requested, so that a run of several turns that ended early continues at the
first missing turn. Judgements have a cache of their own (`engine.judging.judgement_json`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, nullcontext
from typing import Protocol
from weakref import WeakValueDictionary

from engine.providers.chat import ChatEvent, ChatRequest, Finished, Provider, Resent, Resolve, StopReason, TextDelta
from engine.providers.provider_registry import answering_place
from engine.providers.request_key import request_key
from engine.record import Record, replace
from engine.yaml_nodes.nodes import Data

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

    def wrap(self, providers: Resolve, custom: Iterable[Data] = (), *, fresh: bool = False) -> Resolve:
        """`providers` behind this cache. `custom` are the blueprint's own models, as for `resolve`.

        With `fresh`, for `noCache` or a new answer, every request is sent; the answers are cached like any other.
        """
        definitions = tuple(custom)

        def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
            provider, name = providers(model, base_url)
            place = answering_place(model, base_url, definitions)
            return _CachingProvider(provider, place, self, fresh=fresh), name

        return resolve

    def lock(self, key: str) -> asyncio.Lock:
        """The lock of a request, held by the run that sends it."""
        return self._locks.setdefault(key, asyncio.Lock())

    async def find(self, key: str) -> CachedAnswer | None:
        """The answer cached under this key, None where there is none."""
        return await asyncio.to_thread(self._store.answer, key)

    async def save(self, key: str, answer: CachedAnswer) -> None:
        """Cache an answer that has just ended."""
        await asyncio.to_thread(self._store.save_answer, key, answer)


class _CachingProvider:
    """A provider that answers from the cache where it can."""

    def __init__(self, provider: Provider, place: Data, cache: AnswerCache, *, fresh: bool) -> None:
        self._provider = provider
        self._place = place
        self._cache = cache
        self._fresh = fresh

    @property
    def recipient(self) -> str:
        """Who receives the requests that the cache cannot answer."""
        return self._provider.recipient

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The cached answer in one piece, or the provider's as it arrives. Raises `ProviderError`."""
        key = answer_key(self._place, self.recipient, request)
        async with nullcontext() if self._fresh else self._cache.lock(key):
            cached = None if self._fresh else await self._cache.find(key)
            async with aclosing(self._requested(key, request) if cached is None else _replayed(cached)) as events:
                async for event in events:
                    yield event

    async def _requested(self, key: str, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        pieces: list[str] = []
        async with aclosing(self._provider.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                    case Finished(stop_reason):
                        text = "".join(pieces)
                        if text.strip() and stop_reason not in _NOT_CACHED:
                            await self._cache.save(key, CachedAnswer(text, event))
                    case Resent():
                        pass
                yield event


async def _replayed(cached: CachedAnswer) -> AsyncGenerator[ChatEvent, None]:
    yield TextDelta(cached.text)
    yield replace(cached.end, reused=True)


def answer_key(place: Data, recipient: str, request: ChatRequest) -> str:
    """The key of a request to a place, as `answering_place` gives it, whose texts `recipient` receives."""
    return request_key([place, recipient], request)
