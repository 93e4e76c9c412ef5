"""The author's consent before texts leave this machine, or a run may become expensive (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.record import replace
from studio.session.host import Host
from studio.session.questions import RunDecision, RunQuestion
from studio.session.resources import SettingsFile
from studio.session.run_launcher import Approved, Launch, Planner
from studio.session.service_consent import ServiceConsent, service_hosts

if TYPE_CHECKING:
    from engine.asking.run_plan import ConsentNeeded, RunPlan
    from engine.asking.spending import Cap
    from engine.models.service_client import Host as ServiceHost


class AuthorApproval:
    """Asks the author about new recipients, and about runs that may cost more than `ask_above` of the settings or that
    the cap does not bound.

    A recipient is also new for texts of another kind, and for another variable in a header. Runs of several prompts
    need a consent of their own.
    """

    def __init__(self, host: Host, settings: SettingsFile, *, always: bool = False, note: str = "") -> None:
        """With `always`, the author is asked about every plan that sends something; `note` stands above its plan."""
        self._always = always
        self._note = note
        self._host = host
        self._settings = settings
        self._services = ServiceConsent(host, settings)

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What the author lets `launch` do; None if it must not start."""
        await self._settings.load()
        many, blueprint = launch.is_of_several_prompts, launch.blueprint
        prompts = list({run.place: run.prompt for run in launch.runs}.values())
        hosts = await service_hosts(blueprint, prompts)
        new_hosts = await self._services.new(hosts)
        decided: dict[str, bool] = {}
        if new_hosts:
            planned = await plan(None)
            needed = self._needed(planned.plan, many=many)
            if needed:
                needed = self._needed(planned.plan, many=many, hosts=new_hosts)
                services = await self._ask(planned.plan, needed, many=many)
                if services is None:
                    return None
                decided = {host.name: services for host in new_hosts}
        access = await self._services.access(hosts, decided)
        if access is None:
            return None
        planned = await plan(access.hosts)
        needed = self._needed(planned.plan, many=many)
        if not decided and needed and await self._ask(planned.plan, needed, many=many) is None:
            return None
        return Approved(access, self._cap(), planned)

    async def show(self, plan: RunPlan) -> None:
        """Show a plan without sending anything; the author can change the cap."""
        await self._settings.load()
        if not plan.shares:
            from engine.asking.run_plan import cached_lines

            cached = "".join(f" {line}." for line in cached_lines(plan.cached))
            self._host.notify(f"Nothing would be sent.{cached}", seconds=4)
            return
        await self._decide(plan, None)

    def _needed(self, plan: RunPlan, *, many: bool, hosts: Sequence[ServiceHost] = ()) -> ConsentNeeded:
        from engine.asking.run_plan import consent_needed

        settings = self._settings.values
        needed = consent_needed(plan, settings.consented, ask_above=settings.ask_above, many=many, hosts=hosts)
        is_asked = self._always or self._cap().misses(plan)
        return replace(needed, is_expensive=True) if is_asked and plan.shares else needed

    async def _ask(self, plan: RunPlan, needed: ConsentNeeded, *, many: bool) -> bool | None:
        """Ask in one question about `plan` and its new services.

        True agrees to all recipients, False to all but the new services; None sends nothing.
        """
        from engine.asking.run_plan import acknowledged, agreements

        decision = await self._decide(plan, needed)
        if decision is None:
            return None
        await self._remember(
            agreements(plan, many=many, hosts=needed.hosts) if decision.remembered else acknowledged(plan)
        )
        return decision.services

    async def _decide(self, plan: RunPlan, needed: ConsentNeeded | None) -> RunDecision | None:
        settings = self._settings.values
        new, hosts = (needed.recipients, needed.hosts) if needed is not None else (frozenset[str](), ())
        question = RunQuestion(plan, self._cap(), new, hosts, settings.ask_above, needed is None, self._note)
        decision = await self._host.ask(question)
        if decision is not None:
            from engine.files.user_settings import SavedCap

            cap = SavedCap(dollars=decision.cap.dollars, requests=decision.cap.requests)
            await self._settings.change(lambda settings: setattr(settings, "cap", cap))
        return decision

    async def _remember(self, agreed: Sequence[str]) -> None:
        known = self._settings.values.consented
        new = [each for each in agreed if each not in known]
        if new:
            await self._settings.change(lambda settings: settings.consented.extend(new))

    def _cap(self) -> Cap:
        from engine.asking.spending import Cap

        saved = self._settings.values.cap
        return Cap(saved.dollars, saved.requests)
