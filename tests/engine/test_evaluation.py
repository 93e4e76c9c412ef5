"""One prompt with every source of answers: what happens, in which order, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block, Header, Message, Prompt, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
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
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Criterion, Grade
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, check, prompt, text
from tests.engine.short_cases import assert_says
from tests.expected import of_kind

# One prompt with every source of answers: what happens, in which order, and what comes of it


class SpokenProvider:
    """A provider that says fixed pieces, one list per request, and remembers what it was asked."""

    recipient = "this machine"

    def __init__(self, *answers: Sequence[str | ProviderError]) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []
        self.closed = 0

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        self.requests.append(request)
        try:
            for piece in self.answers[len(self.requests) - 1]:
                await asyncio.sleep(0)
                if isinstance(piece, ProviderError):
                    raise piece
                yield TextDelta(piece)
            yield Finished(StopReason.STOP, Usage(3, 4))
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
    return of_kind(Scored, (await events_of(of, source, javascript, **more))[-1])


async def failed_of(of: Prompt, source: AnswerSource, javascript: JavaScript, **more: Any) -> Failed:
    return of_kind(Failed, (await events_of(of, source, javascript, **more))[-1])


# Sources


def source_of(mark: str) -> tuple[AnswerSource, SpokenProvider]:
    """The source of a case, and what a model says: its pieces between `|`, its turns between `/`."""
    name, _, said = mark.partition(":")
    turns = [turn.split("|") for turn in said.removeprefix(" ").split(" / ")]
    match name:
        case "ideal":
            return IdealSource(), SpokenProvider()
        case "written":
            return WrittenSource(said.strip()), SpokenProvider()
        case "says":
            return MODEL, SpokenProvider(*turns)
        case _:
            return ControlSource(ControlKind(name)), SpokenProvider()


async def told(mark: str, text: str, javascript: JavaScript) -> list[str]:
    """All that happens with a prompt, and what comes of it."""
    source, provider = source_of(mark)
    of = parse(text).blueprint
    run = evaluate(of.prompts[0], of, source, javascript=javascript, providers=provider.resolve)
    events = [event async for event in run]
    asked = [" > ".join(turn.content for turn in request.turns) for request in provider.requests]
    pieces = [f"{event.turn}: “{event.text}”" for event in events if isinstance(event, Delta)]
    lines = [f"{', '.join(type(event).__name__ for event in events if not isinstance(event, Delta))}"]
    lines += [f"asked {each}" for each in asked] + [f"heard {'; '.join(pieces)}"] * bool(pieces)
    match events[-1]:
        case Failed(title, detail, advice):
            lines.append(f"{title} {detail} {advice}")
        case Scored() as end:
            explanation, tokens = end.explanation, end.response.usage
            bounds = f"{explanation.bounds.low:.4g}–{explanation.bounds.high:.4g}"
            lines.append(
                f"“{end.response.subject}” scores {explanation.score} of {bounds}, {tokens.output_tokens} tokens"
            )
            lines += [f"  {each.extent}, on Weval {each.on_weval}: {each.detail}" for each in end.assessments]
            lines += [explanation.against_ideal] if explanation.against_ideal else []
        case last:
            lines.append(str(last))
    return lines


def test_a_prompt_is_evaluated_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    cases = Path(__file__).with_name("evaluation_cases.txt")
    assert_says(cases, lambda mark, text: asyncio.run(told(mark, text, javascript)), pytestconfig)


# What goes wrong


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


def test_only_function_points_are_assessed_for_rules(javascript: JavaScript) -> None:
    assert [each.extent for each in assess_functions(CAPITAL, "Paris", javascript)] == [1.0]


TWICE = says((Role.USER, "Two?"), (Role.ASSISTANT, None), (Role.USER, "And Three?"))
IN_PLACE = "context.messages.map(m => `${m.role}:${m.content}`).join() === "


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


async def heard(pieces: Pieces, stop: asyncio.Event | None = None) -> list[list[int]]:
    async with aclosing(until(stop or asyncio.Event(), pieces.stream())) as arriving:
        return [together async for together in arriving]


async def test_what_is_there_without_waiting_comes_together() -> None:
    assert await heard(Pieces(7)) == [[0, 1, 2], [3, 4, 5], [6]]


async def test_a_stream_without_anything_yields_nothing() -> None:
    assert await heard(Pieces(0)) == []


async def test_what_came_before_an_error_is_reported_before_it() -> None:
    arriving = until(asyncio.Event(), Pieces(2, ValueError("broken")).stream())
    assert await anext(arriving) == [0, 1]
    with pytest.raises(ValueError, match="broken"):
        await anext(arriving)


async def test_a_wish_to_stop_ends_a_stream_that_waits() -> None:
    pieces, stop = Pieces(1_000_000), asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, stop.set)
    came = await asyncio.wait_for(heard(pieces, stop), 30)
    assert 0 < len(came) < 20
    assert pieces.closed


async def test_what_came_with_the_wish_to_stop_is_reported() -> None:
    stop = asyncio.Event()
    stop.set()
    assert await heard(Pieces(3), stop) == [[0, 1, 2]]


async def test_who_stops_listening_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    async with aclosing(until(asyncio.Event(), pieces.stream())) as arriving:
        await anext(arriving)
    assert pieces.closed


async def test_a_cancelled_listener_closes_the_stream() -> None:
    pieces = Pieces(1_000_000)
    listening = asyncio.create_task(heard(pieces))
    await asyncio.sleep(0.02)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    assert pieces.closed
