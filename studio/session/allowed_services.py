"""The services that the checks of a run may send requests to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.evaluation.point_assessment import uses_service
from engine.evaluation.service_assessment import Services
from engine.text.record import Record
from studio.session.cache import Cache

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.models.addresses import RequestCounter


class ServiceAccess(Record):
    """The hosts that runs may send requests to; `private` are those that may be on this machine or in its network.

    `counter` counts the requests against the cap.
    """

    hosts: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    counter: RequestCounter | None = None


NO_ACCESS = ServiceAccess()


async def services_for(
    blueprint: Blueprint, prompt: Prompt, cache: Cache, access: ServiceAccess | None
) -> Services | None:
    """What an evaluation of `prompt` needs to ask services; without `access`, only cached replies count."""
    if not uses_service(prompt):
        return None
    return await asyncio.to_thread(_services, blueprint, cache, access)


def _services(blueprint: Blueprint, cache: Cache, access: ServiceAccess | None) -> Services:
    known = access or NO_ACCESS
    return Services(blueprint.header, known.hosts, known.private, cache, access is not None, known.counter)
