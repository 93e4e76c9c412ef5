"""Checks by a service, `$call` and `$factcheck`: sent all at once, each verdict as it arrives.

Apart from `evaluate`, which loads it where a prompt has such a check: it brings httpx.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from engine.blueprint import FunctionCall, Header
from engine.evaluation.point_assessment import check_assessment, error_assessment, is_negated, service_check
from engine.functions.function_text import written
from engine.functions.point_function import Checked, Subject
from engine.models.addresses import PrivateAddressError, RequestCounter
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import ServiceCall, service_call
from engine.models.service_client import Answer, NoAnswerError, PreparedCall, ask, prepare, read_answer
from engine.scoring.assessment import Assessment, OnWeval, PlacedPoint
from engine.text.record import Record, replace
from engine.text.spans import in_quotes, visible

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
