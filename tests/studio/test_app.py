"""The app as an author meets it: how a file is opened or begun, and which panes a screen has room for."""

from __future__ import annotations

from pathlib import Path

from engine.files.open_files import CannotOpen, open_file
from studio.tui.action import Place
from studio.tui.app import Studio
from studio.tui.screens.start_screen import StartScreen
from tests.studio.driving import NARROW, QUOTED, Page, opened, running, words


async def test_collections_are_taken_from_the_folder_that_was_named(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "TEAM.json").write_text('["openai:a", "openai:b", "openai:c"]', "utf-8")
    (tmp_path / "x.yml").write_text("models: [TEAM]\n---\n- id: one\n  prompt: x\n", "utf-8")
    async with running(Studio(open_file(tmp_path / "x.yml"), collections=folder)) as page:
        await page.press("f2", "home")
        await page.see("1 prompt", "Its collections name 3")


async def test_a_read_only_file_has_a_banner_and_an_odd_one_keeps_its_bytes(tmp_path: Path) -> None:
    odd = "title: a\r\n---\n- id: x\r  prompt: a\u2028b\x1b[31m\n".encode()
    (tmp_path / "latin.yml").write_bytes("title: caf\xe9\n".encode("latin-1"))
    (tmp_path / "odd.yml").write_bytes(odd)
    async with opened(tmp_path / "latin.yml") as page:
        assert (page.read_only, "Latin-1" in page.banner()) == (True, True)
    async with opened(tmp_path / "odd.yml") as page:
        await page.hit("ctrl+s")
        await page.settle()
        assert (page.unsaved, page.banner()) == (False, "")
    assert (tmp_path / "odd.yml").read_bytes() == odd


async def test_control_characters_of_the_file_never_reach_the_screen(tmp_path: Path) -> None:
    async with opened(tmp_path, "- id: \"a\\e]0;x\\a\"\n  prompt: x\n  should: ['$\x9bq: x']\n") as page:
        assert [each for each in "\x1b\x9b" if each in page.app.export_screenshot()] == []


async def test_a_folder_brings_the_start_screen_that_says_so(tmp_path: Path) -> None:
    app = Studio(problem=CannotOpen(tmp_path, "This is a folder.", "Name a file in it."))
    async with app.run_test() as pilot:
        await Page(app, pilot).see("This is a folder.")
        assert isinstance(app.screen, StartScreen)


async def test_a_missing_file_can_be_begun_there_and_is_not_written_before_it_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "new.yml"
    app = Studio(problem=CannotOpen(path, "There is no such file.", missing=True))
    async with app.run_test() as pilot:
        page = Page(app, pilot)
        await page.asked()
        await page.hit("enter", until=lambda: page.has_file)
        await page.settle()
        assert not path.exists()
        await page.hit("ctrl+s", until=path.exists)


# --- Panes


async def test_on_a_narrow_screen_a_pane_comes_with_its_key_and_goes_with_escape(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, size=NARROW) as page:
        for key, pane in (("f2", "Outline"), ("ctrl+r", "Criteria")):
            await page.press(key)
            assert page.panes() == [f"{pane} 80"]
            await page.press("escape")
            assert (page.panes(), page.place) == (["Text 80"], Place.EDITOR)


async def test_f5_puts_the_criteria_in_the_place_of_the_outline_and_leaves_text_and_cursor(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",)) as page:
        assert page.panes() == ["Outline 53", "Text 66"]
        cursor = page.cursor
        await page.press("f5")
        assert (page.panes(), page.place, page.cursor) == (["Criteria 53", "Text 66"], Place.EDITOR, cursor)


async def test_ctrl_r_gives_the_criteria_the_keys_and_then_shows_the_answer_beside_them(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f5", "ctrl+r")) as page:
        assert (page.pane, page.panes()) == ("Criteria", ["Criteria 53", "Text 66"])
        await page.press("ctrl+r")
        assert (page.pane, page.panes()) == ("Answer", ["Criteria 53", "Answer 66"])
        await page.press("ctrl+r")
        assert (page.pane, page.panes()) == ("Criteria", ["Criteria 53", "Answer 66"])


async def test_escape_closes_what_is_open_and_then_goes_to_the_text(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f2", "z", "f3")) as page:
        assert (page.panes(), page.has_problems_open) == (["Outline 120"], True)
        await page.press("escape")
        assert (page.pane, page.has_problems_open) == ("Outline", False)
        await page.press("escape")
        assert (page.pane, page.panes()) == ("Outline", ["Outline 53", "Text 66"])
        await page.press("escape")
        assert page.pane == "Text"


async def test_tab_goes_from_pane_to_pane_outside_the_text(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f5", "f2")) as page:
        for pane in ("Criteria", "All answers", "Text"):
            await page.press("tab")
            assert page.pane == pane


async def test_a_resized_screen_keeps_what_has_the_keys(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f5", "ctrl+r")) as page:
        for size, panes in ((NARROW, ["Criteria 80"]), ((160, 48), ["Criteria 44", "Text 57", "Answer 57"])):
            await page.resize(*size)
            assert (page.pane, page.panes()) == ("Criteria", panes)


async def test_the_strip_names_the_panes_the_prompt_and_its_score_and_a_click_opens_a_pane(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f5")) as page:
        assert words(page.status()).startswith("x.yml Outline F2 Criteria Ctrl+R All answers Ctrl+K ▌Text Esc Answer")
        assert page.status().endswith("›")
        await page.click("PaneStrip", (page.status().index("Answer "), 0))
        assert page.pane in ("Answer", "All answers")


async def test_a_prompt_that_one_goes_to_is_seen_as_far_as_there_is_room(tmp_path: Path) -> None:
    text = "# a comment\n" * 20 + QUOTED.replace("  ideal: It", "  # more\n" * 8 + "  ideal: It")
    async with opened(tmp_path, text, keys=("f2", "down", "enter")) as page:
        editor = page.screen.editor
        last = editor.location_of(page.text.index("- id: second") - 1)
        assert editor.row_layout.location_to_offset(last).y < editor.scroll_offset.y + editor.size.height
        assert editor.scroll_offset.y < page.number
