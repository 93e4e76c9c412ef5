"""The window may be of any size at any moment, with a list open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studio.driving import QUOTED, WIDE, settle, studio_on

SIZES = [(1, 1), (2, 1), (1, 2), (400, 120), (3, 3), (1, 120)]


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
