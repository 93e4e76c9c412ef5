"""The panes of results and answers are loaded after the first frame, into a screen that stays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.late_panes import LatePanes
from tests.studio.driving import studio_on, wait_until


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
