"""Where messages are shown: at the top, where they cover neither the problems nor the detail of a point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Static
from textual.widgets._toast import Toast

from studio.session.criterion_loop import NO_POINT
from tests.studio.driving import NARROW, QUOTED, WIDE, press, settle, studio_on, wait_until

SIZES = {"wide": WIDE, "narrow": NARROW, "low": (120, 24), "tall": (160, 60)}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_a_message_leaves_the_problems_and_their_explanation_uncovered(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=size, notifications=True) as pilot:
        screen = await press(pilot, "f8", "f3")
        screen.notify("Line 4, quoted-function: one → another\nCtrl+Z undoes it.", markup=False)
        await wait_until(pilot, lambda: bool(screen.query("Toast")))
        await settle(pilot)
        toast = screen.query_one("Toast")
        assert toast.region.height > 0
        assert toast.region.bottom <= screen.query_one("#problems-pane").region.y
        assert not toast.region.overlaps(screen.query_one("#why", Static).region)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_a_message_leaves_the_score_and_the_detail_of_a_point_uncovered(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=size, notifications=True) as pilot:
        screen = await press(pilot, "f5", "ctrl+r")
        screen.notify("Line 4, quoted-function: one → another\nCtrl+Z undoes it.", markup=False)
        await wait_until(pilot, lambda: bool(screen.query("Toast")))
        await settle(pilot)
        toast, head = screen.query_one("Toast").region, screen.query_one("#result-head").region
        assert toast.bottom <= head.y + 1  # below that line is the score
        assert not toast.overlaps(screen.query_one("#result-detail").region)


async def test_a_message_on_a_narrow_screen_leaves_the_line_of_the_problem_uncovered(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=NARROW, notifications=True) as pilot:
        screen = await press(pilot, "f3", "escape", "f8")
        screen.notify("Saved.", markup=False)
        await wait_until(pilot, lambda: bool(screen.query("Toast")))
        await settle(pilot)
        assert not screen.query_one("Toast").region.overlaps(screen.query_one("CursorLine").region)


@pytest.mark.parametrize("key", ["f5", "f6"])
async def test_a_message_goes_once_the_author_runs_a_prompt(key: str, tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=WIDE, notifications=True) as pilot:
        screen = await press(pilot, "f8")
        screen.notify("Line 4, quoted-function: one → another\nCtrl+Z undoes it.", markup=False)
        await wait_until(pilot, lambda: bool(screen.query("Toast")))
        await press(pilot, key)
        await wait_until(pilot, lambda: not screen.query("Toast"))


def shown(screen: Screen[Any]) -> list[str]:
    return [str(each.render()) for each in screen.query(Toast)]


async def test_the_same_message_is_on_the_screen_once(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=WIDE, notifications=True) as pilot:
        screen = await press(pilot, "ctrl+home", "ctrl+k", "ctrl+k", "ctrl+k")
        await wait_until(pilot, lambda: shown(screen) == [NO_POINT])
        assert len(screen.query("ToastHolder")) == 1


async def test_a_message_that_is_repeated_is_shown_as_long_as_a_new_one(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await settle(pilot)
        screen.notify("Saved.", timeout=600)
        await wait_until(pilot, lambda: shown(screen) == ["Saved."])
        screen.notify("Saved.", timeout=6000)
        await wait_until(pilot, lambda: [each.timeout for each in app._notifications] == [6000])  # pyright: ignore[reportPrivateUsage]
        await wait_until(pilot, lambda: shown(screen) == ["Saved."])


async def test_messages_that_differ_stand_below_one_another(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", QUOTED).run_test(size=WIDE, notifications=True) as pilot:
        screen = await settle(pilot)
        screen.notify("Saved.")
        screen.notify("Saved.", severity="warning")
        await wait_until(pilot, lambda: shown(screen) == ["Saved.", "Saved."])
