"""What an author has to be asked before a plan is sent, and what they agree to by sending it (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.planning.run_plan import Part, RunPlan, Share
from engine.planning.temperatures import SameRequests

if TYPE_CHECKING:  # what speaks HTTP is loaded only where a check calls somebody
    from engine.services.hosts import Host

_ALL_PROMPTS = " · all prompts"


@dataclass(frozen=True, slots=True)
class ConsentNeeded:
    """Why an author has to be asked before a plan is sent; false where it may be sent without.

    `recipients` get texts of a kind, or the value of a variable, to which nobody agreed yet; those of `hosts`, the
    services that were not agreed to, are among them. `same` are models that ignore several temperatures. `is_dear`:
    the plan may cost more than the author lets pass.
    """

    recipients: frozenset[str] = frozenset()
    hosts: tuple[Host, ...] = ()
    same: tuple[SameRequests, ...] = ()
    is_dear: bool = False

    def __bool__(self) -> bool:
        return bool(self.recipients or self.same or self.is_dear)


def consent_needed(
    plan: RunPlan, consented: Collection[str], *, ask_above: float, many: bool = False, hosts: Iterable[Host] = ()
) -> ConsentNeeded:
    """What of `plan` is not covered by `consented`, the agreements that the settings keep.

    `many`: a run of all prompts, to which an author agrees apart. `ask_above` is in dollars. `hosts` are the services
    that checks of the plan ask; what was agreed to of them goes by `Host.is_agreed`.
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
    """All that an author agrees to for good by having `plan` sent, as the settings keep it, each once."""
    found = [*map(_agreement, _leaving(plan))]
    found += [_agreement(share, many=True) for share in _leaving(plan)] if many else []
    return tuple(dict.fromkeys((*acknowledged(plan), *found, *(host.consent for host in hosts))))


def acknowledged(plan: RunPlan) -> tuple[str, ...]:
    """What is not asked again even where a plan is sent just once: it is no question of who receives what."""
    return tuple([same.agreement for same in plan.same])


def _agreement(share: Share, *, many: bool = False) -> str:
    return f"{share.agreement}{_ALL_PROMPTS}" if many else share.agreement


def _leaving(plan: RunPlan) -> Iterator[Share]:
    """Models and judges elsewhere. Agreement to services is saved by host."""
    for share in plan.shares:
        if share.part is not Part.SERVICE and share.requests.most and not share.trouble and not share.is_here:
            yield share
