"""Requests to models, the events of their answers, and failures, independent of the wire format; the keys of caches.

Keys are digests of what is sent and to whom, from which nothing can be read. The value of a variable counts like any
other text, since another value makes another request. Only a header with credentials counts as written in the
blueprint: a new key of the author does not make another model.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason
from engine.text.record import text_digest
from engine.yaml.nodes import Data


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as sent."""

    role: Role
    content: str


class Knob(StrEnum):
    """Settings of a request, by their names in 004 ("Parameter Mapping", "Reasoning Model Support")."""

    TEMPERATURE = "temperature"
    MAX_TOKENS = "maxTokens"
    REASONING_EFFORT = "reasoningEffort"
    THINKING_BUDGET = "thinkingBudget"


LOOPBACK_AT_ONCE = 64
USUAL_AT_ONCE = 15
"""How many requests to one provider run at once until it pushes back: on this machine, and elsewhere where its own
number is not known."""
MOST_SECONDS = 600.0
"""How long an answer may take, unless its request says otherwise."""
USUAL_MAX_TOKENS = 1500
"""The usual token limit of an answer, as on Weval (platform.md, D)."""
MORE_TOKENS = (
    "Allow it more tokens: with --max-tokens, with “Token limit” where answers are chosen (F9), or with `max_tokens` "
    "in settings.json; for a model of the blueprint's own with `max_tokens` under its `parameters`."
)
"""Advice for authors on raising the token limit."""
WHAT_HAD_ARRIVED = "What had arrived of it can be read, but is not scored; Weval would score it as it stands."
"""A note on an answer that a filter withheld after some text. Weval's clients read only the text."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request: `model` without its provider, `temperature` 0–2 or None to leave it to the server.

    `reasoning_effort` is usually low, medium or high; `thinking_budget` is in tokens, 0 turns thinking off. Neither is
    sent where it is None, or unknown to the wire format.
    `seconds` bounds the whole answer from the moment it is sent, without the wait for a turn. After that time the
    request fails with `Failure.TIMED_OUT`.
    """

    model: str
    turns: tuple[Turn, ...]
    temperature: float | None = 0.0
    max_tokens: int = USUAL_MAX_TOKENS
    reasoning_effort: str | None = None
    thinking_budget: int | None = None
    seconds: float = MOST_SECONDS

    def settings(self) -> dict[Knob, Any]:
        """The settings that are set, as JSON values."""
        values: dict[Knob, Any] = {
            Knob.TEMPERATURE: self.temperature,
            Knob.MAX_TOKENS: self.max_tokens,
            Knob.REASONING_EFFORT: self.reasoning_effort,
            Knob.THINKING_BUDGET: self.thinking_budget,
        }
        return {knob: value for knob, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of the server, thinking included in the output; None if it sent none."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def followed_by(self, later: Usage) -> Usage:
        """Both combined: counts of the later one win."""
        return Usage(
            self.input_tokens if later.input_tokens is None else later.input_tokens,
            self.output_tokens if later.output_tokens is None else later.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer, its last event. For a withheld answer it is part of the `ProviderError` instead.

    `word` is the server's own word for `stop_reason`. `reused` is whether the answer came from the cache, with the
    `usage` of its original request. `ignored` are settings of the request that the model does not take.
    """

    stop_reason: StopReason
    usage: Usage
    model: str | None = None
    reused: bool = False
    word: str = field(default="", compare=False)
    ignored: tuple[Knob, ...] = ()

    @property
    def stop(self) -> Stop:
        """Why it ended."""
        return Stop(self.stop_reason, self.word)


@dataclass(frozen=True, slots=True)
class Resent:
    """Another request for the same answer is about to be sent, after a failed one. It is sent only when the consumer
    requests the next event, so that it can be counted before."""


ChatEvent: TypeAlias = TextDelta | Finished | Resent


class Failure(StrEnum):
    """The kinds of failure that an author can do something about."""

    MISSING_KEY = "missing-key"
    UNAUTHORISED = "unauthorised"
    PAYMENT = "payment"
    NO_SUCH_MODEL = "no-such-model"
    TOO_LONG = "too-long"
    RATE_LIMITED = "rate-limited"
    SERVER = "server"
    TIMED_OUT = "timed-out"
    UNREACHABLE = "unreachable"
    NONSENSE = "nonsense"
    EMPTY = "empty"
    WITHHELD = "withheld"
    MISCONFIGURED = "misconfigured"
    NOT_INSTALLED = "not-installed"
    CAPPED = "capped"


class ProviderError(Exception):
    """A request that failed: what happened (`title`), the server's message (`detail`), what to do (`advice`).

    None of the three ever holds a secret; `detail` is untrusted text. `finished` is set if the answer ended but cannot
    be used, as it was withheld or is empty; its tokens cost money nevertheless. `was_sent` is False where no connection
    was made, so that nothing was sent.
    """

    def __init__(
        self, failure: Failure, title: str, detail: str = "", advice: str = "", finished: Finished | None = None
    ) -> None:
        super().__init__(title)
        self.finished = finished
        self.failure = failure
        self.title = title
        self.detail = detail
        self.advice = advice
        self.was_sent = failure not in (Failure.MISCONFIGURED, Failure.NOT_INSTALLED)


class Provider(Protocol):
    """A source of answers. Each wire format is one small module."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`.

        Cancelling the task or closing the generator (`contextlib.aclosing`) ends the request.
        """
        ...

    @property
    def recipient(self) -> str:
        """Who receives the text, as shown to the author before the first request: a host, or `this machine`."""
        ...


Resolve: TypeAlias = Callable[[str, str | None], tuple[Provider, str]]
"""`engine.models.resolve`: a model as written, and a base URL or None → its provider and its bare name."""


_CREDENTIAL = re.compile(r"auth|key|token|secret|cookie|credential|password", re.I)


def headers_for_key(sent: Mapping[str, str | None], written: Mapping[str, Any]) -> dict[str, Any]:
    """Headers for a cache key: as `sent`, but those with credentials as `written` in the blueprint."""
    return {name: written.get(name) if _CREDENTIAL.search(name) else value for name, value in sent.items()}


def digest_of(sent: Any) -> str:
    """64 hex digits for the data that is sent."""
    return text_digest(json.dumps(sent, sort_keys=True, default=str))


_NEVER_SET = {"top_p": None, "top_k": None, "presence_penalty": None, "frequency_penalty": None, "stop": ()}
"""Settings that requests had when the first keys were stored: without them no key would be found again."""


def request_key(place: Data, request: ChatRequest) -> str:
    """64 hex digits for one request to one place of `engine.models.provider_registry.answering_place`.

    Turns, model and all settings count; the time limit does not.
    """
    turns = [[turn.role.value, turn.content] for turn in request.turns]
    reasoning = {"reasoning_effort": request.reasoning_effort, "thinking_budget": request.thinking_budget}
    settings = [request.temperature, request.max_tokens, {**_NEVER_SET, **reasoning}]
    return digest_of([place, request.model, turns, settings])
