"""The author's consent before texts leave this machine, or a run may become expensive (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from engine.asking import run_plan
from engine.asking.planner import Access, HostQuestion, PlannedRuns, Wanted, access_to
from engine.asking.run_plan import ConsentNeeded, RunPlan
from engine.asking.spending import Cap, Spending
from engine.files.user_settings import SavedCap
from engine.models.service_client import Host as ServiceHost
from engine.text.record import replace
from studio.session.host import Choice, Host
from studio.session.questions import CriterionQuestion, RunDecision, RunQuestion, ServiceAnswer, ServiceQuestion
from studio.session.resources import SettingsFile


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

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What the author lets be sent; None if nothing must be."""
        await self._settings.load()
        many = len(wanted.prompts) > 1
        hosts = await wanted.hosts()
        new_hosts = await self._services.new(hosts)
        decided: dict[str, bool] = {}
        if new_hosts:
            planned = await wanted.plan(None)
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
        planned = await wanted.plan(access.hosts)
        needed = self._needed(planned.plan, many=many)
        if not decided and needed and await self._ask(planned.plan, needed, many=many) is None:
            return None
        planned.limit(self._cap(), access)
        return planned

    async def show(self, plan: RunPlan) -> None:
        """Show a plan without sending anything; the author can change the cap."""
        await self._settings.load()
        if not plan.shares:
            cached = "".join(f" {line}." for line in run_plan.cached_lines(plan.cached))
            self._host.notify(f"Nothing would be sent.{cached}", seconds=4)
            return
        await self._decide(plan, None)

    def _needed(self, plan: RunPlan, *, many: bool, hosts: Sequence[ServiceHost] = ()) -> ConsentNeeded:
        settings = self._settings.values
        needed = run_plan.consent_needed(plan, settings.consented, ask_above=settings.ask_above, many=many, hosts=hosts)
        is_asked = self._always or self._cap().misses(plan)
        return replace(needed, is_expensive=True) if is_asked and plan.shares else needed

    async def _ask(self, plan: RunPlan, needed: ConsentNeeded, *, many: bool) -> bool | None:
        """Ask in one question about `plan` and its new services.

        True agrees to all recipients, False to all but the new services; None sends nothing.
        """
        decision = await self._decide(plan, needed)
        if decision is None:
            return None
        await self._remember(
            run_plan.agreements(plan, many=many, hosts=needed.hosts)
            if decision.remembered
            else run_plan.acknowledged(plan)
        )
        return decision.services

    async def _decide(self, plan: RunPlan, needed: ConsentNeeded | None) -> RunDecision | None:
        settings = self._settings.values
        new, hosts = (needed.recipients, needed.hosts) if needed is not None else (frozenset[str](), ())
        question = RunQuestion(plan, self._cap(), new, hosts, settings.ask_above, needed is None, self._note)
        decision = await self._host.ask(question)
        if decision is not None:
            cap = SavedCap(dollars=decision.cap.dollars, requests=decision.cap.requests)
            await self._settings.change(lambda settings: setattr(settings, "cap", cap))
        return decision

    async def _remember(self, agreed: Sequence[str]) -> None:
        known = self._settings.values.consented
        new = [each for each in agreed if each not in known]
        if new:
            await self._settings.change(lambda settings: settings.consented.extend(new))

    def _cap(self) -> Cap:
        saved = self._settings.values.cap
        return Cap(saved.dollars, saved.requests)


class ServiceConsent:
    """Asks the author about services, host by host, and remembers the consent."""

    def __init__(self, host: Host, settings: SettingsFile) -> None:
        self._host = host
        self._settings = settings

    async def new(self, hosts: Sequence[ServiceHost]) -> tuple[ServiceHost, ...]:
        """Those of `hosts` to which the author has not agreed yet."""
        settings = await self._settings.load()
        return tuple(each for each in hosts if not each.is_agreed(settings.consented))

    async def access(self, hosts: Sequence[ServiceHost], decided: Mapping[str, bool]) -> Access | None:
        """The hosts that checks may ask; those that the author refuses are left out.

        `decided` are decisions just made, by name. None if the author cancels a question: then nothing must run.
        """
        await self._settings.load()
        return await access_to(hosts, partial(self._may_ask, decided))

    async def _may_ask(self, decided: Mapping[str, bool], question: HostQuestion) -> bool | None:
        """Whether the author agrees to `question`; None if they cancel it."""
        host, consented = question.host, self._settings.values.consented
        if host.name in decided and (host.is_here or question.step is question.step.CALL):
            return decided[host.name]
        if not question.is_agreed(consented):
            return await self._ask(question)
        if question.consent not in consented:
            consented.append(question.consent)  # consent was given for more variables than are sent now
        return True

    async def _ask(self, question: HostQuestion) -> bool | None:
        host, consent = question.host, question.consent
        stays = "Its criterion stays open." if host.calls == 1 else f"Its {host.calls} criteria stay open."
        choices = [
            Choice(ServiceAnswer.ALWAYS, f"Ask {host.recipient}", "You are not asked about it again."),
            Choice(ServiceAnswer.NEVER, "Do not ask it", stays),
        ]
        chosen = await self._host.ask(ServiceQuestion(question.title, question.text, choices, question))
        if chosen == ServiceAnswer.ALWAYS:
            await self._settings.change(lambda settings: settings.consented.append(consent))
        return None if chosen is None else chosen != ServiceAnswer.NEVER


Number = TypeVar("Number", int, float)


class CriterionConsent:
    """What the author allowed for all criteria of the open file, and what was spent of it.

    Nothing is asked where nothing leaves this machine.
    """

    def __init__(
        self, host: Host, settings: SettingsFile, question: type[CriterionQuestion] = CriterionQuestion
    ) -> None:
        """`question` is what the author is asked."""
        self._host = host
        self._question = question
        self._settings = settings
        self._agreed: frozenset[str] = frozenset()
        self._step: Cap | None = None
        self.amount: Cap | None = None
        """What the author allowed in all; None until they were asked."""
        self._turns: list[Spending] = []

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What a turn may send and spend; None if it must not be sent."""
        planned = await wanted.plan(())
        plan, recipients = planned.plan, frozenset(run_plan.agreements(planned.plan, many=False))
        if recipients and not (recipients <= self._agreed and self._covers(plan)):
            await self._settings.load()
            new = {each.name for each in plan.leaving} if not recipients <= self._agreed else set[str]()
            decision = await self._host.ask(self._question(plan, self._offered, new, (), 0.0, so_far=self.so_far))
            if decision is None:
                return None
            self._step = self._step or decision.cap
            self.amount, self._agreed = decision.cap, self._agreed | recipients
        planned.limit((self.amount or Cap()).after(self.dollars, self.requests) if recipients else Cap())
        self._turns.append(planned.spending)
        return planned

    @property
    def dollars(self) -> float:
        """What all turns cost so far."""
        return sum(each.dollars for each in self._turns)

    @property
    def requests(self) -> int:
        """What all turns sent so far."""
        return sum(each.requests for each in self._turns)

    @property
    def so_far(self) -> str:
        """`7 requests, $0.012 so far`, with the amount where there is one; "" before anything was sent."""
        if not self.requests:
            return ""
        summary = self.amount.summary if self.amount is not None else ""
        of = f" of {summary}" if summary else ""
        return (
            f"{run_plan.number_of_requests(self.requests)}, {run_plan.dollars_text(self.dollars, up=True)} so far{of}"
        )

    @property
    def _offered(self) -> Cap:
        """The amount that the question starts with: the cap of runs first, later another step like the first one."""
        settings = self._settings.values
        if self.amount is None or self._step is None:
            dollars = settings.ask_above if settings.cap.dollars is None else settings.cap.dollars
            return Cap(dollars, settings.cap.requests)
        return Cap(_plus(self.amount.dollars, self._step.dollars), _plus(self.amount.requests, self._step.requests))

    def _covers(self, plan: RunPlan) -> bool:
        """Whether the amount left is enough for all that `plan` may cost.

        Recipients without a known price are covered by a number of requests alone.
        """
        amount = self.amount
        if amount is None or (amount.dollars is None and amount.requests is None) or amount.misses(plan):
            return False
        dollars = 0.0 if plan.dollars is None else plan.dollars.most
        is_affordable = amount.dollars is None or self.dollars + dollars <= amount.dollars
        return is_affordable and (amount.requests is None or self.requests + plan.requests.most <= amount.requests)


def _plus(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other
