"""How prompt ids are made to fit the outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.session.analysis import Tally
from studio.session.views.outline_view import OutlineRow
from studio.tui.panes.outline import Outline
from studio.tui.panes.shared_prefix import common_prefix
from tests.studio.driving import opened

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


async def test_the_shared_prefix_stands_in_the_title_and_the_whole_id_under_the_mouse(tmp_path: Path) -> None:
    async with opened(tmp_path, BATTLES) as page:
        outline = [line[:28] for line in page.lines]
        assert "Outline  hp-…" in outline[1]
        assert [line[3:].split()[0] for line in outline[3:5]] == ["nonexistent-batt…", "invented-theorem"]
        await page.pilot.hover(page.screen.outline, offset=(5, 1))
        await page.until(lambda: str(page.screen.outline.tooltip).startswith("hp-nonexistent-battle-of-glbc"))
        for columns in (100, 240):
            await page.resize(columns, 36)
            outline, text, _ = page.widths()
            assert outline >= min(columns * 6 // 25, 47) - 1
            assert text >= 30


async def test_a_control_character_is_made_visible_and_a_prefix_that_is_longer_than_the_outline_is_cut(
    tmp_path: Path,
) -> None:
    ids = ("au-act-article-3-objectives", "au-act-article-4-principles")
    text = "".join(f"- {{id: {id}, prompt: Which ones?, should: [Names them]}}\n" for id in ids)
    async with opened(tmp_path, text) as page:
        assert page.lines[1].startswith(" Outline  au-act-artic")
        assert page.lines[1][: page.lines[1].index("│")].rstrip().endswith("…")
        await page.rewrite('- id: "bell\\a"\n  prompt: x\n')
        assert "bell␇" in page.seen


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
