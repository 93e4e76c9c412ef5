"""What is asked for together, its plan, and the requests and costs that it uses once it is approved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.asking.exchanges import NOTHING_CACHED, CacheLookup, Job
from engine.asking.planner import NO_ACCESS, Access, plan, price_at, service_shares
from engine.asking.run_plan import RunPlan
from engine.asking.spending import Cap, Spending
from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import AllJudged, Scored
from engine.evaluation.point_assessment import uses_service
from engine.evaluation.prompt_evaluation import IdealScores
from engine.judging.judge_runner import Draft
from engine.judging.panel import Panel
from engine.models.prices import Price, own_prices
from engine.models.provider_registry import definition_of, resolve
from engine.models.service_client import Host, hosts
from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.evaluation.events import Event
    from engine.models.chat import Resolve


class Wanted(Record):
    """Answers, verdicts and a draft that are asked for together. What is `cached` is not asked for again.

    `panel` judges points in words; None for no judges. Without `calls_services`, checks by services stay as they are.
    """

    blueprint: Blueprint
    jobs: Sequence[Job] = ()
    panel: Panel | None = None
    cached: CacheLookup = NOTHING_CACHED
    calls_services: bool = True
    draft: Draft | None = None

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the jobs, each once."""
        return tuple({job.prompt.index: job.prompt for job in self.jobs}.values())

    async def hosts(self, *, keyless: bool = False) -> tuple[Host, ...]:
        """The hosts that checks would call. `keyless`: nothing will be sent, so no key is needed."""
        if not self.calls_services or not any(map(uses_service, self.prompts)):
            return ()
        return await asyncio.to_thread(hosts, self.blueprint.header, self.prompts, keyless=keyless)

    async def plan(self, allowed: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        """The plan, if checks may call the `allowed` hosts, None for all that they name; `keyless` as above."""
        return await asyncio.to_thread(PlannedRuns, self, allowed if self.calls_services else (), keyless=keyless)


class Approval(Protocol):
    """Approves what is sent: the author in the studio, the options of a command."""

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What may be sent, limited to its cap; None if nothing may."""
        ...


class PlannedRuns:
    """The plan of what is `wanted`, and what it may do once it is limited.

    `spending` counts its requests, `access` are the services that it may ask. `ideals` are shared by its runs.
    """

    def __init__(self, wanted: Wanted, allowed: Collection[str] | None, *, keyless: bool = False) -> None:
        """Blocks; on the event loop, call `Wanted.plan`."""
        self.wanted = wanted
        self._custom = wanted.blueprint.header.models
        self._own = own_prices()
        self._resolve: Resolve = partial(resolve, custom=self._custom)
        self.plan: RunPlan = plan(
            wanted.blueprint,
            wanted.jobs,
            wanted.panel,
            draft=wanted.draft,
            providers=partial(self._resolve, keyless=True) if keyless else self._resolve,
            own=self._own,
            services=service_shares(wanted.blueprint, wanted.jobs, allowed, keyless=keyless),
            cache=wanted.cached,
            keyless=keyless,
        )
        self.ideals = IdealScores()
        self.limit(Cap())

    def limit(self, cap: Cap, access: Access = NO_ACCESS) -> None:
        """Stop before more than `cap` is spent, and call the services of `access` alone. Call it before `models`."""
        number = len(self.wanted.jobs)
        self.spending = Spending(cap, price_of=self._price, prompts=number, custom=self._custom)
        self.access = replace(access, counter=self.spending)

    @property
    def models(self) -> Resolve:
        """Resolves models and judges for these runs; their requests are counted and stop at the cap."""
        return self.spending.guarded(self._resolve)

    async def counted(self, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
        """The events of one of the runs, counted as done with its score."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Scored | AllJudged):
                    self.spending.prompt_done()
                yield event

    def _price(self, model: str, recipient: str, base_url: str | None) -> Price | None:
        defined = base_url is None and definition_of(model, self._custom) is not None
        return price_at(model, recipient, base_url, self._own, defined=defined)
