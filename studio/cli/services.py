"""Services for the command line: which hosts may be asked, what is told before, and the question at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from engine.scoring.explanation_text import listed
from engine.text import visible

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.planning.service_access import HostQuestion
    from engine.services.hosts import Host
    from engine.workspace.user_settings import Settings
    from studio.session.service_access import ServiceAccess


@dataclass(frozen=True, slots=True)
class Permissions:
    """The options as given: `hosts` with or without a port; `private` says that they may be on this machine."""

    hosts: tuple[str, ...] = ()
    private: bool = False


_OPTIONS = (
    click.option(
        "--allow-host",
        "allow_hosts",
        multiple=True,
        metavar="HOST",
        help="Allow $call and $factcheck to send requests to this host. Can be repeated.",
    ),
    click.option("--allow-private", is_flag=True, help="Allow such hosts on this machine and in its network too."),
)


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that allow services."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class ServiceConsent:
    """The services of one run: who may be asked, by option, by what was agreed to before, or by an answer now."""

    def __init__(self, given: Permissions, *, dry_run: bool) -> None:
        """`dry_run`: nothing is sent, so that no question is put to anybody, and no key has to be there."""
        self._given = given
        self._dry_run = dry_run
        self._refused: list[HostQuestion] = []
        self._unasked: list[str] = []

    async def access(self, blueprint: Blueprint, prompts: Sequence[Prompt]) -> ServiceAccess:
        """The hosts that the checks of `prompts` may ask."""
        from engine.evaluation.point_assessment import asks_a_service
        from studio.session.service_access import NO_ACCESS, ServiceAccess

        if not self._given.hosts and not any(map(asks_a_service, prompts)):
            return NO_ACCESS
        from engine.planning.service_access import access_to
        from engine.services.hosts import hosts
        from engine.workspace.user_settings import Settings

        found = hosts(blueprint.header, prompts, keyless=self._dry_run)
        self._unasked = [each for each in self._given.hosts if not any(_is_named(host, each) for host in found)]
        access = await access_to(found, partial(self._may_ask, Settings.load()))
        return NO_ACCESS if access is None else ServiceAccess(access.hosts, access.private)

    def tell(self) -> None:
        """Who is not asked, how many points that leaves open in each answer, and which option allows it."""
        from engine.planning.plan_text import with_variables

        for question in self._refused:
            host = question.host
            stays = "1 point stays" if host.calls == 1 else f"{host.calls} points stay"
            said = f"Not asked: {listed(host.asked_as)} {host.place}; {stays} open. {_allowed_by(question)}."
            click.echo(visible(f"{said}{with_variables(host.variables)}"), err=True)
        for name in self._unasked:
            click.echo(visible(f"No check asks {name}, which --allow-host names."), err=True)

    async def _may_ask(self, settings: Settings, question: HostQuestion) -> bool:
        may = (
            self._is_allowed(question)
            or question.is_agreed(settings.consented)
            or (not self._dry_run and _is_at_a_terminal() and _agrees(question, settings))
        )
        if not may:
            self._refused.append(question)
        return may

    def _is_allowed(self, question: HostQuestion) -> bool:
        """Whether an option says yes."""
        from engine.planning.service_access import Step

        match question.step:
            case Step.CALL:
                return any(_is_named(question.host, each) for each in self._given.hosts)
            case Step.NEARBY:
                return self._given.private


def _agrees(question: HostQuestion, settings: Settings) -> bool:
    """Whether the author agrees now, which is remembered."""
    click.echo(visible(question.text), err=True)
    if not click.confirm("Ask it, now and from now on?", err=True):
        return False
    settings.consented.append(question.consent)
    try:
        settings.save()
    except OSError as error:
        click.echo(visible(f"That cannot be remembered: {error.strerror}."), err=True)
    return True


def _allowed_by(question: HostQuestion) -> str:
    from engine.planning.service_access import Step

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
