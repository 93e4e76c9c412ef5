"""One consent covers the same recipients up to the amount that the author set."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from engine.asking.exchanges import Amount, Requests
from engine.asking.planner import PlannedRuns, Wanted
from engine.asking.run_plan import Part, RunPlan, Share
from engine.asking.spending import Cap
from engine.models.prices import Price
from engine.parsing import parse
from studio.session.host import CriterionQuestion, RunDecision
from studio.session.resources import SettingsFile
from studio.session.run_consent import CriterionConsent
from tests.session.faces import Author


def plan(recipient: str = "openrouter.ai", *, dollars: float | None = 0.1, requests: int = 6) -> RunPlan:
    """A plan of one judge that costs at most so much."""
    price, amount = (None, None) if dollars is None else (Price(1, 1), Amount(dollars / 2, dollars / 2, dollars))
    share = Share(
        Part.JUDGE,
        "judge",
        "x:judge",
        ("criteria",),
        recipient,
        Requests(requests, requests),
        price=price,
        dollars=amount,
    )
    return RunPlan(points=3, shares=(share,))


class Turn(Wanted):
    """A turn with this plan."""

    of: RunPlan = RunPlan(points=0, shares=())

    async def plan(self, allowed: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        planned = await super().plan(allowed, keyless=keyless)
        planned.plan = self.of
        return planned


class Consent(CriterionConsent):
    """What was allowed, by plan."""

    last: PlannedRuns

    async def cap(self, of: RunPlan) -> Cap | None:
        """The cap of a turn that has this plan; None if it is not approved."""
        approved = await self.approve(Turn(parse("").blueprint, (), of=of))
        if approved is None:
            return None
        self.last = approved
        return approved.spending.cap

    def spend(self, dollars: float, requests: int = 6) -> None:
        """Let the last turn send so much."""
        self.last.spending.dollars = dollars
        self.last.spending.requests = requests


def consent(*answers: Any) -> tuple[Consent, Author]:
    author = Author(*answers)
    return Consent(author, SettingsFile()), author


async def test_the_first_turn_asks_for_an_amount() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)))
    assert await given.cap(plan()) == Cap(dollars=0.5)
    (asked,) = author.asked
    assert isinstance(asked, CriterionQuestion)
    assert (asked.new, asked.cap.dollars) == ({"openrouter.ai"}, 0.5)


async def test_later_turns_to_the_same_recipients_are_not_asked_about_and_have_what_is_left() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)))
    await given.cap(plan())
    given.spend(0.125)
    assert await given.cap(plan()) == Cap(dollars=0.375)
    assert len(author.asked) == 1


async def test_a_turn_that_may_exceed_the_amount_asks_again_with_what_was_spent() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)), RunDecision(Cap(dollars=1.0)))
    await given.cap(plan())
    given.spend(0.45)
    assert await given.cap(plan()) == Cap(dollars=0.55)
    assert author.asked[1].so_far == "6 requests, $0.45 so far of $0.50"  # pyright: ignore[reportAttributeAccessIssue]
    assert author.asked[1].cap.dollars == 1.0  # pyright: ignore[reportAttributeAccessIssue]


async def test_another_recipient_needs_a_consent_of_its_own() -> None:
    given, author = consent(RunDecision(Cap(dollars=0.5)), None)
    await given.cap(plan())
    assert await given.cap(plan("api.example.com")) is None
    assert len(author.asked) == 2


async def test_without_consent_nothing_may_be_sent() -> None:
    given, _ = consent(None)
    assert await given.cap(plan()) is None


@pytest.mark.parametrize("amount", [Cap(dollars=0.5), Cap()])
async def test_an_unknown_price_is_not_covered_by_dollars(amount: Cap) -> None:
    given, author = consent(RunDecision(amount), RunDecision(amount))
    await given.cap(plan(dollars=None))
    await given.cap(plan(dollars=None))
    assert len(author.asked) == 2


async def test_an_unknown_price_is_covered_by_a_number_of_requests() -> None:
    given, author = consent(RunDecision(Cap(requests=20)), None)
    await given.cap(plan(dollars=None))
    given.spend(0.0)
    assert await given.cap(plan(dollars=None)) == Cap(requests=14)
    given.spend(0.0, 12)
    assert await given.cap(plan(dollars=None)) is None
    assert len(author.asked) == 2


async def test_what_stays_on_this_machine_needs_no_consent() -> None:
    given, author = consent()
    assert await given.cap(plan("this machine (127.0.0.1)")) == Cap()
    assert author.asked == []
