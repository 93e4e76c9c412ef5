"""A run against a server here: it takes what its plan says, and no request that would pass the cap is sent."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.asking.exchanges import Job, Requests
from engine.asking.planner import plan
from engine.asking.run_plan import RunPlan
from engine.asking.spending import Cap, Spending, cost_of
from engine.blueprint import Blueprint
from engine.evaluation.events import Event, Failed, Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.evaluation.verdicts import Judges
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.models.chat import ProviderError
from engine.models.prices import OwnPrices, Price
from engine.models.provider_registry import resolve
from engine.parsing import parse
from engine.text.record import replace
from engine.yaml.nodes import Data
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import ASK, said
from tests.expected import of_kind, present
from tests.thoroughness import tried

DEAR = Price(1000.0, 10_000.0, is_own=True)
"""A dollar for a thousand tokens that are sent, ten for those that come back."""
_PIECE = re.compile(r"[A-Za-z]+|[0-9]{1,3}|\n+|[^\sA-Za-z0-9]")


def tokens(text: str) -> int:
    """A tokenizer of our own: words, digits by three, marks, lines."""
    return len(_PIECE.findall(text))


class Bench:
    """An OpenAI-shaped server. `says` is what each model answers; the judge `wayward` is off form at first."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.says: dict[str, str] = {"tiny": "It is the Seine."}
        self.counts = True
        self.sent = 0
        self.received = 0

    def answer(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        self.asked.append(body)
        text = self.says.get(body["model"], self._verdict(body))
        into, out = sum(tokens(message["content"]) for message in body["messages"]), tokens(text)
        self.sent += into
        self.received += out
        usage = {"usage": {"prompt_tokens": into, "completion_tokens": out}} if self.counts else {}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return said({"object": "chat.completion", "model": body["model"], "choices": [choice], **usage})

    def _verdict(self, body: dict[str, Any]) -> str:
        if body["model"] == "wayward" and len(body["messages"]) == 2:
            return "I would say that it is there."
        return "<reflection>It is there.</reflection><classification>CLASS_FULLY_PRESENT</classification>"


@pytest.fixture
def bench(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, clean_environment: object) -> Bench:
    bench = Bench()
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(bench.answer)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    return bench


def dear(model: str, recipient: str, base_url: str | None) -> Price | None:
    return DEAR


def unknown(model: str, recipient: str, base_url: str | None) -> Price | None:
    return None


async def _run(of: Blueprint, spending: Spending | None = None, *, judged: bool = True) -> list[Event]:
    providers = partial(resolve, custom=of.header.models)
    found = providers if spending is None else spending.guarded(providers)
    judges = Judges(panel(of.header), found) if judged else None
    ends: list[Event] = []
    with JavaScript() as javascript:
        for prompt in of.prompts:
            source = ModelSource("openai:tiny")
            events = evaluate(prompt, of, source, javascript=javascript, providers=found, judges=judges)
            async with aclosing(events):
                last = [event async for event in events][-1]
            ends.append(last)
            if spending is not None and not isinstance(last, Failed):
                spending.prompt_done()
    return ends


def planned(of: Blueprint, own: OwnPrices | None = None) -> RunPlan:
    wanted = [Job(prompt, ModelSource("openai:tiny")) for prompt in of.prompts]
    return plan(of, wanted, panel(of.header), providers=partial(resolve, custom=of.header.models), own=own)


JUDGED = """\
evaluationConfig:
  llm-coverage:
    judges:
      - {{id: one, model: "openai:{one}", approach: {approach}}}
      - {{id: two, model: "openai:upright", approach: holistic}}
---
"""
PROMPTS = "".join(f"- {{id: p{n}, prompt: Which river flows through Paris?, should: [Names it]}}\n" for n in range(4))

words = st.text(st.sampled_from("abcdefgh ,.12\n"), min_size=1, max_size=60).map(lambda text: f"x{text}x")


@st.composite
def blueprints(draw: st.DrawFn) -> str:
    one = draw(st.sampled_from(["upright", "wayward"]))
    approach = draw(st.sampled_from(["standard", "prompt-aware", "holistic"]))
    prompts = [
        {
            "id": f"p{number}",
            "messages": [
                {"user": draw(words)},
                *([{"assistant": None}, {"user": draw(words)}] if draw(st.booleans()) else []),
            ],
            "should": draw(st.lists(words, min_size=0, max_size=3, unique=True)) or ["Is there"],
        }
        for number in range(draw(st.integers(1, 3)))
    ]
    return JUDGED.format(one=one, approach=approach) + json.dumps(prompts)


@settings(
    max_examples=tried(6, 20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(blueprints())
def test_a_run_takes_what_its_plan_says(bench: Bench, text: str) -> None:
    bench.asked.clear()
    bench.sent = bench.received = 0
    of = parse(text).blueprint
    run = planned(of)
    spending = Spending(price_of=dear)
    ends = asyncio.run(_run(of, spending))
    assert all(isinstance(end, Scored) and end.judged for end in ends)
    assert run.requests.least <= len(bench.asked) <= run.requests.most
    assert run.tokens_in.least <= bench.sent <= run.tokens_in.most
    assert run.tokens_out.least <= bench.received <= run.tokens_out.most
    assert spending.requests == len(bench.asked)
    assert spending.dollars == pytest.approx(bench.sent / 1000 + bench.received / 100)


def test_without_a_cap_everything_is_sent(bench: Bench) -> None:
    of = parse(JUDGED.format(one="upright", approach="standard") + PROMPTS).blueprint
    ends = asyncio.run(_run(of, Spending(price_of=unknown)))
    assert [type(end) for end in ends] == [Scored] * 4
    assert planned(of).requests == Requests(12, 20)
    assert len(bench.asked) == 12


def test_a_cap_of_requests_stops_before_the_next_and_says_how_far_it_came(bench: Bench) -> None:
    of = parse(PROMPTS).blueprint
    spending = Spending(Cap(requests=3), price_of=unknown, prompts=4)
    last = asyncio.run(_run(of, spending, judged=False))[-1]
    assert len(bench.asked) == 3
    assert isinstance(last, Failed)
    assert last.title == "The cap of 3 requests is reached; 3 of 4 prompts are done"
    assert last.detail == "So far: 3 requests, $0, not counting openai:tiny."
    assert last.advice == "Raise the cap, and run again."
    assert spending.reached


def test_a_cap_of_money_is_never_passed(bench: Bench) -> None:
    of = parse(PROMPTS).blueprint
    spending = Spending(Cap(dollars=15.1), price_of=dear, prompts=4)
    last = of_kind(Failed, asyncio.run(_run(of, spending, judged=False))[-1])
    assert last.title == "The cap of $15.10 is reached; 2 of 4 prompts are done"
    assert last.detail == "So far: 2 requests, $0.12. The next one may cost up to $15.02."
    assert len(bench.asked) == 2
    assert spending.dollars <= 15.1


def test_judges_pass_the_same_cap_and_are_not_asked_again(bench: Bench) -> None:
    of = parse(JUDGED.format(one="upright", approach="standard") + PROMPTS).blueprint
    ends = asyncio.run(_run(of, Spending(Cap(requests=2), price_of=unknown, prompts=4)))
    assert len(bench.asked) == 2
    assert isinstance(ends[0], Scored)
    first = ends[0].verdicts[0]
    (told,) = [judgement.failure.message for judgement in first.judgements if judgement.failure is not None]
    assert told.startswith("gave no verdict (The cap of 2 requests is reached; 0 of 4 prompts are done")
    assert [len(judgement.attempts) for judgement in first.judgements] == [1, 1]


def _many(spending: Spending, number: int, model: str = "openai:tiny", *own: Data) -> list[BaseException | None]:
    async def one() -> None:
        provider, _ = spending.guarded(partial(resolve, custom=own))(model, None)
        async with aclosing(provider.stream(ASK)) as events:
            async for _ in events:
                pass

    async def together() -> list[BaseException | None]:
        return await asyncio.gather(*(one() for _ in range(number)), return_exceptions=True)

    return asyncio.run(together())


def test_requests_at_the_same_time_do_not_pass_the_cap_together(bench: Bench) -> None:
    spending = Spending(Cap(requests=5), price_of=unknown)
    failed = [each for each in _many(spending, 12) if isinstance(each, ProviderError)]
    assert (len(bench.asked), len(failed)) == (5, 7)


def test_near_the_cap_a_request_waits_for_those_that_may_turn_out_cheap(bench: Bench) -> None:
    one = 5 / 1000 + 6 / 100 * 1000 / 1000
    spending = Spending(Cap(dollars=2.0), price_of=dear)
    failed = [each for each in _many(spending, 12) if isinstance(each, ProviderError)]
    assert one < spending.dollars <= 2.0
    assert len(bench.asked) + len(failed) == 12
    assert len(bench.asked) > 1


def test_what_a_server_does_not_count_is_counted_at_its_most(bench: Bench) -> None:
    bench.counts = False
    spending = Spending(price_of=dear)
    _many(spending, 1)
    assert spending.dollars > ASK.max_tokens / 100


def test_a_limit_that_the_blueprint_raises_is_reckoned_with(bench: Bench, httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/v1/chat/completions")
    own = {"id": "own:tiny", "url": url, "modelName": "tiny", "inherit": "openai", "parameters": {"max_tokens": 9000}}
    bench.counts = False
    spending = Spending(price_of=dear, custom=[own])
    _many(spending, 1, "own:tiny", own)
    assert 90 < spending.dollars < 91


def test_a_request_that_is_refused_costs_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "answer", None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    spending = Spending(price_of=dear)
    assert isinstance(_many(spending, 1)[0], ProviderError)
    assert (spending.requests, spending.dollars) == (0, 0.0)


def test_a_request_that_is_cancelled_may_have_cost_its_most(bench: Bench) -> None:
    spending = Spending(price_of=dear)

    async def cancelled() -> None:
        provider, _ = spending.guarded(partial(resolve, custom=()))("openai:tiny", None)
        async with aclosing(provider.stream(ASK)) as events:
            async for _ in events:
                break

    asyncio.run(cancelled())
    assert spending.dollars > ASK.max_tokens / 100


# What a run has cost


def test_what_judges_have_cost_is_the_sum_of_their_requests(bench: Bench) -> None:
    of = parse(JUDGED.format(one="upright", approach="standard") + PROMPTS).blueprint
    end = of_kind(Scored, asyncio.run(_run(of))[0])
    judgements = [each for point in end.verdicts.values() for each in point.judgements]
    found = present(cost_of(judgements, lambda _: DEAR))
    assert found > tokens("Which river flows through Paris?") / 1000 + 5 / 100
    assert cost_of([replace(each, reused=True) for each in judgements], lambda _: DEAR) == 0


def test_a_cost_that_is_not_known_is_no_zero(bench: Bench) -> None:
    of = parse(JUDGED.format(one="upright", approach="standard") + PROMPTS).blueprint
    bench.counts = False
    end = of_kind(Scored, asyncio.run(_run(of))[0])
    judgements = [each for point in end.verdicts.values() for each in point.judgements]
    assert cost_of(judgements, lambda _: DEAR) is None
    assert cost_of(judgements, lambda _: None) is None
    assert cost_of((), lambda _: None) == 0


async def test_a_request_waits_where_those_that_run_might_together_pass_the_cap() -> None:
    spending = Spending(Cap(dollars=1.0), price_of=lambda *_: DEAR)
    await spending.begin(0.6)
    second = asyncio.create_task(spending.begin(0.6))
    await asyncio.sleep(0)
    waits = not second.done()
    await spending.end(0.6, 0.1)
    await second
    assert (waits, spending.requests, spending.dollars) == (True, 2, 0.1)


async def test_a_request_that_found_nobody_there_was_not_sent() -> None:
    spending = Spending(price_of=lambda *_: None)
    provider, _ = spending.guarded(lambda *_: (chat_server("http://127.0.0.1:9/v1"), "tiny"))("tiny", None)
    with pytest.raises(ProviderError, match="nobody answers there"):
        async with aclosing(provider.stream(ASK)) as events:
            await anext(events)
    assert spending.requests == 0
