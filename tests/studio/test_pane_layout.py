"""Panes that take the whole screen, and dividers that move by mouse and keys and are remembered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.files.own_files import settings_path
from studio.tui.action import Place
from studio.tui.footer import place_of
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.repeated_problems import quoted_checks
from tests.studio.driving import NARROW, QUOTED, WIDE, press, screen_lines, settle, studio_on, wait_until


def widths(screen: BlueprintScreen) -> tuple[int, int, int]:
    """The widths of outline, text and result."""
    outline = screen.query_one("#outline-pane")
    return outline.outer_size.width, screen.editor.outer_size.width, screen.side.outer_size.width


def problems_height(screen: BlueprintScreen) -> int:
    return screen.query_one("#problems-pane").outer_size.height


def shown(screen: BlueprintScreen) -> set[str]:
    """The ids of the panes that are shown."""
    panes = (screen.query_one("#outline-pane"), screen.editor, screen.side, screen.query_one("#problems-pane"))
    return {str(pane.id) for pane in panes if pane.display and pane.region.area}


ALL = {"outline-pane", "editor", "side", "problems-pane"}

# --- Zoom

WAYS = {
    "outline-pane": ("f2", "f12"),
    "editor": ("f12",),
    "side": ("ctrl+r", "z"),
    "problems-pane": ("f3", "z"),
}


@pytest.mark.parametrize(("pane", "keys"), WAYS.items(), ids=WAYS)
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_focused_pane_takes_the_screen_and_gives_it_back(
    tmp_path: Path, pane: str, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=size) as pilot:
        screen = await press(pilot, *keys[:-1])
        before, focused = shown(screen), screen.focused
        await press(pilot, keys[-1])
        whole = {"outline-pane": screen.query_one("#outline-pane"), "editor": screen.editor, "side": screen.side}
        zoomed = whole.get(pane, screen.query_one("#problems-pane"))
        assert (shown(screen), zoomed.outer_size.width, screen.focused) == ({pane}, size[0], focused)
        assert zoomed.outer_size.height >= size[1] - 3  # the status line, the footer, the line of the cursor
        await press(pilot, "f12")
        assert (shown(screen), screen.focused) == (before, focused)


async def test_esc_shows_all_panes_before_it_goes_back_to_the_text(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+r", "f12", "escape")
        assert (shown(screen), place_of(screen)) == (ALL, Place.RESULT)
        await press(pilot, "escape")
        assert place_of(screen) is Place.EDITOR


async def test_going_to_another_pane_shows_all_of_them(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "f12", "enter")
        assert (shown(screen), place_of(screen)) == (ALL, Place.EDITOR)


async def test_the_zoomed_text_is_edited_as_always(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f12", "z", "[", "]", "f8")
        assert screen.editor.text_out().startswith("z[]title")
        assert shown(screen) == {"editor"}


# --- Dividers


async def test_keys_move_the_edge_of_the_focused_pane(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        outline, text, side = widths(screen)
        await press(pilot, "ctrl+r", "[", "[", "[", "]")
        assert widths(screen) == (outline, text - 8, side + 8)
        await press(pilot, "f2", "]")
        assert widths(screen) == (outline + 4, text - 12, side + 8)
        height = problems_height(screen)
        await press(pilot, "f3", "[")
        assert problems_height(screen) == height + 2


async def test_a_divider_stops_where_a_pane_would_have_no_room(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await drag(pilot, (screen.side.region.x, 9), (3, 9))
        assert widths(screen)[1] == 20
        await drag(pilot, (screen.side.region.x, 9), (118, 9))
        assert widths(screen)[2] == 24


async def drag(pilot: Pilot[Any], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await settle(pilot)


async def test_a_divider_is_dragged_with_the_mouse(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        outline, text, side = widths(screen)
        await drag(pilot, (outline - 1, 9), (outline + 8, 9))
        assert widths(screen) == (outline + 9, text - 9, side)
        await drag(pilot, (120 - side, 9), (120 - side - 5, 9))
        assert widths(screen) == (outline + 9, text - 14, side + 5)
        top = screen.query_one("#problems-pane").region.y
        height = problems_height(screen)
        await drag(pilot, (40, top), (40, top - 3))
        assert problems_height(screen) == height + 3


async def test_on_a_narrow_screen_the_result_below_the_text_is_resized(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=NARROW) as pilot:
        screen = await press(pilot, "ctrl+r", "ctrl+r")
        height = screen.side.outer_size.height
        await drag(pilot, (40, screen.side.region.y), (40, screen.side.region.y - 3))
        assert screen.side.outer_size.height == height + 3
        await press(pilot, "ctrl+r", "ctrl+r")
        assert screen.side.outer_size.height > height + 3


# --- The problems

CLEAN = (
    "title: Deposits\ndescription: What tenants ask\n---\nid: deposit\nprompt: Is my deposit safe?\nshould:\n"
    + "".join(f"  - Names the scheme that holds deposits in region {number}\n" for number in range(40))
)


async def test_the_problems_take_the_rows_that_they_need(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", CLEAN).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert problems_height(screen) == 2
        await press(pilot, "x")
        assert (problems_height(screen), len(screen.problems.list.rows)) == (6, 1)


async def test_the_problems_give_rows_back_once_the_cursor_is_on_another_line(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", CLEAN).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "x")
        await press(pilot, "backspace")
        assert problems_height(screen) == 6
        await press(pilot, "down")
        assert problems_height(screen) == 2


async def test_the_problems_do_not_close_the_list_of_completions(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", CLEAN).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+end", *"  - $word")
        assert (screen.editor.completing.is_open, problems_height(screen)) == (True, 2)
        await press(pilot, "escape", "left")
        assert problems_height(screen) == 6


async def test_many_problems_take_a_part_of_the_screen(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", quoted_checks(20)).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right")
        assert (problems_height(screen), len(screen.problems.list.rows)) == (10, 22)
        await press(pilot, "left")
        assert (problems_height(screen), len(screen.problems.list.rows)) == (7, 2)


async def test_the_divider_sets_the_most_rows_of_the_problems(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "[", "[")
        assert problems_height(screen) == 11
        await press(pilot, "f8", "f4", "f8")
        assert (problems_height(screen), len(screen.problems.list.rows)) == (6, 1)
        await press(pilot, "ctrl+z", "f8")
        assert (problems_height(screen), len(screen.problems.list.rows)) == (7, 2)


async def test_the_cursor_stays_in_sight_where_the_problems_take_rows_of_the_text(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", CLEAN).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+end", "x")
        assert problems_height(screen) == 6
        assert screen.editor.region.contains_point(screen.editor.cursor_screen_offset)


# --- What is remembered


def saved() -> dict[str, dict[str, int]]:
    try:
        return json.loads(settings_path().read_text("utf-8")).get("panes", {})
    except FileNotFoundError:
        return {}


@pytest.fixture
def _remembered() -> None:
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text(json.dumps({"panes": {"120": {"outline": 30, "side": 60}, "80": {"outline": 50}}}))


async def test_sizes_are_remembered_for_the_width_of_the_screen(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f2", "]")
        width = widths(screen)[0]
        await wait_until(pilot, saved)
    assert saved() == {"120": {"outline": width}}


@pytest.mark.usefixtures("_remembered")
async def test_each_width_of_the_screen_has_its_own_sizes(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert widths(screen) == (30, 30, 60)
        await pilot.resize_terminal(160, 36)
        await settle(pilot)
        assert widths(screen) == (38, 58, 64)
        await pilot.resize_terminal(124, 36)
        await settle(pilot)
        assert widths(screen) == (30, 34, 60)
        await pilot.resize_terminal(*NARROW)
        await press(pilot, "f2")
        assert widths(screen)[0] == 50


@pytest.mark.usefixtures("_remembered")
async def test_the_usual_sizes_come_back(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_reset_panes()
        await wait_until(pilot, lambda: "120" not in saved())
        await settle(pilot)
        assert (widths(screen)[0], saved()) == (28, {"80": {"outline": 50}})


# --- Where the result is


async def test_a_narrow_screen_tells_where_the_result_is(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=NARROW) as pilot:
        await settle(pilot)
        assert screen_lines(pilot.app)[-2] == (
            " Result  Response  Conversation  History  Criterion     Ctrl+R shows the result"
        )


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_head_of_the_result_ends_where_its_rows_end(tmp_path: Path, size: tuple[int, int]) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=size) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal"))
        await press(pilot, "f5", "ctrl+r")
        lines = [line.rstrip("▁▂▃▄▅▆▇█ ") for line in screen_lines(pilot.app)]
        (row,) = [line for line in lines if " Points " in line]
        assert (lines[2][-9:], len(lines[2])) == ("the ideal", len(row))


LAYOUTS = {
    ((160, 36), ()): "Ctrl+R",
    ((160, 36), ("ctrl+r",)): "F12 zoom",
    (WIDE, ("ctrl+r", "f12")): "F12 all panes",
    (NARROW, ("ctrl+r",)): "Ctrl+R share the height",
    (NARROW, ("ctrl+r", "ctrl+r")): "Ctrl+R text alone",
}


@pytest.mark.parametrize(("layout", "hint"), LAYOUTS.items(), ids=LAYOUTS.values())
async def test_the_tabs_tell_what_their_key_does(
    tmp_path: Path, layout: tuple[tuple[int, int], tuple[str, ...]], hint: str
) -> None:
    size, keys = layout
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=size) as pilot:
        await press(pilot, *keys)
        tabs = next(
            line
            for line in screen_lines(pilot.app)
            if "Conversation" in line and "Criterion" in line and "shows" not in line
        )
        assert tabs.endswith(hint)
