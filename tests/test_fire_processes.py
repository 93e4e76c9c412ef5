"""A few schedules of several studios on one file, and the model that says what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fire import process_handle, processes
from tests.fire.process_handle import Handle
from tests.fire.process_schedule import schedule
from tests.fire.process_world import Fault, World
from tests.fire.processes import Pool, play, stage
from tests.fire.studio_events import Chose, Deed, Flushed, Order, Shown, Typed

LINE = "# line-0-1"


@pytest.fixture(scope="module")
def staged() -> Iterator[tuple[Pool, str]]:
    with stage() as both:
        yield both


@pytest.mark.parametrize("number", [4, 13])
def test_several_studios_lose_nothing(staged: tuple[Pool, str], number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # For a machine that is busy with other tests.
    monkeypatch.setattr(process_handle, "SECONDS_VISIBLE", 4.0)
    monkeypatch.setattr(processes, "SECONDS_VISIBLE", 4.0)
    monkeypatch.setattr(processes, "_SECONDS_TO_AGREE", 60.0)
    assert play(1, number, *staged).faults == []


def test_a_number_is_always_the_same_schedule() -> None:
    assert schedule(1, 5) == schedule(1, 5) != schedule(1, 6)


# --- The model


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, "http://127.0.0.1:9/v1/chat/completions")


@pytest.fixture(scope="module")
def studio() -> Iterator[Handle]:
    handle = Handle()
    yield handle
    handle.close()


def typed(world: World, studio: Handle) -> None:
    world.note(studio, None, Typed(f"{LINE}\n"))


def test_a_line_that_is_nowhere_is_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    world.check_lines([], "now")
    assert [fault for fault, _ in world.faults] == [Fault.LOST]


def test_a_line_that_was_given_up_is_not_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    world.note(studio, None, Chose("reload", "reload", frozenset({LINE})))
    world.check_lines([], "now")
    assert world.faults == []


def test_a_line_that_a_file_has_is_not_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    (world.work / "other.yml").write_text(f"{LINE}\n", "utf-8")
    world.check_lines([], "now")
    assert world.faults == []


def test_a_line_that_leaves_the_disk_is_lost(world: World, studio: Handle) -> None:
    world.file.write_text(f"{LINE}\n", "utf-8")
    world.check_lines([], "before")
    world.file.write_text("another\n", "utf-8")
    world.check_lines([], "now")
    assert [fault for fault, _ in world.faults] == [Fault.LOST]


def test_a_lock_that_an_author_is_told_of_is_a_fault(world: World, studio: Handle) -> None:
    world.note(studio, None, Shown(messages=("x.sqlite3 cannot be written: database is locked.",)))
    assert [fault for fault, _ in world.faults] == [Fault.ERRORS]


def test_a_studio_does_what_it_is_ordered_and_tells_of_it(world: World, studio: Handle) -> None:
    studio.send(Order(Deed.TYPE, world.file, world.home, world.models, "0-1"))
    events = list(studio.answers())
    assert [type(event) for event in events] == [Typed, Flushed, Shown]
    world.check_lines([studio], "now")
    assert world.disagreements([studio]) == []
    studio.send(Order(Deed.CLOSE, world.file, world.home, world.models, answers={"leave": "discard"}))
    assert [type(event) for event in studio.answers()] == [Chose, Shown]
