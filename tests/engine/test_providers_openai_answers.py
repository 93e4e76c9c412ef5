"""What the OpenAI-shaped client makes of answers, from a server on loopback that does what no good server would."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint.conversation import StopReason
from engine.models.chat import ChatRequest, Failure, Finished, ProviderError, TextDelta, Usage
from engine.models.server import OpenAIShaped
from tests.engine.openai_server import DONE, broken_off, delta, event, provider_at, stop
from tests.engine.provider_server import answers, events_of, failure_of, streamed, text_of

pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer) -> OpenAIShaped:
    return provider_at(httpserver)


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


async def test_a_refusal_is_an_answer_and_marked_as_one(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    answers(httpserver, streamed(delta(None, refusal="I can't help with that."), DONE))
    assert await events_of(provider) == [
        TextDelta("I can't help with that."),
        Finished(StopReason.REFUSAL, Usage()),
    ]
