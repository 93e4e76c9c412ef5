"""What a run will do before it does it: who receives which texts, and what that costs (DESIGN, law 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.judging.panel import BackupWhen
from engine.planning.amounts import NOTHING, Amount, Requests, together
from engine.planning.temperatures import SameRequests
from engine.providers.prices import Price

HERE = "this machine"
"""How a recipient begins that is no other than the author's own machine."""


class Part(StrEnum):
    """What somebody is asked to do."""

    ANSWER = "answer"
    JUDGE = "judge"
    BACKUP = "backup"
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class Share:
    """One model, judge or service: what it is sent, by whom it is received, and how much of it.

    `name` is what an author knows it by: a model's id, a judge with its model and approach, a service. `model` is the
    model that is asked, "" for a service. `recipient` is a host or begins with `this machine`; "" where it cannot be
    asked, for the reason in `trouble`, with what to do in `advice`. `variables` are those whose values go with it.
    `price` is None where it is not known. `at_once` is how many requests may run at the same time now. `resent` is how
    many requests may follow beside these, as a model that never answered may refuse what others take; they cost
    nothing. `remarks` are sentences on what to know before it is asked. `each` is how long one call of a service takes,
    in seconds, with all that is tried again.
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
    trouble: str = ""
    advice: str = ""
    at_once: int = 1
    resent: int = 0
    remarks: tuple[str, ...] = ()
    each: Amount | None = None

    @property
    def is_here(self) -> bool:
        """Whether nothing of it leaves this machine."""
        return self.recipient.startswith(HERE)

    @property
    def agreement(self) -> str:
        """What an author agrees to: these kinds of text, and the values of these variables, to this recipient."""
        beside = f" ({', '.join(self.variables)})" if self.variables else ""
        match self.part:
            case Part.ANSWER:
                return f"{self.recipient}{beside}"
            case Part.JUDGE | Part.BACKUP:
                return f"{self.recipient} · judge{beside}"
            case Part.SERVICE:
                return f"service at {self.recipient}{beside}"


@dataclass(frozen=True, slots=True)
class Recipient:
    """One host and all that it receives."""

    name: str
    shares: tuple[Share, ...]

    @property
    def is_here(self) -> bool:
        """Whether it is this machine."""
        return self.name.startswith(HERE)


@dataclass(frozen=True, slots=True)
class CachedCounts:
    """What is cached and not asked for again.

    `answers` of the `answers_of` that models give are cached whole, and `prefilled` others up to a turn.
    `verdicts` of the `verdicts_of` that the judges give, the backup apart, are cached.
    """

    answers: int = 0
    prefilled: int = 0
    answers_of: int = 0
    verdicts: int = 0
    verdicts_of: int = 0


NOTHING_CACHED = CachedCounts()


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A whole run.

    `answers` is how many answers there will be, `points` about how many points in words judges are asked. `shares` has
    everybody who may be sent something, those who cannot be asked included. `seconds` is the time at the limits in
    force. `left_out` says of judges that cannot be asked why, `own_prices` which of the author's prices cannot be used.
    `cached` is excluded and counted separately. `same` are models that ignore the temperatures at which they are asked.
    """

    answers: int
    points: int
    shares: tuple[Share, ...]
    seconds: Amount = NOTHING
    backup_when: BackupWhen = BackupWhen.ALL_FAILED
    left_out: tuple[str, ...] = ()
    own_prices: tuple[str, ...] = ()
    cached: CachedCounts = NOTHING_CACHED
    same: tuple[SameRequests, ...] = ()

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """Everybody who receives something, those elsewhere first, else in the order in which they are asked."""
        names = dict.fromkeys(share.recipient for share in self._reached())
        found = [
            Recipient(name, tuple(share for share in self._reached() if share.recipient == name)) for name in names
        ]
        return tuple(sorted(found, key=lambda recipient: recipient.is_here))

    @property
    def leaving(self) -> tuple[Recipient, ...]:
        """The recipients that are not this machine."""
        return tuple(recipient for recipient in self.recipients if not recipient.is_here)

    @property
    def unreachable(self) -> tuple[Share, ...]:
        """Who cannot be asked."""
        return tuple(share for share in self.shares if share.trouble)

    @property
    def requests(self) -> Requests:
        """How many requests are sent."""
        return sum((share.requests for share in self._reached()), Requests())

    @property
    def resent(self) -> int:
        """How many requests may follow beside these, for what models refuse."""
        return sum(share.resent for share in self._reached())

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know before it is sent, each once."""
        found = [remark for share in self._reached() for remark in share.remarks]
        return tuple(dict.fromkeys((*(each.sentence for each in self.same), *found)))

    @property
    def tokens_in(self) -> Amount:
        """The tokens that are sent."""
        return together(share.tokens_in for share in self._reached())

    @property
    def tokens_out(self) -> Amount:
        """The tokens that come back."""
        return together(share.tokens_out for share in self._reached())

    @property
    def dollars(self) -> Amount | None:
        """What all those cost whose price is known; None where no price is."""
        known = [share.dollars for share in self._reached() if share.dollars is not None]
        return together(known) if known else None

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models and services whose price is not known, each once."""
        unknown = (share.model or share.name for share in self._reached() if share.dollars is None)
        return tuple(dict.fromkeys(unknown))

    @property
    def unpriced_models(self) -> tuple[str, ...]:
        """The models among them, whose prices an author can give."""
        return tuple(dict.fromkeys(share.model for share in self._reached() if share.dollars is None and share.model))

    @property
    def listed(self) -> bool:
        """Whether a price comes from the table, so that its day matters."""
        return any(_is_listed(share.price) for share in self._reached())

    def _reached(self) -> Iterator[Share]:
        return (share for share in self.shares if not share.trouble)


def _is_listed(price: Price | None) -> bool:
    return price is not None and not price.is_own and (price.input > 0 or price.output > 0)
