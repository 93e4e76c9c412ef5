"""A loopback server for tests of providers, and what they say to it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Role
from engine.models.chat import ChatEvent, ChatRequest, Provider, ProviderError, TextDelta, Turn
from tests.still_clock import standing_still

SECRET = "sk-test-7Hq2+/xyz"
TALK = (Turn(Role.SYSTEM, "Be brief."), Turn(Role.USER, "Hello"))
ASK = ChatRequest("tiny", TALK, max_tokens=50)
LONG_TALK = (*TALK, Turn(Role.ASSISTANT, "Hi there."), Turn(Role.USER, "And now?"))


def sse(data: Any, name: str = "") -> bytes:
    """One event of a stream, with its name where the format has names."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def streamed(*pieces: bytes, pause: float = 0.0, **headers: str) -> Response:
    """A streamed answer, piece by piece."""

    def body() -> Iterator[bytes]:
        for piece in pieces:
            yield piece
            time.sleep(pause)

    return Response(body(), content_type="text/event-stream", headers=headers)


def said(data: Any, status: int = 200, **headers: str) -> Response:
    """A whole answer in JSON."""
    return Response(json.dumps(data), status=status, content_type="application/json", headers=headers)


def answers(httpserver: HTTPServer, *responses: Response) -> list[Request]:
    """Each request, to whatever path, gets the next response, the last one again and again. Returns the requests."""
    requests: list[Request] = []

    def handle(request: Request) -> Response:
        request.get_data()
        requests.append(request)
        return responses[min(len(requests), len(responses)) - 1]

    httpserver.expect_request(re.compile(".*")).respond_with_handler(handle)
    return requests


async def events_of(provider: Provider, request: ChatRequest = ASK) -> list[ChatEvent]:
    """All events of an answer."""
    async with aclosing(provider.stream(request)) as events:
        return [event async for event in events]


async def text_of(provider: Provider, request: ChatRequest = ASK) -> str:
    """The text of an answer."""
    return "".join(event.text for event in await events_of(provider, request) if isinstance(event, TextDelta))


async def failure_of(provider: Provider, request: ChatRequest = ASK) -> ProviderError:
    """The failure that an answer ends with."""
    with pytest.raises(ProviderError) as caught:
        await events_of(provider, request)
    return caught.value


def body_of(request: Request) -> dict[str, Any]:
    """The JSON that was sent."""
    return json.loads(request.get_data())


async def assert_cancelling_closes(httpserver: HTTPServer, provider: Provider, block: bytes) -> None:
    """A request whose answer is `block` without end is cancelled at once, and the server notices that."""
    begun, noticed = threading.Event(), threading.Event()

    def endless() -> Iterator[bytes]:
        try:
            while True:
                yield block
                begun.set()
                time.sleep(0.01)
        finally:
            noticed.set()

    answers(httpserver, Response(endless(), content_type="text/event-stream"))
    task = asyncio.create_task(events_of(provider))
    assert await asyncio.to_thread(begun.wait, 30)
    with standing_still():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert await asyncio.to_thread(noticed.wait, 30)
