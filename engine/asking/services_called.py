"""The services that the checks of a run call, as shares of its plan (000, "External Services").

The questions about access to each host are asked in their order (DESIGN, law 7).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Iterator, Sequence
from enum import StrEnum

from engine.asking.amounts import NOTHING, Amount, Requests
from engine.asking.exchanges import Job, KnownAnswers, exchange
from engine.asking.run_plan import HERE, LOCAL_SERVICE_WARNING, Part, Share, with_variables
from engine.blueprint import Blueprint, Prompt
from engine.evaluation.point_assessment import uses_service
from engine.models.addresses import is_private
from engine.models.chat import ProviderError
from engine.models.definitions import Service, is_service_call, service_call
from engine.models.http import recipient_of
from engine.models.limits import LONGEST_PAUSE
from engine.models.service_client import Host, hosts, requests_at_once
from engine.scoring.explanation_text import listed
from engine.text.record import Record

_QUICK_SECONDS, _USUAL_SECONDS = 0.1, 1.0
TEXTS_SENT = ("the answer", "the ids of the model and the prompt", "the fields of the check")
"""The texts that a service receives."""


def service_shares(
    blueprint: Blueprint, jobs: Iterable[Job], allowed: Container[str] | None = None, *, keyless: bool = False
) -> tuple[Share, ...]:
    """One share for each host that the checks of these answers call, in the order of the first call.

    `allowed` are the names of the hosts that may be called, None for all. Each check calls once at least, and at most
    once more for each retry of its service; replies cached for a day are counted too. The price of a service is
    unknown, or nothing on this machine. With `keyless` nothing will be sent, and shares name the variables to set.
    """
    known = KnownAnswers(blueprint=blueprint)
    wanted = [job.prompt for job in jobs if exchange(job, blueprint.header, known).has_answer]
    if not any(map(uses_service, wanted)):
        return ()
    times = Counter(prompt.index for prompt in wanted)
    once = tuple({prompt.index: prompt for prompt in wanted}.values())
    calls: dict[str, Requests] = {}
    slowest: dict[str, Amount] = {}
    for prompt in once:
        for host in hosts(blueprint.header, [prompt], keyless=keyless):
            services = tuple(_services_of(blueprint, prompt, host.services))
            tries = 1 + max((service.retries for service in services), default=0)
            number = host.calls * times[prompt.index]
            slowest[host.name] = _slower(slowest.get(host.name, NOTHING), services)
            calls[host.name] = calls.get(host.name, Requests()) + Requests(number, number * tries)
    found = hosts(blueprint.header, once, keyless=keyless)
    return tuple(
        _share(host, calls[host.name], slowest[host.name]) for host in found if allowed is None or host.name in allowed
    )


def _slower(other: Amount, services: Iterable[Service]) -> Amount:
    """The seconds of one call: at most `other` or until the last time-out of a service, with the pauses between."""
    most = max(map(_most_seconds, services), default=0.0)
    return Amount(_QUICK_SECONDS, _USUAL_SECONDS, max(other.most, most))


def _most_seconds(service: Service) -> float:
    pauses = sum(min(service.pause * number, LONGEST_PAUSE) for number in range(1, service.retries + 1))
    return (1 + service.retries) * service.seconds + pauses


def _share(host: Host, requests: Requests, each: Amount) -> Share:
    found = recipient_of(host.url)
    return Share(
        Part.SERVICE,
        " and ".join(host.services),
        "",
        TEXTS_SENT,
        found if found.startswith(HERE) else host.name,
        requests,
        dollars=NOTHING if found.startswith(HERE) else None,
        variables=host.variables,
        at_once=requests_at_once(host.url),
        each=each,
        remarks=tuple(_unset(host)),
    )


def _unset(host: Host) -> Iterator[str]:
    """A remark on variables to set. In a run itself none is unset: the host would not be called."""
    unset = [name for name in host.variables if not os.environ.get(name, "").strip()]
    if unset:
        yield f"{listed(host.services)} needs {listed(unset)}, which {'is' if len(unset) == 1 else 'are'} not set."


def _services_of(blueprint: Blueprint, prompt: Prompt, names: Sequence[str]) -> Iterable[Service]:
    """The services with one of these names that the prompt's checks call, one for each call."""
    for point in prompt.points():
        if point.function is None or not is_service_call(point.function):
            continue
        try:
            service = service_call(point.function, blueprint.header).service
        except ProviderError:
            continue
        if service.name in names:
            yield service


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
