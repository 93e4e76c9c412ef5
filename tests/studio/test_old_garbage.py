"""What was dropped long after it was made is given back within seconds of a pause, and never while keys come."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import pytest

from studio.tui import app, old_garbage
from studio.tui.old_garbage import OldGarbage
from tests.studio.driving import QUOTED, WIDE, opened, settle, studio_on, wait_until


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
