"""The protocol of the child process: a request line from tasks, and outcomes from the lists of a reply."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import starmap
from typing import Any, cast

from engine.javascript.tasks import (
    Budget,
    CompileTask,
    JsError,
    JsonTask,
    Killed,
    Matches,
    Outcome,
    RegexTask,
    ScriptTask,
    SyntaxTask,
    Task,
    TimedOut,
    Value,
)
from engine.text.record import Record
from engine.text.spans import Span


def request(tasks: Sequence[Task], milliseconds: int, budget: Budget | None, *, single: bool) -> bytes:
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

    written_tasks = [written(task) for task in tasks]
    left = None if budget is None else budget.seconds * 1000
    written_request = {"texts": list(texts), "tasks": written_tasks, "ms": milliseconds, "left": left, "single": single}
    return json.dumps(written_request).encode("ascii")


class Reply(Record):
    """One line of a reply: the processor time that the process has used so far, in seconds, and outcomes.

    Outcomes are by the places of their tasks; None for a task that did not run because its budget was used up.
    """

    computed: float
    outcomes: dict[int, Outcome | None]


def reply(line: bytes, tasks: Sequence[Task], offsets: Offsets, *, started: bool) -> Reply:
    """One line of a reply to `tasks`.

    The line is not trusted. Raises `ValueError` or `RecursionError` for one that the process does not write by itself;
    only its first one, before it has `started`, is empty.
    """
    milliseconds, pairs = _pair(json.loads(line))
    if not isinstance(milliseconds, int | float) or not 0 <= milliseconds < math.inf:
        raise ValueError("not a time")
    found: dict[int, Outcome | None] = {}
    for pair in _list(pairs):
        index, data = _pair(pair)
        if not _is_count(index) or index >= len(tasks) or index in found:
            raise ValueError("not the place of a task")
        task = tasks[cast("int", index)]
        found[index] = outcome(_list(data), task, offsets)
    if started and not found:
        raise ValueError("no outcome")
    return Reply(milliseconds / 1000, found)


def outcome(data: list[Any], task: Task, offsets: Offsets) -> Outcome | None:
    """The outcome of `task` that `data`, of a reply, describes; None if it did not run for lack of time.

    Raises `ValueError` if it describes none.
    """
    match data:
        case ["n"]:
            return None
        case ["m", list()] if isinstance(task, RegexTask):
            return Matches(offsets.spans(task.text, _units(data[1], task)))
        case ["m", *_] if isinstance(task, CompileTask):
            return Matches()
        case ["v", str(kind), value] if not isinstance(task, RegexTask | CompileTask):
            return Value(kind, value)
        case ["e", str(name), str(message)]:
            return JsError(name, message)
        case ["e", str(name), str(message), at] if _is_count(at):
            return JsError(name, message, at)
        case ["t", milliseconds] if _is_count(milliseconds):
            return TimedOut(milliseconds)
        case ["k", str(reason)]:
            return Killed(reason)
        case _:
            raise ValueError("not an outcome")


def _units(units: list[Any], task: RegexTask) -> list[int]:
    """The pairs of UTF-16 offsets in a reply. Raises `ValueError` for what cannot be that."""
    starts, ends = units[::2], units[1::2]
    if not all(map(_is_count, units)) or len(starts) != len(ends) or len(starts) > task.limit:
        raise ValueError("not the offsets of matches")
    if any(one > other for one, other in zip(starts, ends, strict=True)):
        raise ValueError("a match that ends before it begins")
    return units


def _pair(data: Any) -> tuple[Any, Any]:
    first, second = _list(data)
    return first, second


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError("not a list")
    return cast("list[Any]", data)


def _is_count(data: Any) -> bool:
    return isinstance(data, int) and not isinstance(data, bool) and data >= 0


class Offsets:
    """Converts V8's UTF-16 offsets to code points; caches what it finds out about each text of one batch."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[int]] = {}

    def spans(self, text: str, units: Sequence[int]) -> tuple[Span, ...]:
        """The spans of `text` for the pairs of UTF-16 offsets in `units`.

        A span that begins or ends between the two halves of a character is widened to hold all of it. Raises
        `ValueError` for one outside the text.
        """
        seconds = self._seconds.get(text)
        if seconds is None:
            seconds = self._seconds[text] = _second_halves(text)
        if max(units, default=0) > len(text) + len(seconds):
            raise ValueError("a match outside the text")
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
