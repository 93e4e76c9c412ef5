"""The author's consent before texts leave this machine, or a run may become expensive (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.asking import run_plan
from engine.asking.planner import HostQuestion, PlannedRuns, Wanted, access_to
from engine.asking.run_plan import ConsentNeeded, RunPlan
from engine.asking.spending import Cap, Spending
from engine.files.user_settings import SavedCap
from engine.models.service_client import Host as ServiceHost
from engine.text.record import replace
from studio.session.host import (
    CriterionQuestion,
    Host,
    RunDecision,
    RunQuestion,
    ServiceAnswer,
    ServiceQuestion,
    choose,
)
from studio.session.resources import SettingsFile


class AuthorApproval:
    """Asks the author about new recipients, and about runs that may cost more than `ask_above` of the settings or that
    the cap does not bound.

    A recipient is also new for texts of another kind, and for another variable in a header. Runs of several prompts
    need a consent of their own. Services are asked about in the same question, or else host by host.
    """

    def __init__(self, host: Host, settings: SettingsFile, *, always: bool = False, note: str = "") -> None:
        """With `always`, the author is asked about every plan that sends something; `note` stands above its plan."""
        self._always = always
        self._note = note
        self._host = host
        self._settings = settings

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What the author lets be sent; None if nothing must be."""
        consented = (await self._settings.load()).consented
        many = len(wanted.prompts) > 1
        hosts = await wanted.hosts()
        new_hosts = tuple(each for each in hosts if not each.is_agreed(consented))
        decided: dict[str, bool] = {}
        if new_hosts:
            plan = (await wanted.plan(None)).plan
            if self._needed(plan, many=many):
                services = await self._ask(plan, many=many, hosts=new_hosts)
                if services is None:
                    return None
                decided = {host.name: services for host in new_hosts}
        access = await access_to(hosts, partial(self._may_ask, decided))
        if access is None:
            return None
        planned = await wanted.plan(access.hosts)
        is_asked = not decided and self._needed(planned.plan, many=many)
        if is_asked and await self._ask(planned.plan, many=many) is None:
            return None
        planned.limit(self._cap, access)
        return planned

    async def show(self, plan: RunPlan) -> None:
        """Show a plan without sending anything; the author can change the cap."""
        await self._settings.load()
        if plan.shares:
            await self._decide(plan, None)
        else:
            cached = "".join(f" {line}." for line in run_plan.cached_lines(plan.cached))
            self._host.notify(f"Nothing would be sent.{cached}", seconds=4)

    def _needed(self, plan: RunPlan, *, many: bool, hosts: Sequence[ServiceHost] = ()) -> ConsentNeeded:
        settings = self._settings.values
        needed = run_plan.consent_needed(plan, settings.consented, ask_above=settings.ask_above, many=many, hosts=hosts)
        is_asked = self._always or self._cap.misses(plan)
        return replace(needed, is_expensive=True) if is_asked and plan.shares else needed

    async def _ask(self, plan: RunPlan, *, many: bool, hosts: Sequence[ServiceHost] = ()) -> bool | None:
        """Ask in one question about `plan` and its new services, `hosts`.

        True agrees to all recipients, False to all but the new services; None sends nothing.
        """
        decision = await self._decide(plan, self._needed(plan, many=many, hosts=hosts))
        if decision is None:
            return None
        is_kept, known = decision.remembered, self._settings.values.consented
        agreed = run_plan.agreements(plan, many=many, hosts=hosts) if is_kept else run_plan.acknowledged(plan)
        if new := [each for each in agreed if each not in known]:
            await self._settings.change(lambda settings: settings.consented.extend(new))
        return decision.services

    async def _decide(self, plan: RunPlan, needed: ConsentNeeded | None) -> RunDecision | None:
        new, hosts = (needed.recipients, needed.hosts) if needed is not None else (frozenset[str](), ())
        ask_above = self._settings.values.ask_above
        question = RunQuestion(plan, self._cap, new, hosts, ask_above, needed is None, self._note)
        decision = await self._host.ask(question)
        if decision is not None:
            cap = SavedCap(dollars=decision.cap.dollars, requests=decision.cap.requests)
            await self._settings.change(lambda settings: setattr(settings, "cap", cap))
        return decision

    @property
    def _cap(self) -> Cap:
        saved = self._settings.values.cap
        return Cap(saved.dollars, saved.requests)

    async def _may_ask(self, decided: dict[str, bool], question: HostQuestion) -> bool | None:
        """Whether the author agrees to `question`; None if they cancel it. `decided` was just now, by name."""
        host, consent, consented = question.host, question.consent, self._settings.values.consented
        if host.name in decided and (host.is_here or question.step is question.step.CALL):
            return decided[host.name]
        if question.is_agreed(consented):
            if consent not in consented:
                consented.append(consent)  # consent was given for more variables than are sent now
            return True
        stays = "Its criterion stays open." if host.calls == 1 else f"Its {host.calls} criteria stay open."
        asked = choose("service", question.title, why=question.text, recipient=host.recipient, stays=stays)
        chosen = await self._host.ask(ServiceQuestion(asked.title, asked.text, asked.choices, question))
        if chosen == ServiceAnswer.ALWAYS:
            await self._settings.change(lambda settings: settings.consented.append(consent))
        return None if chosen is None else chosen != ServiceAnswer.NEVER


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
        self._agreed = frozenset[str]()
        self._step: Cap | None = None
        self._amount = Cap()
        """What the author allowed in all, with `_step` first."""
        self._turns: list[Spending] = []

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What a turn may send and spend; None if it must not be sent."""
        planned = await wanted.plan(())
        plan, recipients = planned.plan, frozenset(run_plan.agreements(planned.plan, many=False))
        is_agreed = recipients <= self._agreed
        if recipients and not (is_agreed and self._covers(plan)):
            await self._settings.load()
            new = set[str]() if is_agreed else {each.name for each in plan.leaving}
            decision = await self._host.ask(self._question(plan, self._offered, new, (), 0.0, so_far=self.so_far))
            if decision is None:
                return None
            self._step = self._step or decision.cap
            self._amount, self._agreed = decision.cap, self._agreed | recipients
        planned.limit(self._left if recipients else Cap())
        self._turns.append(planned.spending)
        return planned

    @property
    def _spent(self) -> tuple[float, int]:
        """The dollars and the requests of all turns."""
        return sum(each.dollars for each in self._turns), sum(each.requests for each in self._turns)

    @property
    def _left(self) -> Cap:
        return self._amount.after(*self._spent)

    @property
    def so_far(self) -> str:
        """`7 requests, $0.012 so far`, with the amount where there is one; "" before anything was sent."""
        dollars, requests = self._spent
        if not requests:
            return ""
        of = f" of {self._amount.summary}" if self._amount.summary else ""
        return f"{run_plan.number_of_requests(requests)}, {run_plan.dollars_text(dollars, up=True)} so far{of}"

    @property
    def _offered(self) -> Cap:
        """The amount that the question starts with: the cap of runs first, later another step like the first one."""
        settings = self._settings.values
        if self._step is None:
            dollars = settings.ask_above if settings.cap.dollars is None else settings.cap.dollars
            return Cap(dollars, settings.cap.requests)
        return self._amount.after(-(self._step.dollars or 0), -(self._step.requests or 0))

    def _covers(self, plan: RunPlan) -> bool:
        """Whether the amount left is enough for all that `plan` may cost.

        Recipients without a known price are covered by a number of requests alone.
        """
        left, dollars = self._left, 0.0 if plan.dollars is None else plan.dollars.most
        if left == Cap() or left.misses(plan):
            return False
        is_affordable = left.dollars is None or dollars <= left.dollars
        return is_affordable and (left.requests is None or plan.requests.most <= left.requests)
