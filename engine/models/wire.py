"""The interface of wire formats: how a request is written, and how the chunks of an answer are read.

Each wire format is one module with one `Wire` class. Everything else (HTTP, retries, streams, failures, keys) is in
`ChatServer` and the same for all.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, cast

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

_WORDS: dict[StopReason, str] = {
    StopReason.STOP: "stop eos eos_token end_turn end complete completed done eosfound",
    StopReason.SEQUENCE: "stop_sequence stop_string stop_str stopstringfound",
    StopReason.LENGTH: (
        "length max_tokens model_length max_length max_output_tokens max_new_tokens token_limit limit "
        "model_context_window_exceeded context_length_exceeded contextlengthreached maxpredictedtokensreached"
    ),
    StopReason.TOOL_CALL: (
        "tool_calls tool_call toolcalls function_call function_calls tool_use unexpected_tool_call too_many_tool_calls"
    ),
    StopReason.INTERRUPTED: (
        "pause_turn compaction other malformed_function_call malformed_response malformed_tool_use "
        "malformed_model_output missing_thought_signature abort aborted cancelled canceled userstopped timeout "
        "time_limit repetition insufficient_system_resource no_image image_other"
    ),
    StopReason.WITHHELD: (
        "content_filter content_filtered contentfilter refusal safety recitation language blocklist "
        "prohibited_content spii model_armor jailbreak image_safety image_prohibited_content image_recitation "
        "sensitive guardrail_intervened error_toxic moderation blocked flagged"
    ),
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words.split()}
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
