"""One prompt with every source of answers: what happens, in which order, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block, Header, Message, Point, Prompt, Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn
from engine.evaluation.answer_stream import until
from engine.evaluation.events import Assessed, Delta, Event, Failed, Responded, Scored
from engine.evaluation.fixtures import UnusableFixtures, read_fixtures
from engine.evaluation.point_assessment import assess, assess_functions
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatEvent, ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Usage
from engine.scoring.assessment import AssessedBy, Criterion, Grade, OnWeval
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, check, prompt, text
from tests.many_cases import every

# One prompt with every source of answers: what happens, in which order, and what comes of it


class SpokenProvider:
    """A provider that says fixed pieces, one list per request, and remembers what it was asked."""

    recipient = "this machine"

    def __init__(self, *answers: Sequence[str | ProviderError], stop_reason: StopReason = StopReason.STOP) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []
        self.closed = 0
        self._stop_reason = stop_reason

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        self.requests.append(request)
        try:
            for piece in self.answers[len(self.requests) - 1]:
                await asyncio.sleep(0)
                if isinstance(piece, ProviderError):
                    raise piece
                yield TextDelta(piece)
            yield Finished(self._stop_reason, Usage(3, 4))
        finally:
            self.closed += 1

    def resolve(self, model: str, base_url: str | None) -> tuple[Provider, str]:
        return self, model.partition(":")[2]


def says(*turns: tuple[Role, str | None]) -> tuple[Message, ...]:
    return tuple(Message(NOWHERE, role, content) for role, content in turns)


ASKED = says((Role.USER, "What is the capital of France?"))
CAPITAL = prompt([check("contains", "Paris")], [text("is rude")], messages=ASKED, ideal="It is Paris.")
MODEL = ModelSource("fake:one")


async def events_of(of: Prompt, source: AnswerSource, javascript: JavaScript, **more: Any) -> list[Event]:
    return [event async for event in evaluate(of, blueprint(of), source, javascript=javascript, **more)]


async def scored_of(of: Prompt, source: AnswerSource, javascript: JavaScript, **more: Any) -> Scored:
    last = (await events_of(of, source, javascript, **more))[-1]
    assert isinstance(last, Scored), last
    return last


async def failed_of(of: Prompt, source: AnswerSource, javascript: JavaScript, **more: Any) -> Failed:
    last = (await events_of(of, source, javascript, **more))[-1]
    assert isinstance(last, Failed), last
    return last


# Sources


async def test_the_ideal_is_answered_assessed_and_scored_in_this_order(javascript: JavaScript) -> None:
    events = await events_of(CAPITAL, IdealSource(), javascript)
    assert [type(event) for event in events] == [Responded, Assessed, Scored]


async def test_an_ideal_that_fails_its_own_rubric_is_evidence_against_the_rubric(javascript: JavaScript) -> None:
    lyon = prompt([check("contains", "Lyon")], messages=ASKED, ideal="It is Paris.")
    scored = await scored_of(lyon, IdealSource(), javascript)
    assert scored.explanation.against_ideal == "evidence: look at the rubric, as this is your ideal"


async def test_an_ideal_that_may_still_score_100_is_no_evidence(javascript: JavaScript) -> None:
    either = prompt([[check("contains", "Lyon")], [text("names the capital")]], messages=ASKED, ideal="Paris.")
    scored = await scored_of(either, IdealSource(), javascript)
    assert scored.explanation.against_ideal is None


async def test_a_prompt_without_an_ideal_fails_with_what_to_do(javascript: JavaScript) -> None:
    failed = await failed_of(prompt([text("a")], messages=ASKED), IdealSource(), javascript)
    assert (failed.title, bool(failed.advice)) == ("This prompt has no ideal answer.", True)


async def test_a_written_answer_is_judged_as_it_stands(javascript: JavaScript) -> None:
    scored = await scored_of(CAPITAL, WrittenSource("Paris, obviously"), javascript)
    assert (scored.response.subject, scored.explanation.score) == ("Paris, obviously", 1.0)


async def test_a_blank_written_answer_is_none(javascript: JavaScript) -> None:
    assert (await failed_of(CAPITAL, WrittenSource(" \n"), javascript)).title == "There is no answer yet."


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (ControlKind.EMPTY, ""),
        (ControlKind.REFUSAL, "I'm sorry, but I can't help with that."),
        (ControlKind.ECHO, "What is the capital of France?"),
        (ControlKind.STUFFING, "Paris"),
    ],
)
async def test_control_answers_are_made_from_the_prompt(kind: ControlKind, answer: str, javascript: JavaScript) -> None:
    assert (await scored_of(CAPITAL, ControlSource(kind), javascript)).response.subject == answer


async def test_a_model_is_heard_piece_by_piece(javascript: JavaScript) -> None:
    provider = SpokenProvider(["It is ", "Paris."])
    events = await events_of(CAPITAL, MODEL, javascript, providers=provider.resolve)
    assert events[:2] == [Delta(0, "It is "), Delta(0, "Paris.")]
    assert isinstance(events[-1], Scored)
    assert events[-1].response.subject == "It is Paris."


async def test_a_conversation_is_generated_turn_by_turn(javascript: JavaScript) -> None:
    provider = SpokenProvider(["one"], ["two"])
    talk = says((Role.USER, "a"), (Role.ASSISTANT, None), (Role.USER, "b"))
    scored = await scored_of(prompt(messages=talk), MODEL, javascript, providers=provider.resolve)
    assert [[turn.content for turn in request.turns] for request in provider.requests] == [["a"], ["a", "one", "b"]]
    assert scored.response.subject == "one\n\ntwo"


async def test_tokens_of_all_turns_are_added_up(javascript: JavaScript) -> None:
    talk = says((Role.USER, "a"), (Role.ASSISTANT, None), (Role.USER, "b"))
    provider = SpokenProvider(["one"], ["two"])
    scored = await scored_of(prompt(messages=talk), MODEL, javascript, providers=provider.resolve)
    assert scored.response.usage == Usage(6, 8)


async def test_an_answer_at_its_token_limit_is_marked_as_cut_off(javascript: JavaScript) -> None:
    provider = SpokenProvider(["Par"], stop_reason=StopReason.LENGTH)
    assert (await scored_of(CAPITAL, MODEL, javascript, providers=provider.resolve)).response.stop == Stop(
        StopReason.LENGTH
    )


# What goes wrong


async def test_a_model_that_answers_nothing_is_an_error(javascript: JavaScript) -> None:
    provider = SpokenProvider([" \n"])
    failed = await failed_of(CAPITAL, MODEL, javascript, providers=provider.resolve)
    assert failed.title == "fake:one answered nothing."


async def test_a_providers_error_is_reported_with_its_advice(javascript: JavaScript) -> None:
    error = ProviderError(Failure.UNAUTHORISED, "The key was refused.", "401", "Check OPENAI_API_KEY.")
    failed = await failed_of(CAPITAL, MODEL, javascript, providers=SpokenProvider([error]).resolve)
    assert failed == Failed("The key was refused.", "401", "Check OPENAI_API_KEY.")


async def test_what_had_arrived_before_an_error_stays(javascript: JavaScript) -> None:
    error = ProviderError(Failure.SERVER, "The connection broke.")
    failed = await failed_of(CAPITAL, MODEL, javascript, providers=SpokenProvider(["It is P", error]).resolve)
    assert failed.partial is not None
    assert (failed.partial.subject, failed.partial.complete) == ("It is P", False)


async def test_stopping_keeps_what_had_arrived_and_closes_the_stream(javascript: JavaScript) -> None:
    provider, stop = SpokenProvider(["It is ", *["on and on "] * 100]), asyncio.Event()
    events: list[Event] = []
    async for event in evaluate(
        CAPITAL, blueprint(CAPITAL), MODEL, javascript=javascript, providers=provider.resolve, stop=stop
    ):
        events.append(event)
        stop.set()
    assert isinstance(events[-1], Failed)
    assert events[-1].partial is not None
    assert events[-1].partial.subject.startswith("It is ")
    assert (len(events[-1].partial.subject) < 50, provider.closed) == (True, 1)


async def test_closing_the_stream_of_events_closes_the_request(javascript: JavaScript) -> None:
    provider = SpokenProvider(["It is ", *["on and on "] * 100])
    running = evaluate(CAPITAL, blueprint(CAPITAL), MODEL, javascript=javascript, providers=provider.resolve)
    await anext(running)
    await running.aclose()
    assert provider.closed == 1


async def test_cancelling_the_task_closes_the_request(javascript: JavaScript) -> None:
    provider = SpokenProvider(["on and on "] * 10_000)
    task = asyncio.create_task(events_of(CAPITAL, MODEL, javascript, providers=provider.resolve))
    async with asyncio.timeout(30):
        while not provider.requests:
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert provider.closed == 1


# Points


async def test_an_answer_that_is_there_is_judged_by_todays_rubric_without_a_request(javascript: JavaScript) -> None:
    response = (await scored_of(CAPITAL, WrittenSource("It is Lyon."), javascript)).response
    lyon = prompt([check("contains", "Lyon")], messages=ASKED)
    events = [event async for event in rescore(lyon, MODEL, response, javascript=javascript, header=Header(NOWHERE))]
    assert [type(event) for event in events] == [Responded, Assessed, Scored]
    assert isinstance(events[-1], Scored)
    assert events[-1].explanation.score == 1.0


async def test_text_points_stay_open_until_they_are_graded(javascript: JavaScript) -> None:
    scored = await scored_of(CAPITAL, IdealSource(), javascript)
    assert [assessment.extent for assessment in scored.assessments] == [1.0, None]
    assert (scored.explanation.bounds.low, scored.explanation.bounds.high) == (0.5, 1.0)


RUDE = Criterion(Block.SHOULD_NOT, "is rude")


async def test_a_grade_under_should_not_counts_inverted(javascript: JavaScript) -> None:
    scored = await scored_of(CAPITAL, IdealSource(), javascript, grades={RUDE: Grade.MAJORLY_PRESENT})
    graded = scored.assessments[1]
    assert (graded.extent, graded.by) == (0.25, AssessedBy.HUMAN)
    assert graded.detail == "you graded it majorly present, so it counts 25 here"


async def test_grades_can_be_found_by_the_text_that_is_judged(javascript: JavaScript) -> None:
    found = {"It is Paris.": {RUDE: Grade.ABSENT}}
    scored = await scored_of(CAPITAL, IdealSource(), javascript, grades=lambda subject: found[subject])
    assert scored.assessments[1].extent == 1.0


@pytest.mark.parametrize("block", ["should", "should_not"])
def test_a_check_that_errors_counts_0_in_either_block(block: str, javascript: JavaScript) -> None:
    broken = prompt(**{block: [check("contians", "Paris")]})
    (assessment,) = assess_functions(broken, "Paris", javascript)
    assert (assessment.extent, assessment.error is not None) == (0.0, True)


def test_a_check_by_a_service_that_is_not_asked_leaves_its_point_open(javascript: JavaScript) -> None:
    (assessment,) = assess_functions(prompt([check("factcheck", "dates only")]), "Paris", javascript)
    said = "not called: this check needs a service, and this run calls none"
    assert (assessment.extent, assessment.error) == (None, said)


def test_only_function_points_are_assessed_for_rules(javascript: JavaScript) -> None:
    assert [each.extent for each in assess_functions(CAPITAL, "Paris", javascript)] == [1.0]


@every(
    ("one", "on_weval"),
    [
        (check("imatches", "paris"), OnWeval.SAME),
        (check("matches", "(?i)paris"), OnWeval.ERROR),
        (check("matches_all_of", ["P", "(?i)paris"]), OnWeval.ERROR),
        (check("imatches_all_of", ["paris"]), OnWeval.ERROR),
    ],
)
def test_a_check_that_runs_only_here_is_marked(one: Point, on_weval: OnWeval, javascript: JavaScript) -> None:
    (assessment,) = assess_functions(prompt([one]), "Paris", javascript)
    assert (assessment.extent, assessment.on_weval) == (1.0, on_weval)


async def test_functions_see_the_whole_conversation(javascript: JavaScript) -> None:
    seen = prompt([check("js", "context.messages.map(m => m.role).join() === 'user,assistant'")], messages=ASKED)
    assert (await scored_of(seen, WrittenSource("Paris"), javascript)).explanation.score == 1.0


TWICE = says((Role.USER, "Two?"), (Role.ASSISTANT, None), (Role.USER, "And Three?"))
IN_PLACE = "context.messages.map(m => `${m.role}:${m.content}`).join() === "


async def test_a_turn_that_nobody_generated_keeps_its_place_for_scripts(javascript: JavaScript) -> None:
    expected = "user:Two?,assistant:null,user:And Three?,assistant:3"
    seen = prompt([check("js", f"{IN_PLACE}{expected!r}")], messages=TWICE)
    assert (await scored_of(seen, WrittenSource("3"), javascript)).explanation.score == 1.0


def test_without_a_conversation_scripts_see_the_turns_as_they_are_written(javascript: JavaScript) -> None:
    seen = prompt([check("js", f"{IN_PLACE}'user:Two?,assistant:null,user:And Three?'")], messages=TWICE)
    (assessment,) = assess_functions(seen, "3", javascript)
    assert assessment.extent == 1.0


def test_turns_of_which_nobody_knows_what_they_stand_for_are_seen_as_they_are(javascript: JavaScript) -> None:
    thread = (ThreadTurn(Role.USER, "Two?", generated=False), ThreadTurn(Role.ASSISTANT, "2", generated=True))
    seen = prompt([check("js", f"{IN_PLACE}'user:Two?,assistant:2'")], messages=TWICE)
    assert assess(seen, "2", javascript, thread=thread)[0].extent == 1.0


# Saved answers

SAVED = {"responses": {"p": {"byModel": {"two": {"turns": ["a", "b"]}}}}}


def saved_in(folder: Path, **changes: Any) -> Path:
    path = folder / "saved.json"
    path.write_text(json.dumps(SAVED | changes), "utf-8")
    return path


async def test_saved_turns_fill_the_conversation_in_order(tmp_path: Path, javascript: JavaScript) -> None:
    talk = says((Role.USER, "x"), (Role.ASSISTANT, None), (Role.USER, "y"))
    scored = await scored_of(prompt(messages=talk), FixtureSource(saved_in(tmp_path), "two"), javascript)
    assert [turn.content for turn in scored.response.thread] == ["x", "a", "y", "b"]


async def test_too_many_saved_turns_are_reported(tmp_path: Path, javascript: JavaScript) -> None:
    failed = await failed_of(CAPITAL, FixtureSource(saved_in(tmp_path), "two"), javascript)
    assert failed.title == "The saved answer to p has 2 turns, the conversation asks for 1."


async def test_a_prompt_without_a_saved_answer_is_reported(tmp_path: Path, javascript: JavaScript) -> None:
    failed = await failed_of(CAPITAL, FixtureSource(saved_in(tmp_path, responses={})), javascript)
    assert failed.title == "There is no saved answer to p."


def test_saved_answers_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "saved.yml"
    path.write_text("responses:\n  p:\n    default: Paris\n", "utf-8")
    assert read_fixtures(path).responses["p"].default == "Paris"


@pytest.mark.parametrize("content", ["[]", "{", '{"responses": {"p": {"default": 5}}}', '{"strategy": "best"}'])
def test_an_unusable_file_says_what_is_wrong(content: str, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text(content, "utf-8")
    with pytest.raises(UnusableFixtures):
        read_fixtures(path)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnusableFixtures, match="cannot be read"):
        read_fixtures(tmp_path / "none.json")


# Events of a stream until the wish to stop: together what is there at once, and nothing of it lost


class Pieces:
    """Numbers from 0 on, with a pause after every third."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.count = count
        self.error = error
        self.closed = False

    async def stream(self) -> AsyncGenerator[int]:
        try:
            for number in range(self.count):
                yield number
                if number % 3 == 2:
                    await asyncio.sleep(0.01)
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


async def told(pieces: Pieces, stop: asyncio.Event | None = None) -> list[list[int]]:
    async with aclosing(until(stop or asyncio.Event(), pieces.stream())) as arriving:
        return [together async for together in arriving]


async def test_what_is_there_without_waiting_comes_together() -> None:
    assert await told(Pieces(7)) == [[0, 1, 2], [3, 4, 5], [6]]


async def test_a_stream_without_anything_yields_nothing() -> None:
    assert await told(Pieces(0)) == []


async def test_what_came_before_an_error_is_reported_before_it() -> None:
    arriving = until(asyncio.Event(), Pieces(2, ValueError("broken")).stream())
    assert await anext(arriving) == [0, 1]
    with pytest.raises(ValueError, match="broken"):
        await anext(arriving)


async def test_a_wish_to_stop_ends_a_stream_that_waits() -> None:
    pieces, stop = Pieces(1_000_000), asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, stop.set)
    came = await asyncio.wait_for(told(pieces, stop), 30)
    assert 0 < len(came) < 20
    assert pieces.closed


async def test_what_came_with_the_wish_to_stop_is_reported() -> None:
    stop = asyncio.Event()
    stop.set()
    assert await told(Pieces(3), stop) == [[0, 1, 2]]


async def test_who_stops_listening_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    async with aclosing(until(asyncio.Event(), pieces.stream())) as arriving:
        await anext(arriving)
    assert pieces.closed


async def test_a_cancelled_listener_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    listening = asyncio.create_task(told(pieces))
    await asyncio.sleep(0.02)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    assert pieces.closed
