"""What a run will send, told before it sends anything, and the cap that stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from engine.text import visible
from studio.cli.service_options import OptionsHost, Permissions

if TYPE_CHECKING:
    from engine.planning import Cap, RunPlan
    from studio.session.run_launcher import Approved, Launch, Planner


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


class OptionsApproval:
    """Lets a launch begin as far as the options of a command allow, and tells before who will receive what."""

    def __init__(self, limits: Limits, permissions: Permissions, notes: Sequence[str] = ()) -> None:
        """`notes` are told behind the plan."""
        self._limits = limits
        self._permissions = permissions
        self._notes = notes

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What `launch` may do; None for a dry run. Raises `click.UsageError` where the cap cannot hold, as a price is
        not known."""
        from engine.planning import Cap
        from studio.session.resources import SettingsFile
        from studio.session.run_launcher import Approved
        from studio.session.service_consent import ServiceConsent, hosts_asked

        dry_run = self._limits.dry_run
        prompts = {run.prompt.index: run.prompt for run in launch.runs}.values()
        host = OptionsHost(self._permissions, asks=not dry_run)
        hosts = await hosts_asked(launch.blueprint, tuple(prompts), keyless=dry_run)
        access = await ServiceConsent(host, SettingsFile()).access(hosts, {})
        if access is None:
            return None
        planned = await plan(access.hosts, keyless=dry_run)
        cap = Cap(self._limits.most_usd, self._limits.most_requests)
        self._refuse_a_cap_that_cannot_hold(planned.plan)
        for line in self._plan_lines(planned.plan, cap):
            click.echo(visible(line), err=not dry_run)
        for note in self._notes:
            click.echo(visible(note), err=True)
        host.tell_services(hosts)
        return None if dry_run else Approved(access, cap, planned)

    def _plan_lines(self, plan: RunPlan, cap: Cap) -> Iterator[str]:
        """Who will receive what, and what it costs: on stderr, or as the result of a dry run."""
        from engine.planning import plan_lines

        yield from plan_lines(plan)
        if cap.in_words and plan.requests.most:
            yield f"The run stops before it exceeds {cap.in_words}."
        if self._limits.dry_run and not plan.shares:
            yield "Nothing would be sent."

    def _refuse_a_cap_that_cannot_hold(self, plan: RunPlan) -> None:
        from engine.scoring.explanation_text import listed

        unpriced = plan.unpriced_models
        if unpriced and self._limits.most_usd is not None and self._limits.most_requests is None:
            raise click.UsageError(
                visible(
                    f"--most-usd cannot be kept: the price of {listed(unpriced)} is unknown. "
                    "Give its price under `prices` in settings.json, or add --most-requests."
                )
            )
