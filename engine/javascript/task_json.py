"""The protocol of the child process: a request line from tasks, and outcomes from the lists of a reply."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import starmap
from typing import Any

from engine.javascript.tasks import (
    CompileTask,
    JsError,
    JsonTask,
    Killed,
    Matches,
    Outcome,
    RegexTask,
    ScriptTask,
    SlownessTask,
    SyntaxTask,
    Task,
    TimedOut,
    Value,
)
from engine.text import Span


def request(tasks: Sequence[Task], milliseconds: int, *, single: bool) -> bytes:
    """The request line for `tasks`, without its line break. A text that several tasks share is sent once."""
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    def written(task: Task) -> list[Any]:
        match task:
            case RegexTask(pattern, flags, text, limit):
                return ["r", pattern, flags, number(text), limit]
            case CompileTask(pattern, flags):
                return ["c", pattern, flags]
            case JsonTask(text):
                return ["j", number(text)]
            case ScriptTask(source, scope):
                values = [number(json.dumps(value, allow_nan=False)) for _, value in scope]
                return ["s", source, [name for name, _ in scope], values]
            case SyntaxTask(source):
                return ["p", source]
            case SlownessTask(pattern, flags, prefix, pump, suffix):
                return ["w", pattern, flags, prefix, pump, suffix]

    written_tasks = [written(task) for task in tasks]
    return json.dumps({"texts": list(texts), "tasks": written_tasks, "ms": milliseconds, "single": single}).encode(
        "ascii"
    )


def outcome(data: list[Any], task: Task, offsets: Offsets) -> Outcome:
    """The outcome of `task` that `data`, of a reply, describes. Raises `ValueError` if it describes none."""
    match data[0]:
        case "m":
            return Matches(offsets.spans(task.text, data[1]) if isinstance(task, RegexTask) else ())
        case "v":
            return Value(data[1], data[2])
        case "e":
            return JsError(data[1], data[2], *data[3:])
        case "t":
            return TimedOut(data[1])
        case "k":
            return Killed(data[1])
        case _:
            raise ValueError(f"not an outcome: {data!r}")


class Offsets:
    """Converts V8's UTF-16 offsets to code points; caches what it finds out about each text of one batch."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[int]] = {}

    def spans(self, text: str, units: Sequence[int]) -> tuple[Span, ...]:
        """The spans of `text` for the pairs of UTF-16 offsets in `units`.

        A span that begins or ends between the two halves of a character is widened to hold all of it.
        """
        seconds = self._seconds.get(text)
        if seconds is None:
            seconds = self._seconds[text] = _second_halves(text)
        pairs = zip(units[::2], units[1::2], strict=True)
        if not seconds:
            return tuple(starmap(Span, pairs))
        return tuple(
            Span(_code_point_start(seconds, start), _code_point_end(seconds, start, end)) for start, end in pairs
        )


def _code_point_start(seconds: list[int], unit: int) -> int:
    return unit - bisect_right(seconds, unit)


def _code_point_end(seconds: list[int], start: int, end: int) -> int:
    return end - bisect_left(seconds, end) if end > start else _code_point_start(seconds, start)


def _second_halves(text: str) -> list[int]:
    """The UTF-16 offset of the second half of each character of `text` that has two halves, ascending."""
    if text.isascii() or max(text) <= "\uffff":
        return []
    return [
        place + before + 1
        for before, place in enumerate(place for place, character in enumerate(text) if character > "\uffff")
    ]
