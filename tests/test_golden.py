"""The golden rows that the project holds are the original ones, all of them."""

from __future__ import annotations

from tests.many_cases import every
from tests.world import GOLDEN, HELD, golden, needs_shared, rows_in

ROWS = {
    "functions": 2152,
    "assess": 128,
    "aggregate": 290,
    "tofixed": 29,
    "normalize_points": 132,
    "parse_cases": 572,
}


@every(("name", "rows"), ROWS.items())
def test_every_row_is_held(name: str, rows: int) -> None:
    assert len(golden(name)) == rows


def test_no_other_file_is_held() -> None:
    assert {path.name for path in HELD.glob("*.gz")} == {f"{name}.jsonl.gz" for name in ROWS}


@needs_shared
@every("name", ROWS)
def test_a_copy_says_what_the_original_says(name: str) -> None:
    assert golden(name) == rows_in(GOLDEN / f"{name}.jsonl")
