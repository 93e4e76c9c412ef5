"""A server's answer is read by its form, not by its label, and an error within it is the failure that it is outside."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.models.chat import Failure, Finished, Provider, ProviderError, TextDelta
from engine.models.http import Access, BodyError, Bounds, keep_within, read_at_most
from engine.models.server import ChatServer
from engine.models.wires import AnthropicWire, GoogleWire, OpenAIWire, Wire
from tests.endless_server import KINDS, endless_server
from tests.engine.provider_server import answers, events_of
from tests.engine.short_cases import data_of
from tests.thoroughness import one_in

pytestmark = pytest.mark.usefixtures("own_connections")

CASES = Path(__file__).parent / "wire_cases"
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


ERRORS = data_of((CASES / "errors.yml").read_text("utf-8"))


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
    for each in one_in(4, ERRORS):
        error, status, failure = each["error"], each["status"], Failure[each["failure"]]
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


# An answer that does not end stops at a bound, with an error that says so, and takes little memory


ROOT = Path(__file__).parents[2]
MEGABYTES = 100
SECONDS = 30

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from")

SAID = data_of((CASES / "endless_bodies.yml").read_text("utf-8"))
OF_MODELS = one_in(10, tuple(SAID))
OF_SERVICES = one_in(4, ("bomb", "empty-gzip", "line", "error"))


@dataclass(frozen=True)
class Reading:
    failure: str
    megabytes: float
    seconds: float


def readings(who: str, kinds: Iterable[str], home: Path) -> dict[str, Reading]:
    """What one process reads, of which each reading begins with the memory that the ones before it left."""
    with endless_server() as url:
        command = [sys.executable, "-m", "tests.endless_reader", who, *(f"{url}/{kind}" for kind in kinds)]
        environment = {**os.environ, "BLUEPRINT_STUDIO_HOME": str(home)}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True
        )
    return {kind: Reading(**each) for kind, each in zip(kinds, json.loads(done.stdout), strict=True)}


@pytest.fixture(scope="module")
def of_models(homes: Path) -> dict[str, Reading]:
    return readings("model", OF_MODELS, homes / "of-models")


@pytest.fixture(scope="module")
def of_services(homes: Path) -> dict[str, Reading]:
    return readings("service", OF_SERVICES, homes / "of-services")


@needs_proc
@pytest.mark.parametrize("kind", OF_MODELS)
def test_a_model_s_answer_without_end_stops(of_models: dict[str, Reading], kind: str) -> None:
    read = of_models[kind]
    assert SAID[kind] in read.failure
    assert read.megabytes < MEGABYTES
    assert read.seconds < SECONDS


@needs_proc
@pytest.mark.parametrize("kind", OF_SERVICES)
def test_a_service_s_answer_without_end_stops(of_services: dict[str, Reading], kind: str) -> None:
    read = of_services[kind]
    assert "it was answered" not in read.failure
    assert read.megabytes < MEGABYTES
    assert read.seconds < SECONDS


def test_each_kind_is_tried() -> None:
    assert {*KINDS, "error"} == set(SAID)


# --- The bounds themselves


def response(*pieces: bytes, coding: str = "") -> httpx.Response:
    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return httpx.Response(200, headers={"Content-Encoding": coding} if coding else {}, content=body())


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@given(st.binary(max_size=300_000), st.integers(1, 70_000))
async def test_gzip_within_the_bounds_is_read_whole(body: bytes, size: int) -> None:
    got = response(*cut(gzip.compress(body), size), coding="gzip")
    keep_within(got, Bounds(1_000_000, 1_000_000))
    assert await got.aread() == body


@pytest.mark.parametrize("count", [65_535, 65_536, 65_537, 131_072, 1_000_000])
async def test_blocks_of_the_size_of_the_decoder_s_are_read_whole(count: int) -> None:
    got = response(gzip.compress(b" " * count), coding="gzip")
    keep_within(got, Bounds(1_000_000, 1_000_000))
    assert len(await got.aread()) == count


async def test_a_body_that_is_read_in_part_is_cut() -> None:
    assert await read_at_most(response(b"abc", b"def"), 4) == b"abcd"


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n"])
@given(size=st.integers(1, 30))
async def test_events_are_bounded_one_by_one_however_they_are_cut(end: bytes, size: int) -> None:
    events = (b"data: x" + end) * 50
    got = response(*cut(events, size))
    keep_within(got, Bounds(10_000, 10_000, event=20))
    assert await got.aread() == events


async def test_an_event_past_its_bound_is_refused() -> None:
    got = response(b"data: x\n\n", b"data: " + b"x" * 30)
    keep_within(got, Bounds(10_000, 10_000, event=20))
    with pytest.raises(BodyError, match="one event"):
        await got.aread()


async def test_what_is_no_gzip_is_refused() -> None:
    got = response(b"plain", coding="gzip")
    keep_within(got, Bounds(100, 100))
    with pytest.raises(BodyError, match="no valid gzip"):
        await got.aread()
