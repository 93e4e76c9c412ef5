"""What one piece of an OpenAI-shaped answer says, read with tolerance for what servers do differently."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from engine.providers.chat import StopReason, Usage
from engine.providers.secret import Secret

_STOP_REASONS = {
    "stop": StopReason.STOP,
    "eos": StopReason.STOP,
    "end_turn": StopReason.STOP,
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "content_filter": StopReason.REFUSED,
    "refusal": StopReason.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece: its text, and what it says about the whole. `error` is whatever the server put there."""

    text: str = ""
    stop_reason: StopReason | None = None
    usage: Usage | None = None
    model: str | None = None
    done: bool = False
    error: Any = None
    error_status: int = 500

    def followed_by(self, later: Chunk) -> Chunk:
        """What both say about the whole, the later one winning where it speaks."""
        return replace(
            self,
            stop_reason=later.stop_reason or self.stop_reason,
            usage=later.usage or self.usage,
            model=later.model or self.model,
            done=later.done or self.done,
        )


def read_chunk(data: Any) -> Chunk | None:
    """The piece that parsed JSON stands for; None where it is no piece of a chat answer."""
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    if fields.get("error"):
        return Chunk(error=fields["error"], error_status=_status(fields["error"]))
    choices = fields.get("choices")
    usage = _usage(fields.get("usage"))
    model = fields.get("model")
    whole = Chunk(usage=usage, model=model if isinstance(model, str) and model else None)
    if not isinstance(choices, list):
        return whole if usage or fields.get("object") == "chat.completion.chunk" else None
    first: Any = cast("list[Any]", choices)[0] if choices else {}
    if not isinstance(first, dict):
        return None
    choice = cast("dict[str, Any]", first)
    text, refused = _text(choice.get("delta") or choice.get("message"))
    reason = choice.get("finish_reason")
    stop = _STOP_REASONS.get(reason, StopReason.OTHER) if isinstance(reason, str) and reason else None
    return replace(whole, text=text, stop_reason=StopReason.REFUSED if refused else stop)


class TextJoiner:
    """Puts together what was cut in two between pieces, and takes out a key that a server sends back.

    JSON may carry half of a character beyond U+FFFF (a surrogate) at the end of one piece and the other half at the
    start of the next. A half that never finds the other becomes U+FFFD, for it could neither be saved nor shown.
    """

    def __init__(self, key: Secret | None = None) -> None:
        self._key = key
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is complete so far."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        elif self._key is not None:
            text, self._held = self._key.scrub_piece(text)
        return _mended(text)

    def flush(self) -> str:
        """What is still held when the answer is over."""
        return _mended(self._held)


def _mended(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(message: Any) -> tuple[str, bool]:
    """The text of a delta or message, and whether it is a refusal. Reasoning is left out: it is not the answer."""
    if not isinstance(message, dict):
        return "", False
    fields = cast("dict[str, Any]", message)
    refusal = fields.get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal, True
    return _content(fields.get("content")), False


def _content(content: Any) -> str:
    """The text of a `content`: a string, null, or a list of parts of which only text counts."""
    match content:
        case str():
            return content
        case list():
            return "".join(_part(part) for part in cast("list[Any]", content))
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
    return Usage(_count(fields.get("prompt_tokens")), _count(fields.get("completion_tokens")))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _status(error: Any) -> int:
    """The HTTP status that an error within a stream names, else 500."""
    code = _count(cast("dict[str, Any]", error).get("code")) if isinstance(error, dict) else None
    return code if code is not None and 400 <= code <= 599 else 500
