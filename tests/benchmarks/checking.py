"""Checking the whole corpus from start to exit, against yamllint; and the problems of a long file after one key."""

from __future__ import annotations

import gc
import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from tests.benchmarks.files import File, files
from tests.benchmarks.programs import seconds_of
from tests.benchmarks.table import Row, row
from tests.world import CORPUS, corpus_files

ROUNDS = 5
MOST = 0.25
"""Of yamllint's time, what checking may take."""
KEYS = 30
KEY_GOALS = {"10,509 lines": 50}
"""Milliseconds of computing after one key, until every problem of the file is known anew."""


def measure() -> Iterator[Row]:
    """Both in turn on the same files; then one key after the other in each of the three files."""
    if not corpus_files():
        print("checking: missing: the corpus", file=sys.stderr)
        return
    yield from _corpus()
    with TemporaryDirectory() as name:
        for file in files(Path(name)):
            yield from _keys(file)


def _corpus() -> Iterator[Row]:
    theirs = _yamllint()
    if theirs is None:
        print("checking: missing: yamllint (pip install yamllint)", file=sys.stderr)
    ours = [str(Path(sys.executable).with_name("studio")), "check", str(CORPUS)]
    mine: list[float] = []
    its: list[float] = []
    for _ in range(ROUNDS):
        if theirs is not None:
            its.append(1000 * seconds_of([*theirs, str(CORPUS)], (0, 1)))
        mine.append(1000 * seconds_of(ours, (0, 1)))
    yield row("check: studio check", "the whole corpus", "ms", mine)
    if its:
        yield row(f"check: {_version(theirs or ())}", "the whole corpus", "ms", its)
        ratios = [one / other for one, other in zip(mine, its, strict=True)]
        yield row("check: ratio, pair by pair", "the whole corpus", "×", ratios, (MOST, float("inf")))


def _yamllint() -> list[str] | None:
    """The command, from this environment or the path; None where there is none."""
    if importlib.util.find_spec("yamllint") is not None:
        return [sys.executable, "-m", "yamllint"]
    found = shutil.which("yamllint")
    return None if found is None else [found]


def _version(command: Sequence[str]) -> str:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _keys(file: File) -> Iterator[Row]:
    """Computing time from each key in the middle of the file to all that is said without V8, then with it."""
    start = sum(len(line) + 1 for line in file.lines[: file.row()]) + len(file.lines[file.row()])
    checker = Checker()
    at_once: list[float] = []
    thorough: list[float] = []
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 1000)
    with JavaScript() as javascript:
        checker.check(parse(file.text, file.path), javascript)
        for number in range(1, KEYS + 1):
            text = file.text[:start] + "x" * number + file.text[start:]
            began = time.process_time()
            parsed = parse(text, file.path)
            checker.check(parsed)
            at_once.append((time.process_time() - began) * 1000)
            checker.check(parsed, javascript)
            thorough.append((time.process_time() - began) * 1000)
    goal = KEY_GOALS.get(file.label)
    goals = None if goal is None else (goal, float("inf"))
    yield row("check: one key, all but V8", file.label, "ms", at_once, goals)
    yield row("check: one key, V8 as well", file.label, "ms", thorough, goals)
