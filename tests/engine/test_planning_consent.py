"""What an author has to be asked before a plan is sent, and what the settings keep of the answer."""

from __future__ import annotations

import asyncio
import socket

import pytest

from engine.asking.exchanges import Amount, Requests, SameRequests
from engine.asking.planner import Access, HostQuestion, Step, access_to
from engine.asking.run_plan import ConsentNeeded, Part, RunPlan, Share, agreements, consent_needed
from engine.models.service_client import Host
from engine.text.record import replace
from tests.engine.service_requests import found_at
from tests.many_cases import every

ONE = Requests(1, 1)
ANSWERS = Share(Part.ANSWER, "openai:m", "openai:m", ("the prompt's messages",), "api.openai.com", ONE)
JUDGES = replace(ANSWERS, part=Part.JUDGE)
HERE = replace(ANSWERS, recipient="this machine (localhost:80)")
SAME = SameRequests("openai:m", (0.0, 1.0), 4)
FACTS = Host("facts.example", "https://facts.example/", ("the service facts",), 1, ("FACTS_KEY",))
NAS = Host("nas.example", "http://nas.example/", ("the service nas",), 2, ())
LOCAL = Host("localhost:8888", "http://localhost:8888/", ("the service local",), 1, ())


def planned(*shares: Share, same: tuple[SameRequests, ...] = ()) -> RunPlan:
    return RunPlan(1, 1, shares, same=same)


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
