"""What servers of each wire format answer, as data: the seeds of the attacks on their readers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import httpx

from engine.models import failures
from engine.models.chat import Finished, ProviderError, TextDelta
from engine.models.custom import CustomWire, Inherit
from engine.models.http import Access
from engine.models.secret import Secret
from engine.models.server import RefusedError, events_of
from engine.models.wires import AnthropicWire, CompletionsWire, GoogleWire, OpenAIWire, Wire
from tests.fire.attacks import Outcome

KEY = "sk-canary-7Hq2+/xyz"
NAMED = failures.Request("tiny", "here.example", Access((), (Secret(KEY),)))
_URL = "http://here.example/v1"
_TEXT = "Canberra — die Hauptstadt 🏛️ \u2028 e\u0301 \x1b[31m"


@dataclass(frozen=True, slots=True)
class Shape:
    """One wire format: events of streams, whole bodies, and the name of each event where the format has names."""

    name: str
    wire: Wire = field(repr=False)
    streams: tuple[tuple[dict[str, Any], ...], ...] = field(repr=False)
    bodies: tuple[Any, ...] = field(repr=False)
    named_events: bool = False
    ends_with_done: bool = False


def _delta(content: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"role": "assistant", "content": content, **more}}], "model": "tiny-1"}


_USAGE = {"prompt_tokens": 7, "completion_tokens": 12, "total_tokens": 19}
_STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "model": "tiny-1"}
_TOOL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
_PARTS = [
    {"type": "text", "text": "Can"},
    {"type": "output_text", "text": "berra"},
    {"type": "refusal", "refusal": "No."},
]
_OPENAI = Shape(
    "OpenAI",
    OpenAIWire(_URL),
    (
        (_delta("Can"), _delta("ber"), _delta(_TEXT), _STOP, {"choices": [], "usage": _USAGE}),
        (_delta(None, reasoning="Hm."), _delta(_PARTS), {**_STOP, "usage": _USAGE, "object": "chat.completion.chunk"}),
        (_delta("x", tool_calls=[_TOOL]), {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        (_delta("", refusal="I can't."), _STOP),
        (_delta("C"), {"choices": [{"delta": {}, "finish_reason": "length", "native_finish_reason": "MAX_TOKENS"}]}),
        (_delta("C"), {"error": {"message": "busy", "type": "server_error", "code": 429}}),
        (_delta("C"), {"choices": [{"delta": {}, "finish_reason": "content_filter"}]}),
    ),
    (
        {"choices": [{"message": {"role": "assistant", "content": _TEXT}, "finish_reason": "stop"}], "usage": _USAGE},
        {"choices": [{"message": {"content": _PARTS, "refusal": None}, "finish_reason": "stop"}], "model": "tiny-1"},
        {"choices": [{"message": {"content": "C", "tool_calls": [_TOOL]}, "finish_reason": "tool_calls"}]},
    ),
    ends_with_done=True,
)
_COMPLETIONS = Shape(
    "completions",
    CompletionsWire(_URL),
    (({"choices": [{"text": "Can"}]}, {"choices": [{"text": _TEXT, "finish_reason": "stop"}], "usage": _USAGE}),),
    ({"choices": [{"text": _TEXT, "finish_reason": "length"}], "usage": _USAGE, "model": "tiny-1"},),
    ends_with_done=True,
)
_START = {"type": "message_start", "message": {"model": "claude-x", "content": [], "usage": {"input_tokens": 7}}}
_BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

_THOUGHT = {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm."}}
_LAST = {"type": "message_stop"}


def _text_delta(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def _ending(reason: str, **more: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}, "usage": {"output_tokens": 12}}


_ANTHROPIC = Shape(
    "Anthropic",
    AnthropicWire(_URL),
    (
        (_START, _BLOCK, {"type": "ping"}, _text_delta("Can"), _text_delta(_TEXT), _ending("end_turn"), _LAST),
        (_START, _THOUGHT, _text_delta("C"), _ending("max_tokens"), _LAST),
        (_START, _text_delta("C"), _ending("refusal", stop_details={"category": "cyber"}), _LAST),
        (_START, _text_delta("C"), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ),
    (
        {"type": "message", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": _TEXT}]}
        | {"stop_reason": "end_turn", "model": "claude-x", "usage": {"input_tokens": 7, "output_tokens": 12}},
        {"type": "message", "content": [{"type": "tool_use", "name": "find", "input": {"q": 1}}]}
        | {"stop_reason": "tool_use"},
    ),
    named_events=True,
)


def _piece(*parts: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": reason} if reason else {})], **more}


_COUNTED = {"promptTokenCount": 7, "candidatesTokenCount": 5, "thoughtsTokenCount": 3}
_END = _piece({"text": _TEXT}, reason="STOP", usageMetadata=_COUNTED, modelVersion="gemini-x")
_GOOGLE = Shape(
    "Google",
    GoogleWire(_URL),
    (
        (_piece({"text": "Can"}), _piece({"text": "Hm.", "thought": True}), _END),
        (_piece({"functionCall": {"name": "find", "args": {}}}, reason="UNEXPECTED_TOOL_CALL"),),
        ({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": _COUNTED},),
        (_piece({"text": "Can"}), {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}),
    ),
    (_END, [_piece({"text": "Can"}), _END]),
)
_CUSTOM = Shape(
    "custom",
    CustomWire(OpenAIWire(_URL), Inherit.OPENAI, MappingProxyType({}), MappingProxyType({})),
    _OPENAI.streams[:3],
    _OPENAI.bodies[:2],
    ends_with_done=True,
)
SHAPES = (_OPENAI, _COMPLETIONS, _ANTHROPIC, _GOOGLE, _CUSTOM)

ERRORS: tuple[Any, ...] = (
    {"error": {"message": "Unsupported parameter: 'max_tokens'", "type": "invalid_request_error"}}
    | {"param": "max_tokens", "code": "unsupported_parameter"},
    {
        "detail": [
            {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
        ]
    },
    {"object": "error", "message": json.dumps({"detail": [{"loc": ["body", "top_p"], "msg": "Extra inputs"}]})},
    {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": '{"error":{"message":"no"}}'}}},
    {"code": "Client specified an invalid argument", "error": "Argument not supported on this model: stop"},
    {"type": "error", "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated."}},
    {"error": {"code": 400, "message": "Invalid JSON payload received.", "status": "INVALID_ARGUMENT"}}
    | {"details": [{"fieldViolations": [{"field": "generation_config.topK", "description": "Cannot find field."}]}]},
    {"error": {"message": "Rate limit", "details": [{"retryDelay": "37s"}]}},
    {"error": {"message": f"Incorrect API key provided: {KEY}", "type": "invalid_request_error"}},
    {"error": {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}},
    {"error": {"message": "Your credit balance is too low", "type": "insufficient_quota"}},
)
SENT = ("temperature", "max_tokens", "stream", "stream_options", "top_p", "topK", "stop", "generationConfig.topK")


class Body(httpx.AsyncByteStream):
    """The blocks of a body as they come from the network."""

    def __init__(self, blocks: Sequence[bytes]) -> None:
        self._blocks = blocks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for block in self._blocks:
            yield block


def response_of(blocks: Sequence[bytes], headers: dict[str, str], status: int = 200) -> httpx.Response:
    """A response whose body is not read yet."""
    request = httpx.Request("POST", _URL)
    encoded = {name.encode(): value.encode() for name, value in headers.items()}
    return httpx.Response(status, headers=encoded, stream=Body(blocks), request=request)


async def answer_of(wire: Wire, response: httpx.Response) -> Outcome:
    """The answer in a response, read as `ChatServer` reads it: its text and end, or the failure for the author."""
    pieces: list[str] = []
    end: Finished | None = None
    try:
        async for event in events_of(response, wire, NAMED, read_seconds=60.0):
            if isinstance(event, TextDelta):
                pieces.append(event.text)
            elif isinstance(event, Finished):
                end = event
    except RefusedError as error:
        return _failed(pieces, error.as_failure(NAMED))
    except ProviderError as error:
        return _failed(pieces, error)
    except httpx.HTTPError as error:
        return _failed(pieces, failures.from_transport(NAMED, error, bool(pieces)))
    finally:
        await response.aclose()
    if end is None:
        raise ValueError("an answer ended without an end")
    return Outcome("answered", _without_key("".join(pieces), end, end.stop.label, end.word, end.model or ""))


def _failed(pieces: Sequence[str], error: ProviderError) -> Outcome:
    found = ("".join(pieces), error.finished, error.failure, error.title, error.detail, error.advice)
    return Outcome(f"failed ({error.failure})", _without_key(*found))


def _without_key(*found: Any) -> tuple[Any, ...]:
    if any(KEY in text for text in found if isinstance(text, str)):
        raise ValueError("a key came back")
    return found
