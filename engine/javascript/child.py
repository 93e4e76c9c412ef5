"""The process in which V8 runs. Started by `engine.javascript.process`, as a script by its path; it imports no room.

It reads one request a line from stdin and answers on stdout; when stdin ends it is gone at once. A request is
`{"texts": [...], "tasks": [...], "ms": limit, "single": bool}`, an answer line a list of `[index, outcome]` pairs. The
tasks that share a context (regexes, JSON) are run together and answered in one line, and singly where that took too
long; what follows them has a line of its own each: scripts, what is only read, and what is timed. So the first task
without an answer is the one that took the process down. An empty list as first line says that it is ready.

No text of a blueprint is evaluated in a context that anything else uses: a function declaration is hoisted even out of
a script that throws at once, and changes whatever runs there later. See `Contexts`.
"""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import sys
import threading
import time
from typing import Any

from py_mini_racer import (
    JSEvalException,
    JSOOMException,
    JSParseException,
    JSTimeoutException,
    MiniRacer,
    init_mini_racer,
)

DATA_LIMIT = 768 << 20
"""Bytes of private memory; the least with which V8 starts."""
HEAP_LIMIT = 256 << 20
"""Bytes of V8's heap at which it stops a script by itself. Soft, so `DATA_LIMIT` stands behind it."""
MILLISECONDS_PER_CHECK = 0.2
"""What a whole batch may take more for every task in it."""
PATIENCE = 3
"""How often a task is tried that ran out of time while the machine gave it none."""
LONG_ANSWER = 2000
"""The longest text in characters on which a pattern is timed."""
TIMING_LIMIT = 1000
"""Milliseconds after which a pattern that is timed is stopped."""
NOTICEABLE = 2
"""From how many milliseconds on a text grows by one repetition at a time: the time may double with each."""
FEW = 100
"""Up to how many repetitions it does so; what is still quick then does not double."""
ALONE = "spw"
"""The kinds of tasks that are answered in a line of their own."""

SHARED_CONTEXT = r"""
const run = (() => {
  const {parse, stringify} = JSON;
  let texts = [];
  const failure = (error) => ["e", String(error.name), String(error.message)];
  const compile = (pattern, flags) => {
    try { return [new RegExp(pattern, flags), null]; } catch (error) { return [null, failure(error)]; }
  };
  const matches = (pattern, flags, text, limit) => {
    let [regex, error] = compile(pattern, flags);
    if (error) return error;
    if (!regex.global) regex = new RegExp(pattern, flags + "g");
    const spans = [];
    for (let found; spans.length < 2 * limit && (found = regex.exec(text)) !== null; ) {
      const end = found.index + found[0].length;
      spans.push(found.index, end);
      if (end === found.index) regex.lastIndex = end + 1;
    }
    return ["m", spans];
  };
  const kind = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const json = (text) => {
    try { return ["v", kind(parse(text)), null]; } catch (error) { return failure(error); }
  };
  const timed = (pattern, flags, text) => {
    const regex = new RegExp(pattern, flags), start = Date.now();
    regex.test(text);
    return Date.now() - start;
  };
  const one = ([what, ...rest]) => {
    switch (what) {
      case "r": return matches(rest[0], rest[1], texts[rest[2]], rest[3]);
      case "c": return compile(rest[0], rest[1])[1] ?? ["m", []];
      case "j": return json(texts[rest[0]]);
      case "w": return ["v", "number", timed(...rest)];
    }
  };
  return {
    load: (all) => { texts = parse(all); return true; },
    tasks: (all) => stringify(parse(all).map(one)),
  };
})();
"""

READER_CONTEXT = r"""
const read = (() => {
  const {parse, stringify} = JSON;
  const failure = (error) => ["e", String(error.name), String(error.message)];
  const one = (source) => {
    try { new Function(source); return ["v", "boolean", true]; } catch (error) { return failure(error); }
  };
  return (sources) => stringify(parse(sources).map(one));
})();
"""

SCRIPT_CONTEXT = r"""
// Node 20's sandbox has none of these: some are the host's, the rest a younger V8's. Two cannot be deleted here.
for (const [owner, names] of [
  [globalThis, "__timer_manager setTimeout clearTimeout Temporal Float16Array"],
  [Iterator.prototype, "drop every filter find flatMap forEach map reduce some take toArray"],
  [globalThis, "Iterator SuppressedError DisposableStack AsyncDisposableStack"],
  [Array, "fromAsync"], [Object, "groupBy"], [Map, "groupBy"], [Promise, "try withResolvers"],
  [Set.prototype, "difference intersection isDisjointFrom isSubsetOf isSupersetOf symmetricDifference union"],
  [RegExp, "escape"], [Error, "isError"],
  [ArrayBuffer.prototype, "detached transfer transferToFixedLength"], [DataView.prototype, "getFloat16 setFloat16"],
  [Uint8Array, "fromBase64 fromHex"], [Uint8Array.prototype, "setFromBase64 setFromHex toBase64 toHex"],
  [JSON, "rawJSON isRawJSON"], [Math, "f16round"], [Atomics, "pause"], [Intl, "DurationFormat"],
  [Date.prototype, "toTemporalInstant"],
]) for (const name of names.split(" ")) {
  owner[name] = undefined;
  delete owner[name];
}
const evaluate = (() => {
  const {parse, stringify} = JSON;
  const {isArray} = Array;
  const {keys, create, getOwnPropertyDescriptors, setPrototypeOf, defineProperty} = Object;
  const substring = Function.prototype.call.bind(String.prototype.substring);
  const includes = Function.prototype.call.bind(String.prototype.includes);
  const text = String, finite = Number.isFinite, everything = eval, scope = globalThis;
  // On the platform these values come from another realm, so that `instanceof` is false for them.
  const foreignObject = create(null, getOwnPropertyDescriptors(Object.prototype));
  const foreignArray = create(foreignObject, getOwnPropertyDescriptors(Array.prototype));
  const foreign = (value) => {
    if (value === null || typeof value !== "object") return value;
    for (const key of keys(value)) foreign(value[key]);
    return setPrototypeOf(value, isArray(value) ? foreignArray : foreignObject);
  };
  const kind = (value) =>
    value === null ? "null" : isArray(value) ? "array" : value !== value ? "nan" : typeof value;
  // Of an object with a score the platform takes a copy, of a list too, and waits for what that promises.
  const scored = (value) => {
    if (value === null || typeof value !== "object" || !("score" in value)) return value;
    const own = {...value};
    let settled = own;
    if (typeof own.then === "function") own.then((result) => { settled = result; }, (error) => { throw error; });
    return settled;
  };
  const tooLarge = () => new RangeError("the result is too large");
  const quoted = (string, room) => {
    if ((room.left -= string.length / 100) < 0) throw tooLarge();
    return stringify(string);
  };
  const plain = (value, depth, room) => {
    if (--room.left < 0) throw tooLarge();
    switch (typeof value) {
      case "string": return quoted(value, room);
      case "number": return value !== value ? "NaN" : finite(value) ? stringify(value) : text(value);
      case "boolean": return text(value);
      case "object": break;
      default: return "null";
    }
    if (value === null || depth > 6) return "null";
    let written = "";
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) written += (at ? "," : "") + plain(value[at], depth + 1, room);
      return "[" + written + "]";
    }
    const names = keys(value);
    for (let at = 0; at < names.length; at++)
      written += (at ? "," : "") + quoted(names[at], room) + ":" + plain(value[names[at]], depth + 1, room);
    return "{" + written + "}";
  };
  const shortened = (string) => string.length > 2000 ? substring(string, 0, 2000) + "…" : string;
  const thrown = (error) => {
    let name = "", message = "";
    try {
      const isError = error !== null && typeof error === "object" && "message" in error;
      name = isError ? shortened(text(error.name ?? "Error")) : "";
      message = shortened(isError ? text(error.message) : text(error));
    } catch { message = "something that cannot be read"; }
    return [name, message];
  };
  return (source, names, values) => {
    for (let at = 0; at < names.length; at++)
      defineProperty(scope, names[at], {
        value: foreign(parse(values[at])), writable: true, enumerable: true, configurable: true,
      });
    try {
      let value;
      try {
        value = everything(source);
      } catch (error) {
        if (!includes(thrown(error)[1], "Illegal return statement")) throw error;
        value = everything("(() => {\n" + source + "\n})()");
      }
      value = scored(value);
      return '["v",' + stringify(kind(value)) + "," + plain(value, 0, {left: 10000}) + "]";
    } catch (error) {
      const told = thrown(error);  // read by index: the script may have replaced the iterator of arrays
      return '["e",' + stringify(told[0]) + "," + stringify(told[1]) + "]";
    }
  };
})();
"""


def literal(text: str) -> str:
    """`text` as a JavaScript string literal, in ASCII, with lone surrogates kept."""
    return json.dumps(text)


class Contexts:
    """The V8 contexts: one for regexes and JSON, one in which scripts are only read, and a fresh one for each script.

    The first takes texts of a blueprint as data, never as code. The second compiles a script as the body of a function
    and calls nothing. What runs, and what is read at top level to find the place of an error, has a context of its own.
    """

    def __init__(self, milliseconds: int = 100) -> None:
        self.milliseconds = milliseconds
        self._shared: MiniRacer | None = None
        self._reader: MiniRacer | None = None
        self._fresh: MiniRacer | None = None
        self._texts = "[]"
        self._loaded = False

    def prepare(self) -> None:
        """Make the contexts that the next request will need, while nobody waits."""
        if self._shared is None:
            self._shared = MiniRacer()
            self._shared.eval(SHARED_CONTEXT)
            self._loaded = False
        if self._fresh is None:
            self._fresh = _fresh_context()

    def load(self, texts: list[str]) -> None:
        """Keep the texts that the tasks of one request name by number."""
        self._texts = json.dumps(texts)
        self._loaded = False

    def together(self, tasks: list[list[Any]], milliseconds: float) -> list[Any]:
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

    def syntax(self, source: str) -> Any:
        """Whether `source` can be read, as the body of a function; where it goes wrong, if V8 can tell."""
        if self._reader is None:
            self._reader = MiniRacer()
            self._reader.eval(READER_CONTEXT)
        call = f"read({literal(json.dumps([source]))})"
        try:
            answer = self._reader.eval(call, timeout_sec=self.milliseconds / 1000, max_memory=HEAP_LIMIT)
        except (JSTimeoutException, JSOOMException, JSEvalException) as error:
            self._reader.close()
            self._reader = None
            return _stopped(error, self.milliseconds)
        assert isinstance(answer, str)
        (outcome,) = json.loads(answer)
        return outcome if outcome[0] != "e" else self._with_place(outcome, source)

    def _with_place(self, outcome: list[Any], source: str) -> list[Any]:
        """`outcome` with its place, found by a parse at top level: a source may close the function around it."""
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

    def _take_fresh(self) -> MiniRacer:
        """A context that nothing has used, for one use; whoever takes it closes it."""
        fresh, self._fresh = self._fresh, None
        return _fresh_context() if fresh is None else fresh

    def slowness(self, pattern: str, flags: str, prefix: str, pump: str, suffix: str) -> Any:
        """The lengths of growing texts, and the milliseconds that the pattern takes for each."""
        rows: list[list[float]] = []
        most = max(1, (LONG_ANSWER - len(prefix) - len(suffix)) // len(pump))
        repetitions = min(4, most)
        while True:
            text = prefix + pump * repetitions + suffix
            taken = self._milliseconds_for(pattern, flags, text)
            if self.milliseconds <= taken < TIMING_LIMIT:  # it may not have had the processor
                taken = min(taken, self._milliseconds_for(pattern, flags, text))
            rows.append([len(text), taken])
            if taken >= self.milliseconds or repetitions == most:
                return ["v", "array", rows]
            grows_by = 1 if taken >= NOTICEABLE and repetitions < FEW else max(1, repetitions // 4)
            repetitions = min(repetitions + grows_by, most)

    def _milliseconds_for(self, pattern: str, flags: str, text: str) -> float:
        (outcome,) = self.together([["w", pattern, flags, text]], TIMING_LIMIT)
        return outcome[2] if outcome[0] == "v" else 0 if outcome[0] == "e" else TIMING_LIMIT

    def script(self, source: str, names: list[str], values: list[str]) -> Any:
        """The outcome of one script in a fresh context, which is thrown away afterwards."""
        context = self._take_fresh()
        arguments = ", ".join(literal(part) for part in (source, json.dumps(names), json.dumps(values)))
        call = f"((source, names, values) => evaluate(source, JSON.parse(names), JSON.parse(values)))({arguments})"
        try:
            answer = context.eval(call, timeout_sec=self.milliseconds / 1000, max_memory=HEAP_LIMIT)
            context.eval("0", timeout_sec=self.milliseconds / 1000)  # fails where promises were left that never end
        except (JSTimeoutException, JSOOMException, JSEvalException) as error:
            return _stopped(error, self.milliseconds)
        finally:
            context.close()
        return _returned(answer)


def _fresh_context() -> MiniRacer:
    context = MiniRacer()
    context.eval(SCRIPT_CONTEXT)
    return context


def _returned(answer: Any) -> Any:
    """The outcome that a script's context gave, which is trusted no further than its form goes."""
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
    """`outcome` with the place, in code points, at which V8's `report` points: line, code, and a caret below it."""
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


def _patiently(attempt: Any, milliseconds: int) -> Any:
    """The outcome of `attempt`, tried again where it had no processor to run on rather than no time."""
    outcome: Any = None
    for _ in range(PATIENCE):
        before = time.process_time()
        outcome = attempt()
        if outcome[0] != "t" or (time.process_time() - before) * 1000 > milliseconds / 2:
            break
    return outcome


def _singly(contexts: Contexts, task: list[Any]) -> Any:
    limit = contexts.milliseconds
    outcome = _patiently(lambda: contexts.together([task], limit)[0], limit)
    if outcome[0] == "t" and task[0] == "r" and task[4] > 1:
        # Weval only asks whether there is a match; finding all of them may take longer than finding the first.
        outcome = _patiently(lambda: contexts.together([[*task[:4], 1]], limit)[0], limit)
    return outcome


def answer(contexts: Contexts, request: dict[str, Any], write: Any) -> None:
    """Run the tasks of `request`, and hand each line of the answer to `write` as soon as it is known."""
    tasks: list[list[Any]] = request["tasks"]
    contexts.milliseconds = request["ms"]
    contexts.load(request["texts"])
    shared = [index for index, task in enumerate(tasks) if task[0] not in ALONE]
    if len(shared) > 1 and not request["single"]:
        limit = contexts.milliseconds + MILLISECONDS_PER_CHECK * len(shared)
        outcomes = contexts.together([tasks[index] for index in shared], limit)
        if len(outcomes) == len(shared) and outcomes[0][0] not in "tk":
            write(list(zip(shared, outcomes, strict=True)))
            shared = []
    for index in shared:
        write([(index, _singly(contexts, tasks[index]))])
    for index, task in enumerate(tasks):
        if task[0] == "s":
            _, source, names, values = task
            texts = [request["texts"][value] for value in values]

            def attempt(source: str = source, names: list[str] = names, texts: list[str] = texts) -> Any:
                return contexts.script(source, names, texts)

            write([(index, _patiently(attempt, contexts.milliseconds))])
        elif task[0] == "p":
            write([(index, contexts.syntax(task[1]))])
        elif task[0] == "w":
            write([(index, contexts.slowness(*task[1:]))])


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows: V8's own limit must do
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = DATA_LIMIT if hard == resource.RLIM_INFINITY else min(hard, DATA_LIMIT)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Serve requests until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            requests.put(line)
        os._exit(0)  # whoever asked is gone; V8 may be in a loop, so no tidy end

    threading.Thread(target=listen, daemon=True).start()

    def write(pairs: list[Any]) -> None:
        sys.stdout.buffer.write(json.dumps(pairs).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()

    # Grammar that Node 20 does not know.
    younger = ("regexp-modifiers", "regexp-duplicate-named-groups", "explicit-resource-management")
    init_mini_racer(flags=["--single-threaded", *(f"--no-js-{feature}" for feature in younger)])
    contexts = Contexts()
    contexts.prepare()
    write([])
    while True:
        if requests.empty():
            contexts.prepare()
        answer(contexts, json.loads(requests.get()), write)


if __name__ == "__main__":
    main()
