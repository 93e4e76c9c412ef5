"""Recorded runs of the attacks add up in one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fire.figures import Figure, Figures
from tests.fire.totals import PAGE, NoTable, record, split, table

EMPTY = "\n".join(table([]))


def run_of(seed: int, *, met: bool | None = True, harness: str = "kill", result: str = "0 torn") -> Figures:
    return Figures(harness, seed, 200, (Figure("while typing", result, "0 torn", met),))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(f"# Before\n\n{EMPTY}\n\nAfter.\n", "utf-8")
    return path


def rows(page: Path) -> list[str]:
    return [line for line in page.read_text("utf-8").splitlines() if line.startswith("| ")][2:]


def test_a_run_becomes_a_row(page: Path) -> None:
    record(page, [run_of(1)])
    assert rows(page) == ["| kill | while typing | 1 | 200 | 1 of 1 | 0 torn | 0 torn |"]


def test_the_text_around_the_table_stays(page: Path) -> None:
    record(page, [run_of(1)])
    text = page.read_text("utf-8")
    assert text.startswith("# Before\n\n| harness")
    assert text.endswith(" |\n\nAfter.\n")


def test_seeds_and_rounds_add_up(page: Path) -> None:
    for seed in (1, 2, 3, 9):
        record(page, [run_of(seed)])
    assert rows(page) == ["| kill | while typing | 1–3, 9 | 800 | 4 of 4 | 0 torn | 0 torn |"]


def test_a_missed_goal_stays_counted(page: Path) -> None:
    record(page, [run_of(1, met=False, result="1 torn")])
    record(page, [run_of(1)])
    assert rows(page) == ["| kill | while typing | 1 | 400 | 1 of 2 | 0 torn | 0 torn |"]


def test_a_figure_without_a_goal_has_none_to_meet(page: Path) -> None:
    record(page, [run_of(1, met=None)])
    assert "| 200 |  | 0 torn |" in rows(page)[0]


def test_harnesses_are_sorted(page: Path) -> None:
    record(page, [run_of(1, harness="texts"), run_of(1, harness="keys")])
    assert [row.split()[1] for row in rows(page)] == ["keys", "texts"]


def test_a_page_without_the_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Nothing\n", "utf-8")
    with pytest.raises(NoTable):
        record(tmp_path / "page.md", [run_of(1)])


def test_the_documentation_has_totals() -> None:
    _, found, _ = split(PAGE.read_text("utf-8"))
    assert found
