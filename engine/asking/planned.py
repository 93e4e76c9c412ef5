"""The plan of runs that start together, and the requests and costs that they use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.asking.exchanges import CacheLookup, Job
from engine.asking.planner import plan, price_at, service_shares
from engine.asking.run_plan import RunPlan
from engine.asking.spending import Cap, Spending
from engine.evaluation.events import AllJudged, Scored
from engine.models.prices import Price, own_prices
from engine.models.provider_registry import definition_of, resolve

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from engine.models.chat import Resolve


class PlannedRuns:
    """The plan of runs and their spending. Create it with `of`."""

    def __init__(
        self,
        blueprint: Blueprint,
        jobs: Sequence[Job],
        panel: Panel | None,
        hosts: Collection[str] | None,
        cached: CacheLookup,
        *,
        keyless: bool = False,
    ) -> None:
        """Blocks; on the event loop, call `of`.

        `hosts` are those that checks may ask; None for all that they name. `keyless`: nothing will be sent, so no key
        is needed.
        """
        self._custom = blueprint.header.models
        self._own = own_prices()
        self._number = len(jobs)
        self._resolve: Resolve = partial(resolve, custom=self._custom)
        self.plan: RunPlan = plan(
            blueprint,
            jobs,
            panel,
            providers=partial(self._resolve, keyless=True) if keyless else self._resolve,
            own=self._own,
            services=service_shares(blueprint, jobs, hosts, keyless=keyless),
            cache=cached,
            keyless=keyless,
        )
        self.spending = self._spending(Cap())

    @classmethod
    async def of(
        cls,
        blueprint: Blueprint,
        jobs: Sequence[Job],
        panel: Panel | None,
        hosts: Collection[str] | None,
        cached: CacheLookup,
        *,
        keyless: bool = False,
    ) -> PlannedRuns:
        """The plan of `jobs`, made in a thread. Arguments as above."""
        return await asyncio.to_thread(cls, blueprint, jobs, panel, hosts, cached, keyless=keyless)

    def limit(self, cap: Cap) -> None:
        """Stop before more than `cap` is spent. Call it before `models`."""
        self.spending = self._spending(cap)

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

    def _spending(self, cap: Cap) -> Spending:
        return Spending(cap, price_of=self._price, prompts=self._number, custom=self._custom)

    def _price(self, model: str, recipient: str, base_url: str | None) -> Price | None:
        defined = base_url is None and definition_of(model, self._custom) is not None
        return price_at(model, recipient, base_url, self._own, defined=defined)
