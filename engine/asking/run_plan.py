"""The plan of a run: who receives which texts, and what that costs (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from engine.asking.amounts import NOTHING, Amount, Requests, total
from engine.asking.judge_questions import SameRequests
from engine.judging.panel import BackupWhen
from engine.models.prices import Price
from engine.text.record import Record

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
