"""What is closed is given back: nothing of a screen, a dialog or a message stays in memory."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from engine.files.open_files import open_file
from studio.tui import app, old_garbage
from studio.tui.app import Studio
from studio.tui.old_garbage import OldGarbage
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import QUOTED, WIDE, blueprint_screen, opened, settle, studio_on, wait_until

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


# --- What was dropped long after it was made is given back within seconds of a pause, and never while keys come


class Circle:
    """An object that only the collector gives back."""

    def __init__(self) -> None:
        self.itself = self


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def dropped_when_old() -> weakref.ref[Circle]:
    """A circle that outlived both younger generations."""
    circle = Circle()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(circle)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def garbage(clock: Clock) -> OldGarbage:
    gc.collect()
    return OldGarbage(clock)


def test_old_garbage_is_collected_in_a_pause(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 11
    garbage.collect()
    assert dropped() is None


def test_nothing_is_collected_while_the_author_types(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 11
    garbage.note_input()
    clock.now += 0.5
    garbage.collect()
    assert dropped() is not None


def test_it_is_collected_while_the_author_types_on_for_minutes(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 121
    garbage.note_input()
    garbage.collect()
    assert dropped() is None


def test_unused_memory_is_given_back_to_the_system(
    garbage: OldGarbage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back = threading.Event()
    monkeypatch.setattr(old_garbage, "_give_back", given_back.set)
    dropped_when_old()
    clock.now += 11
    garbage.collect()
    assert given_back.wait(60)


async def test_the_app_gives_back_what_it_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_STARTED_SECONDS", 0.01)
    monkeypatch.setattr(app, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(old_garbage, "_APART_SECONDS", 0.0)
    monkeypatch.setattr(old_garbage, "_PAUSE_FACTOR", 0)
    monkeypatch.setattr(old_garbage, "_PAUSE_SECONDS", 0.1)
    studio = studio_on(tmp_path / "x.yml", QUOTED)
    async with studio.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await wait_until(pilot, lambda: gc.get_threshold() == app._COLLECT_AFTER)
        dropped = dropped_when_old()
        await wait_until(pilot, lambda: dropped() is None)


async def test_a_key_is_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []
    monkeypatch.setattr(OldGarbage, "note_input", lambda _: noted.append("key"))
    async with opened(tmp_path, QUOTED) as page:
        noted.clear()
        await page.hit("x")
    assert noted
