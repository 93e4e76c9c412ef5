"""The plan of a run: who receives which texts, what that costs, and what the author is asked before (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.asking.amounts import NOTHING, Amount, Requests, total
from engine.asking.judge_questions import SameRequests
from engine.judging.panel import BackupWhen
from engine.models.prices import Price
from engine.text.record import Record

if TYPE_CHECKING:
    from engine.models.service_client import Host


HERE = "this machine"
"""The prefix of recipients on the author's own machine."""


class Part(StrEnum):
    """The role of a recipient in a run."""

    ANSWER = "answer"
    JUDGE = "judge"
    BACKUP = "backup"
    SERVICE = "service"


class Share(Record):
    """What one model, judge or service receives, and how much.

    `name` is the author's name for it: a model's id, a judge with its model and approach, a service. `model` is "" for
    a service. `recipient` is a host or begins with `this machine`; it is "" if nothing can be sent, for the reason in
    `problem`, with what to do in `advice`. The values of `variables` are sent too. `price` is None if unknown.
    `at_once` is the limit of parallel requests. `resent` is the upper bound of further requests, which are free, after
    a model refused settings of the first ones. `remarks` are sentences to read before it is sent. `each` is the time
    of one call of a service in seconds, with all retries.
    """

    part: Part
    name: str
    model: str
    texts: tuple[str, ...]
    recipient: str
    requests: Requests
    tokens_in: Amount = NOTHING
    tokens_out: Amount = NOTHING
    price: Price | None = None
    dollars: Amount | None = None
    variables: tuple[str, ...] = ()
    problem: str = ""
    advice: str = ""
    at_once: int = 1
    resent: int = 0
    remarks: tuple[str, ...] = ()
    each: Amount | None = None

    @property
    def is_here(self) -> bool:
        """Whether nothing leaves this machine."""
        return self.recipient.startswith(HERE)

    @property
    def agreement(self) -> str:
        """The agreement that settings save: consent to send these texts and variables to this recipient."""
        beside = f" ({', '.join(self.variables)})" if self.variables else ""
        match self.part:
            case Part.ANSWER:
                return f"{self.recipient}{beside}"
            case Part.JUDGE | Part.BACKUP:
                return f"{self.recipient} · judge{beside}"
            case Part.SERVICE:
                return f"service at {self.recipient}{beside}"


class Recipient(Record):
    """One host, and the shares that it receives."""

    name: str
    shares: tuple[Share, ...]

    @property
    def is_here(self) -> bool:
        """Whether it is this machine."""
        return self.name.startswith(HERE)


class CachedCounts(Record):
    """Counts of results that are cached and not requested.

    Of `answers_of` answers by models, `answers` are cached whole, and `prefilled` others up to some turn. Of
    `verdicts_of` verdicts, without those of the backup judge, `verdicts` are cached.
    """

    answers: int = 0
    prefilled: int = 0
    answers_of: int = 0
    verdicts: int = 0
    verdicts_of: int = 0


NO_COUNTS = CachedCounts()


class RunPlan(Record):
    """The plan of a whole run.

    `answers` is the number of answers, `points` the number of points in words that judges are asked about. `shares`
    also has those to whom nothing can be sent. `seconds` assumes the current limits. `left_out` are the reasons why
    judges are left out, `own_prices` the author's prices that cannot be used. Cached results are excluded and counted
    in `cached`. `same` are models that ignore the several temperatures of the run.
    """

    answers: int
    points: int
    shares: tuple[Share, ...]
    seconds: Amount = NOTHING
    backup_when: BackupWhen = BackupWhen.ALL_FAILED
    left_out: tuple[str, ...] = ()
    own_prices: tuple[str, ...] = ()
    cached: CachedCounts = NO_COUNTS
    same: tuple[SameRequests, ...] = ()

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """All recipients, those on other machines first, otherwise in the order of the shares."""
        names = dict.fromkeys(share.recipient for share in self._reachable())
        found = [
            Recipient(name, tuple(share for share in self._reachable() if share.recipient == name)) for name in names
        ]
        return tuple(sorted(found, key=lambda recipient: recipient.is_here))

    @property
    def leaving(self) -> tuple[Recipient, ...]:
        """The recipients that are not this machine."""
        return tuple(recipient for recipient in self.recipients if not recipient.is_here)

    @property
    def unreachable(self) -> tuple[Share, ...]:
        """The shares to whose models nothing can be sent."""
        return tuple(share for share in self.shares if share.problem)

    @property
    def requests(self) -> Requests:
        """The number of requests."""
        return sum((share.requests for share in self._reachable()), Requests())

    @property
    def resent(self) -> int:
        """The upper bound of further requests because of settings that models refuse."""
        return sum(share.resent for share in self._reachable())

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks on all shares, without duplicates."""
        found = [remark for share in self._reachable() for remark in share.remarks]
        return tuple(dict.fromkeys((*(each.sentence for each in self.same), *found)))

    @property
    def tokens_in(self) -> Amount:
        """The tokens that are sent."""
        return total(share.tokens_in for share in self._reachable())

    @property
    def tokens_out(self) -> Amount:
        """The tokens that come back."""
        return total(share.tokens_out for share in self._reachable())

    @property
    def dollars(self) -> Amount | None:
        """The cost of the shares whose price is known; None if no price is."""
        known = [share.dollars for share in self._reachable() if share.dollars is not None]
        return total(known) if known else None

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models, and the hosts of services, whose price is unknown, without duplicates."""
        unknown = (share.model or share.recipient for share in self._reachable() if share.dollars is None)
        return tuple(dict.fromkeys(unknown))

    @property
    def unpriced_models(self) -> tuple[str, ...]:
        """The models among them: an author can give their prices in the settings."""
        return tuple(dict.fromkeys(share.model for share in self._reachable() if share.dollars is None and share.model))

    @property
    def listed(self) -> bool:
        """Whether a price comes from the price table, so that the table's date matters."""
        return any(_is_listed(share.price) for share in self._reachable())

    def _reachable(self) -> Iterator[Share]:
        return (share for share in self.shares if not share.problem)


def _is_listed(price: Price | None) -> bool:
    return price is not None and not price.is_own and (price.input > 0 or price.output > 0)


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
