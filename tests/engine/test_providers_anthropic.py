"""Anthropic's Messages API on the wire, against a real server on loopback."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.models.chat import ChatRequest, Failure, Finished, Provider, TextDelta, Turn, Usage
from engine.models.provider_registry import resolve
from tests.engine.provider_server import (
    LONG_TALK,
    SECRET,
    TALK,
    answers,
    assert_cancelling_closes,
    body_of,
    events_of,
    failure_of,
    said,
    sse,
    streamed,
    text_of,
)

pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Provider:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", httpserver.url_for(""))
    return resolve("anthropic:claude-3-5-haiku-20241022")[0]


def event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)


START = event("message_start", message={"model": "claude-x", "content": [], "usage": {"input_tokens": 7}})
BLOCK = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
PING = event("ping")


def delta(text: str, kind: str = "text_delta", field: str = "text") -> bytes:
    return event("content_block_delta", index=0, delta={"type": kind, field: text})


def ending(reason: str = "end_turn") -> bytes:
    return event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 2}) + event("message_stop")


def whole(*pieces: bytes, reason: str = "end_turn") -> Response:
    return streamed(START, BLOCK, *pieces, ending(reason))


# What is sent


async def test_what_system_says_stands_apart(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, whole(delta("Hi")))
    await events_of(provider, ChatRequest("claude-x", LONG_TALK, 0.5, 50))
    [request] = requests
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == SECRET
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "Authorization" not in request.headers
    assert body_of(request) == {
        "model": "claude-x",
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi there."},
            {"role": "user", "content": "And now?"},
        ],
        "temperature": 0.5,
        "max_tokens": 50,
        "stream": True,
    }


async def test_without_a_system_prompt_none_is_sent(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, whole(delta("Hi")))
    await events_of(provider, ChatRequest("claude-x", TALK[1:]))
    assert "system" not in body_of(requests[0])


@pytest.mark.parametrize(
    ("settings", "thinking", "max_tokens"),
    [
        ({"thinking_budget": 1024}, {"type": "enabled", "budget_tokens": 1024}, 1500),
        ({"thinking_budget": 4000}, {"type": "enabled", "budget_tokens": 4000}, 5500),
        ({"reasoning_effort": "low"}, {"type": "enabled", "budget_tokens": 1024}, 1500),
        ({"reasoning_effort": "high", "thinking_budget": 2000}, {"type": "enabled", "budget_tokens": 2000}, 3500),
    ],
)
async def test_a_thinking_budget_leaves_room_for_the_answer_and_takes_the_temperature(
    httpserver: HTTPServer, provider: Provider, settings: dict[str, Any], thinking: dict[str, Any], max_tokens: int
) -> None:
    requests = answers(httpserver, whole(delta("Hi")))
    await events_of(provider, ChatRequest("claude-x", TALK, **settings))
    body = body_of(requests[0])
    assert (body["thinking"], body["max_tokens"]) == (thinking, max_tokens)
    assert "temperature" not in body


async def test_a_thinking_budget_of_nothing_turns_thinking_off(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, whole(delta("Hi")))
    await events_of(provider, ChatRequest("claude-x", TALK, thinking_budget=0))
    body = body_of(requests[0])
    assert (body["thinking"], body["temperature"]) == ({"type": "disabled"}, 0.0)


# What comes back


async def test_an_answer_arrives_with_usage_and_stop_reason(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, streamed(START, BLOCK, PING, delta("Hel"), delta("lo"), ending()))
    assert await events_of(provider) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(StopReason.STOP, Usage(7, 2), "claude-x"),
    ]


async def test_thoughts_are_no_part_of_the_answer(httpserver: HTTPServer, provider: Provider) -> None:
    thoughts = (delta("hm", "thinking_delta", "thinking"), delta("abc", "signature_delta", "signature"))
    answers(httpserver, whole(*thoughts, delta("Hi")))
    assert await text_of(provider) == "Hi"


async def test_cached_tokens_count_as_read(httpserver: HTTPServer, provider: Provider) -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 1}
    start = event("message_start", message={"usage": usage})
    answers(httpserver, streamed(start, delta("Hi"), ending()))
    assert (await events_of(provider))[-1] == Finished(StopReason.STOP, Usage(26, 2))


async def test_a_whole_message_is_understood(httpserver: HTTPServer, provider: Provider) -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "H"}, {"type": "text", "text": "i"}]
    message = {"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"output_tokens": 1}}
    answers(httpserver, said(message))
    assert await events_of(provider) == [TextDelta("Hi"), Finished(StopReason.STOP, Usage(None, 1))]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_a_stream_may_be_cut_anywhere(httpserver: HTTPServer, provider: Provider, size: int) -> None:
    raw = START + b": keep-alive\n\n" + delta("é€😀") + b":\n\n" + delta(" ಠ") + ending()
    pieces = [raw[start : start + size] for start in range(0, len(raw), size)]
    answers(httpserver, streamed(*pieces, pause=0.0002))
    assert await events_of(provider) == [
        TextDelta("é€😀"),
        TextDelta(" ಠ"),
        Finished(StopReason.STOP, Usage(7, 2), "claude-x"),
    ]


async def test_an_answer_that_ended_needs_no_last_event(httpserver: HTTPServer, provider: Provider) -> None:
    end = event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2})
    answers(httpserver, streamed(START, delta("Hi"), end))
    assert (await events_of(provider))[-1] == Finished(StopReason.STOP, Usage(7, 2), "claude-x")


async def test_events_to_come_are_passed_over(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, whole(event("content_block_gleam", index=0), delta("Hi")))
    assert await text_of(provider) == "Hi"


# What goes wrong


@pytest.mark.parametrize(
    ("status", "kind", "message", "failure", "words"),
    [
        (401, "authentication_error", "invalid x-api-key", Failure.UNAUTHORISED, "ANTHROPIC_API_KEY"),
        (403, "permission_error", "not allowed", Failure.UNAUTHORISED, "ANTHROPIC_API_KEY"),
        (400, "invalid_request_error", "Your credit balance is too low", Failure.PAYMENT, "credit"),
        (402, "billing_error", "Pay first", Failure.PAYMENT, "credit"),
        (404, "not_found_error", "model: claude-x", Failure.NO_SUCH_MODEL, "model's name"),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens", Failure.TOO_LONG, "Shorten"),
        (413, "request_too_large", "Request exceeds the maximum size", Failure.TOO_LONG, "Shorten"),
        (500, "api_error", "Internal server error", Failure.SERVER, "The server itself failed"),
    ],
)
async def test_a_failure_says_what_to_do(
    httpserver: HTTPServer, provider: Provider, status: int, kind: str, message: str, failure: Failure, words: str
) -> None:
    answers(httpserver, said({"type": "error", "error": {"type": kind, "message": message}}, status))
    error = await failure_of(provider)
    assert (error.failure, error.detail) == (failure, message)
    assert words in error.advice


async def test_an_overloaded_server_is_asked_again(httpserver: HTTPServer, provider: Provider) -> None:
    busy = said({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529)
    busy.headers["Retry-After"] = "0.1"
    requests = answers(httpserver, busy, busy, whole(delta("Hi")))
    assert await text_of(provider) == "Hi"
    assert len(requests) == 3


async def test_a_server_that_stays_overloaded_is_called_so(httpserver: HTTPServer, provider: Provider) -> None:
    busy = said({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529)
    busy.headers["Retry-After"] = "0"
    requests = answers(httpserver, busy)
    error = await failure_of(provider)
    assert (error.failure, error.detail) == (Failure.SERVER, "Overloaded")
    assert "overloaded (529)" in error.title
    assert len(requests) == 3


async def test_an_error_before_the_answer_is_tried_again(httpserver: HTTPServer, provider: Provider) -> None:
    error = event("error", error={"type": "api_error", "message": "oops"})
    requests = answers(httpserver, streamed(START, error), whole(delta("Hi")))
    assert await text_of(provider) == "Hi"
    assert len(requests) == 2


async def test_an_error_within_the_answer_is_its_end(httpserver: HTTPServer, provider: Provider) -> None:
    error = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    requests = answers(httpserver, streamed(START, delta("Hel"), error))
    failed = await failure_of(provider)
    assert (failed.failure, failed.detail) == (Failure.SERVER, "Overloaded")
    assert len(requests) == 1


async def test_an_answer_that_was_all_thought_is_called_so(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, whole(reason="max_tokens"))
    error = await failure_of(provider)
    assert error.failure is Failure.EMPTY
    assert "token limit" in error.title


@pytest.mark.parametrize("body", [{"type": None}, {"choices": []}, [1], "x", 4])
async def test_nonsense_is_called_so(httpserver: HTTPServer, provider: Provider, body: Any) -> None:
    answers(httpserver, said(body))
    assert (await failure_of(provider)).failure is Failure.NONSENSE


async def test_a_key_that_comes_back_is_in_no_error(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, said({"error": {"message": f"invalid x-api-key {SECRET}"}}, 401))
    error = await failure_of(provider)
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert SECRET not in told + repr(vars(error))


async def test_cancelling_closes_the_connection_at_once(httpserver: HTTPServer, provider: Provider) -> None:
    await assert_cancelling_closes(httpserver, provider, delta("more "))


async def test_several_system_messages_become_one(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, whole(delta("Hi")))
    turns = (Turn(Role.SYSTEM, "One."), Turn(Role.USER, "Hello"), Turn(Role.SYSTEM, "Two."))
    await events_of(provider, ChatRequest("claude-x", turns))
    assert body_of(requests[0])["system"] == "One.\n\nTwo."
