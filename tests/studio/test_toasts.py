"""Where messages are shown: at the top, where they cover neither the problems nor the detail of a point."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.session.criterion_loop import NO_POINT
from tests.studio.driving import NARROW, QUOTED, WIDE, Page, opened
from tests.thoroughness import one_in

SIZES = {"wide": WIDE, "narrow": NARROW, "low": (120, 24), "tall": (160, 60)}
FIXED = "Line 4, quoted-function: one → another\nCtrl+Z undoes it."


async def told(page: Page, message: str = FIXED) -> None:
    """Show a message, alone."""
    page.app.clear_notifications()
    await page.until(lambda: page.toasts() == [])
    page.screen.notify(message, markup=False)
    await page.until(lambda: page.toasts() == [message])
    await page.settle()


@pytest.mark.parametrize("size", one_in(2, [*SIZES.values()][::-1]), ids=str)
async def test_a_message_leaves_problems_score_and_details_uncovered(size: tuple[int, int], tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f3"), size=size, messages=True) as page:
        await told(page)
        toast = page.region("Toast")
        assert toast.height > 0
        assert toast.bottom <= page.region("Problems").y
        await page.press("escape", "f5", "ctrl+r")
        await told(page)
        toast = page.region("Toast")
        assert toast.y >= page.region("PaneStrip").bottom  # that has the score
        await page.press("escape", "f8")
        await told(page, "Saved.")
        assert size is not NARROW or not page.region("Toast").overlaps(page.region("CursorLine"))


@pytest.mark.parametrize("key", ["f5", "f6"])
async def test_a_message_goes_once_the_author_runs_a_prompt(key: str, tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",), messages=True) as page:
        await told(page)
        await page.press(key)
        await page.until(lambda: page.toasts() == [])


async def test_the_same_message_is_on_the_screen_once_as_long_as_a_new_one_and_others_stand_below(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, QUOTED, keys=("ctrl+home", *["ctrl+k"] * 3), messages=True) as page:
        await page.until(lambda: page.toasts() == [NO_POINT])
        assert len(page.screen.query("ToastHolder")) == 1
        await told(page, "Saved.")
        page.screen.notify("Saved.", timeout=6000)
        await page.until(lambda: [each.timeout for each in page.app._notifications] == [6000])
        await page.until(lambda: page.toasts() == ["Saved."])
        page.screen.notify("Saved.", severity="warning")
        await page.until(lambda: page.toasts() == ["Saved.", "Saved."])
