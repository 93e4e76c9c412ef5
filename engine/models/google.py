"""Google's Gemini API: `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse`."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote

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
    thinking_budget,
    withheld,
)
from engine.text.record import Record, field

NAMES: Names = MappingProxyType(
    {
        Knob.TEMPERATURE: "temperature",
        Knob.MAX_TOKENS: "maxOutputTokens",
        Knob.TOP_P: "topP",
        Knob.TOP_K: "topK",
        Knob.PRESENCE_PENALTY: "presencePenalty",
        Knob.FREQUENCY_PENALTY: "frequencyPenalty",
        Knob.STOP: "stopSequences",
        Knob.THINKING_BUDGET: "thinkingConfig",
    }
)
"""Their names within `generationConfig`."""
ADAPTABLE: Adaptable = MappingProxyType(
    {f"generationConfig.{name}": knob for knob, name in NAMES.items() if knob is not Knob.MAX_TOKENS}
)
_ROLES = {Role.USER: "user", Role.ASSISTANT: "model"}


class GoogleWire(Record):
    """Google's wire format. `base_url` ends before `/models/`; `url`, if given, is the whole address instead."""

    base_url: str = ""
    names: Names = field(default_factory=lambda: NAMES)
    url: str | None = None

    @property
    def adaptable(self) -> Adaptable:
        """All settings but the token limit, without which an answer could cost any amount."""
        return ADAPTABLE

    def takes_temperature(self, model: str) -> bool:
        """Always true: the format itself does not know which models refuse it."""
        del model
        return True

    def write(self, request: ChatRequest) -> Written:
        """The messages in `contents`, the system text in `systemInstruction`, the settings in `generationConfig`."""
        model = quote(request.model.removeprefix("models/"), safe="", errors="replace")
        url = self.url or f"{self.base_url}/models/{model}:streamGenerateContent?alt=sse"
        body: dict[str, Any] = {
            "contents": [
                {"role": _ROLES[turn.role], "parts": [{"text": turn.content}]}
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


def _piece(fields: dict[str, Any]) -> Chunk | None:
    usage, model = _usage(fields.get("usageMetadata")), text_of(fields.get("modelVersion")) or None
    blocked = text_of(fields_of(fields.get("promptFeedback")).get("blockReason"))
    if blocked:
        return Chunk("", withheld(blocked), usage, model)
    candidates = fields.get("candidates")
    if not isinstance(candidates, list):
        return Chunk(usage=usage, model=model) if usage else None
    candidate = fields_of(next(iter(cast("list[Any]", candidates)), None))
    parts = items_of(fields_of(candidate.get("content")).get("parts"))
    return Chunk("".join(map(_part, parts)), stop_of(text_of(candidate.get("finishReason"))), usage, model)


def _part(part: Any) -> str:
    """The text of a part. Thoughts are left out: they are not the answer."""
    match part:
        case {"thought": True}:
            return ""
        case {"text": str(text)}:
            return text
        case _:
            return ""


def _usage(data: Any) -> Usage | None:
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    counts = [count_of(fields.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    output = None if counts == [None, None] else sum(filter(None, counts))
    return Usage(count_of(fields.get("promptTokenCount")), output)
