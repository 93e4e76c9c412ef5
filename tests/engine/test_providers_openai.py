"""What the OpenAI-shaped client sends, to a real HTTP server on loopback."""

from __future__ import annotations

import json
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

from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.models.chat import ChatRequest, Failure, Finished, ProviderError, TextDelta, Turn, Usage
from engine.models.secret import Secret
from engine.models.server import OpenAIShaped
from tests.engine.openai_server import CHAT, DONE, broken_off, delta, event, provider_at, stop
from tests.engine.provider_server import (
    ASK,
    SECRET,
    answers,
    assert_cancelling_closes,
    body_of,
    events_of,
    failure_of,
    streamed,
    text_of,
)

# What the OpenAI-shaped client sends, to a real HTTP server on loopback


pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer) -> OpenAIShaped:
    return provider_at(httpserver)


async def test_the_request_is_weval_s(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider)
    assert requests[0].path == CHAT
    assert requests[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert body_of(requests[0]) == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.0,
        "max_tokens": 50,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize("model", ["o1", "o1-mini", "o3-mini", "gpt-5", "gpt-5-mini", "gpt-5.1", "openai/o3"])
async def test_reasoning_families_get_no_temperature(
    httpserver: HTTPServer, provider: OpenAIShaped, model: str
) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider, ChatRequest(model, ASK.turns, max_tokens=50))
    body = body_of(requests[0])
    assert body["max_completion_tokens"] == 50
    assert not body.keys() & {"max_tokens", "temperature"}


@pytest.mark.parametrize("model", ["gpt-4o", "o1x", "gpt-50", "llama3:8b"])
async def test_other_models_get_a_temperature(httpserver: HTTPServer, provider: OpenAIShaped, model: str) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider, ChatRequest(model, ASK.turns))
    assert body_of(requests[0])["temperature"] == 0.0


async def test_a_lone_surrogate_in_a_prompt_can_be_sent(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider, ChatRequest("tiny", (Turn(Role.USER, "a\ud800b"),)))
    assert body_of(requests[0])["messages"][0]["content"] == "a\ud800b"


async def test_only_what_is_set_is_sent_under_its_name(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider, ChatRequest("tiny", ASK.turns, None, 50, "low"))
    body = body_of(requests[0])
    assert "temperature" not in body
    assert {name: body[name] for name in body.keys() - {"model", "messages", "stream", "stream_options"}} == {
        "max_tokens": 50,
        "reasoning_effort": "low",
    }


# What the OpenAI-shaped client makes of answers, from a server on loopback that does what no good server would


async def test_an_answer_arrives_piece_by_piece_with_usage_and_stop_reason(
    httpserver: HTTPServer, provider: OpenAIShaped
) -> None:
    usage = event(model="tiny-2", choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})
    answers(httpserver, streamed(delta("Hel"), delta("lo"), stop("length"), usage, DONE))
    assert await events_of(provider) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(StopReason.LENGTH, Usage(7, 2), "tiny-2"),
    ]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ((delta(None, role="assistant"), delta("Hi")), "Hi"),
        ((delta([{"type": "text", "text": "H"}, {"type": "image"}, {"type": "text", "text": "i"}]),), "Hi"),
        ((delta(None, reasoning_content="Let me think"), delta("Hi", reasoning="hm")), "Hi"),
        ((b": a comment to keep the line open\n\n", delta("Hi")), "Hi"),
        ((delta("Hi").replace(b"\n", b"\r\n"),), "Hi"),
        ((event(choices=[], prompt_filter_results=[]), delta("Hi")), "Hi"),
        ((delta("a\u2028b\x1b[31m\x00"),), "a\u2028b\x1b[31m\x00"),
        ((b"\xef\xbb", b"\xbf" + delta("Hi")), "Hi"),
        ((b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n', delta("\ude00!")), "\U0001f600!"),
        ((b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n',), "a\ufffd"),
    ],
    ids=[
        "null",
        "parts",
        "reasoning",
        "comment",
        "crlf",
        "no choices",
        "controls",
        "mark",
        "cut character",
        "half character",
    ],
)
async def test_what_servers_do_differently_is_tolerated(
    httpserver: HTTPServer, provider: OpenAIShaped, pieces: tuple[bytes, ...], text: str
) -> None:
    answers(httpserver, streamed(*pieces, stop(), DONE))
    assert await text_of(provider) == text


async def test_half_a_character_in_what_a_server_calls_things_is_shown_as_such(
    httpserver: HTTPServer, provider: OpenAIShaped
) -> None:
    end = {"index": 0, "delta": {}, "finish_reason": "x\ud800"}
    answers(httpserver, streamed(delta("Hi"), event(choices=[end], model="tiny-\udc00"), DONE))
    *_, finished = await events_of(provider)
    assert isinstance(finished, Finished)
    assert (finished.model, finished.word) == ("tiny-\ufffd", "x\ufffd")


@pytest.mark.parametrize("count", [-1, 1.5, True, "7", None, 10**13, 10**400])
async def test_a_count_that_can_be_none_is_not_counted(
    httpserver: HTTPServer, provider: OpenAIShaped, count: Any
) -> None:
    answers(httpserver, streamed(delta("Hi"), event(usage={"prompt_tokens": count}), stop(), DONE))
    *_, finished = await events_of(provider)
    assert isinstance(finished, Finished)
    assert finished.usage == Usage(None, None)


async def test_a_character_cut_between_packets_arrives_whole(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    raw = 'data: {"choices":[{"delta":{"content":"é€😀"}}]}\n\n'.encode()
    answers(httpserver, streamed(*(bytes([byte]) for byte in raw), stop(), DONE, pause=0.001))
    assert await text_of(provider) == "é€😀"


async def test_a_server_that_does_not_stream_is_understood(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    answers(httpserver, Response(json.dumps(whole), content_type="application/json"))
    assert await events_of(provider) == [TextDelta("Hi"), Finished(StopReason.STOP, Usage(3, 1))]


@pytest.mark.parametrize("end", [(stop(),), (DONE,)], ids=["a stop reason", "the last line"])
async def test_a_stream_ends_by_either_sign(
    httpserver: HTTPServer, provider: OpenAIShaped, end: tuple[bytes, ...]
) -> None:
    answers(httpserver, streamed(delta("Hi"), *end))
    assert await text_of(provider) == "Hi"


async def test_a_server_that_never_closes_the_line_has_answered_all_the_same(
    httpserver: HTTPServer, provider: OpenAIShaped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.server._AFTERTHOUGHT_SECONDS", 0.1)
    answers(httpserver, streamed(delta("Hi"), stop(), *[b": still here\n\n"] * 3000, pause=0.02))
    started = time.monotonic()
    assert await events_of(provider) == [TextDelta("Hi"), Finished(StopReason.STOP, Usage())]
    assert time.monotonic() - started < 30  # it goes on for a minute


async def test_a_line_that_breaks_after_the_answer_is_no_failure(
    httpserver: HTTPServer, provider: OpenAIShaped
) -> None:
    answers(httpserver, broken_off(delta("Hi"), stop()))
    assert (await events_of(provider))[-1] == Finished(StopReason.STOP, Usage())


async def test_a_line_kept_open_without_a_word_times_out(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(*[b": keep-alive\n\n"] * 200, pause=0.02))
    silent = OpenAIShaped(httpserver.url_for("/v1"), read_seconds=0.2)
    error = await failure_of(silent)
    assert error.failure is Failure.TIMED_OUT
    assert "nothing was sent" in error.detail


@pytest.mark.parametrize("piece", [b": still here\n\n", delta("Hi ")], ids=["comments", "single words"])
async def test_an_answer_that_does_not_end_ends_with_its_time(httpserver: HTTPServer, piece: bytes) -> None:
    answers(httpserver, streamed(*[piece] * 500, pause=0.02))
    request = ChatRequest("m", (), seconds=0.3)
    with pytest.raises(ProviderError, match=r"no whole answer within 0\.3 seconds") as error:
        async for _ in OpenAIShaped(httpserver.url_for("/v1")).stream(request):
            pass
    assert error.value.failure is Failure.TIMED_OUT


def test_an_answer_may_take_ten_minutes_unless_its_request_says_otherwise() -> None:
    assert ChatRequest("m", ()).seconds == 600


async def test_keep_alives_before_the_answer_do_no_harm(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    answers(httpserver, streamed(*[b": PROCESSING\n\n"] * 5, delta("Hi"), stop(), DONE, pause=0.02))
    assert await text_of(provider) == "Hi"


# What the OpenAI-shaped client makes of failures: of the server, and of the way to it


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
    ],
    ids=["nothing", "blanks", "cut off"],
)
async def test_an_empty_answer_is_an_error(
    httpserver: HTTPServer, provider: OpenAIShaped, response: Response, failure: Failure, words: str
) -> None:
    answers(httpserver, response)
    error = await failure_of(provider)
    assert error.failure is failure
    assert words in error.title
    assert error.advice


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


# Keys stay where they belong: in no error and no event of the OpenAI-shaped client, whatever the server repeats


@pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500])
async def test_a_key_that_the_server_repeats_is_in_no_error(
    httpserver: HTTPServer, provider: OpenAIShaped, status: int
) -> None:
    told = json.dumps({"error": {"message": f"Incorrect API key: {SECRET}"}})
    answers(httpserver, Response(told, status=status, headers={"Retry-After": "0"}))
    error = await failure_of(provider)
    whole = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert "***" in error.detail
    assert SECRET not in "".join((*whole, error.title, error.detail, error.advice, repr(error), repr(vars(error))))


@pytest.mark.parametrize(
    "response",
    [
        streamed(event(error={"message": SECRET, "code": 400})),
        Response(SECRET, content_type="text/html"),
        streamed(b"data: " + SECRET.encode() + b"\n\n"),
    ],
    ids=["error in the stream", "web page", "nonsense"],
)
async def test_a_key_in_what_came_instead_of_an_answer_is_in_no_error(
    httpserver: HTTPServer, provider: OpenAIShaped, response: Response
) -> None:
    answers(httpserver, response)
    assert (await failure_of(provider)).detail == "***"


async def test_a_key_is_in_no_error_about_the_way() -> None:
    error = await failure_of(OpenAIShaped("http://nowhere.invalid/v1", key=Secret(SECRET)))
    whole = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert SECRET not in "".join(whole)


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_a_key_that_the_server_repeats_is_in_no_event(
    httpserver: HTTPServer, provider: OpenAIShaped, size: int
) -> None:
    said = f"Your key is {SECRET}, is it not? sk-t"
    pieces = [delta(said[start : start + size]) for start in range(0, len(said), size)]
    answers(httpserver, streamed(*pieces, event(choices=[], model=SECRET), stop(), DONE))
    events = await events_of(provider)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Your key is ***, is it not? sk-t"
    assert SECRET not in repr(events)


def test_an_address_with_a_password_is_named_without_it() -> None:
    assert OpenAIShaped("http://me:word@models.example:8000/v1").recipient == "models.example:8000"
