"""What an OpenAI-shaped server on loopback streams, and the client that asks it."""

from __future__ import annotations

import json
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.models.http import Access
from engine.models.secret import Secret
from engine.models.server import ChatServer
from engine.models.wires import openai_wire
from tests.engine.provider_server import SECRET, streamed

CHAT = "/v1/chat/completions"
DONE = b"data: [DONE]\n\n"


def chat_server(
    base_url: str, *, key: Secret | None = None, key_variable: str | None = None, **more: Any
) -> ChatServer:
    """The client of a server of OpenAI's format whose address ends before `/chat/completions`."""
    wire = openai_wire(base_url)
    return ChatServer(wire, wire.url, Access.by(key, key_variable), **more)


def provider_at(httpserver: HTTPServer) -> ChatServer:
    """A client with a key from a variable of its own, and little patience."""
    return chat_server(httpserver.url_for("/v1"), key=Secret(SECRET), key_variable="TEST_KEY", read_seconds=2.0)


def event(**fields: Any) -> bytes:
    """One event of a stream, in ASCII."""
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def delta(content: Any, **delta_fields: Any) -> bytes:
    """The event with a piece of the answer."""
    return event(choices=[{"index": 0, "delta": {"content": content, **delta_fields}, "finish_reason": None}])


def stop(reason: str = "stop") -> bytes:
    """The event that ends the answer."""
    return event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])


def broken_off(*pieces: bytes) -> Response:
    """A streamed answer that is shorter than its length says."""
    response = streamed(*pieces)
    response.headers["Content-Length"] = "100000"
    return response
