"""A plan counts what will really be sent: answers, verdicts and grades that are there are told and not counted."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.asking.exchanges import CacheLookup, Job, Requests
from engine.asking.planner import plan
from engine.asking.run_plan import CachedCounts, RunPlan, cached_lines, plan_lines
from engine.blueprint import Block, Blueprint
from engine.blueprint.conversation import StopReason, Variant, conversation
from engine.evaluation.answer_stream import CachedAnswer, answer_key
from engine.evaluation.sources import FixtureSource, IdealSource, ModelSource
from engine.judging.judge_prompt import first_request, questions
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, BackupWhen, Panel, PanelJudge, panel
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest, Finished, Turn, Usage, request_key
from engine.models.provider_registry import answering_place, resolve
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.text.record import replace
from tests.many_cases import every

MODEL = ModelSource("openai:gpt-4o-mini")
RIVERS = """\
description: What pupils should know about rivers.
evaluationConfig:
  llm-coverage:
    judges:
      - {id: strict, model: openai:strict-1, approach: standard}
      - {id: kind, model: "anthropic:claude-haiku-4-5", approach: holistic}
---
- id: seine
  prompt: Which river flows through Paris?
  ideal: The Seine.
  should: [Names the river, $contains: Seine, Names the city]
- id: talk
  messages:
    - user: Which river flows through Rome?
    - assistant: null
    - user: And through Cairo?
  should: [Names the Nile]
"""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, clean_environment: object) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "OPENROUTER"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-of-a-test")


@pytest.fixture
def rivers() -> Blueprint:
    return parse(RIVERS).blueprint


def answered(*said: tuple[tuple[str, ...], str]) -> dict[str, CachedAnswer]:
    """What is kept where the model said each text after the turns before it, user and assistant in turns."""
    place = answering_place(MODEL.model)
    return {
        answer_key(place, "api.openai.com", _request(turns)): CachedAnswer(text, Finished(StopReason.STOP, Usage()))
        for turns, text in said
    }


def _request(turns: tuple[str, ...]) -> ChatRequest:
    talk = conversation(parse(RIVERS).blueprint.prompts[1], parse(RIVERS).blueprint.header)
    roles = [message.role for message in talk.messages]
    return ChatRequest("gpt-4o-mini", tuple(map(Turn, roles, turns)), 0.0)


PARIS = (("Which river flows through Paris?",), "The Seine.")
ROME = (("Which river flows through Rome?",), "The Tiber.")
CAIRO = (("Which river flows through Rome?", "The Tiber.", "And through Cairo?"), "The Nile.")


def judged(of: Blueprint, judges: Panel, prompt: int, answer: str, *criteria: str, by: int = 0) -> dict[str, Judgement]:
    """What is kept where one judge gave its verdict on these criteria of one answer."""
    judge = judges.judges[by]
    thread = conversation(of.prompts[prompt], of.header).answered([answer])
    asked = questions(of.prompts[prompt], thread, of.header.description).values()
    requests = {
        each.criterion: first_request(each, judge.approach, judges.scale, judge.model.partition(":")[2])
        for each in asked
    }
    verdict = Verdict(1.0, None, "As it says.")
    place = answering_place(judge.model, None, of.header.models)
    return {
        request_key(place, requests[text]): Judgement(judge, text, (Attempt(requests[text], "", verdict),))
        for text in criteria
    }


def planned(of: Blueprint, wanted: list[Job], before: CacheLookup, judges: Panel | None = None) -> RunPlan:
    return plan(of, wanted, judges, providers=partial(resolve, custom=of.header.models), cache=before)


def jobs(of: Blueprint, **more: Any) -> list[Job]:
    return [Job(prompt, MODEL, **more) for prompt in of.prompts]


def test_an_answer_that_is_kept_is_not_counted_and_told(rivers: Blueprint) -> None:
    run = planned(rivers, jobs(rivers), CacheLookup(answered(PARIS).get))
    assert run.requests == Requests(2, 2)
    assert run.cached == CachedCounts(answers=1, answers_of=2)
    assert "Cached    1 of 2 answers is cached and not sent" in plan_lines(run)


def test_tokens_and_price_are_those_of_what_is_sent(rivers: Blueprint) -> None:
    alone = planned(rivers, jobs(rivers)[1:], CacheLookup())
    run = planned(rivers, jobs(rivers), CacheLookup(answered(PARIS).get))
    assert (run.tokens_in, run.tokens_out, run.dollars) == (alone.tokens_in, alone.tokens_out, alone.dollars)


def test_a_conversation_goes_on_at_the_turn_that_it_lacks(rivers: Blueprint) -> None:
    run = planned(rivers, jobs(rivers)[1:], CacheLookup(answered(ROME).get))
    assert run.requests == Requests(1, 1)
    assert list(cached_lines(run.cached)) == ["The only answer is cached up to a turn: only what follows is sent"]


def test_where_all_is_kept_nobody_receives_anything(rivers: Blueprint) -> None:
    run = planned(rivers, jobs(rivers), CacheLookup(answered(PARIS, ROME, CAIRO).get))
    assert (run.shares, run.requests) == ((), Requests())
    assert list(plan_lines(run)) == ["Cached    All 2 answers are cached and not sent"]


def test_a_fresh_answer_is_asked_for_though_one_is_kept(rivers: Blueprint) -> None:
    run = planned(rivers, jobs(rivers, fresh=True), CacheLookup(answered(PARIS, ROME, CAIRO).get))
    assert run.requests == Requests(3, 3)
    assert run.cached == CachedCounts(answers_of=2)


def test_another_temperature_is_another_request(rivers: Blueprint) -> None:
    run = planned(rivers, jobs(rivers, variant=Variant(temperature=1.0)), CacheLookup(answered(PARIS, ROME, CAIRO).get))
    assert run.requests == Requests(3, 3)


def test_a_model_without_its_key_is_told_though_its_answers_are_kept(
    rivers: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    run = planned(rivers, jobs(rivers), CacheLookup(answered(PARIS, ROME, CAIRO).get))
    assert [share.name for share in run.unreachable] == ["openai:gpt-4o-mini"]


def test_a_verdict_that_is_kept_is_not_asked_for_again(rivers: Blueprint) -> None:
    judges = panel(rivers.header)
    kept = judged(rivers, judges, 0, "The Seine.", "Names the river")
    run = planned(rivers, [Job(rivers.prompts[0], IdealSource())], CacheLookup(judgement=kept.get), judges)
    by_name = {share.name.partition(" ")[0]: share.requests for share in run.shares}
    assert by_name["strict"] == Requests(1, 2)
    assert by_name["kind"] == Requests(2, 4)
    assert (run.points, run.cached) == (2, CachedCounts(verdicts=1, verdicts_of=4))
    assert "Cached    1 of 4 verdicts is cached and not asked for" in plan_lines(run)


def test_the_verdicts_on_a_kept_answer_of_a_model_are_found(rivers: Blueprint) -> None:
    judges = panel(rivers.header)
    kept = judged(rivers, judges, 0, "The Seine.", "Names the river", "Names the city")
    run = planned(rivers, jobs(rivers)[:1], CacheLookup(answered(PARIS).get, kept.get), judges)
    assert [share.name.partition(" ")[0] for share in run.shares] == ["kind"]


def test_the_verdicts_on_an_answer_that_is_not_known_yet_are_counted(rivers: Blueprint) -> None:
    judges = panel(rivers.header)
    kept = judged(rivers, judges, 0, "The Seine.", "Names the river", "Names the city")
    run = planned(rivers, jobs(rivers, fresh=True)[:1], CacheLookup(answered(PARIS).get, kept.get), judges)
    assert (run.points, run.cached.verdicts) == (2, 0)


@pytest.mark.parametrize(("when", "asked"), [(BackupWhen.ALL_FAILED, 1), (BackupWhen.ANY_FAILED, 2)])
def test_a_backup_is_counted_only_where_it_can_still_be_needed(when: BackupWhen, asked: int) -> None:
    of = parse(RIVERS).blueprint
    judges = replace(
        panel(of.header), backup=PanelJudge("spare", "openai:spare-1", Approach.STANDARD), backup_when=when
    )
    kept = judged(of, judges, 0, "The Seine.", "Names the river", by=1)
    run = planned(of, [Job(of.prompts[0], IdealSource())], CacheLookup(judgement=kept.get), judges)
    assert run.shares[-1].requests == Requests(0, 2 * asked)


def test_judges_are_not_asked_about_what_the_author_graded(rivers: Blueprint) -> None:
    grades = {Criterion(Block.SHOULD, "Names the river"): Grade.FULLY_PRESENT}
    job = Job(rivers.prompts[0], IdealSource(), grades={"The Seine.": grades}.__getitem__)
    assert planned(rivers, [job], CacheLookup(), panel(rivers.header)).points == 1


def test_only_what_is_open_in_an_answer_that_is_there_is_asked_about(rivers: Blueprint) -> None:
    thread = conversation(rivers.prompts[0], rivers.header).answered(["It is the Seine."])
    job = Job(rivers.prompts[0], MODEL, thread=thread, settled=frozenset({0, 1}))
    run = planned(rivers, [job], CacheLookup(), panel(rivers.header))
    assert (run.points, [share.requests for share in run.shares]) == (1, [Requests(1, 2)] * 2)


def test_the_verdicts_on_saved_answers_are_found(rivers: Blueprint, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"strategy": "round-robin", "responses": {"seine": {"default": ["Which?", "Seine."]}}}))
    judges = panel(rivers.header)
    kept = judged(rivers, judges, 0, "Seine.", "Names the river")
    wanted = [Job(rivers.prompts[0], FixtureSource(saved)) for _ in range(2)]
    assert planned(rivers, wanted[:1], CacheLookup(judgement=kept.get), judges).cached.verdicts == 0
    assert planned(rivers, wanted, CacheLookup(judgement=kept.get), judges).cached.verdicts == 1


def test_where_there_is_no_saved_answer_nothing_is_judged(rivers: Blueprint, tmp_path: Path) -> None:
    run = planned(
        rivers, [Job(rivers.prompts[0], FixtureSource(tmp_path / "none.json"))], CacheLookup(), panel(rivers.header)
    )
    assert run.points == 0


@every(
    ("kept", "told"),
    [
        (CachedCounts(), []),
        (CachedCounts(answers=12, answers_of=40), ["12 of 40 answers are cached and not sent"]),
        (CachedCounts(answers=1, answers_of=1), ["The only answer is cached and not sent"]),
        (CachedCounts(verdicts=1200, verdicts_of=1200), ["All 1,200 verdicts are cached and not asked for"]),
        (CachedCounts(prefilled=1, answers_of=3), ["1 of 3 answers is cached up to a turn: only what follows is sent"]),
    ],
)
def test_what_is_kept_in_words(kept: CachedCounts, told: list[str]) -> None:
    assert list(cached_lines(kept)) == told
