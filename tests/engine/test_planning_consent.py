"""What an author has to be asked before a plan is sent, and what the settings keep of the answer."""

from __future__ import annotations

import asyncio
import re
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from engine.asking.exchanges import Amount, Job, Requests, SameRequests
from engine.asking.planner import Access, HostQuestion, Step, access_to, plan
from engine.asking.run_plan import ConsentNeeded, Part, RunPlan, Share, agreements, consent_needed
from engine.asking.spending import Cap, Spending
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.files.own_files import state_dir
from engine.functions.v8 import JavaScript
from engine.models import limits
from engine.models.provider_registry import anthropic_name, resolve
from engine.models.service_client import Host
from engine.parsing import parse
from engine.text.record import replace
from tests.engine.service_requests import found_at
from tests.engine.test_providers_refused_fields import Picky
from tests.many_cases import every
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

# What an author has to be asked before a plan is sent, and what the settings keep of the answer


ONE = Requests(1, 1)
ANSWERS = Share(Part.ANSWER, "openai:m", "openai:m", ("the prompt's messages",), "api.openai.com", ONE)
JUDGES = replace(ANSWERS, part=Part.JUDGE)
HERE = replace(ANSWERS, recipient="this machine (localhost:80)")
SAME = SameRequests("openai:m", (0.0, 1.0), 4)
FACTS = Host("facts.example", "https://facts.example/", ("the service facts",), 1, ("FACTS_KEY",))
NAS = Host("nas.example", "http://nas.example/", ("the service nas",), 2, ())
LOCAL = Host("localhost:8888", "http://localhost:8888/", ("the service local",), 1, ())


def planned(*shares: Share, same: tuple[SameRequests, ...] = ()) -> RunPlan:
    return RunPlan(1, shares, same=same)


def needed(plan: RunPlan, *consented: str, many: bool = False, hosts: tuple[Host, ...] = ()) -> ConsentNeeded:
    return consent_needed(plan, consented, ask_above=0.5, many=many, hosts=hosts)


@every(
    ("plan", "consented", "recipients"),
    [
        (planned(ANSWERS), [], {"api.openai.com"}),
        (planned(ANSWERS), ["api.openai.com"], set()),
        (planned(ANSWERS, JUDGES), ["api.openai.com"], {"api.openai.com"}),
        (planned(ANSWERS, JUDGES), ["api.openai.com", "api.openai.com · judge"], set()),
        (planned(replace(ANSWERS, variables=("KEY",))), ["api.openai.com"], {"api.openai.com"}),
        (planned(replace(ANSWERS, variables=("KEY",))), ["api.openai.com (KEY)"], set()),
        (planned(HERE), [], set()),
        (planned(replace(ANSWERS, requests=Requests())), [], set()),
        (planned(replace(ANSWERS, problem="no key")), [], set()),
    ],
)
def test_a_recipient_is_new_with_texts_or_variables_that_nobody_agreed_to(
    plan: RunPlan, consented: list[str], recipients: set[str]
) -> None:
    assert needed(plan, *consented) == ConsentNeeded(frozenset(recipients))


def test_all_prompts_are_agreed_to_apart() -> None:
    assert needed(planned(ANSWERS), "api.openai.com", many=True)
    assert not needed(planned(ANSWERS), "api.openai.com · all prompts", many=True)


def test_a_service_is_new_until_it_is_agreed_to_with_its_variables() -> None:
    assert needed(planned(), "service at facts.example", hosts=(FACTS,)).recipients == {"facts.example"}
    assert not needed(planned(), "service at facts.example (FACTS_KEY)", hosts=(FACTS,))


def test_the_same_requests_paid_several_times_are_asked_about_once() -> None:
    assert needed(planned(same=(SAME,))).same == (SAME,)
    assert not needed(planned(same=(SAME,)), SAME.agreement)


@pytest.mark.parametrize(("most", "is_expensive"), [(0.5, False), (0.51, True)])
def test_a_run_above_the_limit_is_dear(most: float, is_expensive: bool) -> None:
    plan = planned(replace(HERE, dollars=Amount(0.0, 0.0, most)))
    assert needed(plan).is_expensive is is_expensive
    assert bool(needed(plan)) is is_expensive


@every("many", [True, False])
@every("hosts", [(), (FACTS,), (FACTS, LOCAL)])
@every("plan", [planned(), planned(ANSWERS), planned(ANSWERS, JUDGES, HERE), planned(JUDGES, same=(SAME,))])
def test_nothing_is_asked_again_after_what_was_agreed_to(plan: RunPlan, hosts: tuple[Host, ...], many: bool) -> None:
    """The law: the agreements of a plan cover all of that plan."""
    assert not needed(plan, *agreements(plan, many=many, hosts=hosts), many=many, hosts=hosts)


class Answers:
    """Answers questions about hosts by their step and name, and notes them."""

    def __init__(self, **said: bool | None) -> None:
        self.said = said
        self.asked: list[tuple[str, Step]] = []

    async def __call__(self, question: HostQuestion) -> bool | None:
        self.asked.append((question.host.name, question.step))
        return self.said[question.step.value]


def access(answers: Answers, *hosts: Host) -> Access | None:
    return asyncio.run(access_to(hosts, answers))


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found_at("10.0.0.7"))


@pytest.mark.usefixtures("lookups")
def test_a_name_that_leads_into_the_network_is_asked_about_twice() -> None:
    answers = Answers(call=True, nearby=True)
    assert access(answers, NAS) == Access(frozenset({"nas.example"}), frozenset({"nas.example"}))
    assert answers.asked == [("nas.example", Step.CALL), ("nas.example", Step.NEARBY)]


@pytest.mark.usefixtures("lookups")
def test_no_to_the_second_question_is_no() -> None:
    assert access(Answers(call=True, nearby=False), NAS) == Access()


def test_nothing_is_looked_up_before_it_is_agreed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "getaddrinfo")
    assert access(Answers(call=False), NAS) == Access()


def test_a_host_that_says_itself_that_it_is_here_needs_no_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "getaddrinfo")
    assert access(Answers(call=True, nearby=True), LOCAL) == Access(
        frozenset({"localhost:8888"}), frozenset({"localhost:8888"})
    )


def test_who_turns_away_from_a_question_runs_nothing() -> None:
    assert access(Answers(call=None), LOCAL, FACTS) is None


def test_one_refusal_leaves_the_others() -> None:
    class OnlyLocal(Answers):
        async def __call__(self, question: HostQuestion) -> bool:
            return question.host is LOCAL

    found = access(OnlyLocal(), NAS, LOCAL)
    assert found is not None
    assert found.hosts == {"localhost:8888"}


def test_the_question_names_who_gets_what() -> None:
    assert HostQuestion(FACTS).text == (
        "The service facts at facts.example gets the answer, the ids of the model and the prompt, and the fields "
        "of the check. With it goes what is in FACTS_KEY. What it says counts in the score."
    )


# A law: whatever a server refuses, a run takes no more requests than its plan says, and never more than its cap


FIELDS = ("stream_options", "max_tokens", "max_completion_tokens", "temperature", "stream", "model")


@pytest.fixture
def refusing(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Picky:
    """OpenAI on this machine, which refuses some fields, one at a time."""
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    return Picky(httpserver)


async def _run_all(text: str, spending: Spending, javascript: JavaScript) -> None:
    from engine.models.http import close_clients

    blueprint = parse(text).blueprint
    providers = spending.guarded(resolve)

    async def one(number: int) -> None:
        prompt = blueprint.prompts[number]
        source = ModelSource("openai:gpt-new")
        async for _ in evaluate(prompt, blueprint, source, javascript=javascript, providers=providers):
            pass

    await asyncio.gather(*map(one, range(len(blueprint.prompts))))
    await close_clients()


def _forget() -> None:
    """Nothing is known of any model."""
    (state_dir() / "parameter-support.json").unlink(missing_ok=True)
    limits._memories.clear()  # pyright: ignore[reportPrivateUsage]


@settings(max_examples=tried(8, 25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    refuses=st.frozensets(st.sampled_from(FIELDS)),
    prompts=st.integers(1, 5),
    cap=st.none() | st.integers(0, 12),
)
def test_a_run_takes_no_more_requests_than_its_plan_and_its_cap(
    refusing: Picky, javascript: JavaScript, refuses: frozenset[str], prompts: int, cap: int | None
) -> None:
    _forget()
    refusing.refuses = tuple(field for field in FIELDS if field in refuses)
    text = "".join(
        f"- {{id: p{number}, prompt: Hello {number}, should: [$contains: x]}}\n" for number in range(prompts)
    )
    parsed = parse(text).blueprint
    for _ in range(2):  # the second time, the model is known
        refusing.bodies.clear()
        jobs = [Job(prompt, ModelSource("openai:gpt-new")) for prompt in parsed.prompts]
        planned = plan(parsed, jobs, providers=resolve)
        spending = Spending(Cap(requests=cap), price_of=lambda *_: None)
        asyncio.run(_run_all(text, spending, javascript))
        assert len(refusing.bodies) == spending.requests
        assert len(refusing.bodies) <= planned.requests.most + planned.resent
        assert cap is None or len(refusing.bodies) <= cap


def test_a_model_that_answered_once_takes_exactly_what_its_plan_says(refusing: Picky, javascript: JavaScript) -> None:
    refusing.refuses = ("stream_options", "max_tokens", "temperature")
    text = "".join(f"- {{id: p{number}, prompt: Hello {number}, should: [$contains: x]}}\n" for number in range(4))
    asyncio.run(_run_all(text, Spending(price_of=lambda *_: None), javascript))
    refusing.bodies.clear()
    parsed = parse(text).blueprint
    planned = plan(parsed, [Job(prompt, ModelSource("openai:gpt-new")) for prompt in parsed.prompts], providers=resolve)
    asyncio.run(_run_all(text, Spending(price_of=lambda *_: None), javascript))
    assert (len(refusing.bodies), planned.resent) == (planned.requests.most, 0)


@needs_corpus
def test_every_model_of_anthropic_in_the_corpus_is_called_by_a_name_that_its_api_has() -> None:
    texts = [path.read_text("utf-8") for path in corpus_files()]
    named = {name for text in texts for name in re.findall(r"^ *- \"?anthropic:([\w.-]+)", text, re.MULTILINE)}
    assert named
    assert [name for name in map(anthropic_name, named) if "." in name or not name.startswith("claude-")] == []
