"""The services' part of an evaluation: `$call` and `$factcheck`, all at once, each verdict as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from engine.blueprint import FunctionCall, Header
from engine.evaluation.point_assessment import check_assessment, error_assessment, is_negated, service_check
from engine.functions.function_text import written
from engine.functions.point_function import Checked, Subject
from engine.providers.chat import Failure, ProviderError
from engine.scoring.assessment import Assessment, OnWeval, PlacedPoint
from engine.services.addresses import PrivateAddressError
from engine.services.calls import ServiceCall, service_call
from engine.services.service_answer import Answer, NoAnswerError, read_answer
from engine.services.service_client import Count, PreparedCall, ask, prepare
from engine.text import visible

FRESH_FOR = timedelta(days=1)
"""How long an answer of a service holds (platform.md, D)."""


class ServiceAnswerStore(Protocol):
    """What services answered before. Called in threads; trouble with keeping is its own business: it raises nothing."""

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The answer under `key` unless it came before that moment; None where there is none."""
        ...

    def save_service_answer(self, key: str, text: str) -> None:
        """Keep an answer under `key`."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """Whom the checks of an answer may ask.

    `header` is the blueprint's, which declares services. `allowed` are the hosts that the author consented to, by
    `engine.services.hosts.Host.name`; a point that asks any other host stays open. `private` are those of them that may
    be on this machine or in its network. `cache` finds replies of the last day, for which nothing is sent; with `ask`
    False nothing is ever sent, and an answer holds however old it is. `count` counts each request, and stops what
    would pass a cap: those points stay open.
    """

    header: Header
    allowed: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    cache: ServiceAnswerStore | None = None
    may_send: bool = True
    count: Count | None = None


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What one call brought: an answer, a failure in words, or words on why nobody was asked."""

    call: ServiceCall | None = None
    answer: Answer | None = None
    from_before: bool = False
    failure: str = ""
    not_asked: str = ""


async def service_verdicts(
    assessments: Sequence[Assessment], subject: Subject, services: Services, stop: asyncio.Event | None = None
) -> AsyncGenerator[tuple[int, Assessment]]:
    """What services say of `subject`: for each of their points its place in `assessments` and what it is now.

    The same request is sent once. `stop`, once set, ends what is not answered yet; those points stay open. Closing the
    stream ends every request.
    """
    calls = {index: call for index, each in enumerate(assessments) if (call := service_check(each)) is not None}
    asking = _Asking(subject, services)
    stop = stop or asyncio.Event()
    stopped = asyncio.ensure_future(stop.wait())
    tasks = {asyncio.ensure_future(asking.verdict(call)): index for index, call in calls.items()}
    try:
        while tasks and not stop.is_set():
            await asyncio.wait((*tasks, stopped), return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in tasks if task.done()]:
                index = tasks.pop(task)
                yield index, _assessment(assessments[index].placed, calls[index], task.result())
        for index in tasks.values():
            yield index, _open(assessments[index].placed, "stopped before the service answered")
    finally:
        ending: set[asyncio.Future[Any]] = {*tasks, *asking.sent.values(), stopped}
        for task in ending:
            task.cancel()
        await asyncio.wait(ending)


class _Asking:
    """The calls of one answer. `sent` are its requests, one for each key."""

    def __init__(self, subject: Subject, services: Services) -> None:
        self._subject = subject
        self._services = services
        self.sent: dict[str, asyncio.Task[Answer]] = {}

    async def verdict(self, point: FunctionCall) -> _Verdict:
        """What becomes of one point."""
        try:
            call = service_call(point, self._services.header)
            prepared = prepare(call, self._subject)
            key = prepared.key
            is_fresh = call.service.cached or not self._services.may_send
            before = await self._from_before(key) if is_fresh else None
            if before is not None:
                return _Verdict(call, before, from_before=True)
            if not self._services.may_send:
                return _Verdict(not_asked=f"not asked again: no reply of {prepared.host} on this answer is cached")
            if prepared.host not in self._services.allowed:
                return _Verdict(not_asked=f"not asked: this run may not send anything to {prepared.host}")
            return _Verdict(call, await self._asked(key, call, prepared))
        except ProviderError as error:
            if error.failure is Failure.CAPPED:
                return _Verdict(not_asked=f"not asked: {error.title[:1].lower()}{error.title[1:]}")
            return _Verdict(failure=_in_words(error))
        except PrivateAddressError as error:
            return _Verdict(
                not_asked=f"not asked: {visible(error.host)} is on this machine or in its network, and that has to be "
                "allowed"
            )

    async def _asked(self, key: str, call: ServiceCall, prepared: PreparedCall) -> Answer:
        """The answer to a request; the same one goes out once, unless the author wants it anew each time."""
        once = key if call.service.cached else f"{key} {len(self.sent)}"
        if once not in self.sent:
            self.sent[once] = asyncio.ensure_future(self._sent(key, prepared))
        return await self.sent[once]

    async def _sent(self, key: str, prepared: PreparedCall) -> Answer:
        services = self._services
        answer = await ask(prepared, private_too=prepared.host in services.private, count=services.count)
        if self._services.cache is not None:
            await asyncio.to_thread(self._services.cache.save_service_answer, key, answer.as_text())
        return answer

    async def _from_before(self, key: str) -> Answer | None:
        if self._services.cache is None:
            return None
        since = datetime.now(UTC) - FRESH_FOR if self._services.may_send else datetime.fromtimestamp(0, UTC)
        text = await asyncio.to_thread(self._services.cache.service_answer, key, since)
        try:
            return None if text is None else read_answer(text)
        except NoAnswerError:
            return None  # cached by another version: asked again


def _assessment(placed: PlacedPoint, point: FunctionCall, verdict: _Verdict) -> Assessment:
    if verdict.not_asked:
        return _open(placed, verdict.not_asked)
    if verdict.call is None or verdict.answer is None:
        return error_assessment(placed, verdict.failure)
    score, explanation = verdict.answer.score, verdict.answer.explanation
    is_turned = is_negated(point)
    again = ", as it did before" if verdict.from_before else ""
    turned = ", which is turned round here" if is_turned else ""
    detail = f"{visible(verdict.call.service.name)} gives {written(score)} of 1{again}{turned}"
    result = Checked(1 - score if is_turned else score, detail, reflection=explanation)
    assessment = check_assessment(placed, point, result)
    return assessment if verdict.call.works_on_weval else replace(assessment, on_weval=OnWeval.ERROR)


def _open(placed: PlacedPoint, why: str) -> Assessment:
    return Assessment(placed, error=why, detail=why)


def _in_words(error: ProviderError) -> str:
    """What happened, the server's message, what to do: one line."""
    reply = f", saying “{error.detail}”" if error.detail else ""
    return f"{error.title}{reply}. {error.advice}".strip()
