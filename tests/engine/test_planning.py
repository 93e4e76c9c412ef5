"""What a run will send, told before it sends anything: who receives which texts, how much, for how much."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engine.asking.exchanges import NOTHING_CACHED, Amount, CacheLookup, Job, KnownAnswers, exchange
from engine.asking.planner import plan, price_at
from engine.asking.run_plan import CachedCounts, Part, RunPlan, cached_lines, one_line, plan_lines
from engine.blueprint import Block, Blueprint
from engine.blueprint.conversation import StopReason, ThreadTurn, Variant, conversation, variants
from engine.evaluation.answer_stream import CachedAnswer, answer_key
from engine.evaluation.sources import (
    REQUESTS,
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
    control_answer,
)
from engine.judging.judge_prompt import first_request, questions
from engine.judging.judge_runner import Draft
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, BackupWhen, Panel, PanelJudge, panel
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest, Finished, Turn, Usage, request_key
from engine.models.limits import rate_limiter_of
from engine.models.prices import OwnPrices, Price, tokens_of_messages
from engine.models.provider_registry import answering_place, resolve
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.text.record import replace
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every
from tests.pieces import whole_text
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

SAID = {
    "PARIS": ("Which river flows through Paris?", "The Seine."),
    "ROME": ("Which river flows through Rome?", "The Tiber."),
    "CAIRO": ("Which river flows through Rome?", "The Tiber.", "And through Cairo?", "The Nile."),
}
"""Answers that may be cached, each behind the turns before it."""
MODEL = ModelSource("openai:gpt-4o-mini")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, clean_environment: object) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "OPENROUTER"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-of-a-test")


def blueprint(name: str = "rivers") -> Blueprint:
    return parse(whole_text(f"planned-{name}.yml")).blueprint


def jobs(of: Blueprint, *sources: AnswerSource) -> list[Job]:
    return [Job(prompt, source) for prompt in of.prompts for source in sources]


def planned(of: Blueprint, wanted: Sequence[Job], judges: Panel | None = None, **more: Any) -> RunPlan:
    return plan(of, wanted, judges, providers=partial(resolve, custom=of.header.models), **more)


# The cases of `planning_cases.txt`: what is asked of a blueprint, and the whole plan with its agreements


def source_of(name: str, saved: Path) -> AnswerSource:
    match name:
        case "ideal":
            return IdealSource()
        case "written":
            return WrittenSource("Mine.")
        case "echo" | "empty":
            return ControlSource(ControlKind(name))
        case "saved":
            return FixtureSource(saved)
        case _:
            return ModelSource(name)


def cached_answer(said: Sequence[str]) -> tuple[str, CachedAnswer]:
    *turns, answer = said
    roles = [message.role for message in blueprint().prompts[1].messages]
    request = ChatRequest("gpt-4o-mini", tuple(map(Turn, roles, turns)), 0.0)
    key = answer_key(answering_place(MODEL.model), "api.openai.com", request)
    return key, CachedAnswer(answer, Finished(StopReason.STOP, Usage()))


def cached_verdicts(of: Blueprint, judges: Panel, by: str, criteria: Sequence[str]) -> Iterator[tuple[str, Judgement]]:
    """What is cached where a judge gave its verdict on these criteria of the first prompt's ideal."""
    judge = next(each for each in judges.judges if each.id == by)
    first = of.prompts[0]
    thread = conversation(first, of.header).answered([first.ideal or ""])
    for question in questions(first, thread, of.header.description).values():
        if question.criterion in criteria:
            request = first_request(question, judge.approach, judges.scale, judge.model.partition(":")[2])
            attempt = Attempt(request, "", Verdict(1.0, None, "As it says."))
            key = request_key(answering_place(judge.model, None, of.header.models), request)
            yield key, Judgement(judge, question.criterion, (attempt,))


def jobs_of(of: Blueprint, case: dict[str, Any], saved: Path) -> Iterator[Job]:
    graded = {Criterion(Block.SHOULD, criterion): Grade.FULLY_PRESENT for criterion in case.get("graded", ())}
    first = of.prompts[0]
    there = conversation(first, of.header).answered([case["there"]]) if "there" in case else None
    found = variants(of.header) if "variants" in case else [Variant(temperature=case.get("temperature"))]
    for number in case.get("prompts", range(len(of.prompts))):
        for name in case.get("ask", ()):
            for variant in found:
                yield Job(
                    of.prompts[number],
                    source_of(name, saved),
                    variant,
                    tuple(case.get("prefilled", ())),
                    there,
                    case.get("fresh", False),
                    frozenset(case.get("settled", ())),
                    (lambda _: graded) if graded else None,
                )


def panel_of(of: Blueprint, case: dict[str, Any]) -> Panel:
    judges = replace(panel(of.header), rounds=case.get("rounds", 1))
    if "backup" not in case:
        return judges
    spare = PanelJudge("spare", "openai:spare-1", Approach.STANDARD)
    return replace(judges, backup=spare, backup_when=BackupWhen(case["backup"]))


def told(mark: str, text: str, saved: Path) -> Iterator[str]:
    """The whole plan of a case, and what an author has to agree to."""
    case = data_of(text)
    written = "".join(f"{name}: {json.dumps(value)}\n" for name, value in case.get("variants", {}).items())
    of = parse(written + whole_text(f"planned-{mark}.yml")).blueprint
    answers = dict(cached_answer(SAID[name]) for name in case.get("answers", ()))
    judges = panel_of(of, case)
    kept = [cached_verdicts(of, judges, *each) for each in case.get("verdicts", {}).items()]
    verdicts = dict(chain.from_iterable(kept))
    saved.write_text(
        json.dumps({"strategy": "round-robin", "responses": {"seine": {"default": case.get("saved", ["x"])}}}), "utf-8"
    )
    run = planned(
        of,
        list(jobs_of(of, case, saved)),
        judges if "judged" in case else None,
        draft=Draft(of.prompts[0], case["draft"], "Be brief.") if "draft" in case else None,
        own=OwnPrices({name: Price(*price, is_own=True) for name, price in case.get("prices", {}).items()}),
        allowed=None,
        cache=CacheLookup(answers.get, verdicts.get),
    )
    yield f"{one_line(run) or 'nothing'}; {run.points} to judge"
    yield from plan_lines(run)
    yield from (f"agree to {share.agreement}" for share in run.shares if share.recipient)


def test_a_plan_is_told_as_its_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    def say(mark: str, text: str) -> Iterator[str]:
        REQUESTS.clear()
        with monkeypatch.context() as patch:
            patch.delenv(data_of(text).get("unset", "NONE"), raising=False)
            yield from list(told(mark, text, tmp_path / "saved.json"))

    assert_says(Path(__file__).with_name("planning_cases.txt"), say, pytestconfig)


@every(
    ("cached", "words"),
    [
        (CachedCounts(), []),
        (CachedCounts(answers=12, answers_of=40), ["12 of 40 answers are cached and not sent"]),
        (CachedCounts(answers=1, answers_of=1), ["The only answer is cached and not sent"]),
        (CachedCounts(verdicts=1200, verdicts_of=1200), ["All 1,200 verdicts are cached and not asked for"]),
        (CachedCounts(prefilled=1, answers_of=3), ["1 of 3 answers is cached up to a turn: only what follows is sent"]),
    ],
)
def test_what_is_cached_in_words(cached: CachedCounts, words: list[str]) -> None:
    assert list(cached_lines(cached)) == words


# Tokens


def test_a_conversation_that_grows_is_sent_again_and_an_answer_is_usually_as_long_as_the_ideal() -> None:
    rivers = blueprint()
    known = KnownAnswers(NOTHING_CACHED, resolve, rivers)
    first, talk = (exchange(Job(each, ModelSource("openai:x")), rivers.header, known) for each in rivers.prompts[:2])
    assert first.sent.most < 100
    assert talk.sent.least > 2 * tokens_of_messages(["Which river flows through Rome?"]).low
    assert talk.sent.most > 1500
    assert (talk.received.least, talk.received.most) == (0, 3000)
    assert 2 < first.received.usual < 12
    assert talk.received.usual == 800


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


# Time


def test_a_limit_that_fell_makes_it_longer() -> None:
    many = parse("".join(f"- {{id: p{n}, prompt: Hello {n}}}\n" for n in range(60))).blueprint
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
