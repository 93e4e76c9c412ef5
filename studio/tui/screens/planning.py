"""The plan of the runs that are about to begin on the blueprint screen, and what they take as they go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.evaluation.events import AllJudged, Scored
from engine.evaluation.judge_assessment import is_open
from engine.planning import Cap, Job, RunPlan, Share, Spending, plan, price_at, service_shares
from engine.providers import resolve
from engine.providers.prices import Price, own_prices
from engine.providers.provider_registry import definition_of

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.evaluation.answer_stream import Resolve
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from engine.workspace.user_settings import Settings
    from studio.session.run import Run
    from studio.tui.screens.evaluating import Evaluating


class Planning:
    """What runs that begin together will send. Make it with `of`, off the event loop."""

    def __init__(
        self,
        blueprint: Blueprint,
        runs: Collection[Run],
        panel: Panel | None,
        hosts: Collection[str] | None,
        evaluating: Evaluating,
        *,
        only_show: bool = False,
    ) -> None:
        """Counts and looks up; call `of` on the event loop."""
        custom = blueprint.header.models
        self._custom = custom
        self._own = own_prices()
        self._number = len(runs)
        self._resolve: Resolve = partial(resolve, custom=custom)
        jobs = [job_of(run, evaluating) for run in runs]
        services = [share for share in service_shares(blueprint, jobs, keyless=only_show) if _is_allowed(share, hosts)]
        self.plan: RunPlan = plan(
            blueprint,
            jobs,
            panel,
            providers=partial(resolve, custom=custom, keyless=True) if only_show else self._resolve,
            own=self._own,
            services=services,
            before=evaluating.before(),
            keyless=only_show,
        )
        self.spending: Spending | None = None

    @classmethod
    async def of(
        cls,
        blueprint: Blueprint,
        runs: Collection[Run],
        panel: Panel | None,
        hosts: Collection[str] | None,
        evaluating: Evaluating,
        *,
        only_show: bool = False,
    ) -> Planning:
        """The plan of `runs`, which `evaluating` will do, and knows what is kept for.

        `hosts` are those that checks may ask, which the author was asked about already. None: all that they would ask.
        `only_show` is for a plan of which nothing is sent: it needs no key.
        """
        return await asyncio.to_thread(cls, blueprint, runs, panel, hosts, evaluating, only_show=only_show)

    def providers(self, settings: Settings) -> Resolve:
        """What finds models and judges for these runs: counted, and within the cap of the settings."""
        cap = Cap(settings.cap.dollars, settings.cap.requests)
        self.spending = Spending(cap, price_of=self._price, prompts=self._number, custom=self._custom)
        return self.spending.guarded(self._resolve)

    async def count(self) -> None:
        """One more request to a service. Raises `ProviderError` where the cap does not allow it."""
        if self.spending is not None:
            await self.spending.count_request()

    async def counted(self, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
        """The events of one of the runs, which is done with its score."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Scored | AllJudged) and self.spending is not None:
                    self.spending.prompt_done()
                yield event

    def _price(self, model: str, recipient: str, base_url: str | None) -> Price | None:
        defined = base_url is None and definition_of(model, self._custom) is not None
        return price_at(model, recipient, base_url, self._own, defined=defined)


def job_of(run: Run, evaluating: Evaluating) -> Job:
    """What a run wants: an answer, or what is open in one that is there to be judged."""
    settled = (index for index, each in enumerate(run.assessments) if not is_open(each) and not each.carried_over)
    return Job(
        run.prompt,
        run.source,
        run.candidate.variant,
        run.begun,
        None if run.response is None else run.response.thread,
        run.fresh or run.prompt.no_cache,
        frozenset(settled),
        partial(evaluating.grades, run.place),
    )


def _is_allowed(share: Share, hosts: Collection[str] | None) -> bool:
    return hosts is None or any(
        host == share.recipient or (share.is_here and host in share.recipient) for host in hosts
    )
