"""The harness of large files on a few shapes, and that it can fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fire import large
from tests.fire.large import Cost
from tests.fire.large_texts import JSON_SHAPES, SHAPES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.wait4 of POSIX")

CHEAP = Cost("check", 0.1, 0.1, 50.0, 0, False)


def costing(cost: Cost) -> large.Measure:
    return lambda command, file: cost


def test_a_million_items_in_brackets_are_refused_in_time(tmp_path: Path) -> None:
    file = tmp_path / "large.yml"
    large.written("a flow list", 1_000_000, file)
    cost = large.measured("check", file)
    assert (cost.code, cost.is_met) == (2, True)


@pytest.mark.parametrize(
    "cost",
    [
        Cost("check", 9.0, 5.1, 50.0, 0, False),
        Cost("check", 0.1, 0.1, 301.0, 0, False),
        Cost("check", 0.1, 0.1, 50.0, -9, False),
        Cost("check", 0.1, 0.1, 50.0, 1, True),
    ],
    ids=["slow", "large", "killed", "crashed"],
)
def test_a_missed_figure_is_told(cost: Cost) -> None:
    rows = large.rows(["tabs"], 1, costing(cost))
    assert [row.met for row in rows] == [False, False]


def test_a_figure_that_is_reached_is_told() -> None:
    assert [row.met for row in large.rows(["tabs"], 1, costing(CHEAP))] == [True, True]


def test_no_shape_has_two_names() -> None:
    assert not SHAPES.keys() & JSON_SHAPES.keys()
