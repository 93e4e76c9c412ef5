"""What lies over a screen takes away itself alone, however fast the keys come."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from studio.session import run_configuration
from studio.session.run_configuration import Offer
from tests.studio.driving import Page, opened
from tests.thoroughness import one_in

TEXT = """\
title: Tea
---
id: tea
prompt: Is tea hot?
should:
  - "$icontains: 'yes'"
  - - $icontains: hot
  - - $icontains: warm
"""
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
