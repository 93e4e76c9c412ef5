"""Calls a service: fills in variables just before sending, and retries temporary failures."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from engine.functions.point_function import Subject
from engine.providers import failures
from engine.providers.chat import Failure, ProviderError
from engine.providers.error_bodies import server_message
from engine.providers.http import Access, is_loopback
from engine.providers.limits import LONGEST_PAUSE, LONGEST_WAIT, LOOPBACK_AT_ONCE, USUAL_AT_ONCE
from engine.providers.rate_limiter import Place, RateLimiter, TooLongError, rate_limiter_of
from engine.providers.request_key import digest_of, headers_for_key
from engine.providers.url_variables import filled_url, is_from_variable, keys_in_url, masked_in_url
from engine.providers.variables import Environment
from engine.record import replace
from engine.services.addresses import host_of, web_address
from engine.services.calls import ServiceCall
from engine.services.definitions import Method, Service
from engine.services.service_answer import Answer, NoAnswerError, read_answer
from engine.services.transport import Reply, Request, RequestCounter, send
from engine.text import visible

_RETRY_LATER = (429, 503, 529)
_MAX_EXPLANATION = 20_000
"""Code points of an explanation. A longer one ends in an ellipsis."""


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call with its variables filled in. Its `repr` has no part that may hold a key."""

    service: Service
    named: failures.Request
    request: Request = field(repr=False)

    @property
    def host(self) -> str:
        """The name of the host, with its port if that is not the default."""
        return host_of(self.request.url)

    @property
    def key(self) -> str:
        """The cache key: a digest of everything that is sent, and of the address."""
        request = self.request
        headers = headers_for_key(request.headers, self.service.headers)
        body = None if request.content is None else json.loads(request.content)  # the order of keys does not matter
        return digest_of([request.method, str(request.url), headers, body])


def prepare(call: ServiceCall, subject: Subject, *, keyless: bool = False) -> PreparedCall:
    """The request of `call` about `subject`. Raises `ProviderError` if a variable is not set or a part is not sendable.

    With `keyless`, for a request that is never sent, only the variables of its address need a value.
    """
    service = call.service
    whose = f"{service.name[:1].upper()}{service.name[1:]}"
    environment = Environment(whose, keyless)
    url = web_address(filled_url(service.url, environment), whose)
    headers = {name: _header(whose, name, value, environment) for name, value in service.headers.items()}
    body = call.body(subject, environment.put_into)
    content: bytes | None = json.dumps(body).encode()
    if service.method is Method.GET:
        url, content = url.copy_merge_params({name: _query_value(value) for name, value in body.items()}), None
    from_variable = is_from_variable(service.url)
    keys = (*environment.keys(), *keys_in_url(str(url), from_variable=from_variable))
    masked = (*environment.masked(), *(masked_in_url(str(url)) if from_variable else ()))
    access = Access(keys=keys, given=bool(headers), masked=masked)
    named = failures.Request(whose, host_of(url), access)
    return PreparedCall(service, named, Request(service.method.value, url, headers, content))


async def ask(call: PreparedCall, *, private_too: bool, counter: RequestCounter | None = None) -> Answer:
    """The verdict of a service. Cancelling ends the request at once.

    Failures of the network or the server are retried as often as the service allows, each time after a longer pause.
    If a service reports too many requests, all requests to its host wait as long as it requests. Raises
    `ProviderError`, whose message has no keys, and `PrivateAddressError` before anything is sent to a private address
    without permission (`private_too`).
    """
    limiter = rate_limiter_of(call.host, requests_at_once(str(call.request.url)))
    attempts = _Attempts(call, limiter, private_too)
    while True:
        place = await attempts.enter()
        try:
            answer = await attempts.once(place, None if attempts.is_waiting else counter)
        finally:
            place.leave()
        if answer is not None:
            return answer
        attempts.raise_if_exhausted()
        await asyncio.sleep(attempts.pause)


def requests_at_once(url: str) -> int:
    """The upper bound of concurrent requests to the host of an address, until it reports too many requests."""
    return LOOPBACK_AT_ONCE if is_loopback(url) else USUAL_AT_ONCE


class _Attempts:
    """The attempts of one call, until it is answered or has failed."""

    def __init__(self, call: PreparedCall, limiter: RateLimiter, private_too: bool) -> None:
        self._call = call
        self._limiter = limiter
        self._private_too = private_too
        self._failed: ProviderError | None = None
        self._attempts = 0
        self._refusals = 0
        self.is_waiting = False
        self.pause = 0.0

    async def enter(self) -> Place:
        """Waits until the limit of this host allows a request."""
        try:
            return await self._limiter.enter(self._call.service.name, again=self._refusals > 0)
        except TooLongError as wait:
            raise self._failed or _of_status(self._call, Reply(429, b"", retry_after=wait.seconds)) from None

    async def once(self, place: Place, counter: RequestCounter | None) -> Answer | None:
        """The answer to one request, or None if it may be retried. Counted unless it repeats one that had to wait."""
        self.pause = 0.0
        self.is_waiting = False
        try:
            async with asyncio.timeout(self._call.service.seconds):
                reply = await send(self._call.request, self._call.named, private_too=self._private_too, counter=counter)
        except TimeoutError:
            self._note(_too_slow(self._call))
            return None
        except ProviderError as error:
            if error.failure is not Failure.UNREACHABLE:
                raise
            self._note(error)
            return None
        if reply.status in _RETRY_LATER:
            self._pushed_back(reply, place)
            return None
        failed = None if reply.is_success else _of_status(self._call, reply)
        if failed is None:
            place.succeeded()
            return self._read(reply)
        if reply.status < 500:
            raise failed
        self._note(failed)
        return None

    def raise_if_exhausted(self) -> None:
        """Raises the last failure if no attempt is left."""
        retries, is_exhausted = self._call.service.retries, False
        if self._refusals:
            is_exhausted = self._limiter.gives_up(self._refusals)
        if self._failed is not None and (not retries or self._attempts > retries or is_exhausted):
            raise self._failed

    def _note(self, failed: ProviderError) -> None:
        self._failed = failed
        self._attempts += 1
        self.pause = min(self._call.service.pause * self._attempts, LONGEST_PAUSE)

    def _pushed_back(self, reply: Reply, place: Place) -> None:
        place.pushed_back(reply.retry_after)
        self.is_waiting = True
        self._failed = _of_status(self._call, reply)
        self._refusals += 1
        if reply.retry_after is not None and reply.retry_after > LONGEST_WAIT:
            raise self._failed

    def _read(self, reply: Reply) -> Answer:
        try:
            answer = read_answer(reply.body.decode("utf-8", "replace"))
        except NoAnswerError as error:
            advice = 'The service must answer with JSON such as {"score": 0.8, "explain": "…"}.'
            raise self._call.named.failure(Failure.NONSENSE, error.what, error.server_message, advice) from None
        explanation = answer.explanation
        if explanation is None:
            return answer
        scrubbed = self._call.named.scrub(explanation)
        if len(scrubbed) > _MAX_EXPLANATION:
            scrubbed = f"{scrubbed[: _MAX_EXPLANATION - 1]}…"
        return replace(answer, explanation=scrubbed)


def _too_slow(call: PreparedCall) -> ProviderError:
    within = f"no answer within {call.service.seconds:g} seconds"
    return call.named.failure(Failure.TIMED_OUT, within, "", "Try again, or give it more time with `timeout_ms`.")


def _of_status(call: PreparedCall, reply: Reply) -> ProviderError:
    """The failure for an HTTP status other than success."""
    named, message = call.named, server_message(reply.body[:16_384])
    match reply.status:
        case 401 | 403 if not named.access.given:
            advice = "Give it a key under `headers`, such as `Authorization: Bearer ${MY_KEY}`."
            return named.failure(Failure.MISSING_KEY, f"it needs a key ({reply.status})", message, advice)
        case 401 | 403:
            advice = "Check the variables in its `headers`."
            return named.failure(Failure.UNAUTHORISED, f"the key was refused ({reply.status})", message, advice)
        case 404 | 405:
            advice = "Check its `url` and its `method`."
            return named.failure(Failure.MISCONFIGURED, f"there is no such service ({reply.status})", message, advice)
        case 413 | 414:
            advice = "Send less: a response within a longer text counts twice."
            return named.failure(Failure.TOO_LONG, f"the request is too long for it ({reply.status})", message, advice)
        case 429:
            advice = f"Try again {failures.wait(reply.retry_after or 60.0)}."
            return named.failure(Failure.RATE_LIMITED, "too many requests", message, advice)
        case status if status >= 500:
            advice = "The service itself failed. Try again later."
            return named.failure(Failure.SERVER, f"it failed ({status})", message, advice)
        case status:
            advice = "Its message says what it did not accept."
            return named.failure(Failure.SERVER, f"it refused the request ({status})", message, advice)


def _header(whose: str, name: str, written: str, environment: Environment) -> str:
    value = environment.put_into(written, f"headers.{name}").strip()
    is_sendable = name.isascii() and name.isprintable() and value.isascii() and value.isprintable()
    if not is_sendable or not name or set(name) & set(' :"(),/;<=>?@[\\]{}'):
        advice = "It has a line break or an unusual character. Check it and its variables."
        what = f"{whose}: the header `{' '.join(name.split())}` cannot be sent"
        raise ProviderError(Failure.MISCONFIGURED, visible(what), advice=advice)
    return value


def _query_value(value: Any) -> str:
    """A parameter in a query string: a string unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
