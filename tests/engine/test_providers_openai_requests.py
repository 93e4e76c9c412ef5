"""What the OpenAI-shaped client sends, to a real HTTP server on loopback."""

from __future__ import annotations

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint import Role
from engine.models.chat import ChatRequest, Turn
from engine.models.server import OpenAIShaped
from tests.engine.openai_server import CHAT, DONE, delta, provider_at, stop
from tests.engine.provider_server import ASK, SECRET, answers, body_of, events_of, failure_of, streamed, text_of

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


async def test_a_server_that_refuses_to_count_usage_is_asked_without(
    httpserver: HTTPServer, provider: OpenAIShaped
) -> None:
    refusal = Response(json.dumps({"detail": [{"loc": ["body"], "msg": "extra: stream_options"}]}), status=422)
    requests = answers(httpserver, refusal, streamed(delta("Hi"), stop(), DONE), streamed(delta("Ho"), stop(), DONE))
    assert await text_of(provider) == "Hi"
    assert await text_of(OpenAIShaped(httpserver.url_for("/v1"))) == "Ho"
    assert ["stream_options" in body_of(request) for request in requests] == [True, False, False]


async def test_only_what_is_set_is_sent_under_its_name(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    requests = answers(httpserver, streamed(delta("Hi"), stop(), DONE))
    await events_of(provider, ChatRequest("tiny", ASK.turns, None, 50, "low"))
    body = body_of(requests[0])
    assert "temperature" not in body
    assert {name: body[name] for name in body.keys() - {"model", "messages", "stream", "stream_options"}} == {
        "max_tokens": 50,
        "reasoning_effort": "low",
    }


async def test_a_model_that_takes_no_temperature_of_0_is_asked_without(
    httpserver: HTTPServer, provider: OpenAIShaped
) -> None:
    message = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
    refusal = Response(json.dumps({"error": {"message": message}}), status=400)
    answer, later = (streamed(delta("Hi"), stop(), DONE) for _ in range(2))
    requests = answers(httpserver, refusal, answer, later)
    assert await text_of(provider) == "Hi"
    assert await text_of(provider) == "Hi"
    assert ["temperature" in body_of(request) for request in requests] == [True, False, False]


async def test_a_temperature_out_of_range_is_not_left_out(httpserver: HTTPServer, provider: OpenAIShaped) -> None:
    refusal = Response(json.dumps({"message": "temperature must be between 0.1 and 1"}), status=400)
    requests = answers(httpserver, refusal)
    assert "temperature must be" in (await failure_of(provider)).detail
    assert len(requests) == 1
