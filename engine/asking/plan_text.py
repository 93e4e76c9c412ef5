"""The text of a plan, for the command line and the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10

from engine.asking.amounts import Amount, Requests
from engine.asking.run_plan import CachedCounts, Part, RunPlan, Share
from engine.judging.panel import BackupWhen
from engine.models.prices import AS_OF
from engine.scoring.explanation_text import listed
from engine.text.record import Record

_WHEN = {
    BackupWhen.ALL_FAILED: "only where no judge judges a point",
    BackupWhen.ANY_FAILED: "only where one of them does not judge a point",
}
_DOES = {Part.ANSWER: "answers", Part.JUDGE: "judges", Part.BACKUP: "judges", Part.SERVICE: "checks"}
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
