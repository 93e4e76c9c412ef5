"""What the process of V8 writes is not trusted, as a script may have taken it over: a bad reply ends the process."""

from __future__ import annotations

import json
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.functions.tasks import CompileTask, JsonTask, Killed, Matches, Outcome, RegexTask, ScriptTask
from engine.functions.v8 import WALL_SECONDS, JavaScript

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


REPLIES: dict[str, object] = {
    "no list": 1,
    "an object": {"0": ["m", []]},
    "nothing": [],
    "no pair": [[0]],
    "an index that is text": [["0", ["m", []]]],
    "an index that is true": [[True, ["m", []]]],
    "an index past the end": [[7, ["m", []]]],
    "a negative index": [[-1, ["m", []]]],
    "an index twice": [[0, ["m", []]], [0, ["m", []]]],
    "an outcome that is text": [[0, "m"]],
    "an empty outcome": [[0, []]],
    "an unknown outcome": [[0, ["z"]]],
    "half a span": [[0, ["m", [1]]]],
    "a span past the text": [[0, ["m", [0, 99]]]],
    "a span that ends before it begins": [[0, ["m", [2, 1]]]],
    "a span of text": [[0, ["m", ["0", "1"]]]],
    "more spans than asked for": [[0, ["m", [0, 1] * 101]]],
    "the value of a script": [[0, ["v", "number", 1]]],
    "an error without a name": [[0, ["e", None, "no"]]],
    "an error at a place that is text": [[0, ["e", "Error", "no", "1"]]],
    "an error before the text": [[0, ["e", "Error", "no", -1]]],
    "an error with more": [[0, ["e", "Error", "no", 1, 2]]],
    "a time that is text": [[0, ["t", "100"]]],
    "a reason that is a number": [[0, ["k", 1]]],
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
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
