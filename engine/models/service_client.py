"""Calling services: their hosts, to which the author consents, the requests, and the answers.

Variables are filled in just before sending, and temporary failures are retried. An answer is `{"score": 0–1,
"explain": "…"}`, or `{"error": "…"}`.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from engine.blueprint import Header, Prompt
from engine.functions.function_text import quoted
from engine.functions.point_function import Subject
from engine.models import failures
from engine.models.addresses import Request, RequestCounter, host_of, send, web_address
from engine.models.chat import LOOPBACK_AT_ONCE, USUAL_AT_ONCE, Failure, ProviderError, digest_of, headers_for_key
from engine.models.definitions import (
    Environment,
    Method,
    Service,
    ServiceCall,
    filled_url,
    service_calls,
)
from engine.models.failures import server_message
from engine.models.http import Access, Reply, is_loopback, recipient_of
from engine.models.limits import LONGEST_PAUSE, LONGEST_WAIT, rate_limiter_of
from engine.text.record import Record, read_json, replace


class NoAnswerError(Exception):
    """A body without a score. `what` is the problem, and `server_message` the service's own message, or ""."""

    def __init__(self, what: str, server_message: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.server_message = server_message


class Answer(Record):
    """A verdict of a service: `score` is 0–1, before inversion; `explanation` is untrusted text, or None."""

    score: float
    explanation: str | None = None

    def as_text(self) -> str:
        """The answer in its cached form, for `read_answer`."""
        return json.dumps({"score": self.score, "explain": self.explanation})


def read_answer(body: str) -> Answer:
    """The verdict in a body. Raises `NoAnswerError`."""
    try:
        data = read_json(body)
    except ValueError:
        raise NoAnswerError("its answer is not JSON", body[:1000]) from None
    if not isinstance(data, dict):
        raise NoAnswerError("its answer is not a JSON object with a `score`", body[:1000])
    return _answer(cast("dict[str, Any]", data))


def _answer(data: dict[str, Any]) -> Answer:
    if error := data.get("error"):
        raise NoAnswerError("it reports an error", error if isinstance(error, str) else json.dumps(error)[:1000])
    explanation = next((text for key in ("explain", "explanation") if isinstance(text := data.get(key), str)), "")
    return Answer(_score(data), explanation or None)


def _score(data: dict[str, Any]) -> float:
    if "score" not in data:
        raise NoAnswerError("its answer has no `score`")
    score = data["score"]
    if isinstance(score, str):
        raise NoAnswerError(f"its score is the string {quoted(score)}, and must be a number from 0 to 1")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise NoAnswerError("its score is not a number from 0 to 1")
    if not 0 <= score <= 1:
        raise NoAnswerError(f"its score is {_short(score)}, and must be a number from 0 to 1")
    return float(score)


def _short(score: float) -> str:
    if isinstance(score, int):
        return str(score) if abs(score) < 10**6 else "out of range"
    if math.isnan(score):
        return "NaN"
    return f"{score:g}" if math.isfinite(score) else "out of range"


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
    headers = {name: environment.header(name, value) for name, value in service.headers.items()}
    body = call.body(subject, environment.put_into)
    content: bytes | None = json.dumps(body).encode()
    if service.method is Method.GET:
        url, content = url.copy_merge_params({name: _query_value(value) for name, value in body.items()}), None
    keys, masked = environment.secrets(str(url), service.url)
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
    failed: ProviderError | None = None
    tries = refusals = 0
    is_waiting = False

    def too_long(seconds: float) -> ProviderError:
        return failed or _of_status(call, Reply(429, b"", retry_after=seconds))

    while True:
        async with limiter.turn(call.service.name, again=refusals > 0, too_long=too_long) as place:
            reply = await _sent(call, private_too, None if is_waiting else counter)
            is_waiting = isinstance(reply, Reply) and reply.status in _RETRY_LATER
            if isinstance(reply, ProviderError):
                failed = reply
            elif reply.is_success:
                place.succeeded()
                return _answer_in(reply, call)
            else:
                failed = _of_status(call, reply)
                if is_waiting:
                    place.pushed_back(reply.retry_after)
                is_final = (reply.retry_after or 0.0) > LONGEST_WAIT if is_waiting else reply.status < 500
                if is_final:
                    raise failed
        tries, refusals = tries + (not is_waiting), refusals + is_waiting
        if not call.service.retries or tries > call.service.retries or (refusals and limiter.gives_up(refusals)):
            raise failed
        await asyncio.sleep(0.0 if is_waiting else min(call.service.pause * tries, LONGEST_PAUSE))


def requests_at_once(url: str) -> int:
    """The upper bound of concurrent requests to the host of an address, until it reports too many requests."""
    return LOOPBACK_AT_ONCE if is_loopback(url) else USUAL_AT_ONCE


async def _sent(call: PreparedCall, private_too: bool, counter: RequestCounter | None) -> Reply | ProviderError:
    """The reply to one request, or why there is none, though there may be at another try."""
    try:
        async with asyncio.timeout(call.service.seconds):
            return await send(call.request, call.named, private_too=private_too, counter=counter)
    except TimeoutError:
        within = f"no answer within {call.service.seconds:g} seconds"
        advice = "Try again, or give it more time with `timeout_ms`."
        return call.named.failure(Failure.TIMED_OUT, within, "", advice)
    except ProviderError as error:
        if error.failure is not Failure.UNREACHABLE:
            raise
        return error


def _answer_in(reply: Reply, call: PreparedCall) -> Answer:
    try:
        answer = read_answer(reply.body.decode("utf-8", "replace"))
    except NoAnswerError as error:
        advice = 'The service must answer with JSON such as {"score": 0.8, "explain": "…"}.'
        raise call.named.failure(Failure.NONSENSE, error.what, error.server_message, advice) from None
    if answer.explanation is None:
        return answer
    scrubbed = call.named.scrub(answer.explanation)
    if len(scrubbed) > _MAX_EXPLANATION:
        scrubbed = f"{scrubbed[: _MAX_EXPLANATION - 1]}…"
    return replace(answer, explanation=scrubbed)


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


def _query_value(value: Any) -> str:
    """A parameter in a query string: a string unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_NO_ANSWER = Subject("")


@dataclass(frozen=True, slots=True)
class Host:
    """One host that checks call.

    `name` includes the port if it is not the default; consent is given to this name. `url` is one of its addresses,
    with variables filled in, for `engine.models.addresses.is_private` only. `services` are the names of the services
    at this host. `calls` is the number of requests for one answer to each prompt, without retries. `variables` are the
    environment variables whose values are sent.
    """

    name: str
    url: str = field(repr=False)
    services: tuple[str, ...]
    calls: int
    variables: tuple[str, ...]

    @property
    def is_here(self) -> bool:
        """Whether its name is a loopback name or address."""
        return is_loopback(self.url)

    @property
    def recipient(self) -> str:
        """The recipient as shown to authors: the host, or `this machine (host:port)`."""
        return recipient_of(self.url) if self.is_here else self.name

    @property
    def place(self) -> str:
        """The recipient with its preposition: `at facts.example`, `on this machine (localhost:8888)`."""
        return f"{'on' if self.is_here else 'at'} {self.recipient}"

    @property
    def consent(self) -> str:
        """The saved form of consent to this host: the recipient and the variables sent to it."""
        variables = f" ({', '.join(self.variables)})" if self.variables else ""
        return f"service at {self.recipient}{variables}"

    @property
    def consent_nearby(self) -> str:
        """The saved form of consent to this host on this machine or in its network."""
        return self.consent if self.is_here else f"service at {self.recipient}, in this network"

    def is_agreed(self, consented: Iterable[str]) -> bool:
        """Whether `consented` has this recipient with at least these variables."""
        bare = f"service at {self.recipient}"
        suffixes = (text.removeprefix(bare) for text in consented if text.startswith(bare))
        return any(self._covers(suffix) for suffix in suffixes)

    def is_agreed_nearby(self, consented: Collection[str]) -> bool:
        """Whether `consented` allows this host to be on this machine or in its network."""
        return self.is_agreed(consented) if self.is_here else self.consent_nearby in consented

    def _covers(self, suffix: str) -> bool:
        """Whether the text after a recipient, such as ` (A, B)`, names all variables."""
        named = suffix[2:-1].split(", ") if suffix.startswith(" (") and suffix.endswith(")") else ()
        return set(self.variables) <= set(named) and (bool(named) or not suffix)


def hosts(header: Header, prompts: Iterable[Prompt], *, keyless: bool = False) -> tuple[Host, ...]:
    """The hosts that the checks of `prompts` call, in the order of the first call.

    With `keyless`, for a plan that sends nothing, only the variables of addresses need a value. Calls that cannot be
    made, because a variable is not set or a service is not declared, are left out.
    """
    found: dict[str, Host] = {}
    for call, prepared in _calls(header, prompts, keyless=keyless):
        name = prepared.host
        one = Host(name, str(prepared.request.url.copy_with(query=None)), (call.service.name,), 1, call.variables)
        found[name] = one if name not in found else _merged(found[name], one)
    return tuple(found.values())


def _calls(header: Header, prompts: Iterable[Prompt], *, keyless: bool) -> Iterator[tuple[ServiceCall, PreparedCall]]:
    for call in (call for prompt in prompts for call in service_calls(header, prompt)):
        with suppress(ProviderError):  # the run reports it at the point itself
            yield call, prepare(call, _NO_ANSWER, keyless=keyless)


def _merged(one: Host, other: Host) -> Host:
    services = tuple(dict.fromkeys((*one.services, *other.services)))
    variables = tuple(dict.fromkeys((*one.variables, *other.variables)))
    return Host(one.name, one.url, services, one.calls + other.calls, variables)
