"""What every model is asked, and what it answers, whatever its wire format."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from engine.blueprint import Role


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as sent."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request: `model` without its provider, `temperature` 0–2 or None to leave it to the server."""

    model: str
    turns: tuple[Turn, ...]
    temperature: float | None = 0.0
    max_tokens: int = 1500


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer."""

    text: str


class StopReason(StrEnum):
    """Why the answer ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete. Comes once, last."""

    stop_reason: StopReason
    usage: Usage
    model: str | None = None


ChatEvent: TypeAlias = TextDelta | Finished


class Failure(StrEnum):
    """The kinds of trouble that an author can do something about."""

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
    NOT_INSTALLED = "not-installed"


class ProviderError(Exception):
    """A request that failed: what happened (`title`), what the server said (`detail`), what to do (`advice`).

    None of the three ever holds a secret; `detail` is untrusted text.
    """

    def __init__(self, failure: Failure, title: str, detail: str = "", advice: str = "") -> None:
        super().__init__(title)
        self.failure = failure
        self.title = title
        self.detail = detail
        self.advice = advice


class Provider(Protocol):
    """A place that answers. Implementations are one small module per wire format."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`.

        Cancelling the task or closing the generator (`contextlib.aclosing`) ends the request.
        """
        ...

    @property
    def recipient(self) -> str:
        """Who receives the text, as told to the author before the first request: a host, or `this machine`."""
        ...
