"""The author's consent to a plan: what has to be asked before it is sent, and what is saved (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from engine.asking.judge_questions import SameRequests
from engine.asking.run_plan import Part, RunPlan, Share
from engine.text.record import Record

if TYPE_CHECKING:  # what speaks HTTP is loaded only where a check calls somebody
    from engine.models.service_client import Host

_ALL_PROMPTS = " · all prompts"


class ConsentNeeded(Record):
    """Why the author has to be asked before a plan is sent; false if it may be sent without asking.

    `recipients` would receive a kind of text, or the value of a variable, without consent so far; they include those of
    `hosts`, the services without consent. `same` are models that ignore the several temperatures of the run.
    `is_expensive` is whether the plan may cost more than the author allows without being asked.
    """

    recipients: frozenset[str] = frozenset()
    hosts: tuple[Host, ...] = ()
    same: tuple[SameRequests, ...] = ()
    is_expensive: bool = False

    def __bool__(self) -> bool:
        return bool(self.recipients or self.same or self.is_expensive)


def consent_needed(
    plan: RunPlan, consented: Collection[str], *, ask_above: float, many: bool = False, hosts: Iterable[Host] = ()
) -> ConsentNeeded:
    """What `plan` needs consent for beyond `consented`, the agreements in the settings.

    `many` is whether all prompts are run, which needs a consent of its own. `ask_above` is in dollars. `hosts` are the
    services that the plan's checks call; consent to them is decided by `Host.is_agreed`.
    """
    unasked = tuple([host for host in hosts if not host.is_agreed(consented)])
    new = {share.recipient for share in _leaving(plan) if _agreement(share, many=many) not in consented}
    return ConsentNeeded(
        frozenset(new | {host.recipient for host in unasked}),
        unasked,
        tuple([same for same in plan.same if same.agreement not in consented]),
        plan.dollars is not None and plan.dollars.most > ask_above,
    )


def agreements(plan: RunPlan, *, many: bool, hosts: Iterable[Host] = ()) -> tuple[str, ...]:
    """The agreements to save in the settings when the author permanently allows `plan`, without duplicates."""
    found = [*map(_agreement, _leaving(plan))]
    found += [_agreement(share, many=True) for share in _leaving(plan)] if many else []
    return tuple(dict.fromkeys((*acknowledged(plan), *found, *(host.consent for host in hosts))))


def acknowledged(plan: RunPlan) -> tuple[str, ...]:
    """The agreements to save even if the author allows the plan only once: they are not about recipients."""
    return tuple([same.agreement for same in plan.same])


def _agreement(share: Share, *, many: bool = False) -> str:
    return f"{share.agreement}{_ALL_PROMPTS}" if many else share.agreement


def _leaving(plan: RunPlan) -> Iterator[Share]:
    """The shares of models and judges on other machines. Consent to services is saved by host."""
    for share in plan.shares:
        if share.part is not Part.SERVICE and share.requests.most and not share.problem and not share.is_here:
            yield share
