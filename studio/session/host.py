"""The program around a session: it asks the author questions and shows messages."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Collection, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from msgspec import convert

from engine.text.record import Record, replace

Answer = TypeVar("Answer")
Value = TypeVar("Value")


class Question(Record, Generic[Answer]):
    """A question to the author, as a value. The answer is None if the author cancels; nothing is done then."""


class Choice(Record):
    """One answer to choose: its id, its label, and what it does, or what it needs where it is not `is_ready`."""

    id: str
    label: str
    detail: str = ""
    is_ready: bool = True


class Choose(Question[str]):
    """A question with a few choices; the answer is the id of one."""

    title: str
    text: str
    choices: Sequence[Choice]


def choose(name: str, title: str, *, without: Collection[str] = (), **words: str) -> Choose:
    """The question `name` of `questions.toml` with its `words`, and no choice that is `without`, by its id."""
    asked = _written()[name]
    rows = ([each.format(**words) for each in row] for row in asked.choices if row[0] not in without)
    return Choose(
        title, asked.text.format(**words), [Choice(key, label, "".join(detail)) for key, label, *detail in rows]
    )


class _Written(Record):
    """A question in `questions.toml`: each choice has its id, its label, and what it does."""

    text: str
    choices: tuple[tuple[str, ...], ...]


@cache
def _written() -> dict[str, _Written]:
    return convert(tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8")), dict[str, _Written])


class EnterText(Question[str]):
    """A question answered by one line. The field starts with `value`, or shows `placeholder` if empty.

    The line is not empty unless it is `optional`. It may be one of the `choices`, which are listed, or another one.
    """

    title: str
    text: str
    value: str = ""
    placeholder: str = ""
    optional: bool = False
    choices: Sequence[str] = ()


class Severity(StrEnum):
    """The severity of a message."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


class Host(Protocol):
    """The terminal application, a command or a test. Called only on the event loop."""

    async def ask(self, question: Question[Answer]) -> Answer | None:
        """The author's answer; None if they cancel."""
        ...

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Show a message to the author."""
        ...

    def fail(self, error: BaseException) -> None:
        """Report an unexpected error of a task, which has ended."""
        ...


class Unusable(Exception):
    """What the author wrote cannot be used; the message says what can."""


async def ask_until(host: Host, question: EnterText, read: Callable[[str], Awaitable[Value]]) -> Value | None:
    """What `read` makes of the author's line, who is asked again while it raises `Unusable`; None if they cancel."""
    asked = question
    while (written := await host.ask(asked)) is not None:
        try:
            return await read(written)
        except Unusable as error:
            asked = replace(question, text=f"{error}\n{question.text}", value=written)
    return None
