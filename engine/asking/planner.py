"""`plan`: from a blueprint, the wanted answers and a panel of judges to what the run will send and what it costs.

The speed of a model is not known in advance, so how long a run takes is a wide range: from the fastest servers to the
slowest usable ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from math import ceil
from typing import Protocol, runtime_checkable

from engine.asking.amounts import Amount, Requests, priced, retry_tokens, verdict_tokens
from engine.asking.exchanges import (
    NOTHING_CACHED,
    CacheLookup,
    Exchange,
    Job,
    JudgeQuestions,
    KnownAnswers,
    by_temperature,
    exchange,
)
from engine.asking.run_plan import HERE, CachedCounts, Part, RunPlan, Share
from engine.blueprint import Blueprint
from engine.evaluation.sources import ModelSource
from engine.judging.judge_prompt import MAX_TOKENS, sent_texts
from engine.judging.judge_runner import TRIES
from engine.judging.panel import BackupWhen, Panel
from engine.models.chat import USUAL_AT_ONCE, Provider, ProviderError, Resolve
from engine.models.definitions import variables_in
from engine.models.prices import OwnPrices, Price, longest_answer, price_of
from engine.models.provider_registry import definition_of, unset_variables, withdrawn
from engine.scoring.explanation_text import listed
from engine.text.record import Record, replace


class Pace(Record):
    """Seconds until the first word, and tokens per second."""

    first_word: float
    speed: float

    def seconds(self, tokens: float) -> float:
        """The time that this many tokens take."""
        return self.first_word + tokens / self.speed


_QUICK, _USUAL, _SLOW = Pace(0.1, 300.0), Pace(1.0, 80.0), Pace(5.0, 20.0)
_STAGES = ((Part.ANSWER,), (Part.SERVICE,), (Part.JUDGE,), (Part.BACKUP,))


def duration(shares: Iterable[Share], longest_talk: int) -> Amount:
    """The seconds of a run; `longest_talk` is the largest number of requests that one answer needs in sequence.

    Each answer is complete before it is judged. At best the stages of different prompts overlap completely, at worst
    they run one after the other.
    """
    shares = [share for share in shares if share.requests.most and not share.problem]
    stages = [_stage([share for share in shares if share.part in parts], longest_talk) for parts in _STAGES]
    return Amount(
        max((stage.least for stage in stages), default=0.0),
        sum(stage.usual for stage in stages),
        sum(stage.most for stage in stages),
    )


def _stage(shares: list[Share], longest_talk: int) -> Amount:
    """The time of the slowest recipient, as all of them work at the same time."""
    by_recipient = sorted(shares, key=lambda share: share.recipient)
    found = [
        _at_one_recipient(list(group), longest_talk)
        for _, group in groupby(by_recipient, lambda share: share.recipient)
    ]
    return Amount(*(max((getattr(each, end) for each in found), default=0.0) for end in ("least", "usual", "most")))


def _at_one_recipient(shares: list[Share], longest_talk: int) -> Amount:
    services = [share for share in shares if share.each is not None]
    if services:
        return _service_calls(services)
    at_once = max(1, min(share.at_once for share in shares))
    least = sum(share.requests.least for share in shares)
    most = sum(share.requests.most for share in shares)
    chain = longest_talk if shares[0].part is Part.ANSWER else 1
    tokens = [sum(getattr(share.tokens_out, end) for share in shares) for end in ("least", "usual", "most")]
    return Amount(
        _waves(least, at_once, chain) * _QUICK.seconds(tokens[0] / max(1, least)),
        _waves(least, at_once, chain) * _USUAL.seconds(tokens[1] / max(1, least)),
        _waves(most, at_once, chain) * _SLOW.seconds(tokens[2] / max(1, most)),
    )


def _service_calls(shares: list[Share]) -> Amount:
    """The time of all calls to one host, as if each took as long as the slowest."""
    waves = _waves(sum(share.requests.least for share in shares), max(1, min(share.at_once for share in shares)), 1)
    each = [share.each for share in shares if share.each is not None]
    return Amount(
        waves * max(one.least for one in each),
        waves * max(one.usual for one in each),
        waves * max(one.most for one in each),
    )


def _waves(requests: int, at_once: int, chain: int) -> int:
    return max(ceil(requests / at_once), chain) if requests else 0


MESSAGES = "the prompt's messages"
"""The kind of text that an answering model receives."""
_FREE = Price(0.0, 0.0)


@runtime_checkable
class Adapting(Protocol):
    """A provider that leaves out settings that a model refuses."""

    def takes_temperature(self, model: str) -> bool:
        """Whether the model with this name takes a temperature, as far as known."""
        ...

    def most_resent(self, model: str) -> int:
        """The upper bound of repeated requests for each request to this model, because of settings that it refuses."""
        ...


@runtime_checkable
class Limited(Protocol):
    """A provider that limits the number of parallel requests."""

    @property
    def at_once(self) -> int:
        """The current limit, at least 1."""
        ...


def plan(
    blueprint: Blueprint,
    jobs: Iterable[Job],
    panel: Panel | None = None,
    *,
    providers: Resolve,
    own: OwnPrices | None = None,
    services: Sequence[Share] = (),
    cache: CacheLookup = NOTHING_CACHED,
    keyless: bool = False,
) -> RunPlan:
    """What a run sends to answer all `jobs` and to judge the answers by `panel`. Sends nothing, and raises nothing.

    `providers` resolves the models of the run; the plan has those that it cannot resolve, with the reason. `services`
    are the shares of services (see `service_shares`). Results in `cache` are not requested again, and are counted
    separately. With `keyless`, `providers` resolves models without their keys, and the plan names the variables that
    have to be set. Blocks while it looks into the cache.
    """
    jobs = list(jobs)
    known = KnownAnswers(cache, providers, blueprint)
    wanted = [(job, exchange(job, blueprint.header, known)) for job in jobs]
    lookup = _ModelLookup(blueprint, providers, own, keyless)
    shares = [*_answering(wanted, lookup), *services]
    asked = None if panel is None else JudgeQuestions.about(blueprint, wanted, panel, providers, cache)
    if panel is not None and asked is not None:
        shares += [
            _judging(judge_index, panel, asked, lookup)
            for judge_index in range(len(panel.every_judge))
            if asked.number(judge_index)
        ]
    return RunPlan(
        answers=len(jobs),
        points=0 if asked is None else asked.points,
        shares=tuple(shares),
        cached=_cached_counts([answer for _, answer in wanted], asked),
        seconds=duration(shares, max((answer.requests for _, answer in wanted), default=0)),
        backup_when=panel.backup_when if panel is not None else BackupWhen.ALL_FAILED,
        left_out=panel.left_out if panel is not None else (),
        own_prices=own.problems if own is not None else (),
        same=tuple(same for key, same in by_temperature(wanted).items() if not lookup.takes_temperature(*key)),
    )


def _cached_counts(answers: Sequence[Exchange], asked: JudgeQuestions | None) -> CachedCounts:
    from_models = [answer for answer in answers if answer.requests or answer.cached_turns]
    return CachedCounts(
        answers=sum(not answer.requests for answer in from_models),
        prefilled=sum(answer.requests > 0 and answer.cached_turns > 0 for answer in from_models),
        answers_of=len(from_models),
        verdicts=0 if asked is None else asked.cached,
        verdicts_of=0 if asked is None else asked.cached + asked.uncached,
    )


def price_at(model: str, recipient: str, base_url: str | None, own: OwnPrices | None, *, defined: bool) -> Price | None:
    """The price of a model at its recipient; None if unknown.

    A model at the author's own `base_url`, or one that the blueprint defines (`defined`), has only the price that the
    author's settings give it, whatever its name is. On this machine it is free by default.
    """
    if base_url is None and not defined:
        found = price_of(model, own)
    else:
        found = None if own is None else own.prices.get(model)
    return _FREE if found is None and recipient.startswith(HERE) else found


@dataclass(slots=True)
class _ModelLookup:
    """The recipients and limits of models, each looked up once."""

    blueprint: Blueprint
    providers: Resolve
    own: OwnPrices | None
    keyless: bool = False
    resent: dict[tuple[str, str | None], int] = field(default_factory=dict[tuple[str, "str | None"], int])
    without_temperature: set[tuple[str, str | None]] = field(default_factory=set[tuple[str, "str | None"]])
    found: dict[tuple[str, str | None], Share] = field(default_factory=dict[tuple[str, "str | None"], Share])

    def share(self, model: str, base_url: str | None) -> Share:
        """A share of `model` without requests."""
        key = (model, base_url)
        if key not in self.found:
            self.found[key] = self._look_up(model, base_url)
        return self.found[key]

    def takes_temperature(self, model: str, base_url: str | None) -> bool:
        """Whether a model takes a temperature, as far as known."""
        self.share(model, base_url)
        return (model, base_url) not in self.without_temperature

    def most_resent(self, model: str, base_url: str | None) -> int:
        """The upper bound of repeated requests for each request to a model."""
        return self.resent.get((model, base_url), 0)

    def _look_up(self, model: str, base_url: str | None) -> Share:
        definition = definition_of(model, self.blueprint.header.models) if base_url is None else None
        share = Share(Part.ANSWER, model, model, (MESSAGES,), "", Requests(), variables=variables_in(definition))
        try:
            provider, name = self.providers(model, base_url)
        except ProviderError as error:
            return replace(share, problem=error.title, advice=error.advice)
        if isinstance(provider, Adapting):
            self.resent[model, base_url] = provider.most_resent(name)
            if not provider.takes_temperature(name):
                self.without_temperature.add((model, base_url))
        price = price_at(model, provider.recipient, base_url, self.own, defined=definition is not None)
        remarks = tuple(self._remarks(model, base_url, provider.recipient, name))
        return replace(share, recipient=provider.recipient, price=price, at_once=at_once(provider), remarks=remarks)

    def _remarks(self, model: str, base_url: str | None, recipient: str, name: str) -> Iterator[str]:
        unset = unset_variables(model, base_url, self.blueprint.header.models) if self.keyless else ()
        if unset:
            yield f"{model} needs {listed(unset)}, which {'is' if len(unset) == 1 else 'are'} not set."
        if gone := withdrawn(recipient, name):
            yield f"{model} cannot be expected to answer: {gone}."


def at_once(provider: Provider) -> int:
    """The current limit of parallel requests to a provider."""
    return provider.at_once if isinstance(provider, Limited) else USUAL_AT_ONCE


def _with(share: Share, requests: Requests, sent: Amount, received: Amount) -> Share:
    dollars = None if share.price is None else priced(sent, received, share.price)
    return replace(share, requests=requests, tokens_in=sent, tokens_out=received, dollars=dollars)


def _answering(wanted: Sequence[tuple[Job, Exchange]], lookup: _ModelLookup) -> Iterable[Share]:
    totals: dict[tuple[str, str | None], Exchange] = {}
    for job, answer in wanted:
        if isinstance(job.source, ModelSource) and answer.requests:
            key = (job.source.model, job.source.base_url)
            totals[key] = _sum(totals.get(key, Exchange()), answer)
    for (model, base_url), total in totals.items():
        requests = Requests(total.requests, total.requests)
        share = _with(lookup.share(model, base_url), requests, total.sent, total.received)
        yield replace(share, resent=total.requests * lookup.most_resent(model, base_url))


def _sum(one: Exchange, other: Exchange) -> Exchange:
    return replace(
        one,
        requests=one.requests + other.requests,
        sent=one.sent + other.sent,
        received=one.received + other.received,
    )


def _judging(judge_index: int, panel: Panel, asked: JudgeQuestions, lookup: _ModelLookup) -> Share:
    judge, part = panel.every_judge[judge_index], Part.JUDGE if judge_index < len(panel.judges) else Part.BACKUP
    questions, first = asked.number(judge_index), asked.sent(judge_index)
    longest = partial(longest_answer, judge.model, lookup.blueprint.header.models)
    received = verdict_tokens(questions, longest)
    requests = Requests(questions, questions * TRIES)
    most = first.most * TRIES + retry_tokens(judge.approach, panel.scale, longest(MAX_TOKENS)) * questions
    sent = Amount(first.least, first.usual, most)
    if part is Part.BACKUP:
        requests, sent = Requests(0, requests.most), Amount(0, 0, sent.most)
        received = Amount(0, 0, received.most)
    share = replace(
        lookup.share(judge.model, None),
        part=part,
        name=f"{judge.id} ({judge.model}, {judge.approach})",
        texts=tuple(text.value for text in sent_texts(judge, described=asked.description is not None)),
        resent=requests.most * lookup.most_resent(judge.model, None),
    )
    return _with(share, requests, sent, received)
