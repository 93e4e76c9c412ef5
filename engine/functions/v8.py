"""The child process that runs V8: started when needed, sent tasks in batches, killed when it does not reply.

Its protocol is a request line from tasks, and outcomes from the lists of a reply.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import starmap
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self, TypeAlias

from msgspec import Meta, convert

from engine.files.processes import Child, child_environment
from engine.functions.tasks import (
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
from engine.text import Record, Span


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


_Count: TypeAlias = Annotated[int, Meta(ge=0)]
_Line: TypeAlias = tuple[Annotated[float, Meta(ge=0, le=sys.float_info.max)], list[tuple[_Count, list[Any]]]]
"""Milliseconds, and outcomes with the places of their tasks."""


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
    milliseconds, pairs = convert(json.loads(line), _Line)
    found: dict[int, Outcome | None] = {}
    for index, data in pairs:
        if index >= len(tasks) or index in found:
            raise ValueError("not the place of a task")
        found[index] = outcome(data, tasks[index], offsets)
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
        case ["e", str(name), str(message), at]:
            return JsError(name, message, convert(at, _Count))
        case ["t", milliseconds]:
            return TimedOut(convert(milliseconds, _Count))
        case ["k", str(reason)]:
            return Killed(reason)
        case _:
            raise ValueError("not an outcome")


def _units(units: list[Any], task: RegexTask) -> list[int]:
    """The pairs of UTF-16 offsets in a reply. Raises `ValueError` for what cannot be that."""
    counts = convert(units, list[_Count])
    starts, ends = counts[::2], counts[1::2]
    if len(starts) != len(ends) or len(starts) > task.limit:
        raise ValueError("not the offsets of matches")
    if any(one > other for one, other in zip(starts, ends, strict=True)):
        raise ValueError("a match that ends before it begins")
    return counts


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


CHECK_MILLISECONDS = 100
"""The time limit of one check, as on the platform."""
WALL_SECONDS = 30.0
"""The time limit of one call of `run`, however many tasks it has."""
_START_SECONDS = 15.0
"""How long the process may take to start; on an idle machine it takes 0.1 s."""
_LONGEST_LINE = 32 << 20
"""The most bytes that a process may have written without being read, in one line or several."""
_GRACE_SECONDS = 3.0
"""How long a process may exceed its own limits without a reply before it counts as stuck."""
_RUN_LAST = (ScriptTask, SyntaxTask)
_START = "import sys; sys.path.insert(0, sys.argv[1]); import v8_child, v8_confinement; v8_child.main(v8_confinement)"
"""Starts the modules beside this one, without `engine`. It is short: Python compiles it anew at each start."""


class Closed(RuntimeError):
    """Tasks were given to a `JavaScript` after its `close`."""


class JavaScript:
    """V8 in a child process that can be killed.

    Cheap to import and to construct: the process starts with the first task, or with `warm_up`. All methods may be
    called from any thread; concurrent calls run one after another. Use it as a context manager, or call `close`.
    """

    def __init__(self, *, milliseconds: int = CHECK_MILLISECONDS, wall_seconds: float = WALL_SECONDS) -> None:
        self._milliseconds = milliseconds
        self._wall_seconds = wall_seconds
        self._turn = threading.Lock()
        self._child: _Child | None = None
        self._closed = False
        self._is_wary = False
        """Whether the next tasks run one by one, so that the one that takes the process down is known."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process id; None if no process runs."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def warm_up(self) -> None:
        """Start the process, unless it runs already, without waiting for it: the first task is then quicker."""
        with self._turn:
            self._running()

    def close(self) -> None:
        """End the process. A call that waits for it in another thread gets `Killed` for each unfinished task."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order. Blocks for at most `wall_seconds` once earlier calls are done.

        The tasks are sent in one batch, and `meanwhile` is called while V8 works on it. A task that exceeds its limit
        is `TimedOut`, one that takes the process down is `Killed`; the other tasks still get their outcomes. Raises
        `RuntimeError` after `close`.
        """
        return [each for each in self._run(tasks, None, meanwhile) if each is not None]

    def run_within(
        self, tasks: Sequence[Task], budget: Budget, meanwhile: Callable[[], None] | None = None
    ) -> list[Outcome | None]:
        """As `run`, but takes the processor time of the tasks from `budget`; None for those that it does not cover.

        The last task that it covers may exceed it by its own time limit. Waiting counts for a third.
        """
        outcomes = self._run(tasks, budget, meanwhile)
        if None in outcomes:
            budget.seconds = min(budget.seconds, 0)
        return outcomes

    def _run(
        self, tasks: Sequence[Task], budget: Budget | None, meanwhile: Callable[[], None] | None
    ) -> list[Outcome | None]:
        if not tasks:
            if meanwhile is not None:
                meanwhile()
            return []
        with self._turn:
            work = _Work(tasks, budget, time.monotonic() + self._wall_seconds)
            self._finish(work, meanwhile)
        return [work.outcomes[index] for index in range(len(tasks))]

    def _finish(self, work: _Work, meanwhile: Callable[[], None] | None) -> None:
        single, self._is_wary = self._is_wary, False
        while pending := work.unfinished():
            lost = self._run_batch(work, pending, meanwhile, single=single)
            meanwhile = None
            if lost is None:
                continue
            self._discard()
            pending = work.unfinished()
            if self._closed:
                work.give_up(pending, Killed("it was stopped"))
                return
            if lost is _Lost.NEVER_STARTED:
                work.give_up(pending, Killed(lost.value))
                return
            is_late = time.monotonic() >= work.deadline
            if pending and not is_late and (single or (lost is _Lost.SILENT and _is_alone(work.tasks, pending))):
                is_silent = lost is _Lost.SILENT
                work.outcomes[pending.pop(0)] = TimedOut(self._milliseconds) if is_silent else Killed(lost.value)
            if work.budget is not None and work.budget.seconds <= 0:
                self._is_wary = bool(pending)
                work.give_up(pending, None)
            elif is_late:
                work.give_up(pending, TimedOut(round(self._wall_seconds * 1000)))
            single = True

    def _run_batch(
        self, work: _Work, pending: Sequence[int], meanwhile: Callable[[], None] | None, *, single: bool
    ) -> _Lost | None:
        """Run the tasks `pending` and store their outcomes; returns how the process was lost, None if it was not.

        Takes their processor time from the budget; of a lost process, all the time since the request.
        """
        child = self._running()
        sent = time.monotonic()
        before = child.computed if child.ready else None
        batch = [work.tasks[index] for index in pending]
        child.send(request(batch, self._milliseconds, work.budget, single=single))
        if meanwhile is not None:
            meanwhile()
        lost = self._receive(child, work, pending, batch)
        if work.budget is not None:
            computed = child.computed - (child.computed_at_start if before is None else before)
            work.budget.seconds -= max(computed, 0) if lost is None else time.monotonic() - sent
        return lost

    def _receive(self, child: _Child, work: _Work, pending: Sequence[int], batch: Sequence[Task]) -> _Lost | None:
        """Store the outcomes that `child` sends. With a budget, tasks may remain that were not tried."""
        offsets = Offsets()
        patience = _GRACE_SECONDS + (self._milliseconds * 8 + len(pending)) / 1000
        missing = len(pending)
        while missing:
            wait = patience if child.ready else _START_SECONDS
            try:
                line = child.line(min(wait, work.deadline - time.monotonic()))
            except queue.Empty:
                return _Lost.SILENT
            if line is None and child.has_overrun:
                return _Lost.SILENT
            if line is None:
                return _Lost.DIED if child.ready else _Lost.NEVER_STARTED
            try:
                found = reply(line, batch, offsets, started=child.ready)
            except (ValueError, RecursionError):
                return _Lost.UNREADABLE
            if not child.ready:
                child.computed_at_start = found.computed
            child.ready = True
            child.computed = found.computed
            if any(pending[index] in work.outcomes for index in found.outcomes):
                return _Lost.UNREADABLE
            if work.budget is None and None in found.outcomes.values():
                return _Lost.UNREADABLE
            work.outcomes.update((pending[index], outcome) for index, outcome in found.outcomes.items())
            missing -= len(found.outcomes)
        return None

    def _running(self) -> _Child:
        if self._closed:
            raise Closed("this JavaScript is closed")
        if self._child is None or not self._child.alive:
            self._child = _Child()
            if self._closed:  # by another thread, before this process was assigned
                self._child.kill()
        return self._child

    def _discard(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


@dataclass(slots=True, eq=False)
class _Work:
    """The tasks of one call, and their outcomes so far by place."""

    tasks: Sequence[Task]
    budget: Budget | None
    deadline: float
    outcomes: dict[int, Outcome | None] = field(default_factory=dict[int, "Outcome | None"])

    def unfinished(self) -> list[int]:
        """The tasks without an outcome, in the order in which the child runs them: those with own lines last."""
        missing = [index for index in range(len(self.tasks)) if index not in self.outcomes]
        return sorted(missing, key=lambda index: isinstance(self.tasks[index], _RUN_LAST))

    def give_up(self, pending: Sequence[int], outcome: Outcome | None) -> None:
        """Give all the tasks `pending` this outcome."""
        self.outcomes.update(dict.fromkeys(pending, outcome))


def _is_alone(tasks: Sequence[Task], pending: Sequence[int]) -> bool:
    """Whether the first of the tasks `pending` was the only one that ran."""
    return len(pending) == 1 or isinstance(tasks[pending[0]], _RUN_LAST)


class _Lost(Enum):
    """How a process was lost; the values tell authors."""

    NEVER_STARTED = "JavaScript could not be started"
    DIED = "it used too much memory"
    SILENT = "it did not answer"
    UNREADABLE = "its reply could not be read"


class _Child:
    """One process and the lines that it writes."""

    def __init__(self) -> None:
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, "-S", "-P", "-c", _START, str(Path(__file__).absolute().parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(Child.JAVASCRIPT),
            cwd=os.sep,
            close_fds=True,
            start_new_session=True,
        )
        self.ready = False
        self.computed = self.computed_at_start = 0.0
        """The processor time that it has used, in seconds, as of its last and of its first reply."""
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._counting = threading.Lock()
        threading.Thread(target=self._listen, name="javascript", daemon=True).start()
        _children.add(self)

    def _listen(self) -> None:
        output = self._process.stdout
        assert output is not None
        with output:
            while line := output.readline(_LONGEST_LINE + 1):
                with self._counting:
                    self._waiting += len(line)
                self._lines.put(line)
                if self._waiting > _LONGEST_LINE:
                    self._process.kill()  # a script has taken it over
                    break
        self._lines.put(None)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def has_overrun(self) -> bool:
        """Whether the process, whose output has ended, was ended by its own timer: its task could not be stopped."""
        return sys.platform != "win32" and self._process.wait() == -signal.SIGPROF

    def send(self, line: bytes) -> None:
        """Write one line; if the process is gone, `line` reports it."""
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(line + b"\n")
            pipe.flush()
        except (BrokenPipeError, ValueError):  # ValueError: closed by `kill` in another thread
            return

    def line(self, seconds: float) -> bytes | None:
        """The next line, or None once the process has ended. Raises `queue.Empty` after `seconds`."""
        line = self._lines.get(timeout=max(seconds, 0))
        with self._counting:
            self._waiting -= len(line or b"")
        return line

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


_children: weakref.WeakSet[_Child] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for child in list(_children):
        child.kill()
