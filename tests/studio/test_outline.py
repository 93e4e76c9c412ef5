"""How prompt ids are made to fit the outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.open_files import new_file
from studio.example import EXAMPLE, read
from studio.session.analysis import Tally
from studio.session.views.outline_view import OutlineRow
from studio.tui.app import Studio
from studio.tui.panes.outline import Outline
from studio.tui.panes.shared_prefix import common_prefix
from tests.studio.driving import WIDE, look, screen_lines, settle, studio_on, wait_until

BATTLES = """\
- id: hp-nonexistent-battle-of-glbc
  prompt: When was it?
- id: hp-invented-theorem
  prompt: Who proved it?
"""


@pytest.mark.parametrize(
    ("ids", "prefix"),
    [
        (["hp-nonexistent-battle", "hp-invented-theorem"], "hp-"),
        (["hp-battle", "hp-theorem"], ""),  # both fit as they are
        (["hp-nonexistent-battle"], ""),  # nothing to share it with
        (["nonexistent-battle", "invented-theorem"], ""),
        (["nonexistent-battle", "none-at-all-of-these"], ""),  # the shared letters end within a word
        (["a-long-first-prompt", "a-long-first-"], ""),  # nothing would be left of the second
        (["law/housing/deposit-30-days", "law/housing/notice"], "law/housing/"),
        (["", "a-long-first-prompt"], ""),
    ],
)
def test_a_prefix_is_shared_up_to_a_separator_where_an_id_is_too_long(ids: list[str], prefix: str) -> None:
    assert common_prefix(ids) == prefix


async def test_the_shared_prefix_stands_in_the_title_and_not_in_the_rows(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", BATTLES)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        outline = [line[:28] for line in screen_lines(app)]
        assert "Outline  hp-…" in outline[1]
        assert [line[3:].split()[0] for line in outline[3:5]] == ["nonexistent-batt…", "invented-theorem"]


async def test_the_whole_id_is_shown_under_the_mouse(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", BATTLES)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        outline = screen.query_one(Outline)
        await pilot.hover(outline, offset=(5, 1))
        await wait_until(pilot, lambda: str(outline.tooltip).splitlines()[:1] == ["hp-nonexistent-battle-of-glbc"])


async def test_a_control_character_in_an_id_is_made_visible(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", '- id: "bell\\a"\n  prompt: x\n')
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "bell␇" in "\n".join(screen_lines(app))


async def test_a_shared_prefix_that_is_longer_than_the_outline_is_cut_at_the_end(tmp_path: Path) -> None:
    ids = ("au-act-article-3-objectives", "au-act-article-4-principles")
    text = "".join(f"- {{id: {id}, prompt: Which ones?, should: [Names them]}}\n" for id in ids)
    rows = await look(studio_on(tmp_path / "act.yml", text), WIDE, settle)
    assert rows[1].startswith(" Outline  au-act-artic")
    assert rows[1][: rows[1].index("│")].rstrip().endswith("…")


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (OutlineRow(2, "visits-without-notice", Tally()), "2 visits-without-notice –"),
        (OutlineRow(2, "visits-without-notice", Tally(), "75"), "2 visits-without-noti… 75"),
        (OutlineRow(2, "visits", Tally(), "75"), "2 visits               75"),
        (OutlineRow(2, "visits-without-notice", Tally(), failed=True), "2 visits-without-notice !"),
        (OutlineRow(2, "visits-without-notice", Tally(warnings=1)), "2 visits-without-n… ▲1   –"),
        (OutlineRow(2, "visits", Tally(errors=2, warnings=1), "75"), "2 visits        ●2 ▲1  75"),
        (OutlineRow(None, "header · 12 models of 3", Tally()), "  header · 12 models of 3 "),
    ],
)
def test_an_id_takes_the_cells_that_its_own_row_leaves_free(row: OutlineRow, shown: str) -> None:
    width = len(shown)
    pieces = "".join(text for text, _ in Outline().draw(row, width))
    assert pieces == shown


@pytest.mark.parametrize("columns", [100, 240])
async def test_the_outline_is_wider_where_the_terminal_is(tmp_path: Path, columns: int) -> None:
    app = studio_on(tmp_path / "x.yml", BATTLES)
    async with app.run_test(size=(columns, 36)) as pilot:
        screen = await settle(pilot)
        pane, editor = screen.query_one("#outline-pane"), screen.editor
        assert pane.size.width >= min(columns * 6 // 25, 47) - 1
        assert editor.size.width >= 30


async def test_the_ids_of_the_example_give_way_only_to_what_is_left_at_120_columns() -> None:
    rows = await look(Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file))), WIDE, settle)
    assert any("2 visits-without-no…  1u " in row for row in rows)
