"""The options that allow services, and the question to the author at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import click

from engine.scoring.explanation_text import listed
from studio.cli.frame import flag, option, tell
from studio.session.host import Question, Severity
from studio.session.questions import ServiceAnswer, ServiceQuestion

if TYPE_CHECKING:
    from engine.asking.planner import HostQuestion
    from engine.models.service_client import Host

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Permissions:
    """The services that are allowed: `hosts` with or without a port; `private` allows this machine and its network."""

    hosts: tuple[str, ...] = option(
        "--allow-host",
        default=(),
        multiple=True,
        metavar="HOST",
        help="Allow $call and $factcheck to send requests to this host. Can be repeated.",
    )
    private: bool = flag("--allow-private", help="Allow such hosts on this machine and in its network too.")


class OptionsHost:
    """The host of a command's session: its options answer the questions, else the author at a terminal."""

    def __init__(self, permissions: Permissions, *, asks: bool) -> None:
        """`asks`: ask the author at a terminal."""
        self._permissions = permissions
        self._asks = asks
        self._refused: list[HostQuestion] = []

    async def ask(self, question: Question[Answer]) -> Answer | None:
        """The answer to a question about a service; None to any other."""
        match question:
            case ServiceQuestion(about=host_question):
                return cast("Answer", self._may_ask(host_question))
            case _:
                return None

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Print it on stderr."""
        tell(message)

    def fail(self, error: BaseException) -> None:
        """End the command. Raises `error`."""
        raise error

    def report_services(self, hosts: Sequence[Host]) -> None:
        """Print which services are not asked, how many points stay open in each answer, and which option allows them.

        `hosts` are all that checks would ask.
        """
        from engine.asking.run_plan import with_variables

        for question in self._refused:
            host = question.host
            stays = "1 point stays" if host.calls == 1 else f"{host.calls} points stay"
            message = f"Not asked: {listed(host.services)} {host.place}; {stays} open. {_allowed_by(question)}."
            tell(f"{message}{with_variables(host.variables)}")
        for name in self._permissions.hosts:
            if not any(_is_named(host, name) for host in hosts):
                tell(f"No check asks {name}, which --allow-host names.")

    def _may_ask(self, question: HostQuestion) -> ServiceAnswer:
        if self._is_allowed(question):
            return ServiceAnswer.NOW
        if self._asks and _is_at_a_terminal():
            tell(question.text)
            if click.confirm("Ask it, now and from now on?", err=True):
                return ServiceAnswer.ALWAYS
        self._refused.append(question)
        return ServiceAnswer.NEVER

    def _is_allowed(self, question: HostQuestion) -> bool:
        """Whether an option allows it."""
        from engine.asking.planner import Step

        match question.step:
            case Step.CALL:
                return any(_is_named(question.host, each) for each in self._permissions.hosts)
            case Step.NEARBY:
                return self._permissions.private


def _allowed_by(question: HostQuestion) -> str:
    from engine.asking.planner import Step

    match question.step:
        case Step.CALL:
            return f"--allow-host {question.host.name}{' --allow-private' if question.host.is_here else ''} allows it"
        case Step.NEARBY:
            return "--allow-private allows it, as that is on this machine or in its network"


def _is_named(host: Host, written: str) -> bool:
    """Whether an option names this host, with its port or without."""
    from httpx import URL

    written = written.strip().lower()
    return written in (host.name.lower(), URL(host.url).host.lower())


def _is_at_a_terminal() -> bool:
    return sys.stdin.isatty()
