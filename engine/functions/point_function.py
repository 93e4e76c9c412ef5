"""The types of point functions: each is one record, from which checks, reference pages and rules are derived.

The `not_` twin of a function is the same check, inverted. Names are those of Weval's program (platform A6), and calls
are described as in its results: `Function: contains("x")`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from msgspec import convert

from engine.blueprint import Absent, FunctionCall, Point
from engine.functions.tasks import Outcome, Task
from engine.text import Record, Span, field, replace
from engine.yaml.nodes import Data, json_text


def describe(call: FunctionCall) -> str:
    """The documented text of a call (000), with its argument as `JSON.stringify` prints it."""
    return f"Function: {call.name}({'undefined' if isinstance(call.args, Absent) else json_text(call.args)})"


def point_text(point: Point) -> str:
    """The text of a point in results: the criterion, or the documented text of its call."""
    return point.text or "" if point.function is None else describe(point.function)


Args: TypeAlias = "Data | Absent"


class Subject(Record):
    """The response that a function checks, and the conversation that led to it."""

    response: str
    messages: tuple[dict[str, Data], ...] = ()
    model_id: str = ""
    prompt_id: str = ""
    prompt_text: str = ""


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


class Described(Record, kw_only=True):
    """What `functions.toml` says of a function.

    `argument` is its shape for readers (`text`, `[low, high]`), `example` a correct point in YAML. `graded`: it
    gives part marks. `aliases` are its other names. `by_service`: the verdict comes from a service over the network,
    and `conclude` returns `NotCalled`. `search` is None for a function that searches for nothing. `mark_note` explains
    its part marks, and `notes` are the other notes on its reference page.
    """

    summary: str
    argument: str
    example: str
    aliases: tuple[str, ...] = ()
    graded: bool = False
    by_service: bool = False
    search: SearchTraits | None = None
    mark_note: str = ""
    notes: tuple[str, ...] = ()


_READ = tomllib.loads(Path(__file__).with_name("functions.toml").read_text("utf-8"))
REGISTERED = frozenset(convert(_READ.pop("registered"), str).split())
"""All names at evaluation. A point with any other name is left out of the mean there."""
MARK_NOTES = convert(_READ.pop("mark_notes"), dict[Quantifier, str])
"""What is said of searches that give part marks."""
DESCRIBED: Mapping[str, Described] = convert(_READ, dict[str, Described])
"""By the names of the functions, in the order of the reference."""


class PointFunction(Described, kw_only=True):
    """One point function. `negates` is the name of the function of which this is the `not_` twin."""

    name: str
    conclude: Conclude
    plan: Plan = field(default=lambda _args, _subject: ())
    problem: Problem = field(default=lambda _args: None)
    negates: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the main one first."""
        return (self.name, *self.aliases)

    @property
    def weval_name(self) -> str | None:
        """The first of its names that the platform has, or None."""
        return next((name for name in self.names if name in REGISTERED), None)

    @property
    def on_weval(self) -> bool:
        """Whether the platform has it, under any name."""
        return self.weval_name is not None


def described(name: str, conclude: Conclude, *, plan: Plan | None = None, problem: Problem) -> PointFunction:
    """The function of this name, as `functions.toml` describes it; with `plan`, it runs JavaScript."""
    texts = {each: getattr(DESCRIBED[name], each) for each in Described.__struct_fields__}
    function = PointFunction(name=name, conclude=conclude, problem=problem, **texts)
    return function if plan is None else replace(function, plan=plan)


PREFIX = "not_"


def negated(function: PointFunction) -> PointFunction:
    """The twin of `function`, with twins of all its names. An error stays an error; evidence is what must not occur."""

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        result = function.conclude(args, subject, outcomes)
        return replace(result, extent=1 - result.extent) if isinstance(result, Checked) else result

    opening = f"The opposite of ${function.name}{', 1 minus its mark' if function.graded else ''}"
    return replace(
        function,
        name=PREFIX + function.name,
        summary=f"{opening}: {function.summary[0].lower()}{function.summary[1:]}",
        example=function.example.replace(f"${function.name}:", f"${PREFIX}{function.name}:"),
        conclude=conclude,
        aliases=tuple(PREFIX + alias for alias in function.aliases),
        negates=function.name,
    )
