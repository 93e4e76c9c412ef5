"""Conversations as a model hears them: blueprints in YAML, and the requests that they lead to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from engine.blueprint.conversation import ThreadTurn, variants
from engine.evaluation.events import Delta, Event, Failed, Responded, Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from tests.engine.provider_server import answers, body_of, sse, streamed
from tests.expected import of_kind
from tests.pieces import whole_text

pytestmark = pytest.mark.usefixtures("own_connections")


TAXES = whole_text("taxes.yml")
"""The documents' example of a conversation (002, "Sequential multi-turn"), with a system prompt."""


def says(*pieces: str) -> Any:
    """A streamed answer in these pieces, with its tokens counted."""
    deltas = [sse({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return streamed(*deltas, sse({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}))


@dataclass
class Talks:
    """Runs with a model at a server here."""

    server: HTTPServer
    javascript: JavaScript

    def answers(self, *responses: Any) -> list[Request]:
        """The requests that are answered so."""
        return answers(self.server, *responses)

    async def run(self, text: str, **more: Any) -> list[Event]:
        """The events of a run of the first prompt of `text`."""
        blueprint = parse(text).blueprint
        source, chosen = ModelSource("tiny", self.server.url_for("/v1")), variants(blueprint.header)[0]
        more = {"javascript": self.javascript, "variant": chosen, **more}
        return [event async for event in evaluate(blueprint.prompts[0], blueprint, source, **more)]


@pytest.fixture
def talks(httpserver: HTTPServer, javascript: JavaScript) -> Talks:
    return Talks(httpserver, javascript)


def heard(requests: Sequence[Request]) -> list[list[tuple[str, str]]]:
    """Who says what in each request."""
    return [[(said["role"], said["content"]) for said in body_of(request)["messages"]] for request in requests]


def thread_of(events: Sequence[Event]) -> tuple[ThreadTurn, ...]:
    """The thread of the response."""
    [responded] = [event for event in events if isinstance(event, Responded)]
    return responded.response.thread


async def test_each_request_of_a_conversation_holds_all_that_was_said_before_it(talks: Talks) -> None:
    requests = talks.answers(says("Which ", "state?"), says("Two."), says("That is three."))
    events = await talks.run(TAXES)
    turns = [
        '{"role": "system", "content": "Be brief."}, {"role": "user", "content": "I need help with my taxes."}',
        '{"role": "assistant", "content": "Which state?"}, '
        '{"role": "user", "content": "I changed jobs mid-year \\u2014 and moved states."}',
        '{"role": "assistant", "content": "Two."}, {"role": "user", "content": "Anything else I should consider?"}',
    ]
    start = '{"model": "tiny", "messages": ['
    end = '], "temperature": 0.0, "max_tokens": 1500, "stream": true, "stream_options": {"include_usage": true}}'
    assert [request.get_data().decode() for request in requests] == [
        f"{start}{turns[0]}{end}",
        f"{start}{', '.join(turns[:2])}{end}",
        f"{start}{', '.join(turns)}{end}",
    ]
    last = of_kind(Scored, events[-1])
    assert last.response.subject == "Which state?\n\nTwo.\n\nThat is three."
    assert (last.response.usage.input_tokens, last.response.usage.output_tokens) == (30, 6)
    assert last.explanation.score == 1.0


async def test_pieces_tell_their_turn_and_an_empty_one_that_the_next_begins(talks: Talks) -> None:
    talks.answers(says("Which state?"), says("Two."), says("three"))
    events = await talks.run(TAXES)
    assert [event for event in events if isinstance(event, Delta)] == [
        Delta(0, "Which state?"),
        Delta(1, ""),
        Delta(1, "Two."),
        Delta(2, ""),
        Delta(2, "three"),
    ]


@pytest.mark.parametrize(
    "messages",
    [
        "[{role: user, content: One?}, {role: assistant, content: Two.}, {role: user, content: Three?}]",
        "[{user: One?}, {assistant: Two.}, {user: Three?}]",
        "[{user: One?}, {ai: Two.}, {user: Three?}]",
        "[{role: user, content: One?}, {ai: Two.}, {user: Three?}]",
        "[{user: One?}, {ai: Two.}, {user: Three?}, {assistant: null}]",
        "[{user: One?}, {ai: Two.}, {user: Three?}, {role: assistant, content: null}]",
    ],
    ids=["formal", "shorthand", "ai", "mixed", "with the last turn to be generated", "with it in the formal way"],
)
async def test_every_form_of_messages_asks_for_the_same(messages: str, talks: Talks) -> None:
    requests = talks.answers(says("Four."))
    events = await talks.run(f"- messages: {messages}\n  should: [Says so]\n")
    assert heard(requests) == [[("user", "One?"), ("assistant", "Two."), ("user", "Three?")]]
    assert [(turn.content, turn.generated) for turn in thread_of(events)] == [
        ("One?", False),
        ("Two.", False),
        ("Three?", False),
        ("Four.", True),
    ]


async def test_system_messages_within_a_conversation_stay_where_they_stand(talks: Talks) -> None:
    requests = talks.answers(says("a"), says("b"))
    text = (
        "- system: Own.\n"
        "  messages: [{system: First.}, {user: One?}, {assistant: null}, {system: Now in French.}, {user: Two?}]\n"
        "  should: [Says so]\n"
    )
    await talks.run(text)
    assert heard(requests)[1] == [
        ("system", "Own."),
        ("system", "First."),
        ("user", "One?"),
        ("assistant", "a"),
        ("system", "Now in French."),
        ("user", "Two?"),
    ]


async def test_a_written_last_turn_is_the_answer_and_those_to_generate_before_it_are_left_out(talks: Talks) -> None:
    requests = talks.answers(says("never"))
    text = "- messages: [{user: One?}, {ai: null}, {user: Two?}, {ai: Done.}]\n  should: [{$contains: Done}]\n"
    events = await talks.run(text)
    assert [turn.content for turn in thread_of(events)] == ["One?", "Two?", "Done."]
    assert requests == []


async def test_turns_that_stand_already_are_said_and_not_asked_for(talks: Talks) -> None:
    requests = talks.answers(says("New", " third."))
    events = await talks.run(TAXES, prefilled=["Kept first.", "Kept second."])
    assert [said for role, said in heard(requests)[0] if role == "assistant"] == ["Kept first.", "Kept second."]
    assert len(requests) == 1
    pieces = [event for event in events if isinstance(event, Delta)]
    assert ({piece.turn for piece in pieces}, "".join(piece.text for piece in pieces)) == ({2}, "New third.")
    assert [turn.content for turn in thread_of(events) if turn.generated] == [
        "Kept first.",
        "Kept second.",
        "New third.",
    ]


async def test_a_conversation_whose_turns_all_stand_is_judged_without_a_request(talks: Talks) -> None:
    requests = talks.answers(says("never"))
    last = (await talks.run(TAXES, prefilled=["one", "two", "three", "a fourth that has no place"]))[-1]
    assert isinstance(last, Scored)
    assert (last.response.subject, requests) == ("one\n\ntwo\n\nthree", [])


async def test_what_stood_already_stays_when_the_turn_after_it_fails(talks: Talks) -> None:
    talks.server.expect_request("/v1/chat/completions").respond_with_data("no", status=401)
    last = of_kind(Failed, (await talks.run(TAXES, prefilled=["Kept first."]))[-1])
    assert last.partial is not None
    assert last.partial.subject.strip() == "Kept first."
    assert not last.partial.complete


async def test_what_a_model_answers_is_sent_back_letter_by_letter(talks: Talks) -> None:
    odd = 'a "quote", a \\ and \x1b[31m — 好 👍\n\n- [x] done'
    requests = talks.answers(says(odd), says("b"), says("c"))
    await talks.run(TAXES)
    assert json.loads(requests[1].get_data())["messages"][2] == {"role": "assistant", "content": odd}
