"""What lies over a screen: dialogs take away themselves alone, and messages cover nothing that is read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from studio.session import run_configuration
from studio.session.criterion_loop import NO_POINT
from studio.session.run_configuration import Offer
from tests.studio.driving import NARROW, QUOTED, WIDE, Page, opened
from tests.studio.text_files import text_file
from tests.thoroughness import one_in

TEXT = text_file("closing.yml")
OPENED = (
    ("ctrl+g", "2"),
    ("ctrl+f", "t"),
    ("ctrl+p", "w", "r", "a", "p"),
    ("f1",),
    ("f9",),
    ("f8", "f8", "f4"),
    ("f8", "ctrl+e"),
)
"""Go to a line, find, palette, help, answers, fixes, and the page of a rule."""


async def key_after(page: Page, turns: int, key: str) -> None:
    """A key that comes after so many turns of the event loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    page.app.post_message(events.Key(key, None))


@pytest.mark.parametrize("closing", ["enter", "escape"])
async def test_keys_that_come_at_once_close_nothing_below(tmp_path: Path, closing: str) -> None:
    async with opened(tmp_path, TEXT) as page:
        for keys in one_in(3, OPENED):
            await page.press(*keys)
            for _ in range(4):
                await key_after(page, 0, closing)
            await page.settle()
            assert page.has_file
            await page.press("escape", "escape", "ctrl+home")


async def test_a_dialog_closed_while_it_opens_leaves_the_screen_below(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(3, range(2, 30, 3)):
            await key_after(page, 0, "f9")
            await key_after(page, turns, "escape")
            await page.settle()
            await page.press("escape")
            assert page.question is None


async def test_a_replacement_just_before_the_bar_closes_is_submitted(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(3, range(5, 14, 2)):
            await page.rewrite(TEXT)
            await page.press("ctrl+home", "ctrl+f", *"hot", "tab", "x")
            await key_after(page, 0, "ctrl+r")
            await key_after(page, turns, "escape")
            await page.answered()
            assert page.screen.session.state.text.text == TEXT.replace("hot", "x")


async def test_what_a_dialog_learns_while_it_closes_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = asyncio.Event()

    async def on_loopback() -> list[Offer]:
        await learnt.wait()
        return []

    monkeypatch.setattr(run_configuration, "on_loopback", on_loopback)
    async with opened(tmp_path, TEXT) as page:
        for turns in one_in(2, range(4, 16, 3)):
            learnt.clear()
            await page.hit("f9")
            asked = await page.asked("Where do answers come from?")
            asked.screen.dismiss(None)
            for _ in range(turns):
                await asyncio.sleep(0)
            learnt.set()
            await page.answered()


# --- Where messages are shown: at the top, where they cover neither the problems nor the detail of a point


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
