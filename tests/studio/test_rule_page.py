"""The page of a rule in the studio: opened from the list and from the text, as wide as it is shown, closed by Esc."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import VerticalScroll
from textual.widgets import Static

from engine.rules import ALL, Rule
from studio.session.reference import ReferencePage
from studio.tui.dialogs.page import Block, Page, blocks
from studio.tui.panes.problems import ProblemList
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import NARROW, QUOTED, WIDE, press, settle, studio_on, wait_until

SOUND = "- id: p\n  prompt: q\n  should:\n    - $icontains_all_of: [the lease, thirty days]\n"


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


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.slug)
def test_no_word_of_a_page_is_lost(rule: Rule) -> None:
    words = " ".join(block.text for block in blocks(rule.page)).split()
    assert words == rule.page.split("\n", 1)[1].split()


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_w_opens_the_page_of_the_selected_problem_and_escape_closes_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=size) as pilot:
        screen = await press(pilot, "f3")
        assert isinstance(screen.focused, ProblemList)
        await pilot.press("w")
        await wait_until(pilot, lambda: isinstance(app.screen, Page))
        said = " ".join(str(piece.content) for piece in app.screen.query(Static))
        assert "is one unknown name: remove the quotes around it" in said
        assert "Level: error. Code: Y003." in said
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, BlueprintScreen))
        assert isinstance(app.screen.focused, ProblemList)


async def test_ctrl_e_opens_the_page_of_the_problem_at_the_cursor_and_it_scrolls(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        await press(pilot, "f8")
        await pilot.press("ctrl+e")
        await wait_until(
            pilot, lambda: isinstance(app.screen.focused, VerticalScroll) and app.screen.focused.max_scroll_y
        )
        await pilot.press("pagedown")
        await wait_until(pilot, lambda: app.screen.query_one(VerticalScroll).scroll_offset.y > 0)
        await pilot.press("ctrl+e")
        await wait_until(pilot, lambda: isinstance(app.screen, BlueprintScreen))


async def test_a_page_is_titled_in_plain_words_and_says_how_to_suppress(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "f8")
        await pilot.press("ctrl+e")
        await wait_until(pilot, lambda: isinstance(app.screen, Page))
        titles = [str(box.border_title) for box in app.screen.query(".dialog")]
        said = " ".join(str(piece.content) for piece in app.screen.query(Static))
        assert titles == ["Check written as text (quoted-function)"]
        assert "Suppress: `# studio: ignore[quoted-function] reason` at the end of the line" in said


async def test_the_detail_below_the_list_begins_with_the_title_of_the_rule(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3")
        detail = str(screen.query_one("#why", Static).content)
        assert detail.startswith("Check written as text: ")


async def test_the_mouse_on_a_problem_shows_the_title_of_its_rule(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8")
        row, column = screen.editor.cursor_location
        await pilot.hover(screen.editor, offset=(screen.editor.gutter_width + column + 1, row))
        await pilot.pause()
        assert str(screen.editor.tooltip).startswith("Check written as text: ")


async def test_ctrl_e_on_a_sound_check_opens_the_page_of_its_function(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SOUND)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("$icont"))
        await pilot.press("ctrl+e")
        await wait_until(pilot, lambda: isinstance(app.screen, Page))
        said = "\n".join(str(piece.render()) for piece in app.screen.query(Static))
        assert "part marks, from 0 to 1" in said


async def test_the_mouse_on_a_sound_check_tells_what_is_worth_knowing_of_it(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", SOUND)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.hover(screen.editor, offset=(screen.editor.gutter_width + 8, 3))
        await pilot.pause()
        assert "all of these texts" in str(screen.editor.tooltip)
        assert "1 of 2" in str(screen.editor.tooltip)


async def test_ctrl_e_where_there_is_no_problem_says_so(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("ctrl+e")
        await pilot.pause()
        assert app.screen is screen
        assert [toast.message for toast in app._notifications] == [
            "There is neither a problem nor a check on this line. F8 goes to the next problem."
        ]


async def test_a_page_is_data_and_steers_nothing(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.push_screen(Page(ReferencePage("[b]x", "[red]said \x1b[31m", "# x\n\n[link='y']page[/\n", "z")))
        await wait_until(pilot, lambda: len(app.screen.query(Static)) == 3)
        said = [str(piece.content) for piece in app.screen.query(Static)]
        assert said == ["[red]said ␛[31m", "[link='y']page[/", "z"]


async def test_the_help_scrolls_to_its_end_on_a_small_screen(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        await pilot.press("f1")
        await wait_until(
            pilot, lambda: isinstance(app.screen.focused, VerticalScroll) and app.screen.focused.max_scroll_y
        )
        assert app.screen.query_one(VerticalScroll).region.bottom < NARROW[1]
