"""Services for the command line: which hosts may be asked, what is told before, and the question at a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from engine.scoring.wording import listed
from engine.text import visible

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.called import KeptAnswers, Services
    from engine.planning import Job, Share
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
        help="Let $call and $factcheck ask this host; may be repeated.",
    ),
    click.option(
        "--allow-private", is_flag=True, help="Let them ask allowed hosts on this machine or in its network, too."
    ),
)


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that allow services."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Calling:
    """The services of one run: who may be asked, by option, by what was agreed to before, or by an answer now."""

    def __init__(self, blueprint: Blueprint, prompts: Sequence[Prompt], given: Permissions, *, dry_run: bool) -> None:
        """`dry_run`: nothing is sent, so that no question is put to anybody, and no key has to be there."""
        from engine.services.hosts import hosts
        from engine.workspace.settings import Settings

        self._blueprint = blueprint
        self._given = given
        self._settings = Settings.load()
        self._allowed: set[str] = set()
        self._private: set[str] = set()
        self._refused: list[tuple[Host, str]] = []
        self._dry_run = dry_run
        found = hosts(blueprint.header, prompts, keyless=dry_run)
        for host in found:
            self._decide(host, may_ask=not dry_run and _is_at_a_terminal())
        self._unasked = [each for each in given.hosts if not any(_is_named(host, each) for host in found)]

    def services(self, kept: KeptAnswers) -> Services:
        """What an evaluation needs to ask them."""
        from engine.evaluation.called import Services

        return Services(self._blueprint.header, frozenset(self._allowed), frozenset(self._private), kept)

    def shares(self, jobs: Sequence[Job]) -> tuple[Share, ...]:
        """The hosts that will be asked, for the plan."""
        from engine.planning import service_shares

        return service_shares(self._blueprint, jobs, self._allowed, keyless=self._dry_run)

    def tell(self) -> None:
        """Who is not asked, how many points that leaves open in each answer, and which option allows it."""
        for host, how in self._refused:
            beside = f" With it goes what is in {listed(host.variables)}." if host.variables else ""
            stays = "1 point stays" if host.calls == 1 else f"{host.calls} points stay"
            who = listed(host.asked_as)
            said = f"Not asked: {who} {host.place}; {stays} open. {how}.{beside}"
            click.echo(visible(said), err=True)
        for name in self._unasked:
            click.echo(visible(f"No check asks {name}, which --allow-host names."), err=True)

    def _decide(self, host: Host, *, may_ask: bool) -> None:
        """Nothing is looked up before the author agreed: a name alone may carry what is in a variable."""
        from engine.services.addresses import is_private

        by_option = any(_is_named(host, each) for each in self._given.hosts)
        beside = f" With it goes what is in {listed(host.variables)}." if host.variables else ""
        who = listed(host.asked_as)
        asks = f"{who[:1].upper()}{who[1:]} {host.place} gets each answer, and what the checks send.{beside}"
        agreed = by_option or host.is_agreed(self._settings.consented)
        if not agreed and not (may_ask and self._agrees(host.consent, asks)):
            self._refused.append(
                (host, f"--allow-host {host.name}{' --allow-private' if host.is_here else ''} allows it")
            )
            return
        if host.is_here or asyncio.run(is_private(host.url)):
            near = f"{host.recipient} is on this machine or in its network."
            agreed = self._given.private or host.is_agreed_nearby(self._settings.consented)
            if not agreed and not (may_ask and self._agrees(host.consent_nearby, near)):
                self._refused.append((host, "--allow-private allows it, as that is on this machine or in its network"))
                return
            self._private.add(host.name)
        self._allowed.add(host.name)

    def _agrees(self, consent: str, said: str) -> bool:
        """Whether the author agrees now, which is remembered."""
        click.echo(visible(said), err=True)
        if not click.confirm("Ask it, now and from now on?", err=True):
            return False
        self._settings.consented.append(consent)
        try:
            self._settings.save()
        except OSError as error:
            click.echo(visible(f"That cannot be remembered: {error.strerror}."), err=True)
        return True


def services_of(
    blueprint: Blueprint, prompts: Sequence[Prompt], given: Permissions, *, dry_run: bool = False
) -> Calling | None:
    """The services of a run, where a check asks one, or an option says something about them."""
    from engine.evaluation.assessing import asks_a_service

    if not given.hosts and not any(map(asks_a_service, prompts)):
        return None
    return Calling(blueprint, prompts, given, dry_run=dry_run)


def _is_named(host: Host, written: str) -> bool:
    """Whether an option names this host, with its port or without."""
    from httpx import URL

    written = written.strip().lower()
    return written in (host.name.lower(), URL(host.url).host.lower())


def _is_at_a_terminal() -> bool:
    return sys.stdin.isatty()
