"""Models of a blueprint's own: what each documented field does to the bytes on the wire (002 and 004)."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from engine import parse
from engine.models.chat import ChatRequest
from engine.models.custom import Inherit
from engine.models.provider_registry import resolve
from tests.engine.custom_models import CANDIDATE, CHAT, GENERATED, MESSAGE, TEXT, sent, sent_body
from tests.engine.provider_server import (
    SECRET,
    TALK,
    answers,
    body_of,
    events_of,
    said,
    text_of,
)

# The examples of the documents, as blueprints


async def of_the_documents(httpserver: HTTPServer, definition: str, answer: Any = CHAT) -> Request:
    """What a definition written in a blueprint sends, with its server replaced by ours."""
    lines = "".join(f"    {line}\n" for line in definition.strip().splitlines())
    url = f"    url: '{httpserver.url_for('/own')}'\n"
    blueprint = parse(f"models:\n  - openai:gpt-4o-mini\n  -\n{lines}{url}---\n- prompt: Hello\n").blueprint
    [_, model] = blueprint.header.models
    assert isinstance(model, dict)
    requests = answers(httpserver, said(answer))
    provider, name = resolve(str(model["id"]), custom=blueprint.header.models)
    await events_of(provider, ChatRequest(name, TALK))
    return requests[0]


async def test_a_local_model_with_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:llama3-8b'
modelName: 'llama3:instruct'
inherit: 'openai'
headers:
  Authorization: 'Bearer whatever-i-want'
parameters:
  max_tokens: 150      # Override system default
  stream: null         # Remove stream parameter entirely
""",
    )
    assert request.path == "/own"
    assert request.headers["Authorization"] == "Bearer whatever-i-want"
    assert body_of(request) == {
        "model": "llama3:instruct",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.0,
        "max_tokens": 150,
    }


async def test_a_local_model_in_completions_format(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:llama-completions'
modelName: 'llama-3-8b-instruct'
inherit: 'openai'
format: 'completions'
parameters:
  max_tokens: 100
  stream: null
  temperature: 0.7
""",
        TEXT,
    )
    assert body_of(request) == {
        "model": "llama-3-8b-instruct",
        "prompt": "Be brief.\n\nUser: Hello\nAssistant:",
        "temperature": 0.7,
        "max_tokens": 100,
    }


async def test_a_proxy_that_speaks_anthropic_s_format(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXY_API_KEY", SECRET)
    request = await of_the_documents(
        httpserver,
        """
id: 'proxy:claude-sonnet'
modelName: 'claude-3-sonnet-20240229'
inherit: 'anthropic'
headers:
  X-API-Key: '${PROXY_API_KEY}'
  X-Custom-Header: 'value'
""",
        MESSAGE,
    )
    assert request.headers["x-api-key"] == SECRET
    assert request.headers["x-custom-header"] == "value"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert body_of(request) == {
        "model": "claude-3-sonnet-20240229",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 0.0,
        "max_tokens": 1500,
        "stream": True,
    }


async def test_controlled_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:controlled-model'
modelName: 'custom-model'
inherit: 'openai'
parameters:
  max_tokens: 100
  temperature: 0.9
  stream: null
  stop: ['END', 'STOP']
  custom_param: 'value'
""",
    )
    body = body_of(request)
    assert body.keys() == {"model", "messages", "max_tokens", "temperature", "stop", "custom_param"}
    assert (body["max_tokens"], body["temperature"]) == (100, 0.9)
    assert (body["stop"], body["custom_param"]) == (["END", "STOP"], "value")


async def test_mapped_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'custom:mapped-params'
modelName: 'special-model'
inherit: 'openai'
parameterMapping:
  temperature: 'heat'
  maxTokens: 'token_limit'
  topP: 'nucleus_sampling'
parameters:
  heat: 0.9
  token_limit: 200
  custom_param: 'value'
""",
    )
    body = body_of(request)
    assert body.keys() == {"model", "messages", "heat", "token_limit", "custom_param", "stream", "stream_options"}
    assert (body["heat"], body["token_limit"], body["custom_param"]) == (0.9, 200, "value")


async def test_variables_in_headers(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTERPRISE_API_KEY", SECRET)
    monkeypatch.setenv("ENTERPRISE_ORG_ID", "42")
    request = await of_the_documents(
        httpserver,
        """
id: 'private:enterprise-model'
modelName: 'enterprise-gpt'
inherit: 'openai'
headers:
  Authorization: 'Bearer ${ENTERPRISE_API_KEY}'
  X-Org-ID: '${ENTERPRISE_ORG_ID}'
""",
    )
    assert request.headers["Authorization"] == f"Bearer {SECRET}"
    assert request.headers["X-Org-ID"] == "42"


# inherit


async def test_who_inherits_from_mistral_does_not_ask_for_the_count_of_tokens(httpserver: HTTPServer) -> None:
    assert (await sent_body(httpserver, {"inherit": "mistral"})).keys() == GENERATED - {"stream_options"}


@pytest.mark.parametrize("inherit", ["openai", "together", "xai", "openrouter"])
async def test_who_speaks_openai_s_format_gets_messages(httpserver: HTTPServer, inherit: str) -> None:
    body = await sent_body(httpserver, {"inherit": inherit})
    assert body.keys() == GENERATED
    assert (body["model"], body["stream"]) == ("tiny", True)


async def test_who_speaks_google_s_format_gets_contents(httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/models/own:generateContent")
    request = await sent(httpserver, {"inherit": "google", "url": url}, CANDIDATE)
    assert request.path == "/models/own:generateContent"
    assert body_of(request) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 1500},
    }


@pytest.mark.parametrize("inherit", list(Inherit))
async def test_no_key_but_its_own_is_sent_to_a_custom_address(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, inherit: Inherit
) -> None:
    monkeypatch.setenv(f"{inherit.upper()}_API_KEY", SECRET)
    monkeypatch.setenv("BLUEPRINT_STUDIO_API_KEY", SECRET)
    answer = {Inherit.ANTHROPIC: MESSAGE, Inherit.GOOGLE: CANDIDATE}.get(inherit, CHAT)
    request = await sent(httpserver, {"inherit": inherit.value}, answer)
    assert SECRET not in str(request.headers) + request.get_data(as_text=True) + request.url


async def test_an_own_model_named_like_a_reasoning_one_is_sent_what_is_documented(httpserver: HTTPServer) -> None:
    body = await sent_body(httpserver, {"modelName": "o1-local"})
    assert body.keys() == GENERATED


async def test_a_definition_wins_over_a_provider_of_its_name(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(CHAT))
    own: dict[str, Any] = {
        "id": "openai:gpt-4o",
        "url": httpserver.url_for("/own"),
        "modelName": "mine",
        "inherit": "openai",
    }
    provider, name = resolve("openai:gpt-4o", custom=["openai:gpt-4o", own])
    assert await text_of(provider, ChatRequest(name, TALK)) == "Hi"
    assert (requests[0].path, body_of(requests[0])["model"]) == ("/own", "mine")
