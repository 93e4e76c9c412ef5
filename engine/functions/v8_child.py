"""The process in which V8 runs, started by `engine.functions.v8`; it imports nothing of `engine`.

It reads one request per line from stdin, replies on stdout, and exits as soon as stdin ends. A request is
`{"texts": [...], "tasks": [...], "ms": limit, "left": milliseconds or null, "single": bool}`; a reply line is
`[milliseconds, pairs]`: the processor time that the process has used so far, and `[index, outcome]` pairs.
`engine.functions.v8` writes the tasks and reads the outcomes. The first reply has no pairs: the process is
ready. Once the tasks of a request have used the time that is left, those that remain have the outcome `["n"]`.

Tasks that share a context (regexes, JSON) run together and share one reply line; if that takes too long, or `single`
is set, each runs alone. Scripts and syntax checks follow, each with a line of its own. So the first task
without an outcome is the one that took the process down.

No text of a blueprint is evaluated in a context that anything else uses: a function declaration is hoisted even out of
a script that throws at once, and changes whatever runs there later. See `Contexts`.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import re
import signal
import sys
import threading
import time
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

from py_mini_racer import (
    JSEvalException,
    JSOOMException,
    JSParseException,
    JSTimeoutException,
    MiniRacer,
    init_mini_racer,
    mini_racer,
)

HEAP_LIMIT = 256 << 20
"""Bytes of heap at which V8 stops a script. V8 may exceed it, so `confinement` limits the process as well."""
MILLISECONDS_PER_CHECK = 0.2
"""By how much each task of a batch raises the time limit of the whole batch."""
SECONDS_PAST_LIMIT = 0.25
"""The processor time beyond its limit after which a task that V8 cannot stop ends with the process."""
MAXIMUM_ATTEMPTS = 3
"""How often a task is tried when it runs out of time because the machine gave it no processor."""
WAITING_SHARE = 3
"""How much longer than it computes a task may wait before its waiting counts."""
OWN_LINE = "sp"
"""The kinds of tasks with a reply line of their own: scripts and syntax checks."""


def _end_after(seconds: float) -> None:
    """End the process by `SIGPROF` once it has computed for so long; 0 revokes that. Windows has no such timer."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def literal(text: str) -> str:
    """`text` as a JavaScript string literal in ASCII; lone surrogates stay as they are."""
    return json.dumps(text)


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """The loop that waits for all contexts: one of their own for each would need descriptors."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="contexts", daemon=True).start()
    return loop


class Context:
    """One V8 context, until it is closed."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._racer: MiniRacer = self._closing.enter_context(mini_racer(_event_loop()))

    def eval(self, code: str, timeout_sec: float | None = None, max_memory: int | None = None) -> Any:
        """The value of `code`. Raises `JSEvalException` or one of its kinds.

        Native code such as `Array(2**32-1).fill(0)` does not look at V8's interrupts, and keeps a context from being
        closed: a timer ends the process, unless what was computed is written before.
        """
        if timeout_sec is not None:
            _end_after(timeout_sec + SECONDS_PAST_LIMIT)
        return self._racer.eval(code, timeout_sec=timeout_sec, max_memory=max_memory)

    def close(self) -> None:
        """End the context and free its memory."""
        self._closing.close()


class Allowance:
    """The time that is left for the tasks of one request, in milliseconds; None for no limit."""

    def __init__(self, milliseconds: float | None) -> None:
        self._milliseconds = milliseconds
        self._computing = time.process_time()
        self._waiting = time.monotonic()

    @property
    def is_used_up(self) -> bool:
        """Whether the tasks have taken that time. Where other processes have the processor, they have not."""
        computed = time.process_time() - self._computing
        waited = (time.monotonic() - self._waiting) / WAITING_SHARE
        return self._milliseconds is not None and max(computed, waited) * 1000 >= self._milliseconds


class Contexts:
    """The V8 contexts: one for regexes and JSON, one for syntax checks, and a fresh one for each script.

    The first takes texts of a blueprint as data, never as code. The second compiles a script as the body of a function
    and calls nothing. Each script that runs, or is parsed at top level to locate an error, has a context of its own.
    """

    def __init__(self, milliseconds: int = 100) -> None:
        self.milliseconds = milliseconds
        self._shared: Context | None = None
        self._syntax: Context | None = None
        self._fresh: Context | None = None
        self._texts = "[]"
        self._loaded = False

    def prepare(self) -> None:
        """Create the contexts that the next request will need, before it arrives."""
        if self._shared is None:
            self._shared = Context()
            self._shared.eval(_source("shared_context.js"))
            self._loaded = False
        if self._fresh is None:
            self._fresh = _fresh_context()

    def read_ahead(self) -> None:
        """Read what any later request needs of the file system, which is out of reach once the process is confined."""
        self.prepare()
        assert self._shared is not None
        self._shared.eval("new Date(0).getTimezoneOffset()")  # the time zone, for the whole process
        _source("syntax_context.js")
        "".encode("utf-16-le")  # imports the codec

    def load(self, texts: list[str]) -> None:
        """Set the texts to which the tasks of the next request refer by number."""
        self._texts = json.dumps(texts)
        self._loaded = False

    def run_together(self, tasks: list[list[Any]], milliseconds: float) -> list[Any]:
        """The outcomes of `tasks` in the shared context, or a single `["t", ms]` / `["k", why]` for them all."""
        self.prepare()
        shared = self._shared
        assert shared is not None
        if not self._loaded:
            shared.eval(f"run.load({literal(self._texts)})")
            self._loaded = True
        try:
            answer = shared.eval(
                f"run.tasks({literal(json.dumps(tasks))})", timeout_sec=milliseconds / 1000, max_memory=HEAP_LIMIT
            )
        except (JSTimeoutException, JSOOMException, JSEvalException) as error:
            self._shared = None
            shared.close()
            return [_stopped(error, self.milliseconds)]
        assert isinstance(answer, str)
        return json.loads(answer)

    def check_syntax(self, source: str) -> Any:
        """Whether `source` compiles as the body of a function; with an error, its place if V8 reports one."""
        if self._syntax is None:
            self._syntax = Context()
            self._syntax.eval(_source("syntax_context.js"))
        call = f"read({literal(json.dumps([source]))})"
        try:
            answer = self._syntax.eval(call, timeout_sec=self.milliseconds / 1000, max_memory=HEAP_LIMIT)
        except (JSTimeoutException, JSOOMException, JSEvalException) as error:
            self._syntax.close()
            self._syntax = None
            return _stopped(error, self.milliseconds)
        assert isinstance(answer, str)
        (outcome,) = json.loads(answer)
        return outcome if outcome[0] != "e" else self._with_place(outcome, source)

    def _with_place(self, outcome: list[Any], source: str) -> list[Any]:
        """`outcome` with its place, found by parsing at top level: a source may close the function around it."""
        context = self._take_fresh()
        try:
            context.eval(f"throw 0; (function () {{\n{source}\n}})", timeout_sec=self.milliseconds / 1000)
        except JSParseException as error:
            return _located(outcome, str(error), source)
        except (JSTimeoutException, JSOOMException, JSEvalException):
            return outcome
        finally:
            context.close()
        return outcome

    def _take_fresh(self) -> Context:
        """A context that nothing has used yet, for one use; the caller closes it."""
        fresh, self._fresh = self._fresh, None
        return _fresh_context() if fresh is None else fresh

    def run_script(self, source: str, names: list[str], values: list[str]) -> Any:
        """The outcome of one script in a fresh context, which is thrown away afterwards.

        `values` are JSON, one for each of `names`.
        """
        context = self._take_fresh()
        arguments = ", ".join(literal(part) for part in (source, json.dumps(names), json.dumps(values)))
        call = f"((source, names, values) => evaluate(source, JSON.parse(names), JSON.parse(values)))({arguments})"
        try:
            answer = context.eval(call, timeout_sec=self.milliseconds / 1000, max_memory=HEAP_LIMIT)
            context.eval(
                "0", timeout_sec=self.milliseconds / 1000
            )  # times out if the script left promises that never end
        except (JSTimeoutException, JSOOMException, JSEvalException) as error:
            return _stopped(error, self.milliseconds)
        finally:
            context.close()
        return _returned(answer)


@cache
def _source(name: str) -> str:
    """The JavaScript that a context starts with: a file beside this one."""
    return Path(__file__).with_name(name).read_text("utf-8")


def _fresh_context() -> Context:
    context = Context()
    context.eval(_source("script_context.js"))
    return context


def _returned(answer: Any) -> Any:
    """The outcome that a script's context returned; the script may have tampered with it, so its form is checked."""
    try:
        outcome = json.loads(answer) if isinstance(answer, str) else None
    except (ValueError, RecursionError):
        outcome = None
    match outcome:
        case ["v", str(), _] | ["e", str(), str()]:
            return outcome
        case _:
            return ["e", "TypeError", "the result cannot be read"]


def _located(outcome: list[Any], report: str, source: str) -> list[Any]:
    """`outcome` with the offset, in code points, of the caret in V8's `report`: a line, the code, a caret below it."""
    found = re.match(r"<anonymous>:(\d+): .*\n.*\n( *)\^", report)
    if found is None:
        return outcome
    lines = source.split("\n")
    line = int(found[1]) - 2
    if line < 0:
        return outcome
    if line >= len(lines):
        return ["e", outcome[1], "Unexpected end of input", len(source)]
    before = lines[line].encode("utf-16-le", "surrogatepass")[: 2 * len(found[2])]
    return [*outcome, sum(len(each) + 1 for each in lines[:line]) + len(before.decode("utf-16-le", "surrogatepass"))]


def _stopped(error: Exception, milliseconds: int) -> list[Any]:
    if isinstance(error, JSTimeoutException):
        return ["t", milliseconds]
    if isinstance(error, JSOOMException):
        return ["k", "it used too much memory"]
    return ["e", "RangeError", str(error).partition("\n")[0]]


def _retried(attempt: Any, milliseconds: int) -> Any:
    """The outcome of `attempt`, repeated if it timed out while other processes had the processor."""
    outcome: Any = None
    for _ in range(MAXIMUM_ATTEMPTS):
        before = time.process_time()
        outcome = attempt()
        if outcome[0] != "t" or (time.process_time() - before) * 1000 > milliseconds / 2:
            break
    return outcome


def _run_alone(contexts: Contexts, task: list[Any]) -> Any:
    limit = contexts.milliseconds
    outcome = _retried(lambda: contexts.run_together([task], limit)[0], limit)
    if outcome[0] == "t" and task[0] == "r" and task[4] > 1:
        # Weval only tests for a match; finding all of them may take longer than finding the first.
        outcome = _retried(lambda: contexts.run_together([[*task[:4], 1]], limit)[0], limit)
    return outcome


def reply(contexts: Contexts, request: dict[str, Any], write: Any) -> None:
    """Run the tasks of `request`, and pass each line of the reply to `write` as soon as it is complete."""
    tasks: list[list[Any]] = request["tasks"]
    contexts.milliseconds = request["ms"]
    contexts.load(request["texts"])
    allowance = Allowance(request["left"])
    shared = [index for index, task in enumerate(tasks) if task[0] not in OWN_LINE]
    if len(shared) > 1 and not request["single"]:
        limit = contexts.milliseconds + MILLISECONDS_PER_CHECK * len(shared)
        outcomes = contexts.run_together([tasks[index] for index in shared], limit)
        if len(outcomes) == len(shared) and outcomes[0][0] not in "tk":
            write(list(zip(shared, outcomes, strict=True)))
            shared = []
    for index in shared:
        write([(index, ["n"] if allowance.is_used_up else _run_alone(contexts, tasks[index]))])
    for index, task in enumerate(tasks):
        if task[0] in OWN_LINE and allowance.is_used_up:
            write([(index, ["n"])])
        elif task[0] == "s":
            _, source, names, values = task
            texts = [request["texts"][value] for value in values]
            attempt = partial(contexts.run_script, source, names, texts)
            write([(index, _retried(attempt, contexts.milliseconds))])
        elif task[0] == "p":
            write([(index, contexts.check_syntax(task[1]))])


def main(confinement: Any) -> None:
    """Serve requests until stdin ends, confined by that module as soon as V8 is loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    confinement.limit_memory()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            requests.put(line)
        os._exit(0)  # the parent is gone; V8 may be in a loop, so do not wait for it

    threading.Thread(target=listen, daemon=True).start()

    def write(pairs: list[Any]) -> None:
        _end_after(0)
        line = [time.process_time() * 1000, pairs]
        sys.stdout.buffer.write(json.dumps(line).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()

    # Grammar that Node 20, on which the platform runs, does not have.
    newer = ("regexp-modifiers", "regexp-duplicate-named-groups", "explicit-resource-management")
    init_mini_racer(flags=["--single-threaded", *(f"--no-js-{feature}" for feature in newer)])
    contexts = Contexts()
    contexts.read_ahead()
    confinement.confine()
    write([])
    while True:
        if requests.empty():
            contexts.prepare()
        reply(contexts, json.loads(requests.get()), write)
