"""V8 in its process: what it answers, and that nothing an author writes can hang or harm the studio."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.functions import v8
from engine.functions.tasks import (
    CompileTask,
    JsError,
    JsonTask,
    Killed,
    Matches,
    Outcome,
    RegexTask,
    ScriptTask,
    SyntaxTask,
    TimedOut,
    Value,
)
from engine.functions.v8 import WALL_SECONDS, JavaScript
from engine.text.spans import Span
from tests.many_cases import every
from tests.pieces import pieces

# V8 in its process: what it answers, and that nothing an author writes can hang or harm the studio


CATASTROPHE = RegexTask("(a+)+$", "", "a" * 40 + "b")
ENDLESS = ScriptTask("while (true) {}", ())
BOMB = ScriptTask("const all = []; for (;;) all.push(new Array(1e6).fill(1.5))", ())
MICROTASKS = ScriptTask("Promise.resolve().then(function f() { return Promise.resolve().then(f) }); 1", ())
GOOD = RegexTask("b", "", "abc")
FOUND = Matches((Span(1, 2),))


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as javascript:
        yield javascript


@pytest.fixture(scope="module")
def waiting_long() -> Iterator[JavaScript]:
    with JavaScript(wall_seconds=300) as javascript:
        yield javascript


def script(javascript: JavaScript, source: str, **scope: object) -> object:
    (outcome,) = javascript.run([ScriptTask(source, tuple(scope.items()))])  # type: ignore[arg-type]
    return outcome


def test_a_limit_ends_the_search(javascript: JavaScript) -> None:
    assert javascript.run([RegexTask("a", "", "aaaa", limit=2)]) == [Matches((Span(0, 1), Span(1, 2)))]


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "spans"),
    [
        pytest.param("a.c", "", "xabcabc", (Span(1, 4), Span(4, 7)), id="each match"),
        pytest.param("", "", "ab", (Span(0, 0), Span(1, 1), Span(2, 2)), id="empty matches, without going on for ever"),
        pytest.param("b", "", "😀b", (Span(1, 2),), id="behind a character of two units"),
        pytest.param("😀", "", "a😀b😀", (Span(1, 2), Span(3, 4)), id="such a character itself"),
        pytest.param("^.", "", "😀b", (Span(0, 1),), id="its first half is widened to the whole"),
        pytest.param("\ude00", "", "😀b", (Span(0, 1),), id="so is its second half"),
        pytest.param("^.$", "u", "😀", (Span(0, 1),), id="with the flag u it is one character"),
        pytest.param("\ud83d", "", "half \ud83d here", (Span(5, 6),), id="half a character survives the crossing"),
    ],
)
def test_places_are_code_points(
    javascript: JavaScript, pattern: str, flags: str, text: str, spans: tuple[Span, ...]
) -> None:
    assert javascript.run([RegexTask(pattern, flags, text)]) == [Matches(spans)]


@every(
    ("pattern", "flags", "message"),
    [
        ("(?i)x", "", "Invalid regular expression: /(?i)x/: Invalid group"),
        ("(?i:x)", "", "Invalid regular expression: /(?i:x)/: Invalid group"),
        ("[", "i", "Invalid regular expression: /[/i: Unterminated character class"),
    ],
)
def test_errors_in_patterns_are_worded_as_in_node_20(
    javascript: JavaScript, pattern: str, flags: str, message: str
) -> None:
    error = JsError("SyntaxError", message)
    assert javascript.run([RegexTask(pattern, flags, ""), CompileTask(pattern, flags)]) == [error, error]


def test_a_pattern_that_compiles_is_answered_without_matches(javascript: JavaScript) -> None:
    assert javascript.run([CompileTask("a+", "i")]) == [Matches()]


@every(("text", "kind"), [("{}", "object"), (" [1]\n", "array"), ("null", "null"), ("1", "number")])
def test_json_is_told_by_its_kind(javascript: JavaScript, text: str, kind: str) -> None:
    assert javascript.run([JsonTask(text)]) == [Value(kind, None)]


def test_what_is_no_json_is_a_syntax_error(javascript: JavaScript) -> None:
    (outcome,) = javascript.run([JsonTask("{a: 1}")])
    assert isinstance(outcome, JsError)
    assert outcome.name == "SyntaxError"


@pytest.mark.parametrize("pattern", ["(?<y>a)|(?<y>b)", "(?i:a)"])
def test_a_pattern_of_a_younger_v8_is_an_error_as_in_node_20(javascript: JavaScript, pattern: str) -> None:
    (outcome,) = javascript.run([CompileTask(pattern)])
    assert isinstance(outcome, JsError)


def test_nan_has_a_kind_of_its_own(javascript: JavaScript) -> None:
    outcome = script(javascript, "0 / 0")
    assert isinstance(outcome, Value)
    assert outcome.kind == "nan"


def test_the_scope_is_bound_to_plain_values(javascript: JavaScript) -> None:
    outcome = script(
        javascript,
        "[r.length, context.messages[0].content, this.r === r]",
        r="😀",
        context={"messages": [{"content": None}]},
    )
    assert outcome == Value("array", [2, None, True])


@every(
    "pollution",
    [
        "leaked = 1; var leaked2 = 2; 0",
        "Array.prototype.at = () => 'polluted'; RegExp.prototype.exec = () => null; 0",
        "JSON.stringify = JSON.parse = () => 'polluted'; 0",
        "Object.prototype.polluted = 1; 0",
    ],
)
def test_a_script_changes_nothing_for_what_follows(javascript: JavaScript, pollution: str) -> None:
    source = "typeof leaked + typeof leaked2 + [1].at(0) + {}.polluted + /b/.test('b')"
    outcomes = javascript.run([ScriptTask(pollution, ()), ScriptTask(source, ()), GOOD])
    assert outcomes[1:] == [Value("string", "undefinedundefined1undefinedtrue"), FOUND]


@every("bad", [ENDLESS, CATASTROPHE, MICROTASKS])
def test_what_never_ends_is_stopped_and_the_others_answer(javascript: JavaScript, bad: ScriptTask | RegexTask) -> None:
    assert javascript.run([GOOD, bad, GOOD, ScriptTask("1", ())]) == [FOUND, TimedOut(100), FOUND, Value("number", 1)]


def test_a_memory_bomb_is_stopped_and_the_others_answer() -> None:
    with JavaScript(milliseconds=10_000) as javascript:
        outcomes = javascript.run([GOOD, BOMB, ScriptTask("1", ())])
    assert isinstance(outcomes[1], Killed)
    assert [outcomes[0], outcomes[2]] == [FOUND, Value("number", 1)]


def test_a_first_match_counts_where_finding_all_takes_too_long(javascript: JavaScript) -> None:
    (outcome,) = javascript.run([RegexTask("x|(a+)+$", "", "x" + "a" * 40 + "b")])
    assert outcome == Matches((Span(0, 1),))


@every("tasks", [[], [GOOD], [GOOD, CATASTROPHE, GOOD]])
def test_what_is_done_meanwhile_is_done_once(javascript: JavaScript, tasks: list[RegexTask]) -> None:
    done: list[str] = []
    javascript.run(tasks, meanwhile=lambda: done.append("done"))
    assert done == ["done"]


def test_v8_works_meanwhile(javascript: JavaScript) -> None:
    javascript.run([GOOD])
    replied: list[bytes | None] = []

    def wait() -> None:
        child = javascript._child  # pyright: ignore[reportPrivateUsage]
        assert child is not None
        replied.append(child.line(30))
        child._lines.put(replied[0])  # pyright: ignore[reportPrivateUsage]

    assert javascript.run([ScriptTask("1", ())], wait) == [Value("number", 1)]
    assert replied != [None]


def test_many_bad_tasks_end_within_the_wall_limit() -> None:
    with JavaScript(wall_seconds=1) as javascript:
        javascript.run([GOOD])
        started = time.monotonic()
        outcomes = javascript.run([ENDLESS] * 500)
        assert time.monotonic() - started < 30  # without the limit they take a minute
        assert {type(outcome) for outcome in outcomes} == {TimedOut}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_killed_process_is_replaced() -> None:
    with JavaScript() as javascript:
        javascript.run([GOOD])
        first = javascript.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert javascript.run([GOOD]) == [FOUND]
        assert javascript.pid not in (first, None)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such timer")
@pytest.mark.parametrize(
    "source",
    [
        "Array(2**32-1).fill(0)",
        "Array(2**32-1).map(x => x)",
        "Array(2**32-1).indexOf(3)",
        "'x'.repeat(2**28).replace(/x/g, 'yy')",
        "'x'.repeat(2**28).split('')",
        "(3n ** (2n**24n)).toString()",
    ],
)
def test_the_limit_holds_for_native_code_too(
    source: str, waiting_long: JavaScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(v8, "_GRACE_SECONDS", 600.0)
    outcomes = waiting_long.run([ScriptTask("1", ()), GOOD, ScriptTask(source, ()), ScriptTask("2", ())])
    assert [*outcomes[:2], outcomes[3]] == [Value("number", 1), FOUND, Value("number", 2)]
    assert outcomes[2] in (TimedOut(100), Killed("it used too much memory"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_process_killed_at_work_is_replaced() -> None:
    with JavaScript(milliseconds=700) as javascript:
        javascript.run([GOOD])
        assert javascript.pid is not None
        killer = threading.Timer(0.3, os.kill, (javascript.pid, signal.SIGKILL))
        killer.start()
        outcomes = javascript.run([GOOD, ENDLESS, ScriptTask("1", ())])
    assert outcomes == [FOUND, TimedOut(700), Value("number", 1)]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_stopped_process_does_not_hang_the_caller() -> None:
    with JavaScript(wall_seconds=1) as javascript:
        javascript.run([GOOD])
        assert javascript.pid is not None
        os.kill(javascript.pid, signal.SIGSTOP)
        started = time.monotonic()
        outcomes = javascript.run([GOOD])
        assert time.monotonic() - started < 30
        assert outcomes == [TimedOut(1000)]
        while javascript.run([GOOD]) != [FOUND]:  # on a busy machine a new process takes longer than that to start
            assert time.monotonic() - started < 120


def test_two_threads_get_their_own_answers(javascript: JavaScript) -> None:
    answers: dict[str, list[object]] = {"a": [], "b": []}

    def ask(letter: str) -> None:
        for _ in range(20):
            answers[letter] += javascript.run([RegexTask(letter, "", "ab"), ScriptTask(f"'{letter}'", ())])

    threads = [threading.Thread(target=ask, args=(letter,)) for letter in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers["a"] == [Matches((Span(0, 1),)), Value("string", "a")] * 20
    assert answers["b"] == [Matches((Span(1, 2),)), Value("string", "b")] * 20


def test_closing_frees_a_call_that_waits() -> None:
    javascript = JavaScript(milliseconds=5000)
    javascript.run([GOOD])
    threading.Timer(0.2, javascript.close).start()
    assert javascript.run([ENDLESS]) == [Killed("it was stopped")]
    with pytest.raises(RuntimeError):
        javascript.run([GOOD])


def test_nothing_starts_before_the_first_task() -> None:
    with JavaScript() as javascript:
        assert javascript.pid is None
        assert javascript.run([]) == []
        assert javascript.pid is None


def test_warming_up_starts_the_process() -> None:
    with JavaScript() as javascript:
        javascript.warm_up()
        assert javascript.pid is not None


def test_the_process_dies_with_its_parent() -> None:
    source = (
        "import os, signal; from engine.functions.v8 import JavaScript; from engine.functions.tasks import CompileTask;"
        "j = JavaScript(); j.run([CompileTask('a')]); print(j.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    parent = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    child = int(parent.stdout)
    deadline = time.monotonic() + 60
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(child)


def _alive(process: int) -> bool:
    """Whether a process runs; one that has ended and was not yet buried does not."""
    try:
        os.kill(process, 0)
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").is_dir()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc to look into")
def test_no_secret_goes_over_to_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a secret")
    with JavaScript() as javascript:
        javascript.run([GOOD])
        assert b"a secret" not in Path(f"/proc/{javascript.pid}/environ").read_bytes()


def test_a_thousand_patterns_on_a_long_response_are_answered_in_one_batch(javascript: JavaScript) -> None:
    response = ("The quick brown fox jumps over the lazy dog. " * 460)[:20_000]
    outcomes = javascript.run([RegexTask(rf"\b(dog|word{index})\b", "i", response, 25) for index in range(1000)])
    assert {len(outcome.spans) for outcome in outcomes if isinstance(outcome, Matches)} == {25}
    assert len(outcomes) == 1000


def test_a_script_is_read_without_being_run(javascript: JavaScript) -> None:
    assert javascript.run([SyntaxTask("while (true) {}"), SyntaxTask("return 1")]) == [Value("boolean", True)] * 2


# What the process of V8 writes is not trusted, as a script may have taken it over: a bad reply ends the process


_STUB = """#!{python} -S
import sys
write = sys.stdout.buffer.write
write(b"[1, []]\\n")
sys.stdout.buffer.flush()
for request in sys.stdin.buffer:
    {body}
    sys.stdout.buffer.flush()
"""
TakeOver = Callable[[str], JavaScript]


@pytest.fixture
def taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TakeOver]:
    """V8 whose process runs `body` for each request instead, with `write`."""
    started: list[JavaScript] = []

    def start(body: str) -> JavaScript:
        stub = tmp_path / "python"
        stub.write_text(_STUB.format(python=sys.executable, body=body), "utf-8")
        stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(sys, "executable", str(stub))
        started.append(JavaScript(milliseconds=100, wall_seconds=10))
        return started[-1]

    yield start
    for each in started:
        each.close()


UNREADABLE = Killed("its reply could not be read")
REGEX, SCRIPT = RegexTask("a", "", "bab"), ScriptTask("1", ())


def line_of(reply: object, milliseconds: object = 1) -> bytes:
    return json.dumps([milliseconds, reply]).encode() + b"\n"


@pytest.mark.parametrize("reply", [json.loads(each) for each in pieces("replies of V8 that are none")], ids=str)
def test_a_reply_that_is_none_ends_the_process(taken_over: TakeOver, reply: object) -> None:
    javascript = taken_over(f"write({line_of(reply)!r})")
    assert javascript.run([REGEX]) == [UNREADABLE]
    assert javascript.pid is None


@pytest.mark.parametrize("milliseconds", ["1", None, -1, float("inf"), float("nan"), [1]])
def test_a_time_that_is_none_ends_the_process(taken_over: TakeOver, milliseconds: object) -> None:
    javascript = taken_over(f"write({line_of([[0, ['m', []]]], milliseconds)!r})")
    assert javascript.run([REGEX]) == [UNREADABLE]


def test_a_task_cannot_be_left_out_where_none_may(taken_over: TakeOver) -> None:
    javascript = taken_over(f"write({line_of([[0, ['n']]])!r})")
    assert javascript.run([REGEX]) == [UNREADABLE]


LINES = {
    "a reply without a time": b"[]\n",
    "a reply of three parts": b"[1, [], 1]\n",
    "no JSON": b"{\n",
    "bytes that are no text": b"\xff\xfe\n",
    "a deep list": b"[" * 200_000 + b"\n",
    "a number of many digits": b'[1, [[0, ["t", ' + b"1" * 9000 + b"]]]]\n",
    "a line that breaks off": b'[1, [[0, ["m", [',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_that_is_no_json_ends_the_process(taken_over: TakeOver, line: bytes) -> None:
    body = f"write(eval({_compressed(line)!r})); sys.stdout.buffer.flush(); sys.exit()"
    assert taken_over(body).run([SCRIPT]) in ([UNREADABLE], [Killed("it used too much memory")])


def _compressed(line: bytes) -> str:
    first = line[:1]
    count = len(line) - len(line.lstrip(first))
    return f"{first!r} * {count} + {line[count:]!r}"


@pytest.mark.parametrize(
    ("task", "data"),
    [
        (CompileTask("a"), ["v", "boolean", True]),
        (JsonTask("1"), ["m", []]),
        (SCRIPT, ["m", []]),
        (SCRIPT, ["v", 1, 1]),
        (SCRIPT, ["v", "number"]),
    ],
)
def test_the_outcome_of_another_kind_of_task_is_none(
    taken_over: TakeOver, task: CompileTask | JsonTask | ScriptTask, data: list[object]
) -> None:
    javascript = taken_over(f"write({line_of([[0, data]])!r})")
    assert javascript.run([task]) == [UNREADABLE]


def test_what_was_rightly_replied_before_still_counts(taken_over: TakeOver) -> None:
    javascript = taken_over(r"""write(b'[1, [[0, ["m", []]]]]\n' + b'{\n')""")
    assert javascript.run([REGEX, SCRIPT]) == [Matches(), UNREADABLE]


@pytest.mark.parametrize(
    "body",
    [
        "[write(b'a' * 65536) for _ in iter(int, 1)]",
        r"[write(b'[1, []]\n') for _ in iter(int, 1)]",
        r"""[write(b'[1, [[0, ["m", []]]]]\n') for _ in iter(int, 1)]""",
    ],
    ids=["a line without end", "empty replies without end", "more replies than tasks"],
)
def test_what_does_not_end_takes_neither_time_nor_memory(taken_over: TakeOver, body: str) -> None:
    before, begun = _peak(), time.monotonic()
    outcomes: list[Outcome] = taken_over(body).run([REGEX, SCRIPT])
    assert UNREADABLE in outcomes
    assert time.monotonic() - begun < WALL_SECONDS
    assert _peak() - before < 200


def _peak() -> float:
    """The most memory that this process has taken so far, in MB; 0 where the system does not say."""
    status = Path("/proc/self/status")
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024 if status.exists() else 0.0
