"""The author's consent to the services that checks call (DESIGN, law 7)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.evaluation.point_assessment import uses_service
from studio.session.allowed_services import NO_ACCESS, ServiceAccess
from studio.session.host import Choice, Host
from studio.session.questions import ServiceAnswer, ServiceQuestion
from studio.session.resources import SettingsFile

if TYPE_CHECKING:
    from engine.asking.planner import HostQuestion
    from engine.blueprint import Blueprint, Prompt
    from engine.models.service_client import Host as ServiceHost


class ServiceConsent:
    """Asks the author about services, host by host, and remembers the consent."""

    def __init__(self, host: Host, settings: SettingsFile) -> None:
        self._host = host
        self._settings = settings

    async def new(self, hosts: Sequence[ServiceHost]) -> tuple[ServiceHost, ...]:
        """Those of `hosts` to which the author has not agreed yet."""
        settings = await self._settings.load()
        return tuple(each for each in hosts if not each.is_agreed(settings.consented))

    async def access(self, hosts: Sequence[ServiceHost], decided: Mapping[str, bool]) -> ServiceAccess | None:
        """The hosts that checks may ask; those that the author refuses are left out.

        `decided` are decisions just made, by name. None if the author cancels a question: then nothing must run.
        """
        if not hosts:
            return NO_ACCESS
        from engine.asking.planner import access_to  # here, where httpx is loaded, which it brings

        await self._settings.load()
        access = await access_to(hosts, partial(self._may_ask, decided))
        return None if access is None else ServiceAccess(access.hosts, access.private)

    async def _may_ask(self, decided: Mapping[str, bool], question: HostQuestion) -> bool | None:
        """Whether the author agrees to `question`; None if they cancel it."""
        host, consented = question.host, self._settings.values.consented
        if host.name in decided and (host.is_here or question.step is question.step.CALL):
            return decided[host.name]
        if not question.is_agreed(consented):
            return await self._ask(question)
        if question.consent not in consented:
            consented.append(question.consent)  # consent was given for more variables than are sent now
        return True

    async def _ask(self, question: HostQuestion) -> bool | None:
        host, consent = question.host, question.consent
        stays = "Its point stays open." if host.calls == 1 else f"Its {host.calls} points stay open."
        choices = [
            Choice(ServiceAnswer.ALWAYS, f"Ask {host.recipient}", "You are not asked about it again."),
            Choice(ServiceAnswer.NEVER, "Do not ask it", stays),
        ]
        chosen = await self._host.ask(ServiceQuestion(question.title, question.text, choices, question))
        if chosen == ServiceAnswer.ALWAYS:
            await self._settings.change(lambda settings: settings.consented.append(consent))
        return None if chosen is None else chosen != ServiceAnswer.NEVER


async def service_hosts(
    blueprint: Blueprint, prompts: Sequence[Prompt], *, keyless: bool = False
) -> tuple[ServiceHost, ...]:
    """The hosts that the checks of `prompts` would ask. `keyless`: nothing will be sent, so no key is needed."""
    if not any(map(uses_service, prompts)):
        return ()
    return await asyncio.to_thread(_hosts, blueprint, prompts, keyless=keyless)


def _hosts(blueprint: Blueprint, prompts: Sequence[Prompt], *, keyless: bool) -> tuple[ServiceHost, ...]:
    from engine.models.service_client import hosts  # here and in a thread, as it brings httpx

    return hosts(blueprint.header, prompts, keyless=keyless)
