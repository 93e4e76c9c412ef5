"""The tasks that V8 runs and their outcomes: plain data that crosses a process boundary as JSON.

`is_heavy` finds patterns that V8 compiles for so long that nothing but the end of its process stops it. V8 compiles a
pattern when it is first run, and looks at no clock meanwhile. It considers what may follow each part that can be left
out, and with many of them in a row this doubles again and again: forty times `a?` and `b^c` take seconds. Groups within
each other cost the square of their depth, or more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeAlias

from engine.text import Record, Span
from engine.yaml.nodes import Data


class RegexTask(Record):
    """Find `pattern` (flags as given to `RegExp`) in `text`: all matches up to `limit`, as spans in code points."""

    pattern: str
    flags: str
    text: str
    limit: int = 100


class CompileTask(Record):
    """Compile `pattern` as a `RegExp` with `flags`: `Matches` without spans, or a `JsError`."""

    pattern: str
    flags: str = ""


class JsonTask(Record):
    """Read `text` with `JSON.parse`: a `Value` with its kind and no value, or a `JsError` with V8's own message."""

    text: str


class ScriptTask(Record):
    """Evaluate `source` with the names of `scope` bound to plain values, as `$js` does.

    The outcome is the value of the last statement, or of a top-level `return`. Each script has a context of its own,
    so its changes affect no other. Numbers in `scope` must be finite.
    """

    source: str
    scope: tuple[tuple[str, Data], ...]


class SyntaxTask(Record):
    """Compile `source` as a script of `$js` without running it: `Value("boolean", True)` or a `JsError`."""

    source: str


class Matches(Record):
    """The matches of a `RegexTask`, empty if there are none; also the outcome of a `CompileTask` that compiles."""

    spans: tuple[Span, ...] = ()


class Value(Record):
    """What a script returned. `kind` is JavaScript's `typeof`, with `null`, `array` and `nan` distinguished.

    `value` is the plain value, if it has one: for an object its own enumerable properties, with None for those that
    are not plain values (`undefined`, functions); for a `JsonTask` always None.
    """

    kind: str
    value: Data


class JsError(Record):
    """An error inside JavaScript, with V8's own name and message (`SyntaxError`, `Invalid group`).

    If a script throws something other than an error (`throw "no"`), `name` is empty and `message` is its text. `at` is
    the offset in the source in code points, if it is known.
    """

    name: str
    message: str
    at: int | None = None


class TimedOut(Record):
    """The task exceeded its time limit and was stopped."""

    milliseconds: int


class Killed(Record):
    """The task used too much memory or took the process down; the next task runs in a new process."""

    reason: str


Task: TypeAlias = RegexTask | CompileTask | JsonTask | ScriptTask | SyntaxTask
Outcome: TypeAlias = Matches | Value | JsError | TimedOut | Killed


@dataclass(slots=True)
class Budget:
    """The processor time that is left for the tasks of one piece of work, in seconds."""

    seconds: float


class OutOfTime(Exception):
    """The budget was used up before all tasks had run."""


class TaskRunner(Protocol):
    """Runs tasks: V8 itself, or a cache of its outcomes."""

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order. Blocks; `meanwhile` is called once while the tasks run."""
        ...


class BudgetedRunner(Protocol):
    """Runs tasks as long as a budget lasts."""

    def run_within(
        self, tasks: Sequence[Task], budget: Budget, meanwhile: Callable[[], None] | None = None
    ) -> list[Outcome | None]:
        """As `TaskRunner.run`, but takes what the tasks use from `budget`; None for those that it does not cover."""
        ...


_MOST_OPTIONAL = 20
"""Parts that a pattern may do without, loops aside; no pattern of the public collection has more than four."""
_DEEPEST = 100
"""Groups within each other."""
_LONG = 2_000
"""Characters from which on other signs count like parts that can be left out; the longest of the collection has 1,139.

A list of words may be longer.
"""
_SET_ASIDE = re.compile(r"(?P<edge>\\[bB])|(?P<set>\\[dDsSwW]|\[(?:\\.|[^\]\\])*\])|\\.", re.DOTALL)
_WRITTEN_AS = {"edge": "^", "set": ".", None: "x"}
_OPTIONAL = re.compile(
    r"(?<![(*+?}])\?"  # `a?`, and not the sign of a group or of a lazy quantifier
    r"|\{0,\d+\}"
    r"|(?:\(|\?:|\|)[\^$]*(?=[|)])"  # an option that takes no text
)
_SIGN = re.compile(r"[*+^$.]|(?<!\()\?|\{\d|\((?!\?:)")
_STEPS = {"(": 1, ")": -1}


def is_heavy(pattern: str) -> bool:
    """Whether compiling `pattern` may take V8 a tenth of a second and more. Linear in its length."""
    plain = _SET_ASIDE.sub(lambda found: _WRITTEN_AS[found.lastgroup], pattern)
    counted = _OPTIONAL if len(pattern) <= _LONG else _SIGN
    if sum(1 for _ in counted.finditer(plain)) > _MOST_OPTIONAL:
        return True
    steps = (_STEPS[sign] for sign in plain if sign in _STEPS)
    return max(accumulate(steps), default=0) > _DEEPEST
