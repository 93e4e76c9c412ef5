"""Services that checks ask, in the studio: the question before the first call to a host, and what they said before."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.evaluation.point_assessment import asks_a_service
from engine.scoring.explanation_text import listed
from studio.session.cache import Kept

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.service_assessment import Services
    from engine.services.hosts import Host
    from engine.services.service_client import Count
    from engine.store import StoreUnavailable
    from studio.tui.screens.blueprint import BlueprintScreen


@dataclass(frozen=True, slots=True)
class Allowed:
    """The hosts that some runs may ask, and those of them that may be on this machine or in its network.

    `count` counts what is sent to them, within the cap.
    """

    hosts: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    count: Count | None = None


NOBODY = Allowed()


class Calling:
    """Asks the author about hosts (DESIGN, law 7), and finds what services answered within the last day."""

    def __init__(self, screen: BlueprintScreen) -> None:
        self._screen = screen
        self._kept = Kept(lambda: screen.app.store, self._tell)

    async def unasked(self, blueprint: Blueprint, prompts: Sequence[Prompt]) -> tuple[Host, ...]:
        """The hosts that the checks of `prompts` would ask, and to which the author has not agreed yet."""
        if not any(map(asks_a_service, prompts)):
            return ()
        found = await asyncio.to_thread(_hosts, blueprint, prompts)
        return tuple(host for host in found if not host.is_agreed(self._screen.app.settings.consented))

    async def allowed(
        self, blueprint: Blueprint, prompts: Sequence[Prompt], decided: Mapping[str, bool]
    ) -> Allowed | None:
        """The hosts that the checks of `prompts` may ask; those that the author refuses are left out.

        `decided` is what they said just now of some, by name. None where the author leaves the question open: then
        nothing is to be run. A name is looked up only once it is agreed to, as a name alone may carry what is in a
        variable.
        """
        if not any(map(asks_a_service, prompts)):
            return NOBODY
        names: set[str] = set()
        private: set[str] = set()
        for host in await asyncio.to_thread(_hosts, blueprint, prompts):
            agreed = decided[host.name] if host.name in decided else await self._agrees(host)
            if agreed and (host.is_here or await _is_private(host)):
                if not (host.is_here and host.name in decided):
                    agreed = await self._agrees_nearby(host)
                private.add(host.name)
            if agreed is None:
                return None
            if agreed:
                names.add(host.name)
        return Allowed(frozenset(names), frozenset(private & names))

    async def services(self, blueprint: Blueprint, prompt: Prompt, allowed: Allowed | None) -> Services | None:
        """What an evaluation of `prompt` needs to ask them; without `allowed`, only what they said before counts."""
        if not asks_a_service(prompt):
            return None
        return await asyncio.to_thread(self._services, blueprint, allowed)

    def _services(self, blueprint: Blueprint, allowed: Allowed | None) -> Services:
        from engine.evaluation.service_assessment import Services  # here and in a thread, as it brings httpx

        known = allowed or NOBODY
        return Services(blueprint.header, known.hosts, known.private, self._kept, allowed is not None, known.count)

    async def _agrees(self, host: Host) -> bool | None:
        """Whether the author lets this host be asked; None where they turn away from the question."""
        known = self._screen.app.settings.consented
        if not host.is_agreed(known):
            return await self._ask(host.consent, "A check asks a service", _gets(host), host)
        if host.consent not in known:
            known.append(host.consent)  # agreed to with more variables than go along now
        return True

    async def _agrees_nearby(self, host: Host) -> bool | None:
        """The same of a host on this machine or in its network."""
        if host.is_agreed_nearby(self._screen.app.settings.consented):
            return True
        return await self._ask(host.consent_nearby, "A service in your own network", _NEAR, host)

    async def _ask(self, consent: str, title: str, said: str, host: Host) -> bool | None:
        from studio.tui.dialogs.ask import Ask, Choice

        app = self._screen.app
        stays = "Its point stays open." if host.calls == 1 else f"Its {host.calls} points stay open."
        choices = [
            Choice("ask", f"Ask {host.recipient}", "You are not asked about it again."),
            Choice("leave", "Do not ask it", stays),
        ]
        chosen = await app.push_screen_wait(Ask(title, said, choices))
        if chosen == "ask":
            app.settings.consented.append(consent)
            app.keep_settings()
        return None if chosen is None else chosen == "ask"

    def _tell(self, error: StoreUnavailable) -> None:
        self._screen.call_later(self._screen.notify, str(error), severity="warning", markup=False)


_NEAR = (
    "Its address is on this machine or in its network. A blueprint from somebody else could reach there what nobody "
    "outside can: ask it only if you know this service."
)


def _gets(host: Host) -> str:
    here = " This machine itself is asked: go on only if you know this service." if host.is_here else ""
    beside = f" With it goes what is in {listed(host.variables)}." if host.variables else ""
    who = listed(host.asked_as)
    return (
        f"{who[:1].upper()}{who[1:]} {host.place} gets the answer, the ids of the model and the prompt, and "
        f"what the check says to send.{beside} What it says counts in the score.{here}"
    )


def _hosts(blueprint: Blueprint, prompts: Sequence[Prompt]) -> tuple[Host, ...]:
    from engine.services.hosts import hosts  # here and in a thread, as it brings httpx

    return hosts(blueprint.header, prompts)


async def _is_private(host: Host) -> bool:
    from engine.services.addresses import is_private

    return await is_private(host.url)
