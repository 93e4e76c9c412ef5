"""The point functions as data: one entry each, from which checks, reference pages and argument rules are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from engine.blueprint import ABSENT, Absent
from engine.javascript.tasks import Outcome, Task
from engine.text import Span
from engine.yaml_nodes.nodes import Data

Args: TypeAlias = "Data | Absent"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call, as parsed from a `TOOL_CALL` line; `arguments` are absent where the call names none."""

    name: str
    arguments: Data | Absent


@dataclass(frozen=True, slots=True)
class Subject:
    """What a function looks at: the subject text, and the conversation that led to it.

    `tool_calls` are the calls where the caller has them apart from the text; None has them read from its lines.
    """

    response: str
    messages: tuple[dict[str, Data], ...] = ()
    model_id: str = ""
    prompt_id: str = ""
    prompt_text: str = ""
    tool_calls: tuple[ToolCall, ...] | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that ran: `extent` 0–1 before inversion, why in an author's words, where in the response.

    `extent` is NaN where a script returns NaN or an argument is NaN, as on the platform (A28, A37). `reflection` is
    what a script says of its score; `evidence` holds the first places found, not all where they are many.
    """

    extent: float
    detail: str
    evidence: tuple[Span, ...] = ()
    reflection: str | None = None


@dataclass(frozen=True, slots=True)
class CheckError:
    """A check that could not run: what was wrong and what would be right, in an author's words.

    `stopped`: a pattern took too long; Weval has no limit for patterns, and waits.
    """

    message: str
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A check whose verdict comes from a service that was not asked: why, in an author's words."""

    message: str


Result: TypeAlias = Checked | CheckError | NotAsked

Plan: TypeAlias = Callable[[Args, Subject], Sequence[Task]]
"""The JavaScript that a call needs, in the order in which `Conclude` gets the outcomes; empty where none."""

Conclude: TypeAlias = Callable[[Args, Subject, Sequence[Outcome]], Result]
"""The result from the argument, the subject and the outcomes of the plan. Pure."""

Problem: TypeAlias = Callable[[Args], str | None]
"""What is wrong with an argument, in an author's words; None where nothing is."""


class Target(Enum):
    """What a function looks for in the response: a text, a whole word, a start, an end, or a pattern."""

    TEXT = "text"
    WORD = "word"
    START = "start"
    END = "end"
    PATTERN = "pattern"


class Quantifier(Enum):
    """How many of its texts or patterns a function wants to find."""

    ONE = "one"
    ANY = "any"
    ALL = "all"
    AT_LEAST_N = "at least n"


@dataclass(frozen=True, slots=True)
class SearchTraits:
    """How a function searches the response."""

    target: Target
    quantifier: Quantifier = Quantifier.ONE
    ignores_case: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether it looks for text as written, and not for a pattern."""
        return self.target is not Target.PATTERN


@dataclass(frozen=True, slots=True)
class PointFunction:
    """One point function.

    `argument` is its shape for people (`text`, `[low, high]`), `example` a YAML point that works. `graded` says that it
    gives part marks. `aliases` are all other names of it; `unknown_to_weval` those of its names that the documents, or
    only we, have and the platform has not. `negates` is the name of the function of which this is the `not_` twin.
    `by_service` says that the verdict comes from a service over the network: `conclude` is `NotAsked` then. `search`
    is None for a function that searches for nothing. `mark_note` says how part marks are given, and `notes` what else
    its reference page adds.
    """

    name: str
    summary: str
    argument: str
    example: str
    conclude: Conclude
    plan: Plan = field(default=lambda _args, _subject: ())
    problem: Problem = field(default=lambda _args: None)
    aliases: tuple[str, ...] = ()
    unknown_to_weval: frozenset[str] = frozenset()
    graded: bool = False
    negates: str | None = None
    by_service: bool = False
    search: SearchTraits | None = None
    mark_note: str = ""
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the documented one first."""
        return (self.name, *self.aliases)

    @property
    def weval_name(self) -> str | None:
        """The name by which the platform knows it, None where it does not."""
        return next((name for name in self.names if name not in self.unknown_to_weval), None)

    @property
    def on_weval(self) -> bool:
        """Whether the platform knows it, by whatever name."""
        return self.weval_name is not None

    def known_to_weval_as(self, name: str) -> bool:
        """Whether the platform knows it by this very `name`."""
        return name in self.names and name not in self.unknown_to_weval


__all__ = [
    "ABSENT",
    "Args",
    "CheckError",
    "Checked",
    "Conclude",
    "NotAsked",
    "Plan",
    "PointFunction",
    "Problem",
    "Quantifier",
    "Result",
    "SearchTraits",
    "Subject",
    "Target",
    "ToolCall",
]
