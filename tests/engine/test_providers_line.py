"""What clients make of a real line: silence, failures on the way, pauses that are asked for, and cancelling."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import time
import traceback
from contextlib import aclosing
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine import parse
from engine.blueprint.conversation import StopReason
from engine.evaluation.events import Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Usage
from engine.models.custom import read_custom
from engine.models.definitions import variables_in
from engine.models.provider_registry import resolve
from engine.models.secret import Secret
from engine.models.server import ChatServer
from engine.yaml.nodes import Data
from tests.engine.openai_server import CHAT, DONE, broken_off, chat_server, delta, provider_at, stop
from tests.engine.provider_server import (
    ASK,
    SECRET,
    answers,
    assert_cancelling_closes,
    events_of,
    failure_of,
    said,
    sse,
    streamed,
    text_of,
)

pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer) -> ChatServer:
    return provider_at(httpserver)


# What the OpenAI-shaped client makes of answers, from a server on loopback that does what no good server would


async def test_a_server_that_never_closes_the_line_has_answered_all_the_same(
    httpserver: HTTPServer, provider: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.server._AFTERTHOUGHT_SECONDS", 0.1)
    answers(httpserver, streamed(delta("Hi"), stop(), *[b": still here\n\n"] * 3000, pause=0.02))
    started = time.monotonic()
    assert await events_of(provider) == [TextDelta("Hi"), Finished(StopReason.STOP, Usage())]
    assert time.monotonic() - started < 30  # it goes on for a minute


async def test_a_line_that_breaks_after_the_answer_is_no_failure(httpserver: HTTPServer, provider: ChatServer) -> None:
    answers(httpserver, broken_off(delta("Hi"), stop()))
    assert (await events_of(provider))[-1] == Finished(StopReason.STOP, Usage())


async def test_a_line_kept_open_without_a_word_times_out(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(*[b": keep-alive\n\n"] * 200, pause=0.02))
    silent = chat_server(httpserver.url_for("/v1"), read_seconds=0.2)
    error = await failure_of(silent)
    assert error.failure is Failure.TIMED_OUT
    assert "nothing was sent" in error.detail


@pytest.mark.parametrize("piece", [b": still here\n\n", delta("Hi ")], ids=["comments", "single words"])
async def test_an_answer_that_does_not_end_ends_with_its_time(httpserver: HTTPServer, piece: bytes) -> None:
    answers(httpserver, streamed(*[piece] * 500, pause=0.02))
    request = ChatRequest("m", (), seconds=0.3)
    with pytest.raises(ProviderError, match=r"no whole answer within 0\.3 seconds") as error:
        async for _ in chat_server(httpserver.url_for("/v1")).stream(request):
            pass
    assert error.value.failure is Failure.TIMED_OUT


def test_an_answer_may_take_ten_minutes_unless_its_request_says_otherwise() -> None:
    assert ChatRequest("m", ()).seconds == 600


async def test_keep_alives_before_the_answer_do_no_harm(httpserver: HTTPServer, provider: ChatServer) -> None:
    answers(httpserver, streamed(*[b": PROCESSING\n\n"] * 5, delta("Hi"), stop(), DONE, pause=0.02))
    assert await text_of(provider) == "Hi"


# What the OpenAI-shaped client makes of failures: of the server, and of the way to it


async def test_without_a_key_a_401_names_the_variable(httpserver: HTTPServer) -> None:
    answers(httpserver, Response("no", status=401))
    error = await failure_of(chat_server(httpserver.url_for("/v1"), key_variable="TEST_KEY"))
    assert error.failure is Failure.MISSING_KEY
    assert "TEST_KEY" in error.advice


async def test_retry_after_is_obeyed(httpserver: HTTPServer, provider: ChatServer) -> None:
    too_many = Response("slow down", status=429, headers={"Retry-After": "0.3"})
    requests = answers(httpserver, too_many, too_many, streamed(delta("Hi"), stop(), DONE))
    started = time.monotonic()
    assert await text_of(provider) == "Hi"
    assert time.monotonic() - started >= 0.6
    assert len(requests) == 3


async def test_a_server_that_stays_busy_is_asked_three_times(httpserver: HTTPServer, provider: ChatServer) -> None:
    requests = answers(httpserver, Response("slow down", status=429, headers={"Retry-After": "0"}))
    assert (await failure_of(provider)).failure is Failure.RATE_LIMITED
    assert len(requests) == 3


async def test_a_long_retry_after_is_told_not_waited_for(httpserver: HTTPServer, provider: ChatServer) -> None:
    requests = answers(httpserver, Response("slow down", status=429, headers={"Retry-After": "3600"}))
    error = await failure_of(provider)
    assert "60 minutes" in error.advice
    assert len(requests) == 1


async def test_a_date_in_retry_after_is_understood(httpserver: HTTPServer, provider: ChatServer) -> None:
    tomorrow = formatdate(time.time() + 7200, usegmt=True)
    answers(httpserver, Response("slow down", status=429, headers={"Retry-After": tomorrow}))
    assert "120 minutes" in (await failure_of(provider)).advice


async def test_a_failing_server_is_asked_once_more(httpserver: HTTPServer, provider: ChatServer) -> None:
    requests = answers(httpserver, Response("boom", status=503), streamed(delta("Hi"), stop(), DONE))
    assert await text_of(provider) == "Hi"
    assert len(requests) == 2


@pytest.mark.parametrize(
    "response",
    [
        broken_off(delta("Hel")),
        streamed(delta("Hel")),
    ],
    ids=["connection lost", "ended early"],
)
async def test_a_broken_stream_fails_after_what_had_arrived(
    httpserver: HTTPServer, provider: ChatServer, response: Response
) -> None:
    requests = answers(httpserver, response)
    async with aclosing(provider.stream(ASK)) as events:
        assert await anext(events) == TextDelta("Hel")
        with pytest.raises(ProviderError) as caught:
            await anext(events)
    assert caught.value.failure is Failure.UNREACHABLE
    assert len(requests) == 1


async def test_a_slow_answer_times_out(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(delta("Hel"), delta("lo"), stop(), pause=0.5))
    slow = chat_server(httpserver.url_for("/v1"), read_seconds=0.1)
    assert (await failure_of(slow)).failure is Failure.TIMED_OUT


async def test_a_redirect_is_not_followed(httpserver: HTTPServer, provider: ChatServer) -> None:
    httpserver.expect_request("/elsewhere").respond_with_data("never")
    answers(httpserver, Response("", status=307, headers={"Location": httpserver.url_for("/elsewhere")}))
    error = await failure_of(provider)
    assert error.failure is Failure.UNREACHABLE
    assert "/elsewhere" in error.advice
    assert [request.path for request, _ in httpserver.log] == [CHAT]


async def test_a_refused_connection_says_how_to_start_the_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        port = closing.getsockname()[1]
    error = await failure_of(chat_server(f"http://127.0.0.1:{port}/v1", start_hint="Start it."))
    assert (error.failure, error.advice) == (Failure.UNREACHABLE, "Start it.")


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "nonsense://x", "http://me:word@[bad"])
async def test_this_machine_is_reached_without_the_proxy(
    httpserver: HTTPServer, provider: ChatServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    assert await text_of(provider) == "Hi"


async def test_a_proxy_that_cannot_be_used_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://me:word@proxy.example")
    error = await failure_of(chat_server("http://nowhere.invalid/v1"))
    assert error.failure is Failure.UNREACHABLE
    assert "ALL_PROXY" in error.advice
    assert "word" not in repr(vars(error))


async def test_an_unknown_host_is_called_so() -> None:
    error = await failure_of(chat_server("http://nowhere.invalid/v1"))
    assert error.failure is Failure.UNREACHABLE
    assert "host name is unknown" in error.title


async def test_https_to_a_server_without_it_is_called_so(httpserver: HTTPServer) -> None:
    error = await failure_of(chat_server(httpserver.url_for("/v1").replace("http:", "https:")))
    assert error.failure is Failure.UNREACHABLE
    assert "no protected connection" in error.title


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes the certificate, is not installed")
async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    files = ["-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "cert")]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", *files]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with HTTPServer(host="localhost", ssl_context=context) as server:
        error = await failure_of(chat_server(server.url_for("/v1"), key=Secret(SECRET)))
    assert error.failure is Failure.UNREACHABLE
    assert "certificate" in error.title


async def test_cancelling_closes_the_connection_at_once(httpserver: HTTPServer, provider: ChatServer) -> None:
    await assert_cancelling_closes(httpserver, provider, delta("more "))


# Keys stay where they belong: in no error and no event of the OpenAI-shaped client, whatever the server repeats


async def test_a_key_is_in_no_error_about_the_way() -> None:
    error = await failure_of(chat_server("http://nowhere.invalid/v1", key=Secret(SECRET)))
    whole = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert SECRET not in "".join(whole)


def test_an_address_with_a_password_is_named_without_it() -> None:
    assert chat_server("http://me:word@models.example:8000/v1").recipient == "models.example:8000"


# Servers that say in words of their own that they have too many requests


def own_at(httpserver: HTTPServer, inherit: str) -> Provider:
    """A model of the blueprint's own that speaks the format of another provider."""
    definition: dict[str, Data] = {
        "id": "own:x",
        "url": httpserver.url_for("/own"),
        "modelName": "tiny",
        "inherit": inherit,
    }
    return resolve("own:x", custom=[definition])[0]


MESSAGE = said({"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"})
CANDIDATE = said({"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]})


async def test_an_overloaded_anthropic_is_asked_three_times(httpserver: HTTPServer) -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    busy = said(overloaded, 529, **{"Retry-After": "0.1"})
    requests = answers(httpserver, busy, busy, MESSAGE)
    assert await text_of(own_at(httpserver, "anthropic")) == "Hi"
    assert len(requests) == 3


async def test_an_error_before_the_first_word_is_tried_again(httpserver: HTTPServer) -> None:
    start = sse({"type": "message_start", "message": {"usage": {"input_tokens": 7}}})
    error = sse({"type": "error", "error": {"type": "api_error", "message": "oops"}}, "error")
    requests = answers(httpserver, streamed(start, error), MESSAGE)
    assert await text_of(own_at(httpserver, "anthropic")) == "Hi"
    assert len(requests) == 2


async def test_a_pause_in_the_error_is_obeyed(httpserver: HTTPServer) -> None:
    error = {"code": 429, "message": "You exceeded your current quota", "details": [{"retryDelay": "0.3s"}]}
    requests = answers(httpserver, said({"error": error}, 429), CANDIDATE)
    started = time.monotonic()
    assert await text_of(own_at(httpserver, "google")) == "Hi"
    assert time.monotonic() - started >= 0.3
    assert len(requests) == 2


# Models of a blueprint's own: mistakes in their definitions, and keys that stay where they belong


def own(**fields: Any) -> dict[str, Any]:
    """The definition of a model; a field that is `...` is left out."""
    whole = {"id": "own:model", "url": "http://127.0.0.1/v1", "modelName": "tiny", "inherit": "openai", **fields}
    return {name: value for name, value in whole.items() if value is not ...}


def refused(**fields: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        resolve("own:model", custom=[own(**fields)])
    return caught.value


def answering(text: str) -> Response:
    return said({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv("OWN_KEY", value)
    error = refused(headers={"Authorization": "Bearer ${OWN_KEY}"})
    assert error.failure is Failure.MISSING_KEY
    assert error.title == "The model own:model: the variable OWN_KEY is not set"
    assert error.advice == "Set OWN_KEY and start again. It stands in `headers.Authorization`."


# What is wrong with a definition


def test_who_receives_the_text_is_its_host() -> None:
    definition = own(url="https://me:word@models.example:8443/v1?key=x")
    assert resolve("own:model", custom=[definition])[0].recipient == "models.example:8443"


# Keys stay where they belong


def test_a_definition_prints_without_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    definition = own(url="http://h/${OWN_KEY}", headers={"X": "${OWN_KEY}"}, parameters={"k": "${OWN_KEY}"})
    assert SECRET not in repr(read_custom(definition))


def test_the_variables_of_a_definition_are_known_before_anything_is_sent() -> None:
    definition = {"url": "https://h/${A}", "headers": {"X": "${B} ${A}"}, "parameters": {"y": [{"z": "${C}"}, 3, None]}}
    assert variables_in(definition) == ("A", "B", "C")


async def test_an_evaluation_finds_the_models_of_its_blueprint(httpserver: HTTPServer) -> None:
    answers(httpserver, answering("Hi"))
    url = httpserver.url_for("/own")
    header = f"models: [{{id: 'own:one', url: '{url}', modelName: tiny, inherit: openai}}]"
    blueprint = parse(f"{header}\n---\n- prompt: Hello\n  should: [$contains: Hi]\n").blueprint
    with JavaScript() as javascript:
        events = evaluate(blueprint.prompts[0], blueprint, ModelSource("own:one"), javascript=javascript)
        last = [event async for event in events][-1]
    assert isinstance(last, Scored)
    assert last.explanation.score == 1.0


# format and promptFormat
