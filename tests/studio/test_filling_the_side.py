"""The panes of the right side are loaded after the first frame: into a side that is there, and a screen that stays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from studio.tui.screens.side import Side

from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import studio_on, wait_until


async def test_panes_wait_for_the_side_that_holds_them(tmp_path: Path) -> None:
    side = Side()
    loading = asyncio.create_task(side.load())
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n")
    async with app.run_test():
        await asyncio.sleep(0.5)
        assert not loading.done()
        await app.screen.mount(side)
        await loading
        await side.fill()
        assert side.result is not None


async def test_a_screen_that_is_left_while_its_panes_load_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loaded = Side.load, asyncio.Event()

    async def load_and_leave(side: Side) -> None:
        await load(side)
        monkeypatch.setattr(BlueprintScreen, "_is_leaving", property(lambda _: True))
        loaded.set()

    monkeypatch.setattr(Side, "load", load_and_leave)
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n")
    async with app.run_test() as pilot:
        await wait_until(pilot, loaded.is_set)
        await pilot.pause(0.3)
        assert isinstance(app.screen, BlueprintScreen)
        assert app.screen.panes.result is None


async def test_a_screen_that_is_left_while_its_panes_are_mounted_draws_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill, filled = Side.fill, asyncio.Event()

    async def fill_and_leave(side: Side) -> None:
        await fill(side)
        assert side.result is not None
        await side.result.remove_children()
        monkeypatch.setattr(BlueprintScreen, "_is_leaving", property(lambda _: True))
        filled.set()

    monkeypatch.setattr(Side, "fill", fill_and_leave)
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n")
    async with app.run_test() as pilot:
        await wait_until(pilot, filled.is_set)
        await pilot.pause(0.3)
