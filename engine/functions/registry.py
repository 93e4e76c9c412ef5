"""The point functions as data: one entry each, from which checks, reference pages and argument rules are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.blueprint import ABSENT, Absent
from engine.javascript.tasks import Outcome, Task
from engine.text import Span
from engine.yaml_nodes.nodes import Data

Args: TypeAlias = "Data | Absent"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One parsed `TOOL_CALL` line."""

    name: str
    arguments: Data


@dataclass(frozen=True, slots=True)
class Subject:
    """What a function looks at: the subject text, and the conversation that led to it."""

    response: str
    messages: tuple[dict[str, Data], ...] = ()
    model_id: str = ""
    prompt_id: str = ""
    prompt_text: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that ran: `extent` 0–1 before inversion, why in an author's words, where in the response."""

    extent: float
    detail: str
    evidence: tuple[Span, ...] = ()
    reflection: str | None = None


@dataclass(frozen=True, slots=True)
class CheckError:
    """A check that could not run: what was wrong and what would be right, in an author's words."""

    message: str


Result: TypeAlias = Checked | CheckError

Plan: TypeAlias = Callable[[Args, Subject], Sequence[Task]]
"""The JavaScript that a call needs, in the order in which `Conclude` gets the outcomes; empty where none."""

Conclude: TypeAlias = Callable[[Args, Subject, Sequence[Outcome]], Result]
"""The result from the argument, the subject and the outcomes of the plan. Pure."""

Problem: TypeAlias = Callable[[Args], str | None]
"""What is wrong with an argument, in an author's words; None where nothing is."""


@dataclass(frozen=True, slots=True)
class PointFunction:
    """One point function.

    `argument` is its shape for people (`text`, `[low, high]`), `example` a YAML line that works. `graded` says that it
    gives part marks. `on_weval` is False where the documents have it and the platform does not; `aliases` are all other
    names of it, each with whether the platform knows it.
    """

    name: str
    summary: str
    argument: str
    example: str
    conclude: Conclude
    plan: Plan = field(default=lambda _args, _subject: ())
    problem: Problem = field(default=lambda _args: None)
    aliases: tuple[str, ...] = ()
    graded: bool = False
    on_weval: bool = True
    negates: str | None = None


__all__ = [
    "ABSENT",
    "Args",
    "CheckError",
    "Checked",
    "Conclude",
    "Plan",
    "PointFunction",
    "Problem",
    "Result",
    "Subject",
]
