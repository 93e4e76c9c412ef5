"""What is asked for together, its plan, and what it may use once that is approved: requests, services, and a cap.

`plan` makes a plan of a blueprint, the wanted answers and a panel of judges: what will be sent and what it costs. The
speed of a model is not known in advance, so how long a run takes is a wide range: from the fastest servers to the
slowest usable ones. The services that checks call are shares of the plan (000, "External Services"); the questions
about access to each host are asked in their order (DESIGN, law 7). Judges may be asked about answers that exist.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import aclosing
from enum import StrEnum
from functools import cache as cache_of
from functools import partial
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from engine.asking.exchanges import (
    NOTHING,
    NOTHING_CACHED,
    Amount,
    CacheLookup,
    Exchange,
    Job,
    JudgeQuestions,
    KnownAnswers,
    Requests,
    by_temperature,
    draft_tokens,
    exchange,
    highest,
    priced,
    retry_tokens,
    verdict_tokens,
)
from engine.asking.run_plan import HERE, LOCAL_SERVICE_WARNING, CachedCounts, Part, RunPlan, Share, with_variables
from engine.asking.spending import Cap, Spending
from engine.blueprint import Blueprint, Header, Prompt
from engine.evaluation.point_assessment import uses_service
from engine.evaluation.prompt_evaluation import IdealScores
from engine.evaluation.sources import ModelSource, WrittenSource
from engine.judging.judge_prompt import MAX_TOKENS, Question, questions, sent_texts
from engine.judging.judge_runner import TRIES, Draft, JudgementLookup, JudgingEvent, judge_points
from engine.judging.panel import BackupWhen, Panel
from engine.models.addresses import RequestCounter, is_private
from engine.models.chat import USUAL_AT_ONCE, Provider, ProviderError, Resolve
from engine.models.definitions import Service, service_calls, variables_in
from engine.models.http import recipient_of
from engine.models.limits import LONGEST_PAUSE
from engine.models.prices import OwnPrices, Price, longest_answer, own_prices, price_of
from engine.models.provider_registry import definition_of, resolve, unset_variables, withdrawn
from engine.models.service_client import Host, hosts, requests_at_once
from engine.scoring.explanation import listed
from engine.text.record import Record, replace
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.blueprint.conversation import ThreadTurn
    from engine.judging.panel import Panel
    from engine.models.chat import Resolve


_QUICK, _USUAL, _SLOW = (0.1, 300.0), (1.0, 80.0), (5.0, 20.0)
"""Seconds until the first word, and tokens per second."""
_STAGES = ((Part.ANSWER, Part.DRAFT), (Part.SERVICE,), (Part.JUDGE,), (Part.BACKUP,))


def duration(shares: Iterable[Share], longest_talk: int) -> Amount:
    """The seconds of a run; `longest_talk` is the largest number of requests that one answer needs in sequence.

    Each answer is complete before it is judged. At best the stages of different prompts overlap completely, at worst
    they run one after the other.
    """
    shares = [share for share in shares if share.requests.most and not share.problem]
    stages = [_stage([share for share in shares if share.part in parts], longest_talk) for parts in _STAGES]
    return replace(sum(stages, NOTHING), least=highest(stages).least)


def _stage(shares: list[Share], longest_talk: int) -> Amount:
    """The time of the slowest recipient, as all of them work at the same time."""
    by_recipient = sorted(shares, key=lambda share: share.recipient)
    groups = groupby(by_recipient, lambda share: share.recipient)
    return highest(_at_one_recipient(list(group), longest_talk) for _, group in groups)


def _at_one_recipient(shares: list[Share], longest_talk: int) -> Amount:
    requests, at_once = sum((share.requests for share in shares), Requests()), min(share.at_once for share in shares)
    calls = [share.each for share in shares if share.each is not None]
    if calls:  # of services: as if each took as long as the slowest
        return highest(calls).times(_waves(requests.least, at_once, 1))
    chain = longest_talk if shares[0].part is Part.ANSWER else 1
    out = sum((share.tokens_out for share in shares), NOTHING)
    paces = (_QUICK, requests.least, out.least), (_USUAL, requests.least, out.usual), (_SLOW, requests.most, out.most)
    return Amount(
        *(
            _waves(number, at_once, chain) * (first_word + tokens / max(1, number) / speed)
            for (first_word, speed), number, tokens in paces
        )
    )


def _waves(requests: int, at_once: int, chain: int) -> int:
    return max(ceil(requests / max(1, at_once)), chain) if requests else 0


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
    draft: Draft | None = None,
    providers: Resolve,
    own: OwnPrices | None = None,
    allowed: Container[str] | None = (),
    cache: CacheLookup = NOTHING_CACHED,
    keyless: bool = False,
) -> RunPlan:
    """What a run sends to answer all `jobs`, to judge the answers by `panel`, and for a `draft`.

    Sends nothing, and raises nothing.

    `providers` resolves the models of the run; the plan has those that it cannot resolve, with the reason. `allowed`
    are the names of the hosts that checks may call, None for all; replies of services that are cached for a day are
    counted too. Results in `cache` are not requested again, and are counted separately. With `keyless`, `providers`
    resolves models without their keys, and the plan names the variables that have to be set. Blocks while it looks into
    the cache.
    """
    jobs = list(jobs)
    known = KnownAnswers(cache, providers, blueprint)
    wanted = [(job, exchange(job, blueprint.header, known)) for job in jobs]
    lookup = cache_of(partial(_look_up, blueprint, providers, own, keyless))
    prompts = [job.prompt for job, answer in wanted if answer.has_answer]
    shares = [*_answering(wanted, lookup), *_calling(blueprint.header, prompts, allowed, keyless=keyless)]
    asked = None if panel is None else JudgeQuestions.about(blueprint, wanted, panel, providers, cache)
    if panel is not None and asked is not None:
        shares += [
            _judging(judge_index, panel, asked, lookup, blueprint.header.models)
            for judge_index in range(len(panel.every_judge))
            if asked.number(judge_index)
        ]
    if draft is not None:
        shares.append(_drafting(draft, lookup, blueprint.header.models))
    return RunPlan(
        points=0 if asked is None else asked.points,
        shares=tuple(shares),
        cached=_cached_counts([answer for _, answer in wanted], asked),
        seconds=duration(shares, max((answer.requests for _, answer in wanted), default=0)),
        backup_when=panel.backup_when if panel is not None else BackupWhen.ALL_FAILED,
        left_out=panel.left_out if panel is not None else (),
        own_prices=own.problems if own is not None else (),
        same=tuple(same for key, same in by_temperature(wanted).items() if not lookup(*key).takes_temperature),
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


class _Model(Record):
    """A model: a share of it without requests, the upper bound of repeated requests for each, and, as far as known,
    whether it takes a temperature."""

    share: Share
    resent: int = 0
    takes_temperature: bool = True


_Lookup: TypeAlias = Callable[[str, str | None], _Model]
"""Looks up a model by its id and base URL, each once."""


def _look_up(
    blueprint: Blueprint, providers: Resolve, own: OwnPrices | None, keyless: bool, model: str, base_url: str | None
) -> _Model:
    custom = blueprint.header.models
    definition = definition_of(model, custom) if base_url is None else None
    share = Share(Part.ANSWER, model, model, (MESSAGES,), "", Requests(), variables=variables_in(definition))
    try:
        provider, name = providers(model, base_url)
    except ProviderError as error:
        return _Model(replace(share, problem=error.title, advice=error.advice))
    price = price_at(model, provider.recipient, base_url, own, defined=definition is not None)
    remarks: list[str] = []
    if keyless and (unset := unset_variables(model, base_url, custom)):
        remarks.append(_unset_text(model, unset))
    if gone := withdrawn(provider.recipient, name):
        remarks.append(f"{model} cannot be expected to answer: {gone}.")
    found = replace(share, recipient=provider.recipient, price=price, at_once=at_once(provider), remarks=tuple(remarks))
    if not isinstance(provider, Adapting):
        return _Model(found)
    return _Model(found, provider.most_resent(name), provider.takes_temperature(name))


def at_once(provider: Provider) -> int:
    """The current limit of parallel requests to a provider."""
    return provider.at_once if isinstance(provider, Limited) else USUAL_AT_ONCE


def _with(share: Share, requests: Requests, sent: Amount, received: Amount) -> Share:
    dollars = None if share.price is None else priced(sent, received, share.price)
    return replace(share, requests=requests, tokens_in=sent, tokens_out=received, dollars=dollars)


def _answering(wanted: Sequence[tuple[Job, Exchange]], lookup: _Lookup) -> Iterable[Share]:
    found: dict[tuple[str, str | None], list[Exchange]] = {}
    for job, answer in wanted:
        if isinstance(job.source, ModelSource) and answer.requests:
            found.setdefault((job.source.model, job.source.base_url), []).append(answer)
    for key, answers in found.items():
        model, number = lookup(*key), sum(each.requests for each in answers)
        sent, received = (sum((getattr(each, way) for each in answers), NOTHING) for way in ("sent", "received"))
        share = _with(model.share, Requests(number, number), sent, received)
        yield replace(share, resent=number * model.resent)


def _judging(judge_index: int, panel: Panel, asked: JudgeQuestions, lookup: _Lookup, custom: Sequence[Data]) -> Share:
    judge, part = panel.every_judge[judge_index], Part.JUDGE if judge_index < len(panel.judges) else Part.BACKUP
    questions, first = asked.number(judge_index), asked.sent(judge_index)
    longest, model = partial(longest_answer, judge.model, custom), lookup(*judge.address)
    received = verdict_tokens(questions, longest)
    requests = Requests(questions, questions * TRIES)
    most = first.most * TRIES + retry_tokens(judge.approach, panel.scale, longest(MAX_TOKENS)) * questions
    sent = Amount(first.least, first.usual, most)
    if part is Part.BACKUP:
        requests, sent = Requests(0, requests.most), Amount(0, 0, sent.most)
        received = Amount(0, 0, received.most)
    share = replace(
        model.share,
        part=part,
        name=f"{judge.id} ({judge.model}, {judge.approach})",
        texts=tuple(text.value for text in sent_texts(judge, described=asked.description is not None)),
        resent=requests.most * model.resent,
    )
    return _with(share, requests, sent, received)


def _drafting(draft: Draft, lookup: _Lookup, custom: Sequence[Data]) -> Share:
    model = lookup(draft.model, draft.base_url)
    share = replace(model.share, part=Part.DRAFT, texts=(MESSAGES, "its ideal"), resent=TRIES * model.resent)
    return _with(share, Requests(1, TRIES), *draft_tokens(draft, partial(longest_answer, draft.model, custom)))


_QUICK_SECONDS, _USUAL_SECONDS = 0.1, 1.0
TEXTS_SENT = ("the answer", "the ids of the model and the prompt", "the fields of the check")
"""The texts that a service receives."""


def _calling(
    header: Header, prompts: Sequence[Prompt], allowed: Container[str] | None, *, keyless: bool
) -> list[Share]:
    """One share for each host that the checks of answers to these prompts call, in the order of the first call.

    Each check calls once at least, and at most once more for each retry of its service. The price of a service is
    unknown, or nothing on this machine. With `keyless` nothing will be sent, and shares name the variables to set.
    """
    if not any(map(uses_service, prompts)):
        return []
    times = Counter(prompt.index for prompt in prompts)
    once = tuple({prompt.index: prompt for prompt in prompts}.values())
    calls: dict[str, Requests] = {}
    slowest: dict[str, Amount] = {}
    for prompt in once:
        for host in hosts(header, [prompt], keyless=keyless):
            calls_of_prompt = service_calls(header, prompt)
            services = [each.service for each in calls_of_prompt if each.service.name in host.services]
            tries = 1 + max((service.retries for service in services), default=0)
            number = host.calls * times[prompt.index]
            slowest[host.name] = highest((slowest.get(host.name, NOTHING), _seconds(services)))
            calls[host.name] = calls.get(host.name, Requests()) + Requests(number, number * tries)
    found = [each for each in hosts(header, once, keyless=keyless) if allowed is None or each.name in allowed]
    return [_share(host, calls[host.name], slowest[host.name]) for host in found]


def _seconds(services: Iterable[Service]) -> Amount:
    """The seconds of one call: at most until the last time-out of a service, with the pauses between."""
    return Amount(_QUICK_SECONDS, _USUAL_SECONDS, max(map(_most_seconds, services), default=0.0))


def _most_seconds(service: Service) -> float:
    pauses = sum(min(service.pause * number, LONGEST_PAUSE) for number in range(1, service.retries + 1))
    return (1 + service.retries) * service.seconds + pauses


def _share(host: Host, requests: Requests, each: Amount) -> Share:
    found = recipient_of(host.url)
    unset = [name for name in host.variables if not os.environ.get(name, "").strip()]
    return Share(
        Part.SERVICE,
        " and ".join(host.services),
        "",
        TEXTS_SENT,
        found if found.startswith(HERE) else host.name,
        requests,
        dollars=NOTHING if found.startswith(HERE) else None,
        variables=host.variables,
        at_once=requests_at_once(host.url),
        each=each,
        # In a run itself none is unset: the host would not be called.
        remarks=(_unset_text(listed(host.services), unset),) if unset else (),
    )


def _unset_text(name: str, variables: Sequence[str]) -> str:
    return f"{name} needs {listed(variables)}, which {'is' if len(variables) == 1 else 'are'} not set."


class Step(StrEnum):
    """The questions about a host, in this order."""

    CALL = "call"
    """May it be called at all?"""
    NEARBY = "nearby"
    """May it be called although it is on this machine or in its network?"""


class HostQuestion(Record):
    """The question whether `host` may be called."""

    host: Host
    step: Step = Step.CALL

    @property
    def consent(self) -> str:
        """The agreement that settings save when the author answers yes permanently."""
        return self.host.consent if self.step is Step.CALL else self.host.consent_nearby

    def is_agreed(self, consented: Collection[str]) -> bool:
        """Whether the author has allowed it permanently."""
        return self.host.is_agreed(consented) if self.step is Step.CALL else self.host.is_agreed_nearby(consented)

    @property
    def title(self) -> str:
        """The question in a few words."""
        return "A check asks a service" if self.step is Step.CALL else "A service in your own network"

    @property
    def text(self) -> str:
        """What the host receives, or why calling it is dangerous."""
        if self.step is Step.NEARBY:
            return (
                f"{self.host.recipient} is on this machine or in its network. A blueprint from somebody else could "
                "reach what is not public there: allow it only if you know this service."
            )
        here = f" {LOCAL_SERVICE_WARNING}" if self.host.is_here else ""
        who = listed(self.host.services)
        texts = f"{', '.join(TEXTS_SENT[:-1])}, and {TEXTS_SENT[-1]}"
        return (
            f"{who[:1].upper()}{who[1:]} {self.host.place} gets {texts}.{with_variables(self.host.variables)} "
            f"What it says counts in the score.{here}"
        )


class Access(Record):
    """The names of hosts that may be called; those in `private` also on this machine or in its network.

    `counter` counts the requests against the cap.
    """

    hosts: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    counter: RequestCounter | None = None


NO_ACCESS = Access()


async def access_to(hosts: Iterable[Host], may_ask: Callable[[HostQuestion], Awaitable[bool | None]]) -> Access | None:
    """Which of `hosts` may be called, by the answers of `may_ask`; None as soon as one answer is None (do not run).

    A host name is resolved only after its first question is answered with yes, since the name alone may contain the
    value of a variable.
    """
    names: set[str] = set()
    private: set[str] = set()
    for host in hosts:
        agreed = await may_ask(HostQuestion(host))
        if agreed and (host.is_here or await is_private(host.url)):
            agreed = await may_ask(HostQuestion(host, Step.NEARBY))
            private.add(host.name)
        if agreed is None:
            return None
        if agreed:
            names.add(host.name)
    return Access(frozenset(names), frozenset(private & names))


class Wanted(Record):
    """Answers, verdicts and a draft that are asked for together. What is `cached` is not asked for again.

    `panel` judges points in words; None for no judges. Without `calls_services`, checks by services stay as they are.
    """

    blueprint: Blueprint
    jobs: Sequence[Job] = ()
    panel: Panel | None = None
    cached: CacheLookup = NOTHING_CACHED
    calls_services: bool = True
    draft: Draft | None = None

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the jobs, each once."""
        return tuple({job.prompt.index: job.prompt for job in self.jobs}.values())

    async def hosts(self, *, keyless: bool = False) -> tuple[Host, ...]:
        """The hosts that checks would call. `keyless`: nothing will be sent, so no key is needed."""
        if not self.calls_services or not any(map(uses_service, self.prompts)):
            return ()
        return await asyncio.to_thread(hosts, self.blueprint.header, self.prompts, keyless=keyless)

    async def plan(self, allowed: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        """The plan, if checks may call the `allowed` hosts, None for all that they name; `keyless` as above."""
        return await asyncio.to_thread(PlannedRuns, self, allowed if self.calls_services else (), keyless=keyless)


class Approval(Protocol):
    """Approves what is sent: the author in the studio, the options of a command."""

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What may be sent, limited to its cap; None if nothing may."""
        ...


class PlannedRuns:
    """The plan of what is `wanted`, and what it may do once it is limited.

    `spending` counts its requests, `access` are the services that it may ask. `ideals` are shared by its runs.
    """

    def __init__(self, wanted: Wanted, allowed: Collection[str] | None, *, keyless: bool = False) -> None:
        """Blocks; on the event loop, call `Wanted.plan`."""
        self.wanted = wanted
        self._custom = wanted.blueprint.header.models
        self._own = own_prices()
        self._resolve: Resolve = partial(resolve, custom=self._custom)
        self.plan: RunPlan = plan(
            wanted.blueprint,
            wanted.jobs,
            wanted.panel,
            draft=wanted.draft,
            providers=partial(self._resolve, keyless=True) if keyless else self._resolve,
            own=self._own,
            allowed=allowed,
            cache=wanted.cached,
            keyless=keyless,
        )
        self.ideals = IdealScores()
        self.limit(Cap())

    def limit(self, cap: Cap, access: Access = NO_ACCESS) -> None:
        """Stop before more than `cap` is spent, and call the services of `access` alone. Call it before `models`."""
        number = len(self.wanted.jobs)
        self.spending = Spending(cap, price_of=self._price, prompts=number, custom=self._custom)
        self.access = replace(access, counter=self.spending)

    @property
    def models(self) -> Resolve:
        """Resolves models and judges for these runs; their requests are counted and stop at the cap."""
        return self.spending.guarded(self._resolve)

    def _price(self, model: str, recipient: str, base_url: str | None) -> Price | None:
        defined = base_url is None and definition_of(model, self._custom) is not None
        return price_at(model, recipient, base_url, self._own, defined=defined)


class UnjudgedAnswer(Record):
    """An answer by one rubric, of which judges are asked about the points at `places` (in `Prompt.points()`).

    `subject` is its text, `thread` its conversation.
    """

    prompt: Prompt
    subject: str
    thread: tuple[ThreadTurn, ...]
    places: frozenset[int]

    @property
    def job(self) -> Job:
        """The job of judging it, for a plan."""
        settled = frozenset(range(len(self.prompt.points()))) - self.places
        return Job(self.prompt, WrittenSource(self.subject), thread=self.thread, settled=settled)

    def questions(self, header: Header) -> Mapping[int, Question]:
        """What judges are asked, by place. Holistic ones see all criteria, as in a full run."""
        every = questions(self.prompt, self.thread, header.description)
        return {place: every[place] for place in sorted(self.places) if place in every}


def wanted_verdicts(header: Header, answers: Sequence[UnjudgedAnswer], panel: Panel, cached: JudgementLookup) -> Wanted:
    """The verdicts of `panel` on `answers`, but for those that are `cached`."""
    blueprint = Blueprint(header, tuple(each.prompt for each in answers))
    jobs = [each.job for each in answers]
    return Wanted(blueprint, jobs, panel, CacheLookup(judgement=cached), calls_services=False)


async def judge_answers(
    answers: Sequence[UnjudgedAnswer], planned: PlannedRuns
) -> AsyncGenerator[tuple[UnjudgedAnswer, JudgingEvent]]:
    """Ask the judges about all answers at once: each event as it arrives, with the answer that it is about.

    `planned` is the approved plan of `wanted_verdicts` on them.
    """
    wanted = planned.wanted
    header, cached = wanted.blueprint.header, wanted.cached.judgement
    asked = [(answer, question) for answer in answers for question in answer.questions(header).values()]
    numbered = {number: question for number, (_, question) in enumerate(asked)}
    assert wanted.panel is not None
    judging = judge_points(numbered, wanted.panel, providers=planned.models, cached=cached, custom=header.models)
    async with aclosing(judging) as events:
        async for event in events:
            yield asked[event.index][0], event
