"""The what-if mode on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studio.tui.action import Place
from studio.tui.footer import place_of
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.session.test_what_if import CASES, TEXT
from tests.studio.driving import NARROW, WIDE, press, settle, studio_on


def written(path: Path) -> Path:
    path.write_text(TEXT, "utf-8")
    path.with_name(f"{path.name}.cases").write_text(CASES, "utf-8")
    return path


async def tried(pilot: Pilot[Any], *keys: str) -> BlueprintScreen:
    screen = await settle(pilot)
    screen.editor.go_to(TEXT.index("ideal"))
    await press(pilot, "f5", "ctrl+r", "i")
    await settle(pilot)
    return await press(pilot, *keys)


async def test_a_applies_all_changes_as_one_step_of_undo(tmp_path: Path) -> None:
    app = studio_on(written(tmp_path / "rent.yml"))
    async with app.run_test(size=WIDE) as pilot:
        screen = await tried(pilot, "5", "right", "down", "o", "a")
        await settle(pilot)
        after = screen.editor.text_out()
        assert "    - text: Names the lease\n      weight: 1.25\n    # - $contains: 3rd   # the day\n" in after
        assert place_of(screen) is Place.RESULT
        await press(pilot, "ctrl+z")
        assert (place_of(screen), screen.editor.text_out()) == (Place.RESULT, TEXT)


async def test_escape_drops_what_is_tried_and_stays_in_the_result(tmp_path: Path) -> None:
    app = studio_on(written(tmp_path / "rent.yml"))
    async with app.run_test(size=WIDE) as pilot:
        screen = await tried(pilot, "o")
        assert place_of(screen) is Place.WHAT_IF
        await press(pilot, "escape")
        assert (place_of(screen), screen.editor.text_out()) == (Place.RESULT, TEXT)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_changes_that_are_tried(size: tuple[int, int], snap_compare: Any, tmp_path: Path) -> None:
    async def try_some(pilot: Pilot[Any]) -> None:
        screen = await tried(pilot, "5", "right", "down", "l", "down")
        await settle(pilot)
        screen.editor.go_to(TEXT.index("- - "))  # the problem there is selected, whichever was found first
        await settle(pilot)

    assert snap_compare(studio_on(written(tmp_path / "rent.yml")), terminal_size=size, run_before=try_some)
