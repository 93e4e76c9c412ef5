"""What lies over a screen takes away itself alone, however fast the keys come."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from studio.session import model_status
from studio.session.model_status import ReadyModel
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, press, settle, studio_on, wait_until
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
OPENED = {
    "go to line": ("ctrl+g", "2"),
    "find": ("ctrl+f", "t"),
    "palette": ("ctrl+p", "w", "r", "a", "p"),
    "help": ("f1",),
    "answers": ("f9",),
    "fixes": ("f8", "f8", "f4"),
    "the page of a rule": ("f8", "ctrl+e"),
}


@pytest.mark.parametrize("keys", one_in(3, list(OPENED.values())), ids=one_in(3, list(OPENED)))
@pytest.mark.parametrize("closing", ["enter", "escape"])
async def test_keys_that_come_at_once_close_nothing_below(tmp_path: Path, keys: tuple[str, ...], closing: str) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, *keys)
        for _ in range(4):
            app.post_message(events.Key(closing, None))
        await settle(pilot)
        assert any(isinstance(screen, BlueprintScreen) for screen in app.screen_stack)


async def test_a_dialog_closed_while_it_opens_leaves_the_screen_below(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        for turns in range(2, 30, 3):
            app.post_message(events.Key("f9", None))
            for _ in range(turns):
                await asyncio.sleep(0)
            app.post_message(events.Key("escape", None))
            await settle(pilot)
            await press(pilot, "escape")
            assert app.screen is screen


@pytest.mark.parametrize("turns", range(5, 14, 2))
async def test_a_replacement_just_before_the_bar_closes_is_submitted(tmp_path: Path, turns: int) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+f", "h", "o", "t", "tab", "x")
        app.post_message(events.Key("ctrl+r", None))
        for _ in range(turns):
            await asyncio.sleep(0)
        app.post_message(events.Key("escape", None))
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert screen.session.state.text.text == TEXT.replace("hot", "x")


@pytest.mark.parametrize("turns", range(4, 16, 3))
async def test_what_a_dialog_learns_while_it_closes_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    learnt = asyncio.Event()

    async def on_loopback() -> list[ReadyModel]:
        await learnt.wait()
        return []

    monkeypatch.setattr(model_status, "on_loopback", on_loopback)
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))
        app.screen.dismiss(None)
        for _ in range(turns):
            await asyncio.sleep(0)
        learnt.set()
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
