"""What a run will send, told before it sends anything: who receives which texts, how much, for how much."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from engine.asking.exchanges import NOTHING_CACHED, Amount, Job, KnownAnswers, Requests, exchange
from engine.asking.planner import plan, price_at
from engine.asking.run_plan import Part, RunPlan, Share, amounts, one_line, plan_lines
from engine.blueprint import Blueprint
from engine.blueprint.conversation import ThreadTurn, conversation, variants
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    IdealSource,
    ModelSource,
    WrittenSource,
    control_answer,
)
from engine.judging.judge_prompt import first_request, questions
from engine.judging.judge_runner import Draft, draft_request
from engine.judging.panel import DOCUMENTED_BACKUP, Panel, panel
from engine.models.limits import rate_limiter_of
from engine.models.prices import OwnPrices, Price, tokens_of_messages
from engine.models.provider_registry import resolve
from engine.parsing import parse
from engine.text.record import replace
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

RIVERS = """\
title: Rivers
description: What pupils should know about rivers.
systems: [Be brief., Be kind.]
temperatures: [0, 1]
evaluationConfig:
  llm-coverage:
    judges:
      - {id: strict, model: openai:strict-1, approach: standard}
      - {id: kind, model: "anthropic:claude-haiku-4-5", approach: holistic}
---
- id: seine
  prompt: Which river flows through Paris?
  ideal: The Seine flows through Paris.
  should: [Names the river, $contains: Seine, Names the city]
- id: talk
  messages:
    - user: Which river flows through Rome?
    - assistant: null
    - user: And through Cairo?
  should: [Names the Nile]
- id: written
  messages:
    - user: Which river flows through London?
    - assistant: The Thames.
  should: [Names the Thames]
"""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, clean_environment: object) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "OPENROUTER"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-of-a-test")


def blueprint(text: str = RIVERS) -> Blueprint:
    return parse(text).blueprint


def jobs(of: Blueprint, *sources: AnswerSource) -> list[Job]:
    return [Job(prompt, source) for prompt in of.prompts for source in sources]


def planned(of: Blueprint, wanted: list[Job], judges: Panel | None = None, own: OwnPrices | None = None) -> RunPlan:
    return plan(of, wanted, judges, providers=partial(resolve, custom=of.header.models), own=own)


def share_of(run: RunPlan, name: str) -> Share:
    return next(share for share in run.shares if share.name.startswith(name))


# Requests


def test_each_turn_to_be_generated_is_a_request_and_a_written_answer_is_none() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-4o-mini")))
    assert share_of(run, "openai:gpt-4o-mini").requests == Requests(3, 3)


def test_each_variant_is_asked() -> None:
    rivers = blueprint()
    wanted = [Job(rivers.prompts[0], ModelSource("openai:gpt-4o-mini"), each) for each in variants(rivers.header)]
    assert planned(rivers, wanted).requests == Requests(4, 4)


@every("source", [IdealSource(), WrittenSource("Mine."), ControlSource(ControlKind.ECHO)])
def test_what_asks_nobody_sends_nothing(source: AnswerSource) -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, source))
    assert (run.shares, run.requests, one_line(run)) == ((), Requests(), "")


def test_turns_that_stand_already_are_not_asked_for_again() -> None:
    rivers = blueprint()
    job = Job(rivers.prompts[1], ModelSource("openai:gpt-4o-mini"), prefilled=("The Tiber.",))
    assert planned(rivers, [job]).requests == Requests(1, 1)


def test_judges_are_asked_about_each_point_in_words_and_once_more_at_most() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-4o-mini")), panel(rivers.header))
    assert run.points == 4
    assert share_of(run, "strict").requests == share_of(run, "kind").requests == Requests(4, 8)


def test_an_answer_that_will_not_be_there_is_not_judged() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, IdealSource()), panel(rivers.header))
    assert run.points == 2


def test_the_backup_is_asked_only_where_others_fail() -> None:
    rivers = blueprint("- {id: a, prompt: Hello, should: [Says hello]}")
    backup = share_of(
        planned(rivers, jobs(rivers, ModelSource("openai:gpt-4o-mini")), panel(rivers.header)), DOCUMENTED_BACKUP.id
    )
    assert (backup.part, backup.requests) == (Part.BACKUP, Requests(0, 2))


# Who receives what


def test_each_recipient_is_named_with_what_it_receives() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-4o-mini")), panel(rivers.header))
    received = {each.name: [share.texts for share in each.shares] for each in run.recipients}
    assert received == {
        "api.openai.com": [
            ("the prompt's messages",),
            ("the whole conversation with the answer", "the criterion"),
        ],
        "api.anthropic.com": [
            (
                "the whole conversation with the answer",
                "the criterion",
                "the description of the blueprint",
                "all criteria in words of the prompt",
            )
        ],
    }


def test_this_machine_comes_last_and_does_not_count_as_leaving() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("ollama:llama3"), ModelSource("openai:gpt-4o-mini")))
    assert [each.name for each in run.recipients] == ["api.openai.com", "this machine (127.0.0.1:11434)"]
    assert [each.name for each in run.leaving] == ["api.openai.com"]


def test_a_model_that_cannot_be_asked_is_told_and_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-4o-mini")))
    assert [share.name for share in run.unreachable] == ["openai:gpt-4o-mini"]
    assert (run.recipients, run.requests) == ((), Requests())
    assert "Set the variable OPENAI_API_KEY" in "\n".join(plan_lines(run))


OWN = """\
models:
  - id: own:model
    url: https://models.example.org/v1/chat/completions
    modelName: tiny
    inherit: openai
    headers: {Authorization: "Bearer ${OPENAI_API_KEY}"}
    parameters: {max_tokens: 9000}
---
- {id: a, prompt: Hello, should: [Says hello]}
"""


def test_variables_that_go_with_a_text_are_named() -> None:
    own = blueprint(OWN)
    run = planned(own, jobs(own, ModelSource("own:model")))
    assert run.recipients[0].shares[0].variables == ("OPENAI_API_KEY",)
    assert any("gets the prompt's messages, and what is in OPENAI_API_KEY" in line for line in plan_lines(run))


def test_agreeing_to_messages_is_not_agreeing_to_criteria_nor_to_a_secret() -> None:
    own = blueprint(OWN)
    answers = planned(own, jobs(own, ModelSource("own:model")))
    judges = planned(own, jobs(own, ModelSource("openai:gpt-4o")), panel(own.header))
    agreements = [share.agreement for share in (*answers.shares, *judges.shares)]
    assert agreements == [
        "models.example.org (OPENAI_API_KEY)",
        "api.openai.com",
        "openrouter.ai · judge",
        "openrouter.ai · judge",
        "api.anthropic.com · judge",
    ]


# Services

SERVICES = """\
externalServices:
  laws: {url: "https://laws.example.org/check", headers: {X-Key: "${OPENAI_API_KEY}"}, max_retries: 4}
---
- id: a
  prompt: Hello
  ideal: Hello.
  should:
    - $call: {service: laws, claim: "{response}"}
    - $call: {url: "http://127.0.0.1:9000/", max_retries: 0}
- {id: b, prompt: Hello again, ideal: Hello again., should: [$call: {service: laws, claim: "{response}"}]}
"""


def test_services_are_named_with_how_often_they_are_called() -> None:
    asked = blueprint(SERVICES)
    wanted = jobs(asked, IdealSource(), ControlSource(ControlKind.EMPTY))
    shares = plan(asked, wanted, providers=resolve, allowed=None).shares
    assert [(share.recipient, share.requests, share.variables) for share in shares] == [
        ("laws.example.org", Requests(4, 20), ("OPENAI_API_KEY",)),
        ("this machine (127.0.0.1:9000)", Requests(2, 2), ()),
    ]


def test_what_a_service_elsewhere_charges_is_not_known() -> None:
    asked = blueprint(SERVICES)
    wanted = jobs(asked, IdealSource())
    run = plan(asked, wanted, providers=resolve, allowed=None)
    assert run.unpriced == ("laws.example.org",)
    assert run.recipients[0].name == "laws.example.org"
    assert run.shares[0].agreement == "service at laws.example.org (OPENAI_API_KEY)"


def test_an_answer_that_will_not_be_there_calls_no_service() -> None:
    asked = blueprint(SERVICES.replace("ideal: Hello again., ", ""))
    assert plan(asked, jobs(asked, IdealSource()), providers=resolve, allowed=None).shares[0].requests == Requests(1, 5)


# Tokens


def test_a_conversation_that_grows_is_sent_again_each_time() -> None:
    rivers = blueprint()
    known = KnownAnswers(NOTHING_CACHED, resolve, rivers)
    first, talk = (exchange(Job(each, ModelSource("openai:x")), rivers.header, known) for each in rivers.prompts[:2])
    assert first.sent.most < 100
    assert talk.sent.least > 2 * tokens_of_messages(["Which river flows through Rome?"]).low
    assert talk.sent.most > 1500
    assert (talk.received.least, talk.received.most) == (0, 3000)


def test_an_answer_is_usually_as_long_as_the_ideal() -> None:
    rivers = blueprint()
    known = KnownAnswers(NOTHING_CACHED, resolve, rivers)
    with_ideal, without = (
        exchange(Job(rivers.prompts[n], ModelSource("openai:x")), rivers.header, known) for n in (0, 1)
    )
    assert 4 < with_ideal.received.usual < 12
    assert without.received.usual == 800


@needs_corpus
@every("path", one_in(4, corpus_files()[::9]), ids=str)
def test_the_tokens_of_questions_to_judges_are_those_of_the_very_requests(path: Path) -> None:
    real = parse(path.read_text("utf-8"), path=path).blueprint
    judges = panel(real.header)
    run = planned(real, jobs(real, ControlSource(ControlKind.ECHO)), judges)
    asked = [
        tokens_of_messages(turn.content for turn in first_request(question, judge.approach, judges.scale, "").turns)
        for job in jobs(real, ControlSource(ControlKind.ECHO))
        for question in questions(job.prompt, _echo(job, real), real.header.description).values()
        for judge in judges.judges
    ]
    planned_in = [share.tokens_in for share in run.shares if share.part is Part.JUDGE]
    assert sum(each.least for each in planned_in) <= sum(each.low for each in asked) * 1.02 + 1
    assert sum(each.most for each in planned_in) * 1.02 + 1 >= sum(each.high for each in asked)


def _echo(job: Job, of: Blueprint) -> tuple[ThreadTurn, ...]:
    return conversation(job.prompt, of.header).answered([control_answer(ControlKind.ECHO, job.prompt)])


# Drafts


def test_a_draft_is_a_share_with_its_recipient_its_texts_and_its_price() -> None:
    rivers = blueprint()
    draft = Draft(rivers.prompts[0], "openai:gpt-4o-mini", "Be brief.")
    run = plan(rivers, (), draft=draft, providers=resolve)
    (share,) = run.shares
    first = tokens_of_messages(turn.content for turn in draft_request(draft, "gpt-4o-mini").turns)
    assert (share.part, share.recipient, share.requests) == (Part.DRAFT, "api.openai.com", Requests(1, 2))
    assert share.agreement == "api.openai.com (ideals)"
    assert (share.tokens_in.least, share.tokens_out.most) == (first.low, 3000)
    assert 2 * first.high + 1500 < share.tokens_in.most < 2 * first.high + 1600
    assert one_line(run) == "about 1 request, at most $0.0022"
    assert [*plan_lines(run)][:2] == [
        "To api.openai.com go:",
        "  openai:gpt-4o-mini drafts criteria: gets the prompt's messages and its ideal · 1 request, at most 2",
    ]


# Prices


def test_a_price_that_is_not_known_is_told_and_is_no_zero() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-99")))
    assert (run.dollars, run.unpriced) == (None, ("openai:gpt-99",))
    assert one_line(run) == "3 requests, price not known"
    assert "Price     not known for openai:gpt-99: a cap in dollars does not count it." in "\n".join(plan_lines(run))


def test_only_the_price_of_a_model_can_be_given() -> None:
    service = Share(Part.SERVICE, "the service facts", "", ("the answer",), "facts.example", Requests(1, 1))
    assert [row.text for row in amounts(RunPlan(0, (service,))) if row.label == "Price"] == [
        "not known for facts.example: a cap in dollars does not count it"
    ]


def test_known_and_unknown_prices_are_kept_apart() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-99"), ModelSource("openai:gpt-4o")))
    assert run.dollars is not None
    known, unknown = (row.text for row in amounts(run) if "known" in row.text or "prices" in row.text)
    assert "list prices of " in known
    assert unknown.startswith("not known for openai:gpt-99: ")


def test_the_author_s_prices_come_first_and_the_table_s_day_is_not_named() -> None:
    rivers = blueprint()
    own = OwnPrices({"openai:gpt-99": Price(1.0, 2.0, is_own=True)})
    run = planned(rivers, jobs(rivers, ModelSource("openai:gpt-99")), own=own)
    assert run.dollars is not None
    assert 4500 * 2 / 1e6 < run.dollars.most < 4500 * 2 / 1e6 + 2000 / 1e6
    assert " · your own prices" in "\n".join(plan_lines(run))


@every(
    ("model", "recipient", "base_url", "defined", "price"),
    [
        ("openai:gpt-4o", "api.openai.com", None, False, Price(2.5, 10.0)),
        ("openai:gpt-4o", "this machine (localhost:1)", None, False, Price(2.5, 10.0)),
        ("openai:gpt-4o", "models.example.org", None, True, None),
        ("gpt-4o", "models.example.org", "https://models.example.org/v1", False, None),
        ("tiny", "this machine (localhost:1)", "http://localhost:1/v1", False, Price(0.0, 0.0)),
    ],
)
def test_a_price_is_that_of_the_place_which_is_asked(
    model: str, recipient: str, base_url: str | None, defined: bool, price: Price | None
) -> None:
    assert price_at(model, recipient, base_url, None, defined=defined) == price


def test_what_stays_on_this_machine_costs_nothing() -> None:
    rivers = blueprint()
    run = planned(rivers, jobs(rivers, ModelSource("ollama:llama3")))
    assert one_line(run) == "3 requests, free"
    assert "Price     nothing: all of it stays on this machine" in list(plan_lines(run))


# Time


def test_a_limit_that_fell_makes_it_longer() -> None:
    many = blueprint("".join(f"- {{id: p{n}, prompt: Hello {n}}}\n" for n in range(60)))
    wanted = jobs(many, ModelSource("openai:gpt-4o-mini"))
    before = planned(many, wanted).seconds

    async def pushed_back() -> Amount:
        limiter = rate_limiter_of("api.openai.com", 20)
        limiter.limit = limiter.limit.pushed_back(limiter.now(), limiter.now(), 0.0)
        return planned(many, wanted).seconds

    after = asyncio.run(pushed_back())
    assert after.usual > before.usual * 1.5
    assert before.least < before.usual < before.most


@needs_corpus
def test_a_plan_of_fifty_prompts_and_two_judges_is_there_at_once() -> None:
    path = next(path for path in corpus_files() if path.stem == "ai-spiral-safety")
    real = parse(path.read_text("utf-8"), path=path).blueprint
    wanted = [Job(prompt, ModelSource("openai:gpt-4o-mini")) for prompt in real.prompts[:50]]
    planned(real, wanted[:1], panel(real.header))
    with costs_less_than(0.1):  # 12 ms on the machine it was measured on
        planned(real, wanted, panel(real.header))


# Words


def test_each_round_of_judging_is_counted_and_priced() -> None:
    of = blueprint()
    judges = replace(panel(of.header), backup=DOCUMENTED_BACKUP)
    own = OwnPrices({each.model: Price(1.0, 2.0) for each in (*judges.judges, DOCUMENTED_BACKUP)})
    once, thrice = (
        plan(of, jobs(of, IdealSource()), replace(judges, rounds=rounds), providers=resolve, own=own)
        for rounds in (1, 3)
    )
    assert thrice.points == once.points
    for before, after in zip(once.shares, thrice.shares, strict=True):
        assert after.requests == Requests(3 * before.requests.least, 3 * before.requests.most)
        assert before.dollars is not None
        assert after.dollars is not None
        assert after.dollars.most == pytest.approx(3 * before.dollars.most)
