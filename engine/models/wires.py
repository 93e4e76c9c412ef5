"""The wire formats: OpenAI's chat and completions, Anthropic's messages, Google's Gemini; all streamed.

A format is one `Wire` class: how a request is written, and how the chunks of an answer are read. Everything else (HTTP,
retries, streams, failures, keys) is in `ChatServer` and the same for all.

OpenAI's chat (`POST …/chat/completions`) is spoken by OpenAI itself and, with small differences that are tolerated
here, by most others: OpenRouter, Mistral, Together, xAI, Ollama, llama.cpp, LM Studio, vLLM. Completions have a prompt
string and its continuation (002, "Custom Model Object Fields", `format`). Anthropic's Messages API (`POST
/v1/messages`) sends typed events, Google's is `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse`.

The stop reasons, from the words of servers, are one table for all wire formats, as their words do not conflict.

Scored as whole answers:
- `stop`: OpenAI `stop`, Anthropic `end_turn`, Gemini `STOP`, Together `eos`;
- `stop-sequence`: Anthropic `stop_sequence`;
- `refusal`: text in OpenAI's `message.refusal` or `delta.refusal`, the model's own words.

Scored, with a note that the answer may not be whole:
- `unsaid`: no reason, though the stream ended as it should;
- `other`: any word that is not in the table.

Scored and marked as cut:
- `length`: `length`, `max_tokens`, `MAX_TOKENS`, Mistral `model_length`, Anthropic `model_context_window_exceeded`;
- `tool-call`: `tool_calls`, `function_call`, `tool_use`, `UNEXPECTED_TOOL_CALL`: the model waits for what nobody runs;
- `interrupted`: `pause_turn`, `MALFORMED_FUNCTION_CALL`, Gemini `OTHER`, vLLM `abort`, DeepSeek
  `insufficient_system_resource`.

A failed request, never scored:
- `withheld`: `content_filter`, Anthropic `refusal` (a classifier stepped in), Gemini `SAFETY`, `RECITATION`,
  `LANGUAGE`, `BLOCKLIST`, `PROHIBITED_CONTENT`, `SPII` and every `blockReason` of a prompt.

A stream that breaks off, and a server that calls the end an `error`, fail: nothing is scored.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, cast
from urllib.parse import quote

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, worst
from engine.models.chat import ChatRequest, Knob, Usage
from engine.models.secret import Secret, cut_off, scrub, scrub_piece
from engine.text.record import Record, replace

Names: TypeAlias = Mapping[Knob, str]
"""The name of each setting in a wire format; a setting without a name is not sent."""

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
Adaptable: TypeAlias = Mapping[str, Knob | None]
"""Fields of a body that can be omitted if a server refuses them, each with its setting."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request as sent: its address, its JSON body, and the headers that the format requires.

    `unused` are settings of the request that are not sent, as the model does not take them.
    """

    url: str
    body: dict[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    unused: frozenset[Knob] = frozenset()


class Wire(Protocol):
    """One wire format."""

    def write(self, request: ChatRequest) -> Written:
        """The request as it is sent."""
        ...

    def read(self, data: Any) -> Chunk | None:
        """The chunk in parsed JSON; None if it is not a chunk of an answer. Never raises."""
        ...

    @property
    def adaptable(self) -> Adaptable:
        """Fields that are omitted or renamed once a server refuses them; never fields that an author wrote."""
        ...

    def takes_temperature(self, model: str) -> bool:
        """Whether the format sends a temperature to this model."""
        ...


def system_text(request: ChatRequest) -> str:
    """The text of all `system` messages, separated by blank lines, for formats with a field of its own for it."""
    return "\n\n".join(turn.content for turn in request.turns if turn.role is Role.SYSTEM)


def thinking(budget: int) -> dict[str, Any]:
    """A thinking budget as the `thinking` object of 004, "Reasoning Model Support"; 0 turns thinking off."""
    return {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}


_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 8192}


def thinking_budget(settings: Mapping[Knob, Any]) -> int | None:
    """The thinking budget in tokens: as set, or Weval's value for the effort."""
    budget = settings.get(Knob.THINKING_BUDGET)
    return budget if budget is not None else _BUDGETS.get(settings.get(Knob.REASONING_EFFORT, ""))


_LARGEST_COUNT = 10**12
"""More tokens than any answer has. The database and sums of costs can take no number of any size."""


class Chunk(Record):
    """One chunk: its text, and its facts about the whole answer.

    `refusal` is whether its text is the model's own refusal, from a field of its own. `error` is what the server sent
    instead of a stop reason.
    """

    text: str = ""
    stop: Stop | None = None
    usage: Usage | None = None
    model: str | None = None
    done: bool = False
    refusal: bool = False
    error: Any = None

    def followed_by(self, later: Chunk) -> Chunk:
        """Both combined: facts of the later one win, except for the worse stop. `TextJoiner` joins the text."""
        return replace(
            self,
            stop=worst((later.stop, self.stop)),
            usage=self.usage.followed_by(later.usage) if self.usage and later.usage else later.usage or self.usage,
            model=later.model or self.model,
            done=later.done or self.done,
            refusal=later.refusal or self.refusal,
        )


class TextJoiner:
    """Joins characters that were split between chunks, and masks keys that a server sends back.

    JSON may have one half of a character beyond U+FFFF (a surrogate) at the end of a chunk and the other half at the
    start of the next. A half without its other half becomes U+FFFD, since it could be neither saved nor shown.
    """

    def __init__(self, keys: Sequence[Secret] = ()) -> None:
        self._keys = keys
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is complete so far."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = scrub(text[:-1], self._keys), text[-1]
        else:
            text, self._held = scrub_piece(text, self._keys)
        return with_joined_surrogates(text)

    def flush(self) -> str:
        """The text that is still held at the end of the answer."""
        return with_joined_surrogates(cut_off(self._held, self._keys))


def with_joined_surrogates(text: str) -> str:
    """`text` with both halves of a character joined, and U+FFFD for a half without its other."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fields_of(data: Any) -> dict[str, Any]:
    """`data` if it is an object, else an empty one."""
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def items_of(data: Any) -> list[Any]:
    """`data` if it is a list, else an empty one."""
    return cast("list[Any]", data) if isinstance(data, list) else []


def text_of(data: Any) -> str:
    """`data` if it is a string, else an empty one."""
    return data if isinstance(data, str) else ""


def count_of(data: Any) -> int | None:
    """`data` if it can be a count, else None."""
    return data if isinstance(data, int) and not isinstance(data, bool) and 0 <= data <= _LARGEST_COUNT else None


def status_of(data: Any) -> int | None:
    """`data` if it is the HTTP status of a failure, else None."""
    code = count_of(data)
    return code if code is not None and 400 <= code <= 599 else None


_LONGEST_WORD = 60

_WORDS: dict[str, str] = tomllib.loads(Path(__file__).with_name("stops.toml").read_text("utf-8"))
_REASONS = {word: StopReason(reason) for reason, words in _WORDS.items() for word in words.split()}
_ERRORS = frozenset({"error", "failed", "network_error", "server_error", "modelunloaded"})


def stop_of(word: str) -> Stop | None:
    """The reason for a server's word in any case; None for an empty one."""
    plain = _plain(word)
    return Stop(_REASONS.get(plain, StopReason.OTHER), _bounded(word)) if plain else None


def withheld(word: str, detail: str = "") -> Stop:
    """A stop by a filter, with the server's word and its more specific `detail`, if any."""
    return Stop(StopReason.WITHHELD, _bounded(f"{word}: {detail}" if detail else word))


def is_error(word: str) -> bool:
    """Whether a server's word says that the answer ended with an error."""
    return _plain(word) in _ERRORS


def normalised(word: str, native: str) -> Stop | None:
    """The worse reason of a gateway's word and of the `native` word of the model's own provider.

    An unknown `native` word is ignored.
    """
    found, origin = stop_of(word), stop_of(native)
    if origin is None or origin.reason is StopReason.OTHER:
        return found or origin
    return origin if found is None or found.reason is StopReason.OTHER else worst((found, origin))


def _plain(word: str) -> str:
    return word.strip().lower().replace("-", "_").replace(" ", "_")


def _bounded(word: str) -> str:
    line = " ".join(word.split())
    return line if len(line) <= _LONGEST_WORD else f"{line[: _LONGEST_WORD - 1]}…"


ANTHROPIC_NAMES: Names = MappingProxyType(
    {Knob.TEMPERATURE: "temperature", Knob.MAX_TOKENS: "max_tokens", Knob.THINKING_BUDGET: "thinking"}
)
OPENAI_NAMES: Names = MappingProxyType({**ANTHROPIC_NAMES, Knob.REASONING_EFFORT: "reasoning_effort"})
GOOGLE_NAMES: Names = MappingProxyType(
    {
        Knob.TEMPERATURE: "temperature",
        Knob.MAX_TOKENS: "maxOutputTokens",
        Knob.THINKING_BUDGET: "thinkingConfig",
    }
)
"""Their names within `generationConfig`."""
_REASONING_FAMILIES = re.compile(r"(openai/)?(o[134]|gpt-5)(?![a-z0-9])")


def _paths(names: Names, within: str = "") -> dict[str, Knob]:
    """The fields of settings that can be left out: all but the token limit, without which an answer costs anything."""
    return {f"{within}{name}": knob for knob, name in names.items() if knob is not Knob.MAX_TOKENS}


class _Format(Record):
    """What all formats have. `url` is the whole address; a setting is sent under its name in `names`."""

    url: str
    names: Names

    adaptable: Adaptable
    """All optional fields; the newest models of Anthropic refuse `temperature`, for instance."""

    def takes_temperature(self, model: str) -> bool:
        """Always true: the format itself does not know which models refuse it."""
        del model
        return True


class _OpenAIFormat(_Format):
    """What OpenAI's two formats share."""

    names: Names = OPENAI_NAMES

    adaptable: Adaptable = MappingProxyType(
        {
            "stream": None,
            "stream_options": None,
            "max_tokens": Knob.MAX_TOKENS,
            "max_completion_tokens": Knob.MAX_TOKENS,
            **_paths(OPENAI_NAMES),
        }
    )

    def read(self, data: Any) -> Chunk | None:
        """A piece of the answer, or a whole one: `choices[0]`."""
        return read_chunk(data)


class OpenAIWire(_OpenAIFormat):
    """OpenAI's wire format.

    With `families`, o1, o3, o4 and GPT-5 get `max_completion_tokens` and no temperature. With `counts_tokens`, streams
    are requested with token counts; Mistral sends them anyway and refuses the request for them.
    """

    families: bool = False
    counts_tokens: bool = True

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
        body = {"model": request.model, "messages": messages, **_common_body(settings, names)}
        if not self.counts_tokens:
            del body["stream_options"]
        return Written(self.url, body, unused=unused)


def openai_wire(base_url: str, *, counts_tokens: bool = True) -> OpenAIWire:
    """OpenAI's format at a server whose `base_url` ends before `/chat/completions`, usually in `/v1`."""
    return OpenAIWire(f"{base_url.rstrip('/')}/chat/completions", families=True, counts_tokens=counts_tokens)


def _common_body(settings: Mapping[Knob, Any], names: Names) -> dict[str, Any]:
    """The fields that chat and completions share: the settings, and the request for a stream with token counts."""
    values = dict(settings)
    if Knob.THINKING_BUDGET in values:
        values[Knob.THINKING_BUDGET] = thinking(values[Knob.THINKING_BUDGET])
    named = {names[knob]: value for knob, value in values.items() if knob in names}
    return {**named, "stream": True, "stream_options": {"include_usage": True}}


def read_chunk(data: Any) -> Chunk | None:
    """The chunk of chat or completions in parsed JSON; None if it is not a chunk of an answer."""
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    usage = _usage(fields.get("usage"), ("prompt_tokens",), ("completion_tokens",))
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
    """The text of a block or of its next piece. Thoughts are left out: they are not the answer."""
    match part:
        case str():
            return part
        case {"type": "text" | "output_text" | "text_delta", "text": str(text)}:
            return text
        case _:
            return ""


_SPEAKERS = {Role.USER: "User", Role.ASSISTANT: "Assistant"}


class PromptFormat(StrEnum):
    """How a conversation becomes one string."""

    CONVERSATIONAL = "conversational"
    RAW = "raw"


class CompletionsWire(_OpenAIFormat):
    """The format of completions; the address mostly ends in `/completions`."""

    prompt_format: PromptFormat = PromptFormat.CONVERSATIONAL

    def write(self, request: ChatRequest) -> Written:
        """The conversation as one string under `prompt`, and each setting under its name."""
        body = {"model": request.model, "prompt": self._prompt(request), **_common_body(request.settings(), self.names)}
        return Written(self.url, body)

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


ANTHROPIC_VERSION = "2023-06-01"


class AnthropicWire(_Format):
    """Anthropic's wire format."""

    names: Names = ANTHROPIC_NAMES

    adaptable: Adaptable = MappingProxyType({"stream": None, **_paths(ANTHROPIC_NAMES)})

    def write(self, request: ChatRequest) -> Written:
        """The system text in `system`, the other messages unchanged, and each setting under its name."""
        messages = [
            {"role": turn.role.value, "content": turn.content} for turn in request.turns if turn.role is not Role.SYSTEM
        ]
        body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True}
        if system := system_text(request):
            body["system"] = system
        settings = _anthropic_settings(request)
        for knob, value in settings.items():
            if knob in self.names:
                body[self.names[knob]] = value
        is_unused = request.temperature is not None and Knob.TEMPERATURE not in settings
        unused = frozenset({Knob.TEMPERATURE}) if is_unused else frozenset[Knob]()
        return Written(self.url, body, {"anthropic-version": ANTHROPIC_VERSION}, unused)

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
                return Chunk(_part(fields.get("content_block")))
            case "content_block_delta":
                return Chunk(_part(fields.get("delta")))
            case "message_delta":
                return _stopped(Chunk(usage=_anthropic_usage(fields.get("usage"))), fields_of(fields.get("delta")))
            case "message_stop":
                return Chunk(done=True)
            case str():  # ping, or a future event type: the API asks clients to skip those
                return Chunk()
            case _:
                return None


def _anthropic_settings(request: ChatRequest) -> dict[Knob, Any]:
    """The settings as Anthropic takes them: with thinking there is no temperature, and the budget adds to the limit."""
    settings = request.settings()
    budget = thinking_budget(settings)
    if budget is None:
        return settings
    settings[Knob.THINKING_BUDGET] = thinking(budget)
    if budget:
        settings.pop(Knob.TEMPERATURE, None)
        if settings[Knob.MAX_TOKENS] <= budget:
            settings[Knob.MAX_TOKENS] += budget
    return settings


def _message(message: dict[str, Any]) -> Chunk:
    text = "".join(map(_part, items_of(message.get("content"))))
    whole = Chunk(text, usage=_anthropic_usage(message.get("usage")), model=text_of(message.get("model")) or None)
    return _stopped(whole, message)


def _stopped(chunk: Chunk, ended: dict[str, Any]) -> Chunk:
    """`chunk` with the stop reason in `ended`, if there is one.

    `refusal` is not text by the model: a classifier stopped the answer, and `stop_details` has its category.
    """
    reason = text_of(ended.get("stop_reason"))
    if reason == "refusal":
        return replace(chunk, stop=withheld(reason, text_of(fields_of(ended.get("stop_details")).get("category"))))
    return replace(chunk, stop=stop_of(reason))


def _anthropic_usage(data: Any) -> Usage | None:
    return _usage(data, ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), ("output_tokens",))


_GOOGLE_ROLES = {Role.USER: "user", Role.ASSISTANT: "model"}


class GoogleWire(_Format):
    """Google's wire format. `base_url` ends before `/models/`, and stands for a `url` that is not given."""

    url: str = ""
    names: Names = GOOGLE_NAMES
    base_url: str = ""

    adaptable: Adaptable = MappingProxyType(_paths(GOOGLE_NAMES, "generationConfig."))

    def write(self, request: ChatRequest) -> Written:
        """The messages in `contents`, the system text in `systemInstruction`, the settings in `generationConfig`."""
        model = quote(request.model.removeprefix("models/"), safe="", errors="replace")
        url = self.url or f"{self.base_url}/models/{model}:streamGenerateContent?alt=sse"
        body: dict[str, Any] = {
            "contents": [
                {"role": _GOOGLE_ROLES[turn.role], "parts": [{"text": turn.content}]}
                for turn in request.turns
                if turn.role is not Role.SYSTEM
            ]
        }
        if system := system_text(request):
            body["systemInstruction"] = {"parts": [{"text": system}]}
        settings = request.settings()
        budget = thinking_budget(settings)
        if budget is not None:
            settings[Knob.THINKING_BUDGET] = {"thinkingBudget": budget}
        body["generationConfig"] = {self.names[knob]: value for knob, value in settings.items() if knob in self.names}
        return Written(url, body)

    def read(self, data: Any) -> Chunk | None:
        """A chunk of the answer, a whole one, or a list of chunks (the form without `alt=sse`)."""
        if isinstance(data, list):
            whole: Chunk | None = None
            for item in cast("list[Any]", data):
                piece = self.read(item)
                if piece is None:
                    return None
                text = piece.text if whole is None else whole.text + piece.text
                joined = piece if whole is None else whole.followed_by(piece)
                whole = Chunk(text, joined.stop, joined.usage, joined.model)
            return whole
        return _piece(cast("dict[str, Any]", data)) if isinstance(data, dict) else None


_GOOGLE_COUNTS = ("promptTokenCount",), ("candidatesTokenCount", "thoughtsTokenCount")


def _piece(fields: dict[str, Any]) -> Chunk | None:
    usage, model = _usage(fields.get("usageMetadata"), *_GOOGLE_COUNTS), text_of(fields.get("modelVersion")) or None
    blocked = text_of(fields_of(fields.get("promptFeedback")).get("blockReason"))
    if blocked:
        return Chunk("", withheld(blocked), usage, model)
    candidates = fields.get("candidates")
    if not isinstance(candidates, list):
        return Chunk(usage=usage, model=model) if usage else None
    candidate = fields_of(next(iter(cast("list[Any]", candidates)), None))
    parts = items_of(fields_of(candidate.get("content")).get("parts"))
    return Chunk("".join(map(_google_part, parts)), stop_of(text_of(candidate.get("finishReason"))), usage, model)


def _google_part(part: Any) -> str:
    """The text of a part. Thoughts are left out: they are not the answer."""
    match part:
        case {"thought": True}:
            return ""
        case {"text": str(text)}:
            return text
        case _:
            return ""


def _usage(data: Any, read: Sequence[str], written: Sequence[str]) -> Usage | None:
    """The counts of tokens in `data`, each the sum of those under its names; None where none is there."""
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    found = [
        [count for name in names if (count := count_of(fields.get(name))) is not None] for names in (read, written)
    ]
    return Usage(*(sum(counts) if counts else None for counts in found))
