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


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in a folder with nothing beside it, and the bytecode of its modules."""
    root = tmp_path_factory.mktemp("clone") / "project"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "__snapshots__", "screenshots"))
    return root


def output_of(clone: Path, *tests: str, corpus: Path | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    environment.pop(CORPUS_VARIABLE, None)
    environment |= {} if corpus is None else {CORPUS_VARIABLE: str(corpus)}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "0", *tests]
    return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=True).stdout


def last_line(output: str) -> str:
    return next(line for line in output.splitlines() if line.startswith("left out:"))


@pytest.fixture(scope="module")
def alone(clone: Path) -> str:
    """What a clone alone says of tests of the corpus, and of rows that it holds and does not hold."""
    return output_of(clone, OF_THE_CORPUS, OF_OTHER_ROWS, OF_HELD_ROWS)


def test_a_clone_alone_holds_the_code_to_the_rows_of_the_project(alone: str) -> None:
    assert OF_OTHER_ROWS in alone
    assert OF_HELD_ROWS not in alone


def test_a_clone_alone_says_how_to_have_the_corpus(alone: str) -> None:
    assert NO_CORPUS in last_line(alone)


def test_a_clone_alone_says_that_other_rows_are_missing(alone: str) -> None:
    assert NO_SHARED in last_line(alone)


@needs_corpus
@pytest.mark.thorough
def test_the_corpus_may_be_anywhere(clone: Path) -> None:
    assert last_line(output_of(clone, OF_THE_CORPUS, corpus=CORPUS_ROOT)) == "left out: nothing"
