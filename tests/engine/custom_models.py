"""Answers of servers for models of a blueprint's own, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from engine.models.chat import ChatRequest, ProviderError, Turn
from engine.models.provider_registry import resolve
from tests.engine.provider_server import (
    TALK,
    answers,
    body_of,
    said,
    text_of,
)

pytestmark = pytest.mark.usefixtures("own_connections")


CHAT = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
TEXT = {"choices": [{"text": "Hi", "finish_reason": "stop"}]}
MESSAGE = {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
CANDIDATE = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
GENERATED = {"model", "messages", "max_tokens", "temperature", "stream", "stream_options"}


async def sent(
    httpserver: HTTPServer, definition: dict[str, Any], answer: Any = CHAT, *, of: tuple[Turn, ...] = TALK, **more: Any
) -> Request:
    """The request that a definition makes; where it has no `url`, it is asked at the server's."""
    whole = {"id": "own:model", "url": httpserver.url_for("/v1/x"), "modelName": "tiny", "inherit": "openai"}
    requests = answers(httpserver, said(answer))
    provider, name = resolve("own:model", custom=[whole | definition])
    assert await text_of(provider, ChatRequest(name, of, **more)) == "Hi"
    return requests[0]


async def sent_body(httpserver: HTTPServer, definition: dict[str, Any], **more: Any) -> dict[str, Any]:
    return body_of(await sent(httpserver, definition, **more))


def refused(**definition: Any) -> ProviderError:
    whole = {"id": "own:model", "url": "http://127.0.0.1/v1", "modelName": "tiny", "inherit": "openai"}
    with pytest.raises(ProviderError) as caught:
        resolve("own:model", custom=[{k: v for k, v in (whole | definition).items() if v is not ...}])
    return caught.value
