"""The plan of a run: who receives which texts, what that costs, and what the author is asked before (DESIGN, law 7).

`plan_lines` and `amounts` are its text, for the command line and the screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from engine.asking.exchanges import NOTHING, Amount, Requests, SameRequests
from engine.judging.panel import BackupWhen
from engine.models.prices import AS_OF, Price
from engine.scoring.explanation import listed
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
    DRAFT = "draft"


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
            case Part.DRAFT:
                return f"{self.recipient} ({', '.join((*self.variables, 'ideals'))})"


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

    `points` is the number of points in words that judges are asked about. `shares` also has those to whom nothing can
    be sent. `seconds` assumes the current limits. `left_out` are the reasons why judges are left out, `own_prices` the
    author's prices that cannot be used. Cached results are excluded and counted in `cached`. `same` are models that
    ignore the several temperatures of the run.
    """

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
        return sum((share.tokens_in for share in self._reachable()), NOTHING)

    @property
    def tokens_out(self) -> Amount:
        """The tokens that come back."""
        return sum((share.tokens_out for share in self._reachable()), NOTHING)

    @property
    def dollars(self) -> Amount | None:
        """The cost of the shares whose price is known; None if no price is."""
        known = [share.dollars for share in self._reachable() if share.dollars is not None]
        return sum(known, NOTHING) if known else None

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


_WHEN = {
    BackupWhen.ALL_FAILED: "only where no judge judges a criterion",
    BackupWhen.ANY_FAILED: "only where one of them does not judge a criterion",
}
_DOES = {
    Part.ANSWER: "answers",
    Part.JUDGE: "judges",
    Part.BACKUP: "judges",
    Part.SERVICE: "checks",
    Part.DRAFT: "drafts criteria",
}
_LITTLE = 0.001
_LABEL_WIDTH = 10
TABLE_DAY = f"{AS_OF.day} {AS_OF:%B %Y}"
"""The date of the price table: `3 November 2026`."""

LOCAL_SERVICE_WARNING = "It is on this machine: allow it only if you know this service."


class Row(Record):
    """One line of a plan's figures: `Price` and `about $0.012, at most $0.08`. `label` is "" on continuation lines."""

    label: str
    text: str

    def __str__(self) -> str:
        return f"{self.label:<{_LABEL_WIDTH}}{self.text}"


def plan_lines(plan: RunPlan) -> Iterator[str]:
    """The whole plan, line by line: who receives what, warnings, and figures."""
    for recipient in plan.recipients:
        yield f"To {recipient.name} go:"
        for share in recipient.shares:
            yield f"  {share_text(plan, share)} · {requests_text(share.requests)}"
    yield from warnings(plan)
    yield from map(str, amounts(plan))


def share_text(plan: RunPlan, share: Share) -> str:
    """What one recipient does and gets: `openai:tiny answers: gets the prompt's messages`."""
    when = f" {_WHEN[plan.backup_when]}" if share.part is Part.BACKUP else ""
    beside = f", and what is in {listed(share.variables)}" if share.variables else ""
    return f"{share.name} {_DOES[share.part]}{when}: gets {listed(share.texts)}{beside}"


def warnings(plan: RunPlan) -> Iterator[str]:
    """Warnings about a plan: settings that models ignore, models that cannot be asked, prices that cannot be used."""
    yield from plan.remarks
    advised: set[str] = set()
    for share in plan.unreachable:
        is_named = share.problem.startswith(share.model) and share.name == share.model
        when = f" ({_WHEN[plan.backup_when]})" if share.part is Part.BACKUP else ""
        text = share.problem if is_named else f"{share.name}{when} cannot be asked: {share.problem}"
        yield f"{text}. {'' if share.advice in advised else share.advice}".rstrip()
        advised.add(share.advice)
    for reason in plan.left_out:
        yield f"Left out: {reason}."
    yield from plan.own_prices


def amounts(plan: RunPlan) -> Iterator[Row]:
    """The figures of a plan, row by row, with what is cached and free."""
    if plan.requests.most:
        resent = f" (up to {plan.resent:,} more for refused settings)" if plan.resent else ""
        yield Row("Requests", f"{requests_text(plan.requests)}{resent}")
    yield from map(Row, ("Cached", "", ""), cached_lines(plan.cached))
    if plan.tokens_in.most:
        yield Row("Tokens", f"{tokens_text(plan.tokens_in)} sent")
        yield Row("", f"{tokens_text(plan.tokens_out)} back")
    if plan.requests.most:
        yield from map(Row, ("Price", ""), _prices(plan))
        yield Row("Time", time_text(plan.seconds))


def _prices(plan: RunPlan) -> Iterator[str]:
    if plan.dollars is not None and plan.dollars.most > 0:
        yield f"{dollars_range(plan.dollars)} · {f'list prices of {TABLE_DAY}' if plan.listed else 'your own prices'}"
    elif not plan.unpriced:
        yield "nothing: all of it stays on this machine"
    if plan.unpriced:
        unknown = f"not known for {listed(plan.unpriced)}: a cap in dollars does not count it"
        yield f"{unknown}. Give it under `prices` in settings.json" if plan.unpriced_models else unknown


def cached_lines(cached: CachedCounts) -> Iterator[str]:
    """The counts of cached answers and verdicts: `12 of 40 answers are cached and not sent`."""
    if cached.answers:
        yield f"{_of(cached.answers, cached.answers_of, 'answer')} cached and not sent"
    if cached.prefilled:
        prefilled = _of(cached.prefilled, cached.answers_of, "answer")
        yield f"{prefilled} cached up to a turn: only what follows is sent"
    if cached.verdicts:
        yield f"{_of(cached.verdicts, cached.verdicts_of, 'verdict')} cached and not asked for"


def _of(number: int, total: int, what: str) -> str:
    """`12 of 40 answers are`; for all of them `All 40 answers are` or `The only answer is`."""
    if number == total:
        return f"The only {what} is" if total == 1 else f"All {total:,} {what}s are"
    return f"{number:,} of {total:,} {what}s {'is' if number == 1 else 'are'}"


def with_variables(variables: Sequence[str]) -> str:
    """` With it goes what is in FACTS_KEY.`, to append to a sentence; "" without variables."""
    return f" With it goes what is in {listed(variables)}." if variables else ""


def one_line(plan: RunPlan) -> str:
    """`about 12 requests, at most $0.02`, short enough for the footer; "" if nothing is sent."""
    if not plan.requests.most:
        return ""
    if plan.dollars is None or (plan.unpriced and plan.dollars.most == 0):
        price = "price not known"
    elif plan.dollars.most == 0:
        price = "free"
    else:
        most = dollars_text(plan.dollars.most, up=True)
        price = most if plan.dollars.most < _LITTLE else f"at most {most}"
        price += " and what is not known" if plan.unpriced else ""
    return f"{requests_text(plan.requests, short=True)}, {price}"


def about_text(plan: RunPlan) -> str:
    """`6 requests, about $0.004`; `free` where nothing is sent. Where no price is known, the author is asked first."""
    if not plan.requests.most:
        return "free"
    if plan.dollars is None or (plan.unpriced and plan.dollars.most == 0):
        price = "price not known: asks first"
    elif plan.dollars.most == 0:
        price = "free"
    else:
        usual = plan.dollars.usual
        price = dollars_text(usual) if usual < _LITTLE else f"about {dollars_text(usual)}"
        price += " and what is not known" if plan.unpriced else ""
    return f"{number_of_requests(plan.requests.least or plan.requests.most)}, {price}"


def requests_text(requests: Requests, *, short: bool = False) -> str:
    """`1 request`, `12 requests, at most 24`, `at most 6 requests`; short: `about 12 requests`."""
    if requests.least == 0 and requests.most:
        return f"at most {number_of_requests(requests.most)}"
    if short and requests.least != requests.most:
        return f"about {number_of_requests(requests.least)}"
    return number_of_requests(requests.least) + (
        f", at most {requests.most:,}" if requests.most > requests.least else ""
    )


def number_of_requests(number: int) -> str:
    """`1 request`, `1,200 requests`."""
    return "1 request" if number == 1 else f"{number:,} requests"


def tokens_text(tokens: Amount) -> str:
    """`about 3,400 tokens (at most 5,200)`, each with two significant digits."""
    if tokens.most == 0:
        return "no tokens"
    usual = _rounded(tokens.usual)
    return f"about {usual} {'token' if usual == '1' else 'tokens'} (at most {_rounded(tokens.most, up=True)})"


def dollars_range(dollars: Amount) -> str:
    """`about $0.012, at most $0.08`; `less than $0.001`."""
    if dollars.most < _LITTLE:
        return dollars_text(dollars.most)
    about = "" if dollars.usual < _LITTLE else "about "
    return f"{about}{dollars_text(dollars.usual)}, at most {dollars_text(dollars.most, up=True)}"


def dollars_text(dollars: float, *, up: bool = False) -> str:
    """`$0`, `less than $0.001`, `$0.0025`, `$0.42`, `$12.30`: two significant digits or cents; `up` rounds up."""
    if dollars <= 0:
        return "$0"
    if dollars < _LITTLE:
        return "less than $0.001"
    places = 2 if dollars >= 0.1 else 1 - floor(log10(dollars))
    value = ceil(dollars * 10**places - 1e-9) / 10**places if up else dollars
    return f"${value:,.{places}f}"


def time_text(seconds: Amount) -> str:
    """`about 6 s (at most 2 min)`."""
    return f"about {_time(seconds.usual)} (at most {_time(seconds.most)})"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, ceil(seconds))} s"
    minutes = ceil(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _rounded(number: float, *, up: bool = False) -> str:
    """A number with two significant digits, as it is an estimate."""
    if number < 10:
        return f"{ceil(number)}"
    unit = 10 ** (floor(log10(number)) - 1)
    return f"{int((ceil(number / unit) if up else round(number / unit)) * unit):,}"
