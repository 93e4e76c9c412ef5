"""What a run will send, told before it sends anything, and the cap that stops it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from engine.evaluation.events import Failed
from engine.text import visible

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.evaluation.answer_stream import Resolve
    from engine.evaluation.events import AllJudged, Scored
    from engine.judging.panel import Panel
    from engine.planning import Before, Job, RunPlan, Share, Spending


@dataclass(frozen=True, slots=True)
class Limits:
    """The options as given."""

    most_usd: float | None = None
    most_requests: int | None = None
    dry_run: bool = False


def _not_below_nothing(_: click.Context, __: click.Parameter, given: float | None) -> float | None:
    if given is not None and not 0 <= given < float("inf"):
        raise click.BadParameter("a limit is 0 or more.")
    return given


_OPTIONS = (
    click.option(
        "--most-usd",
        type=float,
        callback=_not_below_nothing,
        metavar="DOLLARS",
        help="Stop before the run could cost more than this.",
    ),
    click.option(
        "--most-requests",
        type=int,
        callback=_not_below_nothing,
        metavar="N",
        help="Stop after N requests to models, judges and services.",
    ),
    click.option("--dry-run", is_flag=True, help="Show who would receive what, and at what cost. Sends nothing."),
)


def planning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a plan; the command takes them by the names of `Limits`' fields."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Planning:
    """The plan of one run, and what it takes as it goes."""

    def __init__(
        self,
        blueprint: Blueprint,
        jobs: Sequence[Job],
        panel: Panel | None,
        limits: Limits,
        services: Sequence[Share] = (),
        before: Before | None = None,
    ) -> None:
        """`services` are `engine.planning.service_shares` where checks may call them; `before` is what is kept.

        Raises `click.UsageError` where the cap cannot hold, as a price is not known.
        """
        from engine.planning import NOTHING_BEFORE, Cap, Spending, plan, price_at
        from engine.providers import resolve
        from engine.providers.prices import own_prices
        from engine.providers.provider_registry import definition_of

        own = own_prices()
        custom = blueprint.header.models
        self._resolve = partial(resolve, custom=custom)
        self._limits = limits
        self._cap = Cap(limits.most_usd, limits.most_requests)
        self.plan: RunPlan = plan(
            blueprint,
            jobs,
            panel,
            providers=partial(self._resolve, keyless=True) if limits.dry_run else self._resolve,
            own=own,
            services=services,
            before=before or NOTHING_BEFORE,
            keyless=limits.dry_run,
        )

        def price_of(model: str, recipient: str, base_url: str | None):
            defined = base_url is None and definition_of(model, custom) is not None
            return price_at(model, recipient, base_url, own, defined=defined)

        self.spending: Spending = Spending(self._cap, price_of=price_of, prompts=len(jobs), custom=custom)
        self._refuse_a_cap_that_cannot_hold()

    @property
    def providers(self) -> Resolve:
        """What finds models and judges, counted and within the cap."""
        return self.spending.guarded(self._resolve)

    def tell(self) -> None:
        """Who will receive what, and what it costs: on stderr, or as the result of a dry run."""
        from engine.planning import plan_lines

        lines = list(plan_lines(self.plan))
        if self._cap.in_words and self.plan.requests.most:
            lines.append(f"The run stops before it exceeds {self._cap.in_words}.")
        if self._limits.dry_run and not self.plan.shares:
            lines.append("Nothing would be sent.")
        for line in lines:
            click.echo(visible(line), err=not self._limits.dry_run)

    def heard(self, end: Scored | AllJudged | Failed) -> None:
        """One prompt has come to its end."""
        if not isinstance(end, Failed):
            self.spending.prompt_done()

    def tell_taken(self) -> None:
        """What the run has taken, on stderr."""
        if self.spending.requests:
            click.echo(visible(f"Used: {self.spending.in_words}."), err=True)

    def _refuse_a_cap_that_cannot_hold(self) -> None:
        from engine.scoring.explanation_text import listed

        unpriced = self.plan.unpriced_models
        if unpriced and self._limits.most_usd is not None and self._limits.most_requests is None:
            raise click.UsageError(
                visible(
                    f"--most-usd cannot be kept: the price of {listed(unpriced)} is unknown. "
                    "Give its price under `prices` in settings.json, or add --most-requests."
                )
            )
