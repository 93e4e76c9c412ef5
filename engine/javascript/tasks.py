"""What can be asked of V8, and what it answers. Plain data: it crosses a process boundary as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine.text import Span
from engine.yaml_nodes.nodes import Data


@dataclass(frozen=True, slots=True)
class RegexTask:
    """Find `pattern` (flags as given to `RegExp`) in `text`: all matches up to `limit`, as spans in code points."""

    pattern: str
    flags: str
    text: str
    limit: int = 100


@dataclass(frozen=True, slots=True)
class CompileTask:
    """Does `pattern` compile as a `RegExp` with `flags`?"""

    pattern: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class JsonTask:
    """Read `text` as `JSON.parse` does: the answer is a `Value` whose kind counts, or V8's own `SyntaxError`."""

    text: str


@dataclass(frozen=True, slots=True)
class ScriptTask:
    """Evaluate `source` with the names of `scope` bound to plain values, as `$js` does.

    The value of the last statement counts, and a top-level `return` works. Each script has a context of its own, and
    what it changes is gone with it. A number in `scope` must be finite.
    """

    source: str
    scope: tuple[tuple[str, Data], ...]


@dataclass(frozen=True, slots=True)
class SyntaxTask:
    """Can `source` be read as a script of `$js`? `Value("boolean", True)` or a `JsError`; it is not run."""

    source: str


@dataclass(frozen=True, slots=True)
class SlownessTask:
    """How long `pattern` takes for `prefix`, `pump` again and again, and `suffix`: see `measured`.

    The text grows until the pattern takes longer than a check may, or the text is as long as a long answer.
    """

    pattern: str
    flags: str
    prefix: str
    pump: str
    suffix: str


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a `RegexTask`, none where it does not match; also the answer to a pattern that compiles."""

    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """What a script returned. `kind` is JavaScript's `typeof`, with `null`, `array` and `nan` distinguished.

    `value` is the plain value where it has one. Of an object these are its own enumerable properties, of which those
    that are no plain value (`undefined`, functions) are None; of a `JsonTask` it is None.
    """

    kind: str
    value: Data


@dataclass(frozen=True, slots=True)
class JsError:
    """An error inside JavaScript, by V8's own name and message (`SyntaxError`, `Invalid group`).

    Where a script throws something that is no error (`throw "no"`), `name` is empty and `message` that thing as text.
    `at` is the place in the source in code points, where it is known.
    """

    name: str
    message: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """It took longer than its limit, and was stopped."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class Killed:
    """It ate its memory or took the process down; the next task runs in a new one."""

    reason: str


Task: TypeAlias = RegexTask | CompileTask | JsonTask | ScriptTask | SyntaxTask | SlownessTask
Outcome: TypeAlias = Matches | Value | JsError | TimedOut | Killed


def measured(outcome: Outcome) -> list[tuple[int, float]]:
    """Of a `SlownessTask`: the length of each text in characters with its milliseconds, ascending by length."""
    rows = outcome.value if isinstance(outcome, Value) else None
    found: list[tuple[int, float]] = []
    for row in rows if isinstance(rows, list) else []:
        match row:
            case [int(length), int() | float() as milliseconds]:
                found.append((length, float(milliseconds)))
            case _:
                raise ValueError(f"not a measurement: {row!r}")
    return found


class TaskRunner(Protocol):
    """Whoever answers tasks: V8 itself, or what remembers its answers."""

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order. Blocks. `meanwhile` is called once, while they are worked out."""
        ...
