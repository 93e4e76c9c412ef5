"""Why an answer ended, in every wire format, streamed and whole, against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType
from typing import Any, TypeAlias

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Role
from engine.blueprint.conversation import Standing, Stop, StopReason, ThreadTurn, variants, worst
from engine.evaluation.events import Delta, Event, Failed, Responded, Scored
from engine.evaluation.events import Response as Answered
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.models import failures
from engine.models.chat import ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Usage
from engine.models.provider_registry import resolve
from engine.models.server import events_of as read_events
from engine.models.wires import OpenAIWire, Wire, stop_of
from engine.parsing import parse
from engine.yaml.nodes import Data
from tests.engine.provider_server import TALK, answers, body_of, events_of, failure_of, said, sse, streamed, text_of
from tests.many_cases import every

# Why an answer ended, in every wire format, streamed and whole, against a real server on loopback


pytestmark = pytest.mark.usefixtures("own_connections")

Answer: TypeAlias = Callable[[str, str], Response]
"""A text and the server's word for its end → what the server sends."""

DONE = b"data: [DONE]\n\n"
NOT_ASKED_AGAIN = 1


def chat_stream(text: str, reason: str) -> Response:
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return streamed(sse(delta), sse({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}), DONE)


def chat_whole(text: str, reason: str) -> Response:
    return said({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}]})


def completion_stream(text: str, reason: str) -> Response:
    end = {"choices": [{"text": "", "finish_reason": reason}]}
    return streamed(sse({"choices": [{"text": text, "finish_reason": None}]}), sse(end), DONE)


def completion_whole(text: str, reason: str) -> Response:
    return said({"choices": [{"text": text, "finish_reason": reason}]})


def claude_stream(text: str, reason: str) -> Response:
    start = {"type": "message_start", "message": {"model": "c", "content": [], "usage": {"input_tokens": 7}}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}}
    return streamed(*map(sse, (start, delta, end, {"type": "message_stop"})))


def claude_whole(text: str, reason: str) -> Response:
    return said({"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": reason})


def gemini_piece(text: str, **more: str) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **more}]}


def gemini_stream(text: str, reason: str) -> Response:
    return streamed(sse(gemini_piece(text)), sse({"candidates": [{"finishReason": reason}]}))


def gemini_whole(text: str, reason: str) -> Response:
    return said(gemini_piece(text, finishReason=reason))


CHAT: Mapping[str, str] = MappingProxyType({"inherit": "openai"})
COMPLETIONS: Mapping[str, str] = MappingProxyType({"inherit": "openai", "format": "completions"})
CLAUDE: Mapping[str, str] = MappingProxyType({"inherit": "anthropic"})
GEMINI: Mapping[str, str] = MappingProxyType({"inherit": "google"})

SHAPES = [
    pytest.param(CHAT, chat_stream, id="chat streamed"),
    pytest.param(CHAT, chat_whole, id="chat whole"),
    pytest.param(COMPLETIONS, completion_stream, id="completions streamed"),
    pytest.param(COMPLETIONS, completion_whole, id="completions whole"),
    pytest.param(CLAUDE, claude_stream, id="anthropic streamed"),
    pytest.param(CLAUDE, claude_whole, id="anthropic whole"),
    pytest.param(GEMINI, gemini_stream, id="gemini streamed"),
    pytest.param(GEMINI, gemini_whole, id="gemini whole"),
]
ANTHROPIC_WORDS = {
    "end_turn": StopReason.STOP,
    "stop_sequence": StopReason.SEQUENCE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "tool_use": StopReason.TOOL_CALL,
    "pause_turn": StopReason.INTERRUPTED,
    "refusal": StopReason.WITHHELD,
}
GEMINI_WORDS = {
    "STOP": StopReason.STOP,
    "MAX_TOKENS": StopReason.LENGTH,
    "SAFETY": StopReason.WITHHELD,
    "RECITATION": StopReason.WITHHELD,
    "LANGUAGE": StopReason.WITHHELD,
    "BLOCKLIST": StopReason.WITHHELD,
    "PROHIBITED_CONTENT": StopReason.WITHHELD,
    "SPII": StopReason.WITHHELD,
    "IMAGE_SAFETY": StopReason.WITHHELD,
    "MALFORMED_FUNCTION_CALL": StopReason.INTERRUPTED,
    "UNEXPECTED_TOOL_CALL": StopReason.TOOL_CALL,
    "OTHER": StopReason.INTERRUPTED,
    "A_WORD_TO_COME": StopReason.OTHER,
}
OPENAI_WORDS = {
    "stop": StopReason.STOP,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.WITHHELD,
    "tool_calls": StopReason.TOOL_CALL,
    "function_call": StopReason.TOOL_CALL,
    "eos": StopReason.STOP,
    "eos_token": StopReason.STOP,
    "end_turn": StopReason.STOP,
    "COMPLETE": StopReason.STOP,
    "stop_sequence": StopReason.SEQUENCE,
    "model_length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "abort": StopReason.INTERRUPTED,
    "insufficient_system_resource": StopReason.INTERRUPTED,
    "refusal": StopReason.WITHHELD,
    "sensitive": StopReason.WITHHELD,
    "guardrail_intervened": StopReason.WITHHELD,
    "a word to come": StopReason.OTHER,
}
EVERY_WORD = [
    *[(CHAT, each, *pair) for each in (chat_stream, chat_whole) for pair in OPENAI_WORDS.items()],
    *[(CLAUDE, each, *pair) for each in (claude_stream, claude_whole) for pair in ANTHROPIC_WORDS.items()],
    *[(GEMINI, each, *pair) for each in (gemini_stream, gemini_whole) for pair in GEMINI_WORDS.items()],
]


def asked(httpserver: HTTPServer, definition: Mapping[str, str]) -> Provider:
    custom: dict[str, Data] = {"id": "own:model", "url": httpserver.url_for("/v1/x"), "modelName": "tiny", **definition}
    return resolve("own:model", custom=[custom])[0]


async def ending(provider: Provider) -> tuple[str, Stop]:
    """What arrived of an answer, and how it ended, withheld or not."""
    pieces: list[str] = []
    try:
        async with aclosing(provider.stream(ChatRequest("tiny", TALK))) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                    case Finished():
                        return "".join(pieces), event.stop
    except ProviderError as error:
        if error.finished is not None:
            return "".join(pieces), error.finished.stop
    raise AssertionError("an answer without an end")


@pytest.mark.parametrize(
    ("definition", "answer", "word", "reason"),
    [pytest.param(*each, id=f"{each[1].__name__} {each[2]}") for each in EVERY_WORD],
)
async def test_every_word_of_a_server_has_its_reason(
    httpserver: HTTPServer, definition: Mapping[str, str], answer: Answer, word: str, reason: StopReason
) -> None:
    answers(httpserver, answer("Hel", word))
    assert await ending(asked(httpserver, definition)) == ("Hel", Stop(reason, word))


@pytest.mark.parametrize(("definition", "answer"), SHAPES)
async def test_a_withheld_answer_is_a_failure_that_came_after_its_text(
    httpserver: HTTPServer, definition: Mapping[str, str], answer: Answer
) -> None:
    requests = answers(httpserver, answer("Hel", "SAFETY"))
    error = await failure_of(asked(httpserver, definition))
    assert error.failure is Failure.WITHHELD
    assert "withheld by the provider's safety filter" in error.title
    assert error.detail == "SAFETY"
    assert "not scored" in error.advice
    assert len(requests) == NOT_ASKED_AGAIN


@pytest.mark.parametrize(("definition", "answer"), SHAPES)
async def test_an_answer_withheld_before_a_word_is_the_same_failure(
    httpserver: HTTPServer, definition: Mapping[str, str], answer: Answer
) -> None:
    answers(httpserver, answer("", "content_filter"))
    error = await failure_of(asked(httpserver, definition))
    assert error.failure is Failure.WITHHELD
    assert "arrived" not in error.advice


@pytest.mark.parametrize(("definition", "answer"), SHAPES)
async def test_a_cut_answer_is_an_answer(httpserver: HTTPServer, definition: Mapping[str, str], answer: Answer) -> None:
    answers(httpserver, answer("Hel", "max_tokens"))
    text, end = await events_of(asked(httpserver, definition))
    assert (text, isinstance(end, Finished) and end.stop) == (TextDelta("Hel"), Stop(StopReason.LENGTH, "max_tokens"))


@pytest.mark.parametrize("word", ["error", "failed", "network_error"])
@pytest.mark.parametrize("answer", [chat_stream, chat_whole])
async def test_an_end_that_the_server_calls_an_error_is_a_failure(
    httpserver: HTTPServer, answer: Answer, word: str
) -> None:
    answers(httpserver, answer("Hel", word))
    error = await failure_of(asked(httpserver, CHAT))
    assert error.failure is Failure.SERVER
    assert word in error.detail


async def test_an_error_in_a_choice_is_a_failure(httpserver: HTTPServer) -> None:
    choice = {"delta": {"content": ""}, "finish_reason": "error", "error": {"code": 502, "message": "upstream broke"}}
    answers(httpserver, streamed(sse({"choices": [{"delta": {"content": "Hel"}}]}), sse({"choices": [choice]}), DONE))
    error = await failure_of(asked(httpserver, CHAT))
    assert (error.failure, error.detail) == (Failure.SERVER, "upstream broke")


@pytest.mark.parametrize(
    ("reason", "native", "expected"),
    [
        ("stop", "STOP", StopReason.STOP),
        ("stop", "MAX_TOKENS", StopReason.LENGTH),
        ("stop", "SAFETY", StopReason.WITHHELD),
        (None, "refusal", StopReason.WITHHELD),
        ("content_filter", "refusal", StopReason.WITHHELD),
        ("length", "stop", StopReason.LENGTH),
        ("stop", "something new", StopReason.STOP),
        ("something new", "max_tokens", StopReason.LENGTH),
    ],
)
async def test_of_a_gateway_s_word_and_the_model_s_own_the_worse_counts(
    httpserver: HTTPServer, reason: str | None, native: str, expected: StopReason
) -> None:
    choice = {"message": {"content": "Hel"}, "finish_reason": reason, "native_finish_reason": native}
    answers(httpserver, said({"choices": [choice]}))
    assert (await ending(asked(httpserver, CHAT)))[1].reason is expected


@pytest.mark.parametrize("end", [{}, {"finish_reason": None}], ids=["absent", "null"])
async def test_a_whole_answer_without_a_reason_says_so(httpserver: HTTPServer, end: dict[str, Any]) -> None:
    answers(httpserver, said({"choices": [{"message": {"content": "Hel"}, **end}]}))
    assert await ending(asked(httpserver, CHAT)) == ("Hel", Stop(StopReason.NOT_GIVEN))


async def test_a_stream_that_ends_properly_without_a_reason_says_so(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(sse({"choices": [{"delta": {"content": "Hel"}}]}), DONE))
    assert await ending(asked(httpserver, CHAT)) == ("Hel", Stop(StopReason.NOT_GIVEN))


BROKEN = {
    "chat": (CHAT, sse({"choices": [{"delta": {"content": "Hel"}}]})),
    "anthropic": (CLAUDE, sse({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hel"}})),
    "gemini": (GEMINI, sse(gemini_piece("Hel"))),
}


@pytest.mark.parametrize("wire", BROKEN)
async def test_a_stream_that_breaks_off_is_a_failure(httpserver: HTTPServer, wire: str) -> None:
    definition, piece = BROKEN[wire]
    answers(httpserver, streamed(piece))
    error = await failure_of(asked(httpserver, definition))
    assert (error.failure, error.finished) == (Failure.UNREACHABLE, None)


async def test_a_refusal_in_the_model_s_own_words_is_an_answer(httpserver: HTTPServer) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    answers(httpserver, said({"choices": [{"message": message, "finish_reason": "stop"}]}))
    assert await ending(asked(httpserver, CHAT)) == ("I can't help with that.", Stop(StopReason.REFUSAL, "stop"))


@pytest.mark.parametrize("reason", ["stop", "refusal"])
async def test_a_refusal_that_is_streamed_arrives_whole_and_is_an_answer(httpserver: HTTPServer, reason: str) -> None:
    pieces = [{"choices": [{"delta": {"refusal": text}, "finish_reason": None}]} for text in ("I can't ", "help.")]
    end = {"choices": [{"delta": {}, "finish_reason": reason}]}
    answers(httpserver, streamed(*map(sse, pieces), sse(end), DONE))
    assert await ending(asked(httpserver, CHAT)) == ("I can't help.", Stop(StopReason.REFUSAL, reason))


async def test_a_refusal_among_the_parts_of_an_answer_is_read(httpserver: HTTPServer) -> None:
    content = [{"type": "refusal", "refusal": "I won't."}]
    answers(httpserver, said({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}))
    assert await ending(asked(httpserver, CHAT)) == ("I won't.", Stop(StopReason.REFUSAL, "stop"))


async def test_a_refusal_cut_at_the_token_limit_is_cut(httpserver: HTTPServer) -> None:
    message = {"content": None, "refusal": "I can't"}
    answers(httpserver, said({"choices": [{"message": message, "finish_reason": "length"}]}))
    assert (await ending(asked(httpserver, CHAT)))[1].reason is StopReason.LENGTH


async def test_text_before_a_refusal_stays(httpserver: HTTPServer) -> None:
    message = {"content": "Well. ", "refusal": "I can't."}
    answers(httpserver, said({"choices": [{"message": message, "finish_reason": "stop"}]}))
    assert await text_of(asked(httpserver, CHAT)) == "Well. I can't."


async def test_anthropic_s_classifier_says_of_what_kind_its_refusal_is(httpserver: HTTPServer) -> None:
    delta = {"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": "cyber", "explanation": "…"}}
    piece = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hel"}}
    answers(httpserver, streamed(sse(piece), sse({"type": "message_delta", "delta": delta})))
    assert await ending(asked(httpserver, CLAUDE)) == ("Hel", Stop(StopReason.WITHHELD, "refusal: cyber"))


@pytest.mark.parametrize("blocked", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "JAILBREAK"])
@pytest.mark.parametrize("send", [lambda data: streamed(sse(data)), said], ids=["streamed", "whole"])
async def test_a_prompt_that_gemini_blocks_is_withheld(
    httpserver: HTTPServer, send: Callable[[Any], Response], blocked: str
) -> None:
    answers(httpserver, send({"promptFeedback": {"blockReason": blocked}}))
    assert await ending(asked(httpserver, GEMINI)) == ("", Stop(StopReason.WITHHELD, blocked))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "content_filter", "message": "The response was filtered due to the prompt triggering …"}),
        (400, {"message": "… triggering Azure OpenAI's content management policy."}),
        (403, {"code": 403, "message": "openai/gpt-4o requires moderation. Your input was flagged for violence."}),
    ],
    ids=["azure by code", "azure by message", "openrouter"],
)
async def test_a_prompt_that_a_filter_refuses_is_withheld_and_no_trouble_with_the_key(
    httpserver: HTTPServer, status: int, error: dict[str, Any]
) -> None:
    requests = answers(httpserver, said({"error": error}, status))
    assert (await failure_of(asked(httpserver, CHAT))).failure is Failure.WITHHELD
    assert len(requests) == NOT_ASKED_AGAIN


async def test_tokens_of_a_withheld_answer_are_counted(httpserver: HTTPServer) -> None:
    answers(httpserver, claude_stream("Hel", "refusal"))
    error = await failure_of(asked(httpserver, CLAUDE))
    assert error.finished is not None
    assert error.finished.usage == Usage(7, 2)


async def test_a_call_of_a_tool_without_a_word_says_that_tools_are_not_run(httpserver: HTTPServer) -> None:
    answers(httpserver, chat_whole("", "tool_calls"))
    error = await failure_of(asked(httpserver, CHAT))
    assert error.failure is Failure.EMPTY
    assert "called a tool" in error.title


# The table


def test_a_word_is_read_in_any_case_and_spelling() -> None:
    assert stop_of(" Max-Tokens ") == Stop(StopReason.LENGTH, "Max-Tokens")


def test_no_word_is_no_reason() -> None:
    assert stop_of(" ") is None


def test_a_word_of_any_length_is_bounded() -> None:
    stop = stop_of("x\n" * 1000)
    assert stop is not None
    assert (len(stop.word), stop.word[:3]) == (60, "x x")


def test_the_worst_of_several_turns_is_the_answer_s() -> None:
    cut, whole, unknown = Stop(StopReason.LENGTH), Stop(StopReason.STOP), None
    assert worst([whole, cut, unknown, whole]) == cut


@every("reason", StopReason)
def test_every_reason_has_words_for_authors_and_a_standing(reason: StopReason) -> None:
    assert Stop(reason, "x\x1b[31m").label.isprintable()
    assert reason.standing in Standing


# However an answer is cut into pieces, it ends for the same reason

WORDS = st.sampled_from([*OPENAI_WORDS, None])


async def _end_of(wire: Wire, content: bytes, kind: str) -> tuple[str, Stop | str]:
    """The text of a body as `wire` reads it, and how it ended: a stop reason, or what went wrong."""
    response = httpx.Response(200, headers={"content-type": kind}, content=content)
    pieces: list[str] = []
    try:
        async with aclosing(read_events(response, wire, failures.Request("m", "here"), 1.0)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                    case Finished():
                        return "".join(pieces), event.stop
                    case _:
                        pass
    except ProviderError as error:
        return "".join(pieces), error.failure.value
    return "".join(pieces), "no end"


@given(st.lists(st.text("ab <", min_size=1), min_size=1, max_size=5), WORDS, st.booleans())
def test_a_streamed_answer_ends_as_the_whole_one_does(texts: list[str], word: str | None, refuses: bool) -> None:
    field = "refusal" if refuses else "content"
    deltas = [{"choices": [{"delta": {field: text}}]} for text in texts]
    end = {"choices": [{"delta": {}, "finish_reason": word}]}
    stream = b"".join(map(sse, [*deltas, end])) + DONE
    whole = json.dumps({"choices": [{"message": {field: "".join(texts)}, "finish_reason": word}]}).encode()
    wire = OpenAIWire("http://localhost/v1")
    streamed_end = asyncio.run(_end_of(wire, stream, "text/event-stream"))
    assert streamed_end == asyncio.run(_end_of(wire, whole, "application/json"))


@given(st.lists(st.sampled_from([None, *StopReason]), max_size=6))
def test_no_turn_ended_worse_than_the_answer(reasons: list[StopReason | None]) -> None:
    turns = tuple(
        ThreadTurn(Role.ASSISTANT, "x", generated=True, stop=None if each is None else Stop(each)) for each in reasons
    )
    stop = Answered("x", turns).stop
    order = list(StopReason)
    assert (stop is None) == (not any(reasons))
    assert all(stop is not None and order.index(each) <= order.index(stop.reason) for each in reasons if each)


# Conversations as a model hears them: blueprints in YAML, and the bytes of every request that they lead to


TAXES = """\
system: Be brief.
---
- id: clarify-taxes
  messages:
    - user: I need help with my taxes.
    - assistant: null
    - user: I changed jobs mid-year — and moved states.
    - assistant: null
    - user: Anything else I should consider?
  should:
    - $contains: three
"""
"""The documents' example of a conversation (002, "Sequential multi-turn"), with a system prompt."""


def says(*pieces: str) -> Any:
    """A streamed answer in these pieces, with its tokens counted."""
    deltas = [sse({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return streamed(*deltas, sse({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}))


async def run(
    text: str, httpserver: HTTPServer, javascript: JavaScript, *, prefilled: Sequence[str] = (), variant: int = 0
) -> list[Event]:
    """The events of a run of the first prompt of `text` with a model at `httpserver`."""
    blueprint = parse(text).blueprint
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    chosen = variants(blueprint.header)[variant]
    events = evaluate(
        blueprint.prompts[0], blueprint, source, javascript=javascript, prefilled=prefilled, variant=chosen
    )
    return [event async for event in events]


def heard(requests: Sequence[Request]) -> list[list[tuple[str, str]]]:
    """Who says what in each request."""
    return [[(said["role"], said["content"]) for said in body_of(request)["messages"]] for request in requests]


def thread_of(events: Sequence[Event]) -> tuple[ThreadTurn, ...]:
    """The thread of the response."""
    [responded] = [event for event in events if isinstance(event, Responded)]
    return responded.response.thread


async def test_each_request_of_a_conversation_holds_all_that_was_said_before_it(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("Which ", "state?"), says("Two."), says("That is three."))
    events = await run(TAXES, httpserver, javascript)
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
    last = events[-1]
    assert isinstance(last, Scored)
    assert last.response.subject == "Which state?\n\nTwo.\n\nThat is three."
    assert (last.response.usage.input_tokens, last.response.usage.output_tokens) == (30, 6)
    assert last.explanation.score == 1.0


async def test_pieces_tell_their_turn_and_an_empty_one_that_the_next_begins(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    answers(httpserver, says("Which state?"), says("Two."), says("three"))
    events = await run(TAXES, httpserver, javascript)
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
async def test_every_form_of_messages_asks_for_the_same(
    messages: str, httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("Four."))
    events = await run(f"- messages: {messages}\n  should: [Says so]\n", httpserver, javascript)
    assert heard(requests) == [[("user", "One?"), ("assistant", "Two."), ("user", "Three?")]]
    assert [(turn.content, turn.generated) for turn in thread_of(events)] == [
        ("One?", False),
        ("Two.", False),
        ("Three?", False),
        ("Four.", True),
    ]


async def test_a_prompt_is_a_conversation_of_one_message(httpserver: HTTPServer, javascript: JavaScript) -> None:
    requests = answers(httpserver, says("Yes."))
    await run("- prompt: Is it?\n  should: [Says so]\n", httpserver, javascript)
    assert heard(requests) == [[("user", "Is it?")]]


@pytest.mark.parametrize("role", ["assistant", "ai"])
async def test_a_turn_in_the_middle_is_generated_in_its_place(
    role: str, httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("a"), says("b"))
    text = f"- messages: [{{user: One?}}, {{{role}: null}}, {{user: Two?}}]\n  should: [Says so]\n"
    await run(text, httpserver, javascript)
    assert heard(requests) == [
        [("user", "One?")],
        [("user", "One?"), ("assistant", "a"), ("user", "Two?")],
    ]


@pytest.mark.parametrize(
    ("header", "own", "first"),
    [
        ("system: Header.", "", [("system", "Header.")]),
        ("system: Header.", "  system: Own.\n", [("system", "Own.")]),
        ("system: Header.", "  system: null\n", []),
        ("title: t", "  system: Own.\n", [("system", "Own.")]),
        ("title: t", "", []),
    ],
    ids=["the header's", "the prompt's own", "cleared by null", "only the prompt's", "none"],
)
async def test_the_system_prompt_comes_first(
    header: str, own: str, first: list[tuple[str, str]], httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("Yes."))
    await run(f"{header}\n---\n- prompt: Is it?\n{own}  should: [Says so]\n", httpserver, javascript)
    assert heard(requests) == [[*first, ("user", "Is it?")]]


async def test_a_variant_brings_its_own_system_prompt_or_none(httpserver: HTTPServer, javascript: JavaScript) -> None:
    requests = answers(httpserver, says("Yes."))
    text = "systems: [null, Speak as a pirate.]\n---\n- prompt: Is it?\n  should: [Says so]\n"
    await run(text, httpserver, javascript, variant=0)
    await run(text, httpserver, javascript, variant=1)
    assert heard(requests) == [
        [("user", "Is it?")],
        [("system", "Speak as a pirate."), ("user", "Is it?")],
    ]


async def test_system_messages_within_a_conversation_stay_where_they_stand(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("a"), says("b"))
    text = (
        "- system: Own.\n"
        "  messages: [{system: First.}, {user: One?}, {assistant: null}, {system: Now in French.}, {user: Two?}]\n"
        "  should: [Says so]\n"
    )
    await run(text, httpserver, javascript)
    assert heard(requests)[1] == [
        ("system", "Own."),
        ("system", "First."),
        ("user", "One?"),
        ("assistant", "a"),
        ("system", "Now in French."),
        ("user", "Two?"),
    ]


async def test_a_written_last_turn_is_judged_and_no_byte_is_sent(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("never"))
    text = "- messages: [{user: One?}, {ai: It is Paris.}]\n  should: [{$contains: Paris}]\n"
    last = (await run(text, httpserver, javascript))[-1]
    assert isinstance(last, Scored)
    assert (last.explanation.score, requests) == (1.0, [])


async def test_a_written_last_turn_is_the_answer_and_those_to_generate_before_it_are_left_out(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("never"))
    text = "- messages: [{user: One?}, {ai: null}, {user: Two?}, {ai: Done.}]\n  should: [{$contains: Done}]\n"
    events = await run(text, httpserver, javascript)
    assert [turn.content for turn in thread_of(events)] == ["One?", "Two?", "Done."]
    assert requests == []


async def test_turns_that_stand_already_are_said_and_not_asked_for(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("New", " third."))
    events = await run(TAXES, httpserver, javascript, prefilled=["Kept first.", "Kept second."])
    assert [said for role, said in heard(requests)[0] if role == "assistant"] == ["Kept first.", "Kept second."]
    assert len(requests) == 1
    pieces = [event for event in events if isinstance(event, Delta)]
    assert ({piece.turn for piece in pieces}, "".join(piece.text for piece in pieces)) == ({2}, "New third.")
    assert [turn.content for turn in thread_of(events) if turn.generated] == [
        "Kept first.",
        "Kept second.",
        "New third.",
    ]


async def test_a_conversation_whose_turns_all_stand_is_judged_without_a_request(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("never"))
    last = (await run(TAXES, httpserver, javascript, prefilled=["one", "two", "three", "a fourth that has no place"]))[
        -1
    ]
    assert isinstance(last, Scored)
    assert (last.response.subject, requests) == ("one\n\ntwo\n\nthree", [])


async def test_what_stood_already_stays_when_the_turn_after_it_fails(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("no", status=401)
    last = (await run(TAXES, httpserver, javascript, prefilled=["Kept first."]))[-1]
    assert isinstance(last, Failed)
    assert last.partial is not None
    assert last.partial.subject.strip() == "Kept first."
    assert not last.partial.complete


async def test_what_a_model_answers_is_sent_back_letter_by_letter(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    odd = 'a "quote", a \\ and \x1b[31m — 好 👍\n\n- [x] done'
    requests = answers(httpserver, says(odd), says("b"), says("c"))
    await run(TAXES, httpserver, javascript)
    assert json.loads(requests[1].get_data())["messages"][2] == {"role": "assistant", "content": odd}
