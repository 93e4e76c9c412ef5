"""The window may be of any size at any moment, with a list open."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.tui.option_lists import Options
from tests.studio.driving import QUOTED, WIDE, press, settle, studio_on
from tests.thoroughness import one_in

SIZES = one_in(3, [(1, 1), (2, 1), (1, 2), (400, 120), (3, 3), (1, 120), (400, 1), (120, 4)])


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_pages_of_the_palette_turn_at_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.resize_terminal(*size)
        await pilot.press("pagedown", "pagedown", "pageup", "end")
        await pilot.resize_terminal(*WIDE)
        await pilot.press("escape")
        assert pilot.app.is_running


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_palette_opens_at_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.resize_terminal(*size)
        await pilot.press("ctrl+p", "pagedown")
        await pilot.resize_terminal(*WIDE)
        assert pilot.app.is_running


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dialog", ["f9", "f4"], ids=["answers", "fixes"])
async def test_pages_of_a_dialog_turn_at_any_size(tmp_path: Path, size: tuple[int, int], dialog: str) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f8", "f8")
        await pilot.press(dialog)
        await pilot.resize_terminal(*size)
        await pilot.press("pagedown", "pagedown", "pageup", "end", "home")
        await pilot.resize_terminal(*WIDE)
        assert pilot.app.is_running


async def test_a_list_that_was_never_laid_out_turns_no_page() -> None:
    options = Options("first", "second")
    options.highlighted = 1
    options.action_page_down()
    options.action_page_up()
    assert options.highlighted == 1
