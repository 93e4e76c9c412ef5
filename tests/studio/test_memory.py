"""What is closed is given back: nothing of a screen, a dialog or a message stays in memory."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from engine.files.open_files import open_file
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import QUOTED, blueprint_screen, opened, settle, wait_until

pytestmark = pytest.mark.every_frame


def shown(pilot: Pilot[Any]) -> BlueprintScreen:
    assert isinstance(pilot.app, Studio)
    return blueprint_screen(pilot.app)


async def reopened(pilot: Pilot[Any], path: Path) -> None:
    """Open the file anew, and wait until it is."""
    before = shown(pilot)
    assert isinstance(pilot.app, Studio)
    pilot.app.open_file(open_file(path))
    await wait_until(pilot, lambda: shown(pilot) is not before)
    await settle(pilot)


@pytest.fixture(autouse=True)
def nothing_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the app exempts from collection stays by design; what apps of other tests exempted is not looked at."""
    monkeypatch.setattr(gc, "freeze", lambda: None)


async def test_the_screen_of_a_closed_file_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with opened(path, QUOTED) as page:
        await reopened(page.pilot, path)
        closed = weakref.ref(shown(page.pilot))
        await reopened(page.pilot, path)
        await reopened(page.pilot, path)
        gc.collect()
        assert closed() is None


async def test_what_was_painted_of_closed_widgets_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with opened(path, QUOTED) as page:
        await page.hit("f1")
        painted = [weakref.ref(widget._styles_cache) for widget in page.app.screen.query(Widget)]
        await page.hit("escape")
        await page.settle()
        gc.collect()
        assert [each() for each in painted if each() is not None] == []
