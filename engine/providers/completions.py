"""The completions wire format: a prompt string and its continuation (002, "Custom Model Object Fields", `format`)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from engine.blueprint import Role
from engine.providers.chat import ChatRequest
from engine.providers.chunks import Chunk
from engine.providers.openai import ADAPTABLE, NAMES, common_body, read_chunk
from engine.providers.wire import Adaptable, Names, Written, system_text
from engine.record import Record, field

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
