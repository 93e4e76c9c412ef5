"""Failed requests as messages for authors: which request, the server's message, what to do."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import httpx

from engine.blueprint.conversation import StopReason
from engine.models.chat import MORE_TOKENS, WHAT_HAD_ARRIVED, Failure, Finished, ProviderError, Usage
from engine.models.http import NO_ACCESS, Access, BodyError
from engine.models.secret import Secret, environment_keys, scrub
from engine.text.spans import visible

_DETAIL_LENGTH = 400
_READ_FOR_PARTS = 4 * _DETAIL_LENGTH
"""Characters of a message that are searched for parts of keys."""
_TOO_LONG = re.compile(
    r"context.{0,12}(length|size|window)|maximum context|too many tokens|too long|exceeds the maximum number of tokens",
    re.I,
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not found|does not exist|not exist|unknown|invalid)|(invalid|unknown) model", re.I
)
_NO_MONEY = re.compile(
    r"insufficient_quota|billing|credit balance|exceeded your current quota|available credits|spending limit", re.I
)
_FILTERED = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicy|requires moderation|input was flagged|"
    r"content filtering policy|data_inspection_failed",
    re.I,
)
_RESPONSES_ONLY = re.compile(r"v1/responses\b|responses api", re.I)
_NO_CHAT_MODEL = re.compile(r"not a chat model|not supported in the v1/chat/completions", re.I)
_BAD_KEY = re.compile(r"(incorrect|invalid) api.?key|api.?key (is )?(not valid|invalid)|API_KEY_INVALID", re.I)


@dataclass(frozen=True, slots=True)
class Request:
    """The facts that a failure's message names: the model, the recipient, its keys, and how to start a server."""

    model: str
    recipient: str
    access: Access = NO_ACCESS
    start_hint: str = ""
    environment: tuple[Secret, ...] = field(default_factory=environment_keys, repr=False)
    """The keys of the environment. Read once, as each word of an answer is searched for them."""

    def failure(
        self, failure: Failure, what: str, detail: str = "", advice: str = "", finished: Finished | None = None
    ) -> ProviderError:
        """A failure whose title names the request and `what` happened. Each text is one bounded line without keys."""
        place = "on" if self.recipient.startswith("this machine") else "at"
        title = f"{self.model} {place} {self.recipient}: {what}"
        return ProviderError(failure, self._clean(title), self._clean(detail), self._clean(advice), finished)

    def scrub(self, text: str) -> str:
        """`text` without the keys."""
        return scrub(text, self.keys)

    @property
    def keys(self) -> tuple[Secret, ...]:
        """What is masked in all that comes back: the keys of this request, then all of the environment."""
        return (*self.access.keys, *self.environment)

    def _clean(self, text: str) -> str:
        text = scrub(self.scrub(" ".join(text.split())), self.access.masked)[:_READ_FOR_PARTS]
        for key in self.keys:
            text = key.scrub_parts(text)
        text = visible(text)
        return text if len(text) <= _DETAIL_LENGTH else text[: _DETAIL_LENGTH - 1] + "…"


def from_status(request: Request, status: int, message: str, retry_after: float | None = None) -> ProviderError:
    """The failure for an HTTP status of 400 or more, or for the same code in an error within a stream."""
    match status:
        case _ if _FILTERED.search(message):
            return withheld(request, Finished(StopReason.WITHHELD, Usage()), blank=True, detail=message)
        case 401 | 403 if not request.access.given:
            return request.failure(Failure.MISSING_KEY, "it needs a key", message, request.access.without)
        case 402:
            return _no_money(request, message)
        case 400 | 403 | 429 if _NO_MONEY.search(message) and not (status == 429 and _passes(message, retry_after)):
            return _no_money(request, message)
        case 401 | 403:
            return request.failure(Failure.UNAUTHORISED, "the key was refused", message, request.access.refused)
        case 400 if _BAD_KEY.search(message):
            return request.failure(Failure.UNAUTHORISED, "the key was refused", message, request.access.refused)
        case 400 | 404 if _RESPONSES_ONLY.search(message) and "not supported with the responses" not in message.lower():
            what = "it answers only OpenAI's Responses API, which is not supported here"
            advice = "Choose a model that answers chat completions, or another provider that offers this one so."
            return request.failure(Failure.NO_SUCH_MODEL, what, message, advice)
        case 400 | 404 if _NO_CHAT_MODEL.search(message):
            what = "it does not answer chat completions"
            advice = (
                "Choose a chat model. A model that only completes a text can be defined with `format: completions`."
            )
            return request.failure(Failure.NO_SUCH_MODEL, what, message, advice)
        case 404:
            advice = "Check the model's name, and the address if you gave one."
            return request.failure(Failure.NO_SUCH_MODEL, "there is no such model", message, advice)
        case 413:
            return _too_long(request, message)
        case 429:
            advice = f"Try again {wait(retry_after or 60.0)}, or choose another model."
            return request.failure(Failure.RATE_LIMITED, "too many requests", message, advice)
        case 408 | 504:
            return request.failure(Failure.TIMED_OUT, f"no answer in time ({status})", message, "Try again.")
        case 503 | 529:
            advice = "It has too many requests at the moment. Try again later, or choose another model."
            return request.failure(Failure.SERVER, f"the server is overloaded ({status})", message, advice)
        case _ if status >= 500:
            advice = "The server itself failed. Try again later, or choose another model."
            return request.failure(Failure.SERVER, f"the server failed ({status})", message, advice)
        case _ if _TOO_LONG.search(message):
            return _too_long(request, message)
        case _ if _NO_MODEL.search(message):
            return request.failure(Failure.NO_SUCH_MODEL, "there is no such model", message, "Check the model's name.")
        case _:
            advice = "The server's message names what it did not accept."
            return request.failure(Failure.SERVER, f"the request was refused ({status})", message, advice)


def _passes(message: str, retry_after: float | None) -> bool:
    """Whether a used-up quota is refilled by itself: in that case the server says when."""
    return retry_after is not None and "insufficient_quota" not in message


def empty(request: Request, finished: Finished) -> ProviderError:
    """The failure for an empty answer."""
    match finished.stop_reason:
        case StopReason.LENGTH:
            what = "its token limit was reached before any text"
            advice = f"All its tokens went into thinking. Choose a model that thinks less. {MORE_TOKENS}"
        case StopReason.TOOL_CALL:
            what = "it called a tool and sent no text"
            advice = "Tools are not run here. Ask for the call in words, or choose another model."
        case _:
            what, advice = "the answer is empty", "Try again, or choose another model."
    return request.failure(Failure.EMPTY, what, _unusual(finished), advice, finished)


def withheld(request: Request, finished: Finished, *, blank: bool, detail: str = "") -> ProviderError:
    """The failure for an answer that a provider's filter withheld: the whole of it (`blank`), or after some text."""
    what = "the answer was withheld by the provider's safety filter"
    stays = "" if blank else f"{WHAT_HAD_ARRIVED} "
    advice = f"{stays}Reword the prompt, or choose another model."
    return request.failure(Failure.WITHHELD, what, detail or finished.word, advice, finished)


def _unusual(finished: Finished) -> str:
    """The server's word for the end, unless it only says that the answer ended."""
    return "" if finished.stop_reason in (StopReason.STOP, StopReason.LENGTH) else finished.word


def from_transport(request: Request, error: httpx.HTTPError, answered: bool = False) -> ProviderError:
    """The failure for a transport error. `answered` is whether part of the answer had arrived."""
    failed = _from_transport(request, error, answered)
    failed.was_sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    return failed


def _from_transport(request: Request, error: httpx.HTTPError, answered: bool) -> ProviderError:
    causes = list(_causes(error))
    detail = str(error)
    if isinstance(error, BodyError):
        return request.failure(Failure.NONSENSE, detail, "", "Check the address, or choose another model.")
    if isinstance(error, httpx.TimeoutException):
        what = "the answer stopped coming" if answered else "no answer in time"
        if isinstance(error, httpx.ConnectTimeout):
            what = "no connection in time"
        return request.failure(Failure.TIMED_OUT, what, detail, "Try again, or choose another model.")
    if answered:
        advice = "The part that arrived is saved, but it is not the whole answer. Try again."
        return request.failure(Failure.UNREACHABLE, "the connection broke midway", detail, advice)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        advice = "A wrong clock, a proxy that reads along, or a wrong address can cause this. Nothing was sent."
        return request.failure(Failure.UNREACHABLE, "its certificate could not be trusted", detail, advice)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        advice = "Check the address: a server on this machine mostly wants http://, not https://. Nothing was sent."
        return request.failure(Failure.UNREACHABLE, "no protected connection could be made", detail, advice)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        advice = "Check the address and your network."
        return request.failure(Failure.UNREACHABLE, "its host name is unknown", detail, advice)
    if isinstance(error, httpx.ConnectError):
        advice = request.start_hint or "Check the address and your network."
        return request.failure(Failure.UNREACHABLE, "nobody answers there", "", advice)
    advice = "Check your network, and try again."
    return request.failure(Failure.UNREACHABLE, "the connection broke", detail, advice)


def wait(seconds: float) -> str:
    """A wait in words: `in 30 seconds`, `in 5 minutes`, `in 3 days`; `later` for more than a year."""
    return f"in {time_in_words(seconds)}" if seconds < _YEAR else "later"


def time_in_words(seconds: float) -> str:
    """A time in the unit of which it has at least two, in days if it is over one."""
    unit, size = next((unit, size) for unit, size, least in _UNITS if seconds >= least)
    return f"{seconds / size:.3g} {unit}" if size == 1 else f"{max(2, seconds / size):.0f} {unit}"


_YEAR = 366 * 86_400
_UNITS = (("days", 86_400, 86_401), ("hours", 3600, 7200), ("minutes", 60, 120), ("seconds", 1, 0))
"""Each unit, its seconds, and from how many on it is used."""


def _no_money(request: Request, message: str) -> ProviderError:
    advice = "Add credit to the account that the key belongs to, or choose another model."
    return request.failure(Failure.PAYMENT, "the account has no credit left", message, advice)


def _too_long(request: Request, message: str) -> ProviderError:
    advice = "Shorten the prompt, or choose a model that reads more at once."
    return request.failure(Failure.TOO_LONG, "the prompt is too long for this model", message, advice)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all its causes, with the members of groups."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += (cause.__cause__, cause.__context__)
        if isinstance(cause, BaseExceptionGroup):
            waiting += cast("BaseExceptionGroup[BaseException]", cause).exceptions
