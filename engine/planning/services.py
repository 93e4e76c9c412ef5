"""The services that the checks of a run call, as shares of its plan (000, "External Services")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.assessing import asks_a_service
from engine.planning.amounts import NOTHING, Requests
from engine.planning.answers import Job, exchange
from engine.planning.before import Recollection
from engine.planning.run_plan import HERE, Part, Share
from engine.providers.chat import ProviderError

if TYPE_CHECKING:  # what speaks HTTP is loaded only where a check calls somebody
    from engine.services.hosts import Host

SENT = ("the answer", "the ids of the model and the prompt", "what the check says to send")
"""What a service receives, in an author's words."""


def service_shares(
    blueprint: Blueprint, jobs: Iterable[Job], allowed: Container[str] | None = None
) -> tuple[Share, ...]:
    """One share for each host that the checks of these answers ask, in the order of the first call.

    `allowed` are the names of those hosts that are asked at all, None where all are.
    At least every check calls once, at most it is tried again as often as its service says. What a service charges is
    not known, but on this machine it is nothing. Answers that are kept for a day make it less.
    """
    recollection = Recollection(blueprint=blueprint)
    wanted = [job.prompt for job in jobs if exchange(job, blueprint.header, recollection).is_there]
    if not any(map(asks_a_service, wanted)):
        return ()
    from engine.services.hosts import hosts

    times = Counter(prompt.index for prompt in wanted)
    once = tuple({prompt.index: prompt for prompt in wanted}.values())
    calls: dict[str, Requests] = {}
    for prompt in once:
        for host in hosts(blueprint.header, [prompt]):
            tries = 1 + _retries(blueprint, prompt, host)
            number = host.calls * times[prompt.index]
            calls[host.name] = calls.get(host.name, Requests()) + Requests(number, number * tries)
    found = hosts(blueprint.header, once)
    return tuple(_share(host, calls[host.name]) for host in found if allowed is None or host.name in allowed)


def _share(host: Host, requests: Requests) -> Share:
    from engine.providers.http import recipient_of

    found = recipient_of(host.url)
    return Share(
        Part.SERVICE,
        " and ".join(host.asked_as),
        "",
        SENT,
        found if found.startswith(HERE) else host.name,
        requests,
        dollars=NOTHING if found.startswith(HERE) else None,
        variables=host.variables,
        at_once=requests.least or 1,
    )


def _retries(blueprint: Blueprint, prompt: Prompt, host: Host) -> int:
    """How often a call of this prompt to this host is tried again, at most."""
    return max(_retries_of(blueprint, prompt, host.asked_as), default=0)


def _retries_of(blueprint: Blueprint, prompt: Prompt, asked_as: Sequence[str]) -> Iterable[int]:
    from engine.services.calls import is_service_call, service_call

    for point in prompt.points():
        if point.function is None or not is_service_call(point.function):
            continue
        try:
            service = service_call(point.function, blueprint.header).service
        except ProviderError:
            continue
        if service.name in asked_as:
            yield service.retries
