"""A server's answer is read by its form, not by its label, and an error within it is the failure that it is outside."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.models.chat import Failure, Finished, Provider, ProviderError, TextDelta
from engine.models.http import Access
from engine.models.server import ChatServer
from engine.models.wires import AnthropicWire, GoogleWire, OpenAIWire, Wire
from tests.engine.provider_server import answers, events_of
from tests.thoroughness import one_in

pytestmark = pytest.mark.usefixtures("own_connections")

LABELS = ("application/json", "text/event-stream", "text/plain; charset=utf-8", "text/html", "application/x-ndjson", "")

Event = tuple[str, Any]
"""The name of an event, "" without one, and its data."""

OPENAI: tuple[Event, ...] = (
    ("", {"choices": [{"index": 0, "delta": {"content": "Nai"}, "finish_reason": None}], "error": None}),
    ("", {"choices": [{"index": 0, "delta": {"content": "robi"}, "finish_reason": "stop"}]}),
)
ANTHROPIC: tuple[Event, ...] = (
    ("content_block_delta", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Nairobi"}}),
    ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
)
GOOGLE: tuple[Event, ...] = (
    ("", {"candidates": [{"content": {"parts": [{"text": "Nairobi"}]}, "finishReason": "STOP"}]}),
)
WHOLE: dict[str, Any] = {
    "openai": {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "Nairobi"}}]},
    "anthropic": {"type": "message", "content": [{"type": "text", "text": "Nairobi"}], "stop_reason": "end_turn"},
    "google": [data for _, data in GOOGLE],
}
STREAMS = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE}


def wire_of(name: str, url: str) -> Wire:
    match name:
        case "openai":
            return OpenAIWire(url)
        case "anthropic":
            return AnthropicWire(url)
        case _:
            return GoogleWire(url=url)


def server_of(name: str, httpserver: HTTPServer) -> ChatServer:
    url = httpserver.url_for("/chat")
    return ChatServer(wire_of(name, url), url, Access.by(None, "TEST_KEY"), read_seconds=2.0)


def stream_of(events: tuple[Event, ...], *, end: str = "\n", before: str = "", done: bool = True) -> bytes:
    lines = [before]
    for name, data in (*events, *([("", "[DONE]")] if done else [])):
        text = data if isinstance(data, str) else json.dumps(data)
        lines.append(f"{f'event: {name}{end}' if name else ''}data: {text}{end}{end}")
    return "".join(lines).encode()


async def outcome_of(provider: Provider) -> tuple[str, ProviderError | None]:
    """The text that came, and the failure at its end."""
    texts: list[str] = []
    try:
        for event in await events_of(provider):
            match event:
                case TextDelta(text):
                    texts.append(text)
                case Finished():
                    return "".join(texts), None
                case _:
                    pass
    except ProviderError as error:
        return "".join(texts), error
    raise AssertionError("no end")


def bodies(name: str) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    events, whole = STREAMS[name], json.dumps(WHOLE[name]).encode()
    mark = b"\xef\xbb\xbf"
    yield "a stream", stream_of(events), {}
    yield "a stream without [DONE]", stream_of(events, done=False), {}
    yield "a stream with CRLF", stream_of(events, end="\r\n"), {}
    yield "a stream with CR", stream_of(events, end="\r"), {}
    yield "a stream with a mark", mark + stream_of(events), {}
    yield "a stream after a comment", stream_of(events, before=": keep-alive\n\n"), {}
    yield "a stream after blank lines", stream_of(events, before="\r\n\n"), {}
    yield "a stream after an id", stream_of(events, before="id: 7\nretry: 10\n\n"), {}
    yield "a stream after other fields", stream_of(events, before="x-unknown: y\ndata\n\n"), {}
    yield "a compressed stream", gzip.compress(stream_of(events)), {"Content-Encoding": "gzip"}
    yield "JSON", whole, {}
    yield "JSON after blanks", b"\n  \r\n" + whole, {}
    yield "JSON with a mark", mark + whole, {}
    yield "JSON on several lines", json.dumps(WHOLE[name], indent=1).replace("\n", "\n\n").encode(), {}
    yield "compressed JSON", gzip.compress(whole), {"Content-Encoding": "gzip"}


@pytest.mark.parametrize("name", STREAMS)
async def test_an_answer_is_read_by_its_form_whatever_its_label(name: str, httpserver: HTTPServer) -> None:
    wrong: list[tuple[str, str, object]] = []
    for (what, body, headers), label in one_in(3, list(product(bodies(name), LABELS))):
        httpserver.clear()
        answers(httpserver, Response(body, content_type=label, headers=headers))
        text, failure = await outcome_of(server_of(name, httpserver))
        if (text, failure) != ("Nairobi", None):
            wrong.append((what, label, failure.title if failure else text))
    assert not wrong


MESSAGE = "Leider nicht: 42"
ERRORS: tuple[tuple[Any, int, Failure], ...] = (
    ({"message": MESSAGE, "type": "insufficient_quota", "code": "insufficient_quota"}, 429, Failure.PAYMENT),
    ({"message": "You exceeded your current quota"}, 429, Failure.PAYMENT),
    ({"message": MESSAGE, "type": "billing_error"}, 402, Failure.PAYMENT),
    ({"message": MESSAGE, "code": 402}, 402, Failure.PAYMENT),
    ({"message": MESSAGE, "type": "rate_limit_error"}, 429, Failure.RATE_LIMITED),
    ({"message": MESSAGE, "type": "RateLimitError", "code": 500}, 429, Failure.RATE_LIMITED),
    ({"message": MESSAGE, "code": "rate_limit_exceeded", "type": "requests"}, 429, Failure.RATE_LIMITED),
    ({"message": MESSAGE, "code": "429"}, 429, Failure.RATE_LIMITED),
    ({"message": MESSAGE, "status": "RESOURCE_EXHAUSTED", "code": 429}, 429, Failure.RATE_LIMITED),
    ({"message": "Too many requests, slow down"}, 429, Failure.RATE_LIMITED),
    ({"message": MESSAGE, "type": "overloaded_error"}, 503, Failure.SERVER),
    ({"message": MESSAGE, "status": "UNAVAILABLE"}, 503, Failure.SERVER),
    ({"message": "engine overloaded", "code": 503}, 503, Failure.SERVER),
    ({"message": "The engine is overloaded"}, 503, Failure.SERVER),
    ({"message": MESSAGE, "type": "InternalServerError", "code": 500}, 500, Failure.SERVER),
    ({"message": MESSAGE, "type": "api_error"}, 500, Failure.SERVER),
    ({"message": MESSAGE}, 500, Failure.SERVER),
    ({"message": MESSAGE, "code": "model_not_found", "type": "invalid_request_error"}, 404, Failure.NO_SUCH_MODEL),
    ({"message": MESSAGE, "type": "not_found_error"}, 404, Failure.NO_SUCH_MODEL),
    ({"message": MESSAGE, "status": "NOT_FOUND", "code": 404}, 404, Failure.NO_SUCH_MODEL),
    ("model 'tiny' not found", 404, Failure.NO_SUCH_MODEL),
    ({"message": "The model `tiny` does not exist"}, 404, Failure.NO_SUCH_MODEL),
    ({"message": MESSAGE, "type": "authentication_error"}, 401, Failure.MISSING_KEY),
    ({"message": MESSAGE, "code": "context_length_exceeded", "type": "invalid_request_error"}, 413, Failure.TOO_LONG),
    ({"message": MESSAGE, "type": "timeout_error"}, 504, Failure.TIMED_OUT),
    ({"message": MESSAGE, "type": "invalid_request_error"}, 400, Failure.SERVER),
)
"""Errors as servers write them, the status with which they refuse for the same cause, and the failure that it is."""


def in_a_stream(error: Any) -> Iterator[tuple[str, tuple[Event, ...]]]:
    yield "under `error`", (("", {"error": error}),)
    yield "a typed event", (("error", {"type": "error", "error": error}),)
    yield "a list", (("", [{"error": error}]),)
    yield "a named event", (("error", error),)
    if isinstance(error, dict):
        yield "an object", (("", {"object": "error", "param": None, **error}),)


@pytest.mark.parametrize("name", STREAMS)
async def test_an_error_within_an_answer_is_told_as_outside_of_it(
    name: str, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.server._TOO_MANY", ())
    wrong: list[tuple[Any, str, str, object]] = []
    for error, status, failure in one_in(4, ERRORS):
        httpserver.clear()
        answers(httpserver, Response(json.dumps({"error": error}), status=status))
        _, outside = await outcome_of(server_of(name, httpserver))
        assert outside is not None
        if outside.failure is not failure:
            wrong.append((error, "outside", outside.title, failure))
        for what, events in in_a_stream(error):
            for where, told in (("first", events), ("last", (STREAMS[name][0], *events))):
                httpserver.clear()
                label = LABELS[len(wrong) % 2]
                answers(httpserver, Response(stream_of(told), content_type=label))
                _, within = await outcome_of(server_of(name, httpserver))
                if within is None or (within.failure, within.detail) != (outside.failure, outside.detail):
                    wrong.append((error, what, where, within and (within.title, within.detail, outside.detail)))
                elif "address" in within.advice.replace("and the address if you gave one", ""):
                    wrong.append((error, what, where, within.advice))
    assert not wrong


async def test_too_many_requests_within_a_stream_are_waited_for_and_sent_again(httpserver: HTTPServer) -> None:
    error = {"message": "Slow", "details": [{"retryDelay": "0.1s"}], "status": "RESOURCE_EXHAUSTED"}
    refused = Response(stream_of((("", {"error": error}),)), content_type="text/event-stream")
    requests = answers(httpserver, refused, Response(stream_of(OPENAI), content_type="application/json"))
    assert await outcome_of(server_of("openai", httpserver)) == ("Nairobi", None)
    assert len(requests) == 2
