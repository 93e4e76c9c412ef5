"""Panes that take the whole screen, and dividers that move by mouse and keys and are remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.files.own_files import settings_path
from studio.tui.action import Place
from tests.repeated_problems import quoted_checks
from tests.studio.driving import LARGE, NARROW, QUOTED, WIDE, opened

ALL = {"outline", "editor", "side", "problems"}

# --- Zoom

WAYS = {"outline": ("f2", "f12"), "editor": ("f12",), "side": ("ctrl+r", "z"), "problems": ("f3", "z")}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_focused_pane_takes_the_screen_and_gives_it_back(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(tmp_path, QUOTED, size=size) as page:
        for pane, (*keys, zoom) in WAYS.items():
            await page.press(*keys)
            before = (page.panes(), page.screen.focused)
            await page.press(zoom)
            assert (page.panes(), page.screen.focused) == ({pane}, before[1])
            width, height = page.size_of(pane)
            assert (width, height >= size[1] - 3) == (size[0], True)  # status line, footer, the line of the cursor
            await page.press("f12")
            assert (page.panes(), page.screen.focused) == before
            await page.press("escape")


async def test_esc_and_another_pane_show_all_panes_and_the_zoomed_text_is_edited_as_always(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("ctrl+r", "f12", "escape")) as page:
        assert (page.panes(), page.place) == (ALL, Place.RESULT)
        await page.press("escape")
        assert page.place is Place.EDITOR
        await page.press("f3", "f12", "enter")
        assert (page.panes(), page.place) == (ALL, Place.EDITOR)
        await page.press("ctrl+home", "f12", "z", "[", "]", "f8")
        assert page.text.startswith("z[]title")
        assert page.panes() == {"editor"}


# --- Dividers


async def test_keys_move_the_edge_of_the_focused_pane_and_its_size_is_remembered(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        outline, text, side = page.widths()
        await page.press("ctrl+r", "[", "[", "[", "]")
        assert page.widths() == (outline, text - 8, side + 8)
        await page.press("f2", "]")
        assert page.widths() == (outline + 4, text - 12, side + 8)
        _, height = page.size_of("problems")
        await page.press("f3", "[")
        assert page.size_of("problems")[1] == height + 2
        await page.until(lambda: saved().get("120", {}).get("outline") == outline + 4)


async def test_a_divider_is_dragged_and_stops_where_a_pane_would_have_no_room(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        outline, text, side = page.widths()
        await page.drag((outline - 1, 9), (outline + 8, 9))
        assert page.widths() == (outline + 9, text - 9, side)
        await page.drag((120 - side, 9), (120 - side - 5, 9))
        assert page.widths() == (outline + 9, text - 14, side + 5)
        top, (_, height) = page.region("#problems-pane").y, page.size_of("problems")
        await page.drag((40, top), (40, top - 3))
        assert page.size_of("problems")[1] == height + 3
        await page.drag((120 - side - 5, 9), (3, 9))
        assert page.widths()[1] == 20
        await page.drag((page.region("#side").x, 9), (118, 9))
        assert page.widths()[2] == 24


async def test_on_a_narrow_screen_the_result_below_the_text_is_resized(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("ctrl+r", "ctrl+r"), size=NARROW) as page:
        _, height = page.size_of("side")
        top = page.region("#side").y
        await page.drag((40, top), (40, top - 3))
        assert page.size_of("side")[1] == height + 3
        await page.press("ctrl+r", "ctrl+r")
        assert page.size_of("side")[1] > height + 3


# --- The problems

CLEAN = (
    "title: Deposits\ndescription: What tenants ask\n---\nid: deposit\nprompt: Is my deposit safe?\nshould:\n"
    + "".join(f"  - Names the scheme that holds deposits in region {number}\n" for number in range(40))
)


async def test_the_problems_take_the_rows_that_they_need_and_give_them_back_on_another_line(tmp_path: Path) -> None:
    async with opened(tmp_path, CLEAN) as page:
        assert page.problem_rows() == (2, 0)
        await page.press("x")
        assert page.problem_rows() == (6, 1)
        await page.press("backspace")
        assert page.problem_rows() == (6, 0)
        await page.press("down")
        assert page.problem_rows() == (2, 0)
        await page.press("ctrl+end", *"  - $word")
        assert (page.screen.editor.completing.is_open, page.problem_rows()[0]) == (True, 2)  # it stays open
        await page.press("escape", "left")
        assert page.problem_rows()[0] == 6
        assert page.cursor_is_seen


async def test_many_problems_take_a_part_of_the_screen_and_the_divider_sets_the_most_rows(tmp_path: Path) -> None:
    async with opened(tmp_path, quoted_checks(20), keys=("f3", "home", "right")) as page:
        assert page.problem_rows() == (10, 22)
        await page.press("left")
        assert page.problem_rows() == (7, 2)
        await page.rewrite(QUOTED)
        await page.press("[", "[")
        assert page.problem_rows()[0] == 11
        await page.press("f8", "f4", "f8")
        assert page.problem_rows() == (6, 1)
        await page.press("ctrl+z", "f8")
        assert page.problem_rows() == (7, 2)


# --- What is remembered


def saved() -> dict[str, dict[str, int]]:
    try:
        return json.loads(settings_path().read_text("utf-8")).get("panes", {})
    except FileNotFoundError:
        return {}


async def test_each_width_of_the_screen_has_its_own_sizes_and_the_usual_ones_come_back(tmp_path: Path) -> None:
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text(json.dumps({"panes": {"120": {"outline": 30, "side": 60}, "80": {"outline": 50}}}))
    async with opened(tmp_path, QUOTED) as page:
        assert page.widths() == (30, 30, 60)
        for width, widths in ((160, (38, 58, 64)), (124, (30, 34, 60))):
            await page.resize(width, 36)
            assert page.widths() == widths
        await page.resize(*NARROW)
        await page.press("f2")
        assert page.widths()[0] == 50
        await page.resize(*WIDE)
        await page.do("reset_panes")
        await page.until(lambda: "120" not in saved())
        await page.settle()
        assert (page.widths()[0], saved()) == (28, {"80": {"outline": 50}})


# --- Where the result is


async def test_a_narrow_screen_tells_where_the_result_is(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, size=NARROW) as page:
        assert page.lines[-2] == " Result  Response  Conversation  History  Criterion     Ctrl+R shows the result"


LAYOUTS = {
    LARGE: (((), "Ctrl+R"), (("ctrl+r",), "F12 zoom")),
    WIDE: ((("ctrl+r", "f12"), "F12 all panes"),),
    NARROW: ((("ctrl+r",), "Ctrl+R share the height"), (("ctrl+r",), "Ctrl+R text alone")),
}


@pytest.mark.parametrize("size", LAYOUTS, ids=["large", "wide", "narrow"])
async def test_the_tabs_tell_what_their_key_does_and_the_head_ends_where_its_rows_end(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, QUOTED, at="ideal", keys=("f5",), size=size) as page:
        for number, (keys, hint) in enumerate(LAYOUTS[size]):
            await page.press(*keys)
            tabs = next(each for each in page.lines if "Conversation" in each and "shows" not in each)
            assert tabs.endswith(hint)
            if number == 0:
                lines = [line.rstrip("▁▂▃▄▅▆▇█ ") for line in page.lines]
                row, head = (next(line for line in lines[1:] if said in line) for said in (" Points ", "the ideal"))
                assert (head[-9:], len(head)) == ("the ideal", len(row))
