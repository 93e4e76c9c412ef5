"""The page of a rule: its blocks, of which no word is lost, as data on the screen."""

from __future__ import annotations

from pathlib import Path

from engine.rules import ALL
from studio.session.reference import ReferencePage
from studio.tui.dialogs.page import Block, RulePage, blocks
from tests.studio.driving import NARROW, QUOTED, opened


def test_a_page_is_paragraphs_and_examples() -> None:
    said = "# slug\n\nOne\nsentence.\n\n- a\n- b\n  c\n\n"
    page = f"{said}Bad:\n\n    - x:\n\n        y\n\nFix (safe): it.\nDocuments: 002.\n"
    assert list(blocks(page)) == [
        Block("One sentence."),
        Block("- a"),
        Block("- b c"),
        Block("Bad:"),
        Block("- x:\n\n    y", is_code=True),
        Block("Fix (safe): it."),
        Block("Documents: 002."),
    ]


def test_no_word_of_a_page_is_lost() -> None:
    for rule in ALL:
        words = " ".join(block.text for block in blocks(rule.page)).split()
        assert words == rule.page.split("\n", 1)[1].split(), rule.slug


async def test_in_the_list_of_problems_the_key_of_the_text_explains_the_selected_one(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "end")) as page:
        await page.hit("question_mark")
        said = (await page.asked("Fix")).text
        await page.reply("escape")
        await page.hit("ctrl+e")
        assert (await page.asked()).text == said


async def test_a_page_is_data_and_steers_nothing_and_the_help_scrolls_to_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, size=NARROW) as page:
        page.app.push_screen(RulePage(ReferencePage("[b]x", "[red]said \x1b[31m", "# x\n\n[link='y']page[/\n", "z")))
        assert (await page.asked()).text.endswith("[b]x [red]said ␛[31m [link='y']page[/ z")
        await page.reply("escape")
        await page.hit("f1", asks="", until=lambda: page.app.screen.focused and page.app.screen.focused.max_scroll_y)
        assert page.app.screen.focused.region.bottom < NARROW[1]
