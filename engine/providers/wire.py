"""The interface of wire formats: how a request is written, and how the chunks of an answer are read.

Each wire format is one module with one `Wire` class. Everything else (HTTP, retries, streams, failures, keys) is in
`ChatServer` and the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from engine.blueprint import Role
from engine.providers.chat import ChatRequest, Knob
from engine.providers.chunks import Chunk

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
