"""What servers of each wire format answer: the seeds of the attacks on their readers, as data in the file beside."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx

from engine.models import failures
from engine.models.chat import Finished, ProviderError, TextDelta
from engine.models.custom import CustomWire, Inherit
from engine.models.failures import RefusedError
from engine.models.http import Access
from engine.models.secret import Secret
from engine.models.server import events_of
from engine.models.wires import AnthropicWire, CompletionsWire, GoogleWire, OpenAIWire, Wire
from tests.fire.attacks import Outcome

KEY = "sk-canary-7Hq2+/xyz"
NAMED = failures.Request("tiny", "here.example", Access((), (Secret(KEY),)))
_URL = "http://here.example/v1"


@dataclass(frozen=True, slots=True)
class Shape:
    """One wire format: events of streams, whole bodies, and the name of each event where the format has names."""

    name: str
    wire: Wire = field(repr=False)
    streams: tuple[tuple[dict[str, Any], ...], ...] = field(repr=False)
    bodies: tuple[Any, ...] = field(repr=False)
    named_events: bool = False
    ends_with_done: bool = False


def _shape(name: str, wire: Wire, *, named_events: bool = False, ends_with_done: bool = False) -> Shape:
    replies = _REPLIES[name]
    return Shape(
        name, wire, tuple(map(tuple, replies["streams"])), tuple(replies["bodies"]), named_events, ends_with_done
    )


_REPLIES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_OPENAI = _shape("OpenAI", OpenAIWire(_URL), ends_with_done=True)
SHAPES = (
    _OPENAI,
    _shape("completions", CompletionsWire(_URL), ends_with_done=True),
    _shape("Anthropic", AnthropicWire(_URL), named_events=True),
    _shape("Google", GoogleWire(_URL)),
    Shape(
        "custom",
        CustomWire(OpenAIWire(_URL), Inherit.OPENAI, MappingProxyType({}), MappingProxyType({})),
        _OPENAI.streams[:3],
        _OPENAI.bodies[:2],
        ends_with_done=True,
    ),
)
ERRORS: tuple[Any, ...] = tuple(_REPLIES["errors"])
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
