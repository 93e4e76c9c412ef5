"""Google's Gemini API on the wire, against a real server on loopback."""

from __future__ import annotations

import time
import traceback
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint.conversation import StopReason
from engine.models.chat import ChatRequest, Failure, Finished, Provider, TextDelta, Usage
from engine.models.provider_registry import resolve
from tests.engine.provider_server import (
    LONG_TALK,
    SECRET,
    TALK,
    answers,
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
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for(""))
    return resolve("google:gemini-2.5-flash")[0]


def piece(*parts: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": reason} if reason else {})], **more}


COUNTED = {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 12}
END = piece({"text": "lo"}, reason="STOP", usageMetadata=COUNTED, modelVersion="gemini-x")
HI = sse(piece({"text": "Hi"}, reason="STOP"))


# What is sent


async def test_messages_are_contents_and_settings_stand_in_their_place(
    httpserver: HTTPServer, provider: Provider
) -> None:
    requests = answers(httpserver, streamed(HI))
    await events_of(provider, ChatRequest("gemini-2.5-flash", LONG_TALK, 0.0, 50))
    [request] = requests
    assert request.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
    assert request.query_string == b"alt=sse"
    assert request.headers["x-goog-api-key"] == SECRET
    assert "Authorization" not in request.headers
    assert body_of(request) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hello"}]},
            {"role": "model", "parts": [{"text": "Hi there."}]},
            {"role": "user", "parts": [{"text": "And now?"}]},
        ],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 50},
    }


async def test_without_a_system_prompt_none_is_sent(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, streamed(HI))
    await events_of(provider, ChatRequest("gemini-x", TALK[1:]))
    assert "systemInstruction" not in body_of(requests[0])


async def test_every_setting_has_its_name(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, streamed(HI))
    await events_of(provider, ChatRequest("gemini-x", TALK, thinking_budget=0))
    assert body_of(requests[0])["generationConfig"] == {
        "temperature": 0.0,
        "maxOutputTokens": 1500,
        "thinkingConfig": {"thinkingBudget": 0},
    }


async def test_an_effort_becomes_a_budget(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, streamed(HI))
    await events_of(provider, ChatRequest("gemini-x", TALK, reasoning_effort="medium"))
    assert body_of(requests[0])["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 4096}


async def test_a_model_s_name_stays_within_its_part_of_the_address(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, streamed(HI))
    await events_of(provider, ChatRequest("models/../x?y", TALK))
    assert requests[0].environ["REQUEST_URI"] == "/v1beta/models/..%2Fx%3Fy:streamGenerateContent?alt=sse"


# What comes back


async def test_an_answer_arrives_with_usage_and_stop_reason(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, streamed(sse(piece({"text": "Hel"})), sse(END)))
    assert await events_of(provider) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(StopReason.STOP, Usage(7, 2), "gemini-x"),
    ]


async def test_thoughts_are_no_part_of_the_answer_but_counted(httpserver: HTTPServer, provider: Provider) -> None:
    thought = sse(piece({"text": "hm", "thought": True}))
    end = piece({"text": "Hi"}, reason="STOP", usageMetadata=COUNTED | {"thoughtsTokenCount": 3})
    answers(httpserver, streamed(thought, sse(end)))
    assert await events_of(provider) == [TextDelta("Hi"), Finished(StopReason.STOP, Usage(7, 5))]


@pytest.mark.parametrize(
    "response",
    [said(piece({"text": "Hel"}) | END), said([piece({"text": "Hel"}), END])],
    ids=["one answer", "a list of pieces"],
)
async def test_what_is_not_streamed_is_understood(
    httpserver: HTTPServer, provider: Provider, response: Response
) -> None:
    answers(httpserver, response)
    assert (await events_of(provider))[-1] == Finished(StopReason.STOP, Usage(7, 2), "gemini-x")


async def test_a_list_of_pieces_is_joined(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, said([piece({"text": "Hel"}), END]))
    assert await text_of(provider) == "Hello"


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_a_stream_may_be_cut_anywhere(httpserver: HTTPServer, provider: Provider, size: int) -> None:
    raw = (sse(piece({"text": "é€😀"})) + sse(END)).replace(b"\n", b"\r\n")
    answers(httpserver, streamed(*(raw[start : start + size] for start in range(0, len(raw), size)), pause=0.0002))
    assert await text_of(provider) == "é€😀lo"


# What goes wrong


@pytest.mark.parametrize(
    ("status", "message", "failure", "words"),
    [
        (400, "API key not valid. Please pass a valid API key.", Failure.UNAUTHORISED, "GOOGLE_API_KEY"),
        (403, "Permission denied", Failure.UNAUTHORISED, "GOOGLE_API_KEY"),
        (404, "models/gemini-x is not found for API version v1beta", Failure.NO_SUCH_MODEL, "model's name"),
        (
            400,
            "The input token count (2000) exceeds the maximum number of tokens allowed (1000).",
            Failure.TOO_LONG,
            "Shorten",
        ),
        (500, "An internal error has occurred", Failure.SERVER, "The server itself failed"),
    ],
)
async def test_a_failure_says_what_to_do(
    httpserver: HTTPServer, provider: Provider, status: int, message: str, failure: Failure, words: str
) -> None:
    answers(httpserver, said({"error": {"code": status, "message": message, "status": "X"}}, status))
    error = await failure_of(provider)
    assert (error.failure, error.detail) == (failure, message)
    assert words in error.advice


def quota(**details: Any) -> Response:
    message = "You exceeded your current quota, please check your plan and billing details."
    return said({"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", **details}}, 429)


async def test_a_pause_in_the_error_is_obeyed(httpserver: HTTPServer, provider: Provider) -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}
    requests = answers(httpserver, quota(details=[info]), streamed(HI))
    started = time.monotonic()
    assert await text_of(provider) == "Hi"
    assert time.monotonic() - started >= 0.3
    assert len(requests) == 2


async def test_a_quota_that_does_not_come_back_is_a_matter_of_money(httpserver: HTTPServer, provider: Provider) -> None:
    requests = answers(httpserver, quota())
    assert (await failure_of(provider)).failure is Failure.PAYMENT
    assert len(requests) == 1


async def test_an_error_within_the_stream_counts_by_its_code(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, streamed(sse(piece({"text": "Hel"})), sse({"error": {"code": 404, "message": "gone"}})))
    assert (await failure_of(provider)).failure is Failure.NO_SUCH_MODEL


async def test_a_stream_without_an_end_is_not_whole(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, streamed(sse(piece({"text": "Hel"}))))
    error = await failure_of(provider)
    assert error.failure is Failure.UNREACHABLE
    assert "not the whole answer" in error.advice


@pytest.mark.parametrize("body", [{}, {"choices": []}, [1], [], "x", {"candidates": "y"}])
async def test_nonsense_is_called_so(httpserver: HTTPServer, provider: Provider, body: Any) -> None:
    answers(httpserver, said(body))
    assert (await failure_of(provider)).failure is Failure.NONSENSE


async def test_a_key_that_comes_back_is_in_no_error(httpserver: HTTPServer, provider: Provider) -> None:
    answers(httpserver, said({"error": {"message": f"API key not valid: {SECRET}"}}, 400))
    error = await failure_of(provider)
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert SECRET not in told + repr(vars(error))
