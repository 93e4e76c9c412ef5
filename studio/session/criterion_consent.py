"""The author's consent to judging criteria: one for the same recipients, up to an amount."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from studio.session.host import Host
from studio.session.questions import CriterionQuestion
from studio.session.resources import SettingsFile

if TYPE_CHECKING:
    from engine.asking.run_plan import RunPlan
    from engine.asking.spending import Cap, Spending

Number = TypeVar("Number", int, float)


class CriterionConsent:
    """What the author allowed for all criteria of the open file, and what was spent of it.

    Nothing is asked where nothing leaves this machine. `dollars` and `requests` are what all turns sent so far.
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
        self.dollars = 0.0
        self.requests = 0

    async def approve(self, plan: RunPlan) -> Cap | None:
        """What the turn of `plan` may spend; None if it must not be sent."""
        from engine.asking.run_plan import agreements
        from engine.asking.spending import Cap

        recipients = frozenset(agreements(plan, many=False))
        if not recipients:
            return Cap()
        if not (recipients <= self._agreed and self._covers(plan)):
            await self._settings.load()
            new = {each.name for each in plan.leaving} if not recipients <= self._agreed else set[str]()
            decision = await self._host.ask(self._question(plan, self._offered, new, (), 0.0, so_far=self.so_far))
            if decision is None:
                return None
            self._step = self._step or decision.cap
            self.amount, self._agreed = decision.cap, self._agreed | recipients
        amount = self.amount or Cap()
        return Cap(
            None if amount.dollars is None else max(amount.dollars - self.dollars, 0.0),
            None if amount.requests is None else max(amount.requests - self.requests, 0),
        )

    def spend(self, spending: Spending) -> None:
        """Count what a turn sent."""
        self.dollars += spending.dollars
        self.requests += spending.requests

    @property
    def so_far(self) -> str:
        """`7 requests, $0.012 so far`, with the amount where there is one; "" before anything was sent."""
        from engine.asking.run_plan import dollars_text, number_of_requests

        if not self.requests:
            return ""
        summary = self.amount.summary if self.amount is not None else ""
        of = f" of {summary}" if summary else ""
        return f"{number_of_requests(self.requests)}, {dollars_text(self.dollars, up=True)} so far{of}"

    @property
    def _offered(self) -> Cap:
        """The amount that the question starts with: the cap of runs first, later another step like the first one."""
        from engine.asking.spending import Cap

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
