"""Services for the command line: which hosts may be asked, what is told before, and the question at a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from engine.scoring.explanation_text import listed
from engine.text import visible

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.service_assessment import ServiceAnswerStore, Services
    from engine.planning import Job, Share
    from engine.planning.service_access import HostQuestion
    from engine.services.hosts import Host


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

    def __init__(self, blueprint: Blueprint, prompts: Sequence[Prompt], given: Permissions, *, dry_run: bool) -> None:
        """`dry_run`: nothing is sent, so that no question is put to anybody, and no key has to be there."""
        from engine.planning.service_access import Access, access_to
        from engine.services.hosts import hosts
        from engine.workspace.user_settings import Settings

        self._blueprint = blueprint
        self._given = given
        self._settings = Settings.load()
        self._refused: list[HostQuestion] = []
        self._dry_run = dry_run
        found = hosts(blueprint.header, prompts, keyless=dry_run)
        self._access = asyncio.run(access_to(found, self._may_ask)) or Access()
        self._unasked = [each for each in given.hosts if not any(_is_named(host, each) for host in found)]

    def services(self, kept: ServiceAnswerStore) -> Services:
        """What an evaluation needs to ask them."""
        from engine.evaluation.service_assessment import Services

        return Services(self._blueprint.header, self._access.hosts, self._access.private, kept)

    def shares(self, jobs: Sequence[Job]) -> tuple[Share, ...]:
        """The hosts that will be asked, for the plan."""
        from engine.planning import service_shares

        return service_shares(self._blueprint, jobs, self._access.hosts, keyless=self._dry_run)

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

    async def _may_ask(self, question: HostQuestion) -> bool:
        may = (
            self._is_allowed(question)
            or question.is_agreed(self._settings.consented)
            or (not self._dry_run and _is_at_a_terminal() and self._agrees(question))
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

    def _agrees(self, question: HostQuestion) -> bool:
        """Whether the author agrees now, which is remembered."""
        click.echo(visible(question.text), err=True)
        if not click.confirm("Ask it, now and from now on?", err=True):
            return False
        self._settings.consented.append(question.consent)
        try:
            self._settings.save()
        except OSError as error:
            click.echo(visible(f"That cannot be remembered: {error.strerror}."), err=True)
        return True


def services_of(
    blueprint: Blueprint, prompts: Sequence[Prompt], given: Permissions, *, dry_run: bool = False
) -> ServiceConsent | None:
    """The services of a run, where a check asks one, or an option says something about them."""
    from engine.evaluation.point_assessment import asks_a_service

    if not given.hosts and not any(map(asks_a_service, prompts)):
        return None
    return ServiceConsent(blueprint, prompts, given, dry_run=dry_run)


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
