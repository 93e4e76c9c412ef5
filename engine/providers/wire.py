"""What a wire format is: how a request is written, and how the pieces of an answer are read.

A wire format is one module with one class that is a `Wire`; all else (HTTP, retries, streams, words of failure, keys)
is `ChatServer`'s and the same for all.
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
"""What a wire calls each setting; a setting that it has no name for is not sent."""

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
Adaptable: TypeAlias = Mapping[str, Knob | None]
"""Fields of a body that a server may refuse without the request failing, and the setting that each stands for."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request as it goes out: where to, its JSON, and the headers that the format asks for.

    `unused` are settings of the request that the model is not sent, as it does not take them.
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
        """The piece that parsed JSON stands for; None where it is no piece of an answer. Never raises."""
        ...

    @property
    def adaptable(self) -> Adaptable:
        """Fields that are left out, or go by another name, once a server refuses them; never what an author wrote."""
        ...

    def takes_temperature(self, model: str) -> bool:
        """Whether the temperature of a request reaches this model, as far as the format itself decides."""
        ...


def system_text(request: ChatRequest) -> str:
    """The text of all `system` messages, divided by blank lines, for formats in which it stands apart."""
    return "\n\n".join(turn.content for turn in request.turns if turn.role is Role.SYSTEM)


def thinking(budget: int) -> dict[str, Any]:
    """A thinking budget as the `thinking` object of 004, "Reasoning Model Support"; 0 turns thinking off."""
    return {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}


_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 8192}


def thinking_budget(settings: Mapping[Knob, Any]) -> int | None:
    """The tokens to think with, for formats that count them: as set, or what Weval takes the effort for."""
    budget = settings.get(Knob.THINKING_BUDGET)
    return budget if budget is not None else _BUDGETS.get(settings.get(Knob.REASONING_EFFORT, ""))
