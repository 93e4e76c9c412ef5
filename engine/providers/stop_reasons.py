"""Stop reasons, from the words of servers. One table serves all wire formats, as their words do not conflict.

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

from engine.providers.chat import Stop, StopReason, worst

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
