"""What a wire format is: how a request is written, and how the pieces of an answer are read.

A wire format is one module with one class that is a `Wire`; all else (HTTP, retries, streams, words of failure, keys)
is `ChatServer`'s and the same for all.
"""

from __future__ import annotations

import re
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
NOTHING_DISPENSABLE: Mapping[str, re.Pattern[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Written:
    """A request as it goes out: where to, its JSON, and the headers that the format asks for."""

    url: str
    body: dict[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)


class Wire(Protocol):
    """One wire format."""

    def write(self, request: ChatRequest) -> Written:
        """The request as it is sent."""
        ...

    def read(self, data: Any) -> Chunk | None:
        """The piece that parsed JSON stands for; None where it is no piece of an answer. Never raises."""
        ...

    @property
    def dispensable(self) -> Mapping[str, re.Pattern[str]]:
        """Fields of the body that are left out once a server's refusal matches their pattern."""
        ...


def system_text(request: ChatRequest) -> str:
    """All that is said by `system`, divided by blank lines, for formats in which it stands apart."""
    return "\n\n".join(turn.content for turn in request.turns if turn.role is Role.SYSTEM)


def thinking(budget: int) -> dict[str, Any]:
    """A thinking budget as the `thinking` object of 004, "Reasoning Model Support"; 0 turns thinking off."""
    return {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}


_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 8192}


def thinking_budget(settings: Mapping[Knob, Any]) -> int | None:
    """The tokens to think with, for formats that count them: as set, or what Weval takes the effort for."""
    budget = settings.get(Knob.THINKING_BUDGET)
    return budget if budget is not None else _BUDGETS.get(settings.get(Knob.REASONING_EFFORT, ""))
