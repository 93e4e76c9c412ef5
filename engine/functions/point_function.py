"""The types of point functions: each is one record, from which checks, reference pages and rules are derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

from engine.blueprint import ABSENT, Absent
from engine.javascript.tasks import Outcome, Task
from engine.record import Record, field
from engine.text import Span
from engine.yaml_nodes.nodes import Data

Args: TypeAlias = "Data | Absent"


class ToolCall(Record):
    """One tool call, parsed from a `TOOL_CALL` line; `arguments` are ABSENT if the call has none."""

    name: str
    arguments: Data | Absent


class Subject(Record):
    """The response that a function checks, and the conversation that led to it.

    `tool_calls` are the calls of the response, if the caller has them already; if None, they are read from its lines.
    """

    response: str
    messages: tuple[dict[str, Data], ...] = ()
    model_id: str = ""
    prompt_id: str = ""
    prompt_text: str = ""
    tool_calls: tuple[ToolCall, ...] | None = None


class Checked(Record):
    """A check that ran: `extent` 0–1 before inversion, the reason in an author's words, and the evidence.

    `extent` is NaN if a script returns NaN or an argument is NaN, as on the platform (A28, A37). `evidence` are places
    in the response, only the first ones if there are many. `reflection` is a script's explanation of its score.
    """

    extent: float
    detail: str
    evidence: tuple[Span, ...] = ()
    reflection: str | None = None


class CheckError(Record):
    """A check that could not run: what is wrong and a correct example, in an author's words.

    `stopped`: a pattern took too long; Weval has no time limit for patterns, and waits.
    """

    message: str
    stopped: bool = False


class NotCalled(Record):
    """A check whose verdict comes from a service that was not called: the reason, in an author's words."""

    message: str


Result: TypeAlias = Checked | CheckError | NotCalled

Plan: TypeAlias = Callable[[Args, Subject], Sequence[Task]]
"""The JavaScript tasks of a call, in the order in which `Conclude` gets their outcomes; empty if it needs none."""

Conclude: TypeAlias = Callable[[Args, Subject, Sequence[Outcome]], Result]
"""The result, from the argument, the subject and the outcomes of the plan. Pure."""

Problem: TypeAlias = Callable[[Args], str | None]
"""What is wrong with an argument, in an author's words; None if nothing is."""


class Target(Enum):
    """What a function searches the response for: text, a whole word, a start, an end, or a pattern."""

    TEXT = "text"
    WORD = "word"
    START = "start"
    END = "end"
    PATTERN = "pattern"


class Quantifier(Enum):
    """How many of its texts or patterns a function has to find."""

    ONE = "one"
    ANY = "any"
    ALL = "all"
    AT_LEAST_N = "at least n"


class SearchTraits(Record):
    """How a function searches the response."""

    target: Target
    quantifier: Quantifier = Quantifier.ONE
    ignores_case: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether it searches for literal text, not for a pattern."""
        return self.target is not Target.PATTERN


class PointFunction(Record):
    """One point function.

    `argument` is its shape for readers (`text`, `[low, high]`), `example` a correct point in YAML. `graded`: it gives
    part marks. `aliases` are its other names; `unknown_to_weval` those of its names that the platform does not have.
    `negates` is the name of the function of which this is the `not_` twin. `by_service`: the verdict comes from a
    service over the network, and `conclude` returns `NotCalled`. `search` is None for a function that searches for
    nothing. `mark_note` explains its part marks, and `notes` are the other notes on its reference page.
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
        """All its names, the main one first."""
        return (self.name, *self.aliases)

    @property
    def weval_name(self) -> str | None:
        """The first of its names that the platform has, or None."""
        return next((name for name in self.names if name not in self.unknown_to_weval), None)

    @property
    def on_weval(self) -> bool:
        """Whether the platform has it, under any name."""
        return self.weval_name is not None

    def known_to_weval_as(self, name: str) -> bool:
        """Whether the platform has it under exactly this `name`."""
        return name in self.names and name not in self.unknown_to_weval


__all__ = [
    "ABSENT",
    "Args",
    "CheckError",
    "Checked",
    "Conclude",
    "NotCalled",
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
