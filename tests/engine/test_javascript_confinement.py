"""A process that took over V8 could still only compute, and nothing that a blueprint writes changes what V8 answers to
anything else."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.evaluation.point_assessment import assess
from engine.functions.point_function import Subject
from engine.functions.tasks import (
    CompileTask,
    JsError,
    JsonTask,
    Matches,
    Outcome,
    RegexTask,
    ScriptTask,
    SyntaxTask,
    Task,
    TimedOut,
    Value,
)
from engine.functions.v8 import WALL_SECONDS, JavaScript
from engine.functions.v8_confinement import calls
from engine.parsing import parse
from engine.rules import check
from engine.text.spans import Span
from engine.yaml.nodes import Data
from tests.engine.short_cases import assert_lines_say
from tests.many_cases import every
from tests.pieces import pieces, whole_text
from tests.thoroughness import one_in, tried

CONFINEMENT = Path(sys.modules["engine.functions.v8_confinement"].__file__ or "")
_PREPARED = f"""
import ctypes, encodings.idna, importlib.util, json, mmap, os, signal, socket, subprocess, sys, tempfile, threading
here = os.getpid()
folder = tempfile.mkdtemp()
file = folder + "/file"
opened = open(file, "wb", buffering=0)
pipe = os.pipe()
waiting, results = threading.Event(), dict()
libc = ctypes.CDLL(None, use_errno=True)
spec = importlib.util.spec_from_file_location("confinement", {str(CONFINEMENT)!r})
confinement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(confinement)
def call(*given):
    if libc.syscall(*(ctypes.c_long(each) for each in given)) < 0:
        raise OSError(ctypes.get_errno(), "")
def outcome(attempt):
    try:
        exec(attempt, globals())
    except OSError as error:
        return type(error).__name__ if type(error) is not OSError else os.strerror(error.errno)
    return "done"
"""
_REPORT = "os.write(1, json.dumps(results).encode()); os._exit(0)"


def attempted(measure: str, attempts: Sequence[str], *, earlier_thread: bool = False) -> dict[str, str]:
    """What comes of each of `attempts` in a Python process after `measure`, in a thread of before if wished."""
    tried = f"results.update((each, outcome(each)) for each in {attempts!r})"
    if earlier_thread:
        lines = [
            f"thread = threading.Thread(target=lambda: (waiting.wait(), {tried}))",
            "thread.start()",
            measure,
            "waiting.set(); thread.join()",
        ]
    else:
        lines = [measure, tried]
    source = "\n".join([_PREPARED, *lines, _REPORT])
    ran = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.PIPE
    )
    assert not ran.stderr, ran.stderr
    return json.loads(ran.stdout)


CAN_FILTER = "if not confinement.filter_system_calls(): raise PermissionError"
HAS_FILTER = sys.platform == "linux" and attempted("confinement.limit_memory()", [CAN_FILTER]) == {CAN_FILTER: "done"}
needs_filter = pytest.mark.skipif(not HAS_FILTER, reason="this system has no filter of system calls for this process")
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource limits")

FILES = pieces("attempts at files")
NETWORK = pieces("attempts at the network")
PROCESSES = pieces("attempts at processes")


@needs_filter
@every("attempts", [FILES, NETWORK, PROCESSES])
def test_a_confined_process_reaches_no_file_no_socket_and_no_process(attempts: list[str]) -> None:
    assert attempted("confinement.confine()", attempts) == dict.fromkeys(attempts, "PermissionError")


@needs_filter
def test_a_thread_that_ran_before_is_confined_too() -> None:
    attempts = [FILES[0], NETWORK[0], PROCESSES[0]]
    assert attempted("confinement.confine()", attempts, earlier_thread=True) == dict.fromkeys(
        attempts, "PermissionError"
    )


@needs_filter
def test_a_call_that_cannot_be_judged_does_not_exist() -> None:
    attempts = [f"call({number}, 0, 0, 0, 0)" for number in (435, 451, 462, 1000, 0x40000000 + 2)]
    assert attempted("confinement.confine()", attempts) == dict.fromkeys(attempts, "Function not implemented")


@needs_limits
def test_limits_alone_open_nothing_and_let_no_file_grow() -> None:
    attempts = [*FILES[:3], *NETWORK[:3], "os.pipe()", "subprocess.run(['/bin/true'])"]
    assert attempted("confinement.limit_resources()", attempts) == dict.fromkeys(attempts, "Too many open files")
    assert attempted("confinement.limit_resources()", ["opened.write(b'a')"]) == {
        "opened.write(b'a')": "File too large"
    }


@needs_limits
def test_what_is_denied_is_possible_without() -> None:
    attempts = [*FILES[:2], f"{NETWORK[0]}.close()", PROCESSES[0]]
    assert attempted("", attempts) == dict.fromkeys(attempts, "done")


@needs_limits
def test_a_confined_process_can_compute_and_reply_without_an_environment() -> None:
    attempts = [
        "thread = threading.Thread(target=len, args=('',)); thread.start(); thread.join()",
        "os.write(pipe[1], b'a'); os.read(pipe[0], 1)",
        "mmap.mmap(-1, 1 << 20).close()",
        "signal.pthread_kill(threading.get_ident(), 0)",
        "if os.environ: raise PermissionError",
    ]
    assert attempted("confinement.confine()", attempts) == dict.fromkeys(attempts, "done")


HEADERS = {1: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), 2: Path("/usr/include/asm-generic/unistd.h")}


@pytest.mark.parametrize("column", HEADERS)
def test_the_numbers_of_the_calls_are_those_of_the_kernel(column: int) -> None:
    if not HEADERS[column].exists():
        pytest.skip(f"{HEADERS[column]} is not here: it comes with the headers of the C library")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", HEADERS[column].read_text("utf-8"))
    numbers = {name: int(number) for name, number in found}
    numbers.setdefault("newfstatat", numbers.get("fstatat", 0))  # its name in the generic header
    assert {name: numbers.get(name) for name, _ in calls(column)} == dict(calls(column))


# The process of V8 itself.


@pytest.fixture(scope="module")
def usual() -> Iterator[JavaScript]:
    with JavaScript() as javascript:
        yield javascript


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_process_of_v8_is_limited(usual: JavaScript) -> None:
    usual.run([RegexTask("a", "", "a")])
    limits = Path(f"/proc/{usual.pid}/limits").read_text("utf-8")
    rows = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
    assert {name: rows[name] for name in ("Max open files", "Max file size", "Max core file size")} == {
        "Max open files": ["0", "0"],
        "Max file size": ["0", "0"],
        "Max core file size": ["0", "0"],
    }
    assert [rows["Max cpu time"], rows["Max data size"]] == [["600", "600"], [str(768 << 20)] * 2]


@needs_filter
def test_the_process_of_v8_is_filtered(usual: JavaScript) -> None:
    usual.run([RegexTask("a", "", "a")])
    status = Path(f"/proc/{usual.pid}/status").read_text("utf-8")
    assert re.findall(r"^(?:NoNewPrivs|Seccomp):\t(\d)", status, re.MULTILINE) == ["1", "2"]


_STUB = """#!{python}
import json, os, sys
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
seen = {{"variables": dict(os.environ), "folder": os.getcwd(), "open": [n for n in range(256) if is_open(n)]}}
with open({report!r}, "w") as file:
    json.dump(seen, file)
os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""


@needs_limits
def test_the_process_of_v8_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub, report = tmp_path / "python", tmp_path / "report.json"
    stub.write_text(_STUB.format(python=sys.executable, report=str(report)), "utf-8")
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    with (tmp_path / "inherited").open("w") as inherited:
        import os

        os.set_inheritable(inherited.fileno(), True)
        monkeypatch.setattr(sys, "executable", str(stub))
        with JavaScript() as javascript:
            assert javascript.run([RegexTask("a", "", "a")]) != []
    seen = json.loads(report.read_text("utf-8"))
    left = set(seen["variables"]) - {"LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "__CF_USER_TEXT_ENCODING"}
    assert (left, seen["folder"], seen["open"]) == ({"PYTHONPATH"}, "/", [0, 1, 2])


@every(
    ("task", "outcome"),
    [
        (ScriptTask("Math.random() === Math.random()", ()), Value("boolean", False)),
        (ScriptTask("(1234.5).toLocaleString('de') + 'é'.localeCompare('f')", ()), Value("string", "1.234,5-1")),
        (ScriptTask("for (;;) {}", ()), TimedOut(100)),
        (SyntaxTask("return 1"), Value("boolean", True)),
        (RegexTask("\\p{Lu}", "u", "É"), None),
    ],
)
def test_every_kind_of_task_works_confined_and_again(
    task: ScriptTask, outcome: Outcome | None, usual: JavaScript
) -> None:
    before, pid = usual.run([RegexTask("b", "", "a")]), usual.pid
    first, second = usual.run([task]), usual.run([task])
    assert (before, usual.pid) == ([Matches()], pid)
    assert [type(each) for each in first] == [type(each) for each in second]
    assert outcome is None or [first, second] == [[outcome], [outcome]]


_ZONE = "Intl.DateTimeFormat().resolvedOptions().timeZone"


def test_the_time_zone_is_that_of_the_system(usual: JavaScript) -> None:
    source = f"import os; os.environ.clear()\nfrom py_mini_racer import MiniRacer; print(MiniRacer().eval('{_ZONE}'))"
    command = [sys.executable, "-c", source + "\nos.sys.stdout.flush(); os._exit(0)"]
    free = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
        timeout=WALL_SECONDS,
    )
    assert usual.run([ScriptTask(_ZONE, ())]) == [Value("string", free.stdout.strip())]


# What a text of any kind of task changes


HOISTED = pieces("scripts that hoist")
STATEMENTS = pieces("scripts that change what is there")
BREAKOUTS = ("}); HERE (function () {", "}}); HERE (function () {{", "\n}); HERE; (function () {", "*/ HERE /*")
BROKEN_OUT = [breakout.replace("HERE", text) for breakout in BREAKOUTS for text in HOISTED]
HOSTILE = (*HOISTED, *STATEMENTS, *one_in(5, BROKEN_OUT), *one_in(4, [f"{text} )" for text in HOISTED]))
PROBES: tuple[tuple[Task, Outcome], ...] = (
    (RegexTask("^b", "i", "abc"), Matches()),
    (RegexTask("b", "", "abc b"), Matches((Span(1, 2), Span(4, 5)))),
    (CompileTask("(?i)x"), JsError("SyntaxError", "Invalid regular expression: /(?i)x/: Invalid group")),
    (JsonTask("[1]"), Value("array", None)),
    (SyntaxTask("return r.length"), Value("boolean", True)),
    (SyntaxTask("a b"), JsError("SyntaxError", "Unexpected identifier 'b'", 2)),
    (ScriptTask("typeof leaked + {}.polluted + /b/.test('a') + JSON.stringify([r])", (("r", "x"),)),
     Value("string", 'undefinedundefinedfalse["x"]')),
)  # fmt: skip
QUESTIONS = [task for task, _ in PROBES]
ANSWERS = [outcome for _, outcome in PROBES]
WITH_ARGUMENTS = Subject('TOOL_CALL {"name": "t", "arguments": {"a": 1}}')


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript(milliseconds=1000) as javascript:  # a machine that is busy stops no sound script
        yield javascript


@pytest.fixture(scope="module")
def impatient() -> Iterator[JavaScript]:
    """For scripts that do not end: each takes all the time that it is given."""
    with JavaScript(milliseconds=300) as javascript:
        yield javascript


def carried(text: str) -> list[Task]:
    """`text` in every kind of task that can hold it."""
    return [
        ScriptTask(text, (("r", "text"),)),
        ScriptTask("r", (("r", text),)),
        SyntaxTask(text),
        RegexTask(text, "", text),
        RegexTask("b", text, text),
        CompileTask(text),
        JsonTask(text),
    ]


@every("text", HOSTILE)
def test_a_text_changes_no_other_answer_of_its_batch_and_none_to_what_is_asked_later(
    javascript: JavaScript, text: str
) -> None:
    assert javascript.run([*carried(text), *QUESTIONS])[len(carried(text)) :] == ANSWERS
    assert javascript.run(QUESTIONS) == ANSWERS


@every("text", [*STATEMENTS, *HOISTED])
def test_a_where_string_changes_no_other_answer(javascript: JavaScript, text: str) -> None:
    where: Data = {"name": "t", "where": f"(() => {{ {text}; return true }})()"}
    functions.run([FunctionCall("tool_args_match", where)], WITH_ARGUMENTS, javascript)
    assert javascript.run(QUESTIONS) == ANSWERS


@settings(max_examples=tried(10, 40), deadline=None)
@given(
    texts=st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4),
    breakout=st.sampled_from(BREAKOUTS),
    data=st.data(),
)
def test_texts_together_change_nothing(texts: list[str], breakout: str, data: st.DataObject) -> None:
    tasks = data.draw(st.permutations(carried(breakout.replace("HERE", " ".join(texts)))))
    assert SHARED.run([*tasks, *QUESTIONS])[len(tasks) :] == ANSWERS


def test_a_declaration_hoisted_while_syntax_is_checked_does_not_reach_patterns(javascript: JavaScript) -> None:
    text = "}); function RegExp(p, f) { return {global: true, exec: () => ({index: 0, 0: 'x'})} } (function () {"
    assert javascript.run([SyntaxTask(text), RegexTask("z", "", "abc")])[1] == Matches()


OPENED = whole_text("script-beside-a-pattern.txt")
ANOTHER = parse(OPENED.format(script="'1'")).blueprint.prompts[1]


@every("text", HOSTILE)
def test_opening_a_file_changes_no_check_of_another_prompt_or_file(javascript: JavaScript, text: str) -> None:
    opened = parse(OPENED.format(script=json.dumps(text)))
    one, two = opened.blueprint.prompts
    check(opened, javascript)
    assess(one, "abc", javascript)
    assert [each.extent for each in assess(two, "abc", javascript)] == [0.0]
    assert [each.extent for each in assess(ANOTHER, "z", javascript)] == [1.0]


@every("source", pieces("scripts that block or leave something behind"))
def test_a_script_that_blocks_or_leaves_something_behind_reaches_no_other_answer(
    impatient: JavaScript, source: str
) -> None:
    assert impatient.run([ScriptTask(source, ()), *QUESTIONS])[1:] == ANSWERS


def test_a_script_gets_hold_of_nothing_outside_its_context(impatient: JavaScript, pytestconfig: pytest.Config) -> None:
    def outcome(source: str) -> list[str]:
        found, *others = impatient.run([ScriptTask(source, ()), *QUESTIONS])
        assert others == ANSWERS
        return [str(found)]

    assert_lines_say(Path(__file__).parent / "line_cases" / "scripts-that-reach-out.txt", outcome, pytestconfig)


@pytest.fixture(scope="session", autouse=True)
def _shared_closed() -> Iterator[None]:
    yield
    SHARED.close()


SHARED = JavaScript(milliseconds=1000)
"""Hypothesis calls one test many times, and wants nothing made for each."""
