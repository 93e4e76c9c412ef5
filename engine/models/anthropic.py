"""Anthropic's Messages API: `POST /v1/messages`, streamed as typed events."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, cast

from engine.blueprint import Role
from engine.models.chat import ChatRequest, Knob, Usage
from engine.models.wire import (
    Adaptable,
    Chunk,
    Names,
    Written,
    count_of,
    fields_of,
    items_of,
    stop_of,
    system_text,
    text_of,
    thinking,
    thinking_budget,
    withheld,
)
from engine.text.record import Record, field, replace

VERSION = "2023-06-01"
NAMES: Names = MappingProxyType(
    {
        Knob.TEMPERATURE: "temperature",
        Knob.MAX_TOKENS: "max_tokens",
        Knob.TOP_P: "top_p",
        Knob.TOP_K: "top_k",
        Knob.STOP: "stop_sequences",
        Knob.THINKING_BUDGET: "thinking",
    }
)
ADAPTABLE: Adaptable = MappingProxyType(
    {"stream": None, **{name: knob for knob, name in NAMES.items() if knob is not Knob.MAX_TOKENS}}
)
"""Without the token limit, which Anthropic requires."""


class AnthropicWire(Record):
    """Anthropic's wire format. `url` is the whole address."""

    url: str
    names: Names = field(default_factory=lambda: NAMES)

    @property
    def adaptable(self) -> Adaptable:
        """All optional fields; the newest models refuse `temperature`, for instance."""
        return ADAPTABLE

    def takes_temperature(self, model: str) -> bool:
        """Always true: the format itself does not know which models refuse it."""
        del model
        return True

    def write(self, request: ChatRequest) -> Written:
        """The system text in `system`, the other messages unchanged, and each setting under its name."""
        messages = [
            {"role": turn.role.value, "content": turn.content} for turn in request.turns if turn.role is not Role.SYSTEM
        ]
        body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True}
        if system := system_text(request):
            body["system"] = system
        settings = _settings(request)
        for knob, value in settings.items():
            if knob in self.names:
                body[self.names[knob]] = value
        is_unused = request.temperature is not None and Knob.TEMPERATURE not in settings
        unused = frozenset({Knob.TEMPERATURE}) if is_unused else frozenset[Knob]()
        return Written(self.url, body, {"anthropic-version": VERSION}, unused)

    def read(self, data: Any) -> Chunk | None:
        """An event of the stream, or a whole message."""
        if not isinstance(data, dict):
            return None
        fields = cast("dict[str, Any]", data)
        match fields.get("type"):
            case "message_start":
                return _message(fields_of(fields.get("message")))
            case "message":
                return _message(fields)
            case "content_block_start":
                return Chunk(_block(fields.get("content_block")))
            case "content_block_delta":
                return Chunk(_block(fields.get("delta")))
            case "message_delta":
                return _stopped(Chunk(usage=_usage(fields.get("usage"))), fields_of(fields.get("delta")))
            case "message_stop":
                return Chunk(done=True)
            case str():  # ping, or a future event type: the API asks clients to skip those
                return Chunk()
            case _:
                return None


def _settings(request: ChatRequest) -> dict[Knob, Any]:
    """The settings as Anthropic takes them: with thinking there is no temperature, and the budget adds to the limit."""
    settings = request.settings()
    budget = thinking_budget(settings)
    if budget is None:
        return settings
    settings[Knob.THINKING_BUDGET] = thinking(budget)
    if budget:
        settings.pop(Knob.TEMPERATURE, None)
        settings.pop(Knob.TOP_K, None)
        if settings[Knob.MAX_TOKENS] <= budget:
            settings[Knob.MAX_TOKENS] += budget
    return settings


def _message(message: dict[str, Any]) -> Chunk:
    text = "".join(map(_block, items_of(message.get("content"))))
    whole = Chunk(text, usage=_usage(message.get("usage")), model=text_of(message.get("model")) or None)
    return _stopped(whole, message)


def _stopped(chunk: Chunk, ended: dict[str, Any]) -> Chunk:
    """`chunk` with the stop reason in `ended`, if there is one.

    `refusal` is not text by the model: a classifier stopped the answer, and `stop_details` has its category.
    """
    reason = text_of(ended.get("stop_reason"))
    if reason == "refusal":
        return replace(chunk, stop=withheld(reason, text_of(fields_of(ended.get("stop_details")).get("category"))))
    return replace(chunk, stop=stop_of(reason))


def _block(block: Any) -> str:
    """The text of a block or of its next piece. Thoughts are left out: they are not the answer."""
    match block:
        case {"type": "text" | "text_delta", "text": str(text)}:
            return text
        case _:
            return ""


def _usage(data: Any) -> Usage | None:
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    read = [
        count_of(fields.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    return Usage(None if read[0] is None else sum(filter(None, read)), count_of(fields.get("output_tokens")))
