"""A run says what it left out, in one line: without its oracles it does not look like one with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.left_out import left_out
from tests.world import CORPUS_ROOT, CORPUS_VARIABLE, NO_CORPUS, NO_SHARED, needs_corpus

ROOT = Path(__file__).parents[1]
OF_THE_CORPUS = "tests/engine/test_collections.py"
OF_HELD_ROWS = "tests/engine/test_scores.py"
OF_OTHER_ROWS = "tests/engine/test_judging_replies.py"


def test_nothing_left_out_is_said_too() -> None:
    assert left_out([]) == "left out: nothing"


def test_each_reason_is_counted_the_most_frequent_first() -> None:
    reprs = [("a.py", 1, "Skipped: no Node"), ("b.py", 2, "Skipped: no corpus"), ("b.py", 3, "Skipped: no\ncorpus")]
    assert left_out(reprs) == "left out: 3 tests (2: no corpus; 1: no Node)"


@needs_corpus
@pytest.mark.thorough
def test_a_clone_alone_says_what_it_lacks_and_the_corpus_may_be_anywhere(tmp_path: Path) -> None:
    clone = tmp_path / "project"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".*", "__snapshots__", "screenshots"))
    alone = output_of(clone, OF_THE_CORPUS, OF_OTHER_ROWS, OF_HELD_ROWS)
    assert (OF_OTHER_ROWS in alone, OF_HELD_ROWS in alone) == (True, False)
    assert NO_CORPUS in last_line(alone)
    assert NO_SHARED in last_line(alone)
    assert last_line(output_of(clone, OF_THE_CORPUS, corpus=CORPUS_ROOT)) == "left out: nothing"


def output_of(clone: Path, *tests: str, corpus: Path | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    environment.pop(CORPUS_VARIABLE, None)
    environment |= {} if corpus is None else {CORPUS_VARIABLE: str(corpus)}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "0", *tests]
    return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=True).stdout


def last_line(output: str) -> str:
    return next(line for line in output.splitlines() if line.startswith("left out:"))
