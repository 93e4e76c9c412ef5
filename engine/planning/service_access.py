"""Access of checks to service hosts: the questions to ask about each host, in order (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from enum import StrEnum

from engine.models.addresses import is_private
from engine.models.service_client import Host
from engine.planning.plan_text import LOCAL_SERVICE_WARNING, with_variables
from engine.planning.services_called import TEXTS_SENT
from engine.record import Record
from engine.scoring.explanation_text import listed


class Step(StrEnum):
    """The questions about a host, in this order."""

    CALL = "call"
    """May it be called at all?"""
    NEARBY = "nearby"
    """May it be called although it is on this machine or in its network?"""


class HostQuestion(Record):
    """The question whether `host` may be called."""

    host: Host
    step: Step = Step.CALL

    @property
    def consent(self) -> str:
        """The agreement that settings save when the author answers yes permanently."""
        return self.host.consent if self.step is Step.CALL else self.host.consent_nearby

    def is_agreed(self, consented: Collection[str]) -> bool:
        """Whether the author has allowed it permanently."""
        return self.host.is_agreed(consented) if self.step is Step.CALL else self.host.is_agreed_nearby(consented)

    @property
    def title(self) -> str:
        """The question in a few words."""
        return "A check asks a service" if self.step is Step.CALL else "A service in your own network"

    @property
    def text(self) -> str:
        """What the host receives, or why calling it is dangerous."""
        if self.step is Step.NEARBY:
            return (
                f"{self.host.recipient} is on this machine or in its network. A blueprint from somebody else could "
                "reach what is not public there: allow it only if you know this service."
            )
        here = f" {LOCAL_SERVICE_WARNING}" if self.host.is_here else ""
        who = listed(self.host.services)
        texts = f"{', '.join(TEXTS_SENT[:-1])}, and {TEXTS_SENT[-1]}"
        return (
            f"{who[:1].upper()}{who[1:]} {self.host.place} gets {texts}.{with_variables(self.host.variables)} "
            f"What it says counts in the score.{here}"
        )


class Access(Record):
    """The names of hosts that may be called; those in `private` also on this machine or in its network."""

    hosts: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()


async def access_to(hosts: Iterable[Host], may_ask: Callable[[HostQuestion], Awaitable[bool | None]]) -> Access | None:
    """Which of `hosts` may be called, by the answers of `may_ask`; None as soon as one answer is None (do not run).

    A host name is resolved only after its first question is answered with yes, since the name alone may contain the
    value of a variable.
    """
    names: set[str] = set()
    private: set[str] = set()
    for host in hosts:
        agreed = await may_ask(HostQuestion(host))
        if agreed and (host.is_here or await is_private(host.url)):
            agreed = await may_ask(HostQuestion(host, Step.NEARBY))
            private.add(host.name)
        if agreed is None:
            return None
        if agreed:
            names.add(host.name)
    return Access(frozenset(names), frozenset(private & names))
