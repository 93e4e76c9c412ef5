"""The harness of large files on a few shapes, and that it can fail."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fire import large, latency
from tests.fire.large import Cost
from tests.fire.large_texts import JSON_SHAPES, SHAPES
from tests.fire.latency import Seen
from tests.many_cases import every
from tests.terminal import needs_tmux

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.wait4 of POSIX")

ROOT = Path(__file__).parents[1]
MEASURING = """
import sys, pathlib
from tests.fire.large import measured
cost = measured(sys.argv[1], pathlib.Path(sys.argv[2]))
print(cost.code, cost.is_met)
"""
CHEAP = Cost("check", 0.1, 0.1, 50.0, 0, False)


def measured_by_a_small_process(command: str, file: Path) -> str:
    """The exit code, and whether the figure is met: a child of this process would begin with the peak of its memory."""
    arguments = [sys.executable, "-c", MEASURING, command, str(file)]
    return subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.thorough
def test_a_million_items_in_brackets_are_refused_in_time(tmp_path: Path) -> None:
    file = tmp_path / "large.yml"
    large.written("a flow list", 1_000_000, file)
    assert measured_by_a_small_process("check", file) == "2 True"


@every(
    "cost",
    [
        Cost("check", 9.0, 5.1, 50.0, 0, False),
        Cost("check", 0.1, 0.1, 301.0, 0, False),
        Cost("check", 0.1, 0.1, 50.0, -9, False),
        Cost("check", 0.1, 0.1, 50.0, 1, True),
    ],
)
def test_a_missed_figure_is_told(cost: Cost) -> None:
    assert large.figure("tabs", [CHEAP, cost, CHEAP]).met is False


def test_a_shape_is_tried_beyond_the_limits_and_within_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "written", lambda name, entries, file: entries or 7)
    assert [row.met for row in large.rows(["tabs"], 1, lambda command, file: CHEAP)] == [True, True]


@pytest.mark.parametrize(("missed", "met"), [(0, True), (1, False)])
def test_one_file_too_dear_misses_the_figure_of_all(missed: int, met: bool) -> None:
    assert large.summary(246, missed).met is met


def test_no_shape_has_two_names() -> None:
    assert not SHAPES.keys() & JSON_SHAPES.keys()


@every(
    ("seen", "met"),
    [
        (Seen(1.0, (5.0, 100.0), 1000.0, 90.0), True),
        (Seen(5.1, (5.0,), 200.0, 90.0), False),
        (Seen(1.0, (5.0, 101.0), 200.0, 90.0), False),
        (Seen(1.0, (5.0,), 1001.0, 90.0), False),
        (Seen(1.0, (5.0,), 200.0, 301.0), False),
    ],
)
def test_one_late_key_misses_the_figure_of_a_file(seen: Seen, met: bool) -> None:
    assert seen.is_met is met


@pytest.mark.thorough
@needs_tmux
def test_keys_are_answered_in_a_small_file_in_a_terminal() -> None:
    (small,) = (each for each in latency.situations() if each.name == "300 points")
    seen = latency.measured(small, random.Random(0), 1)
    assert len(seen.keys) == 4 + 2 + 1
    assert 10 < seen.megabytes < large.MEGABYTES


def test_the_large_files_of_the_keys_are_shapes_that_exist() -> None:
    assert all(each.large is None or each.large[0] in SHAPES for each in latency.situations())
