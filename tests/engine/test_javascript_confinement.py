"""A process that took over V8 could still only compute: it opens no file and no socket, and starts no process."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.functions.tasks import Matches, Outcome, RegexTask, ScriptTask, SyntaxTask, TimedOut, Value
from engine.functions.v8 import WALL_SECONDS, JavaScript
from engine.functions.v8_confinement import calls
from tests.many_cases import every
from tests.pieces import pieces

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


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_process_of_v8_is_limited() -> None:
    with JavaScript() as javascript:
        javascript.run([RegexTask("a", "", "a")])
        limits = Path(f"/proc/{javascript.pid}/limits").read_text("utf-8")
    rows = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
    assert {name: rows[name] for name in ("Max open files", "Max file size", "Max core file size")} == {
        "Max open files": ["0", "0"],
        "Max file size": ["0", "0"],
        "Max core file size": ["0", "0"],
    }
    assert [rows["Max cpu time"], rows["Max data size"]] == [["600", "600"], [str(768 << 20)] * 2]


@needs_filter
def test_the_process_of_v8_is_filtered() -> None:
    with JavaScript() as javascript:
        javascript.run([RegexTask("a", "", "a")])
        status = Path(f"/proc/{javascript.pid}/status").read_text("utf-8")
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
def test_every_kind_of_task_works_confined_and_again(task: ScriptTask, outcome: Outcome | None) -> None:
    with JavaScript() as javascript:
        before = javascript.run([RegexTask("b", "", "a")])
        pid = javascript.pid
        first, second = javascript.run([task]), javascript.run([task])
        assert (before, javascript.pid) == ([Matches()], pid)
        assert [type(each) for each in first] == [type(each) for each in second]
        assert outcome is None or [first, second] == [[outcome], [outcome]]


_ZONE = "Intl.DateTimeFormat().resolvedOptions().timeZone"


def test_the_time_zone_is_that_of_the_system() -> None:
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
    with JavaScript() as javascript:
        assert javascript.run([ScriptTask(_ZONE, ())]) == [Value("string", free.stdout.strip())]
