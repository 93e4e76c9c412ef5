"""The window may be of any size at any moment, with a list open."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.tui.option_lists import Options
from tests.studio.driving import QUOTED, WIDE, opened
from tests.thoroughness import one_in

SIZES = one_in(3, [(1, 1), (2, 1), (1, 2), (400, 120), (3, 3), (1, 120), (400, 1), (120, 4)])


@pytest.mark.parametrize("keys", one_in(3, [("ctrl+p",), ("f9",), ("f8", "f8", "f4")]), ids="-".join)
async def test_lists_open_and_turn_their_pages_at_any_size(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with opened(tmp_path, QUOTED) as page:
        for size in SIZES:
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
