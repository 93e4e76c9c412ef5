"""What a session wants of the program around it: an answer to a question, and a message to its author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

Answer = TypeVar("Answer")


class Question(Generic[Answer]):
    """A question to the author, as a value. Its answer is None where the author turns away: nothing is done then."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to choose: what comes back, what it says, and what follows from it."""

    id: str
    label: str
    detail: str = ""


@dataclass(frozen=True)
class Choose(Question[str]):
    """A question with a few answers; the id of the one chosen is the answer."""

    title: str
    text: str
    choices: Sequence[Choice]


@dataclass(frozen=True)
class EnterText(Question[str]):
    """A question answered by one line that is not empty; `value` stands there first, else `placeholder`."""

    title: str
    text: str
    value: str = ""
    placeholder: str = ""


class Severity(StrEnum):
    """How much a message matters."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


class Host(Protocol):
    """Where a session lives: the terminal application, a command, a test. Called on the event loop alone."""

    async def ask(self, question: Question[Answer]) -> Answer | None:
        """The author's answer."""
        ...

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Tell the author something that needs no answer."""
        ...

    def fail(self, error: BaseException) -> None:
        """A fault of the program itself: whatever it was doing has ended."""
        ...
