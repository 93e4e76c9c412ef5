"""The OpenAI-shaped wire formats, streamed: chat (`POST …/chat/completions`) and completions.

Spoken by OpenAI itself and, with small differences that are tolerated here, by most others: OpenRouter, Mistral,
Together, xAI, Ollama, llama.cpp, LM Studio, vLLM. Completions have a prompt string and its continuation (002, "Custom
Model Object Fields", `format`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, cast

from engine.blueprint import Role
from engine.models.chat import ChatRequest, Knob, Usage
from engine.models.http import Access, bearer
from engine.models.secret import Secret
from engine.models.server import ChatServer
from engine.models.wire import (
    Adaptable,
    Chunk,
    Names,
    Written,
    count_of,
    fields_of,
    is_error,
    items_of,
    normalised,
    system_text,
    text_of,
    thinking,
)
from engine.text.record import Record, field

NAMES: Names = MappingProxyType(
    {
        Knob.TEMPERATURE: "temperature",
        Knob.MAX_TOKENS: "max_tokens",
        Knob.TOP_P: "top_p",
        Knob.TOP_K: "top_k",
        Knob.PRESENCE_PENALTY: "presence_penalty",
        Knob.FREQUENCY_PENALTY: "frequency_penalty",
        Knob.STOP: "stop",
        Knob.REASONING_EFFORT: "reasoning_effort",
        Knob.THINKING_BUDGET: "thinking",
    }
)
_REASONING_FAMILIES = re.compile(r"(openai/)?(o[134]|gpt-5)(?![a-z0-9])")
ADAPTABLE: Adaptable = MappingProxyType(
    {
        "stream": None,
        "stream_options": None,
        "max_completion_tokens": Knob.MAX_TOKENS,
        **{name: knob for knob, name in NAMES.items()},
    }
)


class OpenAIWire(Record):
    """OpenAI's wire format. `url` is the whole address.

    With `families`, o1, o3, o4 and GPT-5 get `max_completion_tokens` and no temperature. With `counts_tokens`, streams
    are requested with token counts; Mistral sends them anyway and refuses the request for them.
    """

    url: str
    names: Names = field(default_factory=lambda: NAMES)
    families: bool = False
    counts_tokens: bool = True

    @property
    def adaptable(self) -> Adaptable:
        """All but the model and the messages."""
        return ADAPTABLE

    def takes_temperature(self, model: str) -> bool:
        """False for o1, o3, o4 and GPT-5 with `families`."""
        return not (self.families and _REASONING_FAMILIES.match(model))

    def write(self, request: ChatRequest) -> Written:
        """The messages unchanged, and each setting under its name."""
        names, settings = dict(self.names), request.settings()
        unused = frozenset[Knob]()
        if not self.takes_temperature(request.model):
            names[Knob.MAX_TOKENS] = "max_completion_tokens"
            if settings.pop(Knob.TEMPERATURE, None) is not None:
                unused = frozenset({Knob.TEMPERATURE})
        messages = [{"role": turn.role.value, "content": turn.content} for turn in request.turns]
        body = {"model": request.model, "messages": messages, **common_body(settings, names)}
        if not self.counts_tokens:
            del body["stream_options"]
        return Written(self.url, body, unused=unused)

    def read(self, data: Any) -> Chunk | None:
        """A piece of the answer, or a whole one."""
        return read_chunk(data)


def common_body(settings: Mapping[Knob, Any], names: Names) -> dict[str, Any]:
    """The fields that chat and completions share: the settings, and the request for a stream with token counts."""
    values = dict(settings)
    if Knob.THINKING_BUDGET in values:
        values[Knob.THINKING_BUDGET] = thinking(values[Knob.THINKING_BUDGET])
    named = {names[knob]: value for knob, value in values.items() if knob in names}
    return {**named, "stream": True, "stream_options": {"include_usage": True}}


class OpenAIShaped(ChatServer):
    """One server that speaks this format. `base_url` ends before `/chat/completions`, usually in `/v1`."""

    def __init__(
        self,
        base_url: str,
        *,
        key: Secret | None = None,
        key_variable: str | None = None,
        start_hint: str = "",
        recipient: str | None = None,
        read_seconds: float | None = None,
        at_once: int | None = None,
        counts_tokens: bool = True,
    ) -> None:
        """`key_variable` and `start_hint` are only for the advice in errors; `read_seconds` bounds each silence."""
        url = f"{base_url.rstrip('/')}/chat/completions"
        super().__init__(
            OpenAIWire(url, families=True, counts_tokens=counts_tokens),
            url,
            bearer(key, key_variable) if key else Access.none(key_variable),
            start_hint=start_hint,
            recipient=recipient,
            read_seconds=read_seconds,
            at_once=at_once,
        )


def read_chunk(data: Any) -> Chunk | None:
    """The chunk of chat or completions in parsed JSON; None if it is not a chunk of an answer."""
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    usage = _usage(fields.get("usage"))
    model = text_of(fields.get("model")) or None
    choices = fields.get("choices")
    if not isinstance(choices, list):
        whole = usage or fields.get("object") == "chat.completion.chunk"
        return Chunk(usage=usage, model=model) if whole else None
    first: Any = cast("list[Any]", choices)[0] if choices else {}
    if not isinstance(first, dict):
        return None
    choice = cast("dict[str, Any]", first)
    if error := _error(choice):
        return Chunk(error=error)
    text, refusal = _text(choice)
    # A gateway also sends the word of the model's own provider.
    stop = normalised(text_of(choice.get("finish_reason")), text_of(choice.get("native_finish_reason")))
    return Chunk(text, stop, usage, model, refusal=refusal)


def _error(choice: dict[str, Any]) -> Any:
    """A server's error instead of a stop reason; None without one."""
    reason = text_of(choice.get("finish_reason"))
    return choice.get("error") or (f"the answer ended with `{reason}`" if is_error(reason) else None)


def _text(choice: dict[str, Any]) -> tuple[str, bool]:
    """The text of a choice, and whether it is a refusal. Reasoning is left out, as it is not part of the answer."""
    message = fields_of(choice.get("delta") or choice.get("message"))
    refusal = text_of(message.get("refusal"))
    content = message.get("content")
    if isinstance(content, list):
        parts = items_of(content)
        refusals = "".join(map(_refusal_part, parts))
        return "".join(map(_part, parts)) + (refusal or refusals), bool(refusal or refusals)
    return (text_of(content) or text_of(choice.get("text"))) + refusal, bool(refusal)


def _refusal_part(part: Any) -> str:
    match part:
        case {"type": "refusal", "refusal": str(text)}:
            return text
        case _:
            return ""


def _part(part: Any) -> str:
    match part:
        case str():
            return part
        case {"type": "text" | "output_text", "text": str(text)}:
            return text
        case _:
            return ""


def _usage(data: Any) -> Usage | None:
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    return Usage(count_of(fields.get("prompt_tokens")), count_of(fields.get("completion_tokens")))


_SPEAKERS = {Role.USER: "User", Role.ASSISTANT: "Assistant"}


class PromptFormat(StrEnum):
    """How a conversation becomes one string."""

    CONVERSATIONAL = "conversational"
    RAW = "raw"


class CompletionsWire(Record):
    """`url` is the whole address, mostly ending in `/completions`."""

    url: str
    names: Names = field(default_factory=lambda: NAMES)
    prompt_format: PromptFormat = PromptFormat.CONVERSATIONAL

    @property
    def adaptable(self) -> Adaptable:
        """All but the model and the prompt."""
        return ADAPTABLE

    def takes_temperature(self, model: str) -> bool:
        """Always true: the format itself does not know which models refuse it."""
        del model
        return True

    def write(self, request: ChatRequest) -> Written:
        """The conversation as one string under `prompt`, and each setting under its name."""
        body = {"model": request.model, "prompt": self._prompt(request), **common_body(request.settings(), self.names)}
        return Written(self.url, body)

    def read(self, data: Any) -> Chunk | None:
        """A piece of the answer, or a whole one: `choices[0].text`."""
        return read_chunk(data)

    def _prompt(self, request: ChatRequest) -> str:
        system = system_text(request)
        turns = [turn for turn in request.turns if turn.role is not Role.SYSTEM]
        match self.prompt_format:
            case PromptFormat.CONVERSATIONAL:
                lines = [f"{_SPEAKERS[turn.role]}: {turn.content}" for turn in turns]
                talk = "\n".join((*lines, "Assistant:"))
            case PromptFormat.RAW:
                talk = "\n\n".join(turn.content for turn in turns)
        return f"{system}\n\n{talk}" if system else talk
