"""What the OpenAI-shaped client makes of failures: of the server, and of the way to it."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import aclosing
from email.utils import formatdate
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint.conversation import StopReason
from engine.models.chat import Failure, Finished, ProviderError, TextDelta, Usage
from engine.models.secret import Secret
from engine.models.server import OpenAIShaped
from tests.engine.openai_server import CHAT, DONE, broken_off, delta, event, provider_at, stop
from tests.engine.provider_server import (
    ASK,
    SECRET,
    answers,
    assert_cancelling_closes,
    events_of,
    failure_of,
    streamed,
    text_of,
)

pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer) -> OpenAIShaped:
    return provider_at(httpserver)


@pytest.mark.parametrize(
    ("status", "message", "failure", "words"),
    [
        (401, "Invalid API Key", Failure.UNAUTHORISED, "TEST_KEY"),
        (402, "Payment required", Failure.PAYMENT, "credit"),
        (429, "insufficient_quota", Failure.PAYMENT, "credit"),
        (429, "Slow down", Failure.RATE_LIMITED, "Try again in"),
        (404, "The model `tiny` does not exist", Failure.NO_SUCH_MODEL, "name"),
        (400, "Model tiny not found", Failure.NO_SUCH_MODEL, "name"),
        (413, "Request too large", Failure.TOO_LONG, "Shorten"),
        (400, "This model's maximum context length is 8192 tokens", Failure.TOO_LONG, "Shorten"),
        (400, "exceeds the available context size", Failure.TOO_LONG, "Shorten"),
        (400, "messages must alternate", Failure.SERVER, "did not accept"),
        (500, "boom", Failure.SERVER, "The server itself failed"),
        (503, "overloaded", Failure.SERVER, "It has too many requests at the moment"),
        (504, "upstream", Failure.TIMED_OUT, "again"),
        (403, "Your team has used all available credits", Failure.PAYMENT, "credit"),
        (400, "Incorrect API key provided", Failure.UNAUTHORISED, "TEST_KEY"),
    ],
)
async def test_a_status_becomes_what_to_do(
    httpserver: HTTPServer, provider: OpenAIShaped, status: int, message: str, failure: Failure, words: str
) -> None:
    answers(httpserver, Response(json.dumps({"error": {"message": message}}), status, {"Retry-After": "0"}))
    error = await failure_of(provider)
    assert (error.failure, error.detail) == (failure, message)
    assert error.title.startswith("tiny on this machine")
    assert words in error.advice


async def test_without_a_key_a_401_names_the_variable(httpserver: HTTPServer) -> None:
    answers(httpserver, Response("no", status=401))
    error = await failure_of(OpenAIShaped(httpserver.url_for("/v1"), key_variable="TEST_KEY"))
    assert error.failure is Failure.MISSING_KEY
    assert "TEST_KEY" in error.advice


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ('{"error": "plain"}', "plain"),
        ('{"error": {"message": "inner", "code": "bad_model"}}', "inner (bad_model)"),
        ('{"message": "flat"}', "flat"),
        ('{"detail": [{"msg": "one"}, {"msg": "two"}]}', "one; two"),
        ("<html><style>b{}</style><h1>Bad\n gateway</h1></html>", "Bad gateway"),
        ("", ""),
        ("x" * 9000, "x" * 399 + "…"),
        ("[" * 9000, "[" * 399 + "…"),
    ],
    ids=["string", "code", "flat", "list", "html", "nothing", "long", "deep"],
)
async def test_what_the_server_said_is_short_and_plain(
    httpserver: HTTPServer, provider: OpenAIShaped, body: str, detail: str
) -> None:
    answers(httpserver, Response(body, status=400))
    assert (await failure_of(provider)).detail == detail


async def test_retry_after_is_obeyed(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    too_many = Response("slow down", status=429, headers={"Retry-After": "0.3"})
    requests = answers(httpserver, too_many, too_many, streamed(delta("Hi"), stop(), DONE))
    started = time.monotonic()
    assert await text_of(provider) == "Hi"
    assert time.monotonic() - started >= 0.6
    assert len(requests) == 3


async def test_a_server_that_stays_busy_is_asked_three_times(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, Response("slow down", status=429, headers={"Retry-After": "0"}))
    assert (await failure_of(provider)).failure is Failure.RATE_LIMITED
    assert len(requests) == 3


async def test_a_long_retry_after_is_told_not_waited_for(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, Response("slow down", status=429, headers={"Retry-After": "3600"}))
    error = await failure_of(provider)
    assert "60 minutes" in error.advice
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        ("90", "in 90 seconds"),
        ("7100", "in 118 minutes"),
        ("86400", "in 24 hours"),
        ("86401", "in 2 days"),
        ("100000", "in 2 days"),
        ("864000", "in 10 days"),
        ("1e15", "Try again later"),
    ],
)
async def test_a_wait_is_told_in_a_unit_that_people_count_in(
    httpserver: HTTPServer, provider: OpenAIShaped, seconds: str, told: str
) -> None:
    answers(httpserver, Response("slow down", status=429, headers={"Retry-After": seconds}))
    assert told in (await failure_of(provider)).advice


async def test_a_date_in_retry_after_is_understood(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    tomorrow = formatdate(time.time() + 7200, usegmt=True)
    answers(httpserver, Response("slow down", status=429, headers={"Retry-After": tomorrow}))
    assert "120 minutes" in (await failure_of(provider)).advice


async def test_a_failing_server_is_asked_once_more(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
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
    httpserver: HTTPServer, provider: OpenAIShaped, response: Response
) -> None:
    requests = answers(httpserver, response)
    async with aclosing(provider.stream(ASK)) as events:
        assert await anext(events) == TextDelta("Hel")
        with pytest.raises(ProviderError) as caught:
            await anext(events)
    assert caught.value.failure is Failure.UNREACHABLE
    assert len(requests) == 1


@pytest.mark.parametrize(
    "response",
    [
        streamed(delta("Hi"), b"data: {not json\n\n"),
        streamed(b"data: 42\n\n"),
        streamed(b"data: " + b"[" * 20_000 + b"\n\n"),
        Response("hello", content_type="text/plain"),
        Response("<html>Welcome</html>", content_type="text/html"),
        Response('{"status": "ok"}', content_type="application/json"),
        streamed(b'data: {"choices": ["x"]}\n\n'),
    ],
    ids=["no json", "a number", "too deep", "plain text", "a web page", "other json", "odd choice"],
)
async def test_nonsense_is_called_so(httpserver: HTTPServer, provider: OpenAIShaped, response: Response) -> None:
    answers(httpserver, response)
    assert (await failure_of(provider)).failure is Failure.NONSENSE


@pytest.mark.parametrize(
    ("response", "failure", "words"),
    [
        (streamed(stop(), DONE), Failure.EMPTY, "the answer is empty"),
        (streamed(delta(" \n"), stop(), DONE), Failure.EMPTY, "the answer is empty"),
        (streamed(stop("length"), DONE), Failure.EMPTY, "its token limit was reached before any text"),
        (streamed(stop("content_filter"), DONE), Failure.WITHHELD, "withheld by the provider's safety filter"),
    ],
    ids=["nothing", "blanks", "cut off", "filtered"],
)
async def test_an_empty_answer_is_an_error(
    httpserver: HTTPServer, provider: OpenAIShaped, response: Response, failure: Failure, words: str
) -> None:
    answers(httpserver, response)
    error = await failure_of(provider)
    assert error.failure is failure
    assert words in error.title
    assert error.advice


async def test_an_answer_that_is_cut_off_says_so(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    answers(httpserver, streamed(delta("Hel"), stop("length"), DONE))
    assert (await events_of(provider))[-1] == Finished(StopReason.LENGTH, Usage())


async def test_an_error_within_the_stream_counts_by_its_code(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    answers(httpserver, streamed(delta("Hel"), event(error={"message": "busy", "code": 429})))
    error = await failure_of(provider)
    assert (error.failure, error.detail) == (Failure.RATE_LIMITED, "busy")


async def test_a_slow_answer_times_out(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(delta("Hel"), delta("lo"), stop(), pause=0.5))
    slow = OpenAIShaped(httpserver.url_for("/v1"), read_seconds=0.1)
    assert (await failure_of(slow)).failure is Failure.TIMED_OUT


async def test_a_redirect_is_not_followed(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    httpserver.expect_request("/elsewhere").respond_with_data("never")
    answers(httpserver, Response("", status=307, headers={"Location": httpserver.url_for("/elsewhere")}))
    error = await failure_of(provider)
    assert error.failure is Failure.UNREACHABLE
    assert "/elsewhere" in error.advice
    assert [request.path for request, _ in httpserver.log] == [CHAT]


async def test_a_refused_connection_says_how_to_start_the_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        port = closing.getsockname()[1]
    error = await failure_of(OpenAIShaped(f"http://127.0.0.1:{port}/v1", start_hint="Start it."))
    assert (error.failure, error.advice) == (Failure.UNREACHABLE, "Start it.")


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "nonsense://x", "http://me:word@[bad"])
async def test_this_machine_is_reached_without_the_proxy(
    httpserver: HTTPServer, provider: OpenAIShaped, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    assert await text_of(provider) == "Hi"


async def test_a_proxy_that_cannot_be_used_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://me:word@proxy.example")
    error = await failure_of(OpenAIShaped("http://nowhere.invalid/v1"))
    assert error.failure is Failure.UNREACHABLE
    assert "ALL_PROXY" in error.advice
    assert "word" not in repr(vars(error))


async def test_an_unknown_host_is_called_so() -> None:
    error = await failure_of(OpenAIShaped("http://nowhere.invalid/v1"))
    assert error.failure is Failure.UNREACHABLE
    assert "host name is unknown" in error.title


async def test_https_to_a_server_without_it_is_called_so(httpserver: HTTPServer) -> None:
    error = await failure_of(OpenAIShaped(httpserver.url_for("/v1").replace("http:", "https:")))
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
        error = await failure_of(OpenAIShaped(server.url_for("/v1"), key=Secret(SECRET)))
    assert error.failure is Failure.UNREACHABLE
    assert "certificate" in error.title


async def test_cancelling_closes_the_connection_at_once(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    await assert_cancelling_closes(httpserver, provider, delta("more "))
