"""The options that limit a run; its plan, printed before anything is sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.frame import flag, option, tell
from studio.cli.service_options import OptionsHost, Permissions

if TYPE_CHECKING:
    from engine.asking.run_plan import RunPlan
    from engine.asking.spending import Cap
    from studio.session.run_starts import Approved, Launch, Planner


def _not_negative(_: click.Context, __: click.Parameter, given: float | None) -> float | None:
    if given is not None and not 0 <= given < float("inf"):
        raise click.BadParameter("a limit is 0 or more.")
    return given


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may cost, and whether it is only planned."""

    most_usd: float | None = option(
        "--most-usd",
        type=float,
        callback=_not_negative,
        metavar="DOLLARS",
        help="Stop before the run could cost more than this.",
    )
    most_requests: int | None = option(
        "--most-requests",
        type=int,
        callback=_not_negative,
        metavar="N",
        help="Stop after N requests to models, judges and services.",
    )
    dry_run: bool = flag("--dry-run", help="Show who would receive what, and at what cost. Sends nothing.")


class OptionsApproval:
    """Approves a launch within the options of a command, after printing its recipients and costs."""

    def __init__(self, limits: Limits, permissions: Permissions, notes: Sequence[str] = ()) -> None:
        """`notes` are printed below the plan."""
        self._limits = limits
        self._permissions = permissions
        self._notes = notes
        self.told: set[str] = set()
        """What was advised on what cannot be asked, where who reads the scores has read it."""

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What `launch` may do; None for a dry run.

        Raises `click.UsageError` for a cap in dollars if a price is unknown.
        """
        from engine.asking.spending import Cap
        from studio.session.resources import SettingsFile
        from studio.session.run_consent import ServiceConsent, service_hosts
        from studio.session.run_starts import Approved

        dry_run = self._limits.dry_run
        prompts = {run.prompt.index: run.prompt for run in launch.runs}.values()
        host = OptionsHost(self._permissions, asks=not dry_run)
        hosts = await service_hosts(launch.blueprint, tuple(prompts), keyless=dry_run)
        access = await ServiceConsent(host, SettingsFile()).access(hosts, {})
        if access is None:
            return None
        planned = await plan(access.hosts, keyless=dry_run)
        cap = Cap(self._limits.most_usd, self._limits.most_requests)
        _refuse_unenforceable(cap, planned.plan)
        for line in self._plan_lines(planned.plan, cap):
            click.echo(visible(line), err=not dry_run)
        if sys.stdout.isatty() and sys.stderr.isatty():
            self.told.update(share.advice for share in planned.plan.unreachable)
        for note in self._notes:
            tell(note)
        host.report_services(hosts)
        return None if dry_run else Approved(access, cap, planned)

    def _plan_lines(self, plan: RunPlan, cap: Cap) -> Iterator[str]:
        """The recipients, what they receive, and the cost."""
        from engine.asking.run_plan import plan_lines

        yield from plan_lines(plan)
        if cap.summary and plan.requests.most:
            yield f"The run stops before it exceeds {cap.summary}."
        if self._limits.dry_run and not plan.shares:
            yield "Nothing would be sent."


def _refuse_unenforceable(cap: Cap, plan: RunPlan) -> None:
    from engine.scoring.explanation_text import listed

    if missed := cap.misses(plan):
        own = "Give its price under `prices` in settings.json, or add" if missed == plan.unpriced_models else "Add"
        raise click.UsageError(
            visible(f"--most-usd cannot be enforced: the price of {listed(missed)} is unknown. {own} --most-requests.")
        )
