"""The app as an author meets it: how a file is opened or begun, and which panes a screen of any size has room for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.open_files import CannotOpen, open_file
from engine.files.user_settings import CursorPlace, remember_cursor
from studio.tui.action import Place
from studio.tui.app import Studio
from studio.tui.option_lists import Options
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.halves import LatePanes
from studio.tui.screens.start_screen import StartScreen
from studio.tui.window import TEXTS, Pane, Seen, window
from tests.loop_io import watched_loop
from tests.studio.driving import NARROW, QUOTED, WIDE, Page, opened, running, settle, studio_on, wait_until, words
from tests.thoroughness import one_in


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


# --- Which panes are seen at a width, and that what stays does not move


OUTLINE, CRITERIA, ANSWERS, TEXT, ANSWER = Pane
TABLE = [
    (80, TEXT, (), "Text 80"),
    (80, CRITERIA, (TEXT,), "Criteria 80"),
    (100, TEXT, (), "Outline 44 | Text 55"),
    (100, CRITERIA, (OUTLINE, TEXT), "Criteria 44 | Text 55"),
    (120, TEXT, (), "Outline 53 | Text 66"),
    (120, TEXT, (CRITERIA,), "Criteria 53 | Text 66"),
    (120, ANSWER, (CRITERIA, TEXT), "Criteria 53 | Answer 66"),
    (120, OUTLINE, (CRITERIA, ANSWER), "Outline 53 | Answer 66"),
    (120, ANSWERS, (CRITERIA, TEXT), "All answers 53 | Text 66"),
    (140, TEXT, (CRITERIA,), "Criteria 73 | Text 66"),
    (160, TEXT, (), "Outline 44 | Text 57 | Answer 57"),
    (160, CRITERIA, (), "Criteria 44 | Text 57 | Answer 57"),
    (200, TEXT, (), "Outline 30 | Criteria 47 | Text 60 | Answer 60"),
    (200, ANSWERS, (), "Outline 30 | All answers 47 | Text 60 | Answer 60"),
]
WIDTHS = st.integers(20, 320)
PANES = st.sampled_from(Pane)


@pytest.mark.parametrize(("width", "focused", "opened", "seen"), TABLE)
def test_the_window(width: int, focused: Pane, opened: tuple[Pane, ...], seen: str) -> None:
    assert " | ".join(f"{each.pane} {each.width}" for each in window(width, focused, opened)) == seen


def test_all_answers_stay_while_a_text_has_the_keys() -> None:
    assert [each.pane for each in window(120, TEXT, (ANSWERS,), answers=True)] == [ANSWERS, TEXT]


def test_the_criteria_come_back_with_the_keys() -> None:
    assert [each.pane for each in window(120, CRITERIA, (ANSWERS,), answers=True)] == [CRITERIA, TEXT]


@given(WIDTHS, PANES, st.booleans())
def test_no_width_hides_what_has_the_keys(width: int, focused: Pane, answers: bool) -> None:
    assert focused in [each.pane for each in window(width, focused, (), answers=answers)]


@given(WIDTHS, PANES, st.sets(PANES), st.booleans())
def test_the_panes_and_the_lines_between_them_fill_the_screen(
    width: int, focused: Pane, opened: set[Pane], answers: bool
) -> None:
    seen = window(width, focused, opened, answers=answers)
    assert sum(each.width for each in seen) + len(seen) - 1 == width


@given(WIDTHS, st.lists(PANES, min_size=2, max_size=8), st.booleans())
def test_a_pane_that_stays_does_not_move(width: int, path: list[Pane], answers: bool) -> None:
    seen: tuple[Seen, ...] = ()
    for focused in path:
        before, seen = seen, window(width, focused, [each.pane for each in seen], answers=answers)
        assert _moved(before, seen) == []


def _moved(before: tuple[Seen, ...], now: tuple[Seen, ...]) -> list[Pane]:
    was, at = _columns(before), _columns(now)
    return [pane for pane in was.keys() & at.keys() if was[pane] != at[pane]]


def _columns(seen: tuple[Seen, ...]) -> dict[Pane, tuple[int, int]]:
    columns: dict[Pane, tuple[int, int]] = {}
    left = 0
    for each in seen:
        columns[each.pane] = left, each.width
        left += each.width + 1
    return columns


@given(WIDTHS.filter(lambda width: width >= 100), PANES, PANES)
def test_a_text_keeps_its_width(width: int, one: Pane, other: Pane) -> None:
    widths = {each.width for focused in (one, other) for each in window(width, focused, ()) if each.pane in TEXTS}
    assert len(widths) == 1


@given(WIDTHS, PANES)
def test_two_answers_take_the_place_of_both_texts_and_nothing_else_moves(width: int, focused: Pane) -> None:
    one, two = (window(width, focused, (), two=each) for each in (False, True))
    assert [each for each in two if each.pane.is_list] == [each for each in one if each.pane.is_list]
    assert sum(each.width + 1 for each in two) == sum(each.width + 1 for each in one)
    assert focused in [each.pane for each in two]
    if width >= 160 and focused is not Pane.TEXT:
        assert two[-1] == Seen(Pane.ANSWER, 2 * one[-1].width + 1)


# --- The window may be of any size at any moment, with a list open


ODD_SIZES = one_in(3, [(1, 1), (2, 1), (1, 2), (400, 120), (3, 3), (1, 120), (400, 1), (120, 4)])


@pytest.mark.parametrize("keys", one_in(3, [("ctrl+p",), ("f9",), ("f8", "f8", "f4")]), ids="-".join)
async def test_lists_open_and_turn_their_pages_at_any_size(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with opened(tmp_path, QUOTED) as page:
        for size in ODD_SIZES:
            await page.hit(*keys)
            await page.pilot.resize_terminal(*size)
            await page.hit("pagedown", "pagedown", "pageup", "end", "home")
            await page.hit("escape")
            await page.hit(*keys, "pagedown")  # opened at this size
            await page.pilot.resize_terminal(*WIDE)
            await page.reply("escape")
            assert page.app.is_running


async def test_a_list_that_was_never_laid_out_turns_no_page() -> None:
    options = Options("first", "second")
    options.highlighted = 1
    options.action_page_down()
    options.action_page_up()
    assert options.highlighted == 1


# --- The panes of results and answers are loaded after the first frame, into a screen that stays


async def test_a_screen_that_is_left_while_its_panes_load_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loaded = LatePanes.load, asyncio.Event()

    async def load_and_leave(panes: LatePanes) -> None:
        await load(panes)
        monkeypatch.setattr(BlueprintScreen, "_is_leaving", property(lambda _: True))
        loaded.set()

    monkeypatch.setattr(LatePanes, "load", load_and_leave)
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n")
    async with app.run_test() as pilot:
        await wait_until(pilot, loaded.is_set)
        await pilot.pause(0.3)
        assert isinstance(app.screen, BlueprintScreen)
        assert app.screen.panes.criteria is None


async def test_the_text_has_the_scores_while_the_criteria_are_not_seen(tmp_path: Path) -> None:
    text = "- id: rent\n  prompt: When?\n  ideal: On the 3rd.\n  should:\n    - $contains: 3rd\n    - $contains: May\n"
    async with opened(tmp_path, text, at="- id: rent", keys=("f5",)) as page:
        await page.show("Criteria")
        await page.see("50.0")
        assert "● 100" not in page.screen.editor.render_line(4).text
        await page.show("Outline")
        assert [page.screen.editor.render_line(row).text.rstrip()[-5:] for row in (4, 5)] == ["● 100", "○   0"]


# --- Where the cursor was is read in no turn of the event loop: neither at the start nor when another file is opened


TEA = "title: Tea\n---\n- id: a\n  prompt: Is it hot?\n"


def test_the_cursor_is_recalled_off_the_event_loop(tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text(TEA, "utf-8")
    remember_cursor(other, CursorPlace(2, 3, "- id: a"))
    app, file = studio_on(tmp_path / "tea.yml", TEA), open_file(other)

    async def opened() -> int:
        async with app.run_test(size=WIDE) as pilot:
            first = await settle(pilot)
            app.open_file(file)
            await wait_until(pilot, lambda: app.screen is not first)
            return (await settle(pilot)).editor.cursor_offset

    with watched_loop() as seen:
        at = asyncio.run(opened())
    assert at == TEA.index("id: a") + 1
    assert [each for each in seen if "cursors" in each] == []
