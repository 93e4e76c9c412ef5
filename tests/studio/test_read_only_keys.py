"""A key that would change a read-only text is answered by one message, and changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from engine.files.journal import Journal
from engine.files.open_files import open_to_show
from engine.text.text_limits import FILE_BYTES
from studio.tui.app import Studio
from studio.tui.editor.find_bar import FindBar
from tests.studio.driving import WIDE, settle, studio_on, wait_until

TEXT = "- id: a\n  prompt: b\n"
EDITS = ("x", "space", "enter", "tab", "shift+tab", "backspace", "delete", "ctrl+x", "ctrl+v", "ctrl+z", "ctrl+y")
OTHERS = ("down", "right", "home", "ctrl+c", "ctrl+a", "pagedown", "f8", "f7")


def said(pilot: Pilot[Any]) -> int:
    return [note.message for note in pilot.app._notifications].count("This file is open read-only.")


@pytest.mark.parametrize("key", EDITS)
async def test_a_key_that_edits_says_so_once(tmp_path: Path, key: str) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        await pilot.press(key, key, "x")
        await wait_until(pilot, lambda: said(pilot))
        assert (said(pilot), screen.editor.text_out()) == (1, TEXT)


async def test_keys_that_only_move_say_nothing(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        await pilot.press(*OTHERS)
        await settle(pilot)
        assert said(pilot) == 0


async def test_a_paste_says_so_too(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        screen.editor.post_message(Paste("pasted"))
        await wait_until(pilot, lambda: said(pilot))
        assert (said(pilot), screen.editor.text_out()) == (1, TEXT)


async def test_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    path = tmp_path / "large.yml"
    path.write_text(TEXT + "# " + "x" * FILE_BYTES, "utf-8")
    app = Studio(open_to_show(path))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("x")
        await wait_until(pilot, lambda: said(pilot))


async def test_a_file_that_another_studio_took_over_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        other = Journal()
        other.claim(path)
        screen.session.tasks.start("other", _taken_over(other, path))
        await wait_until(pilot, lambda: screen.editor.read_only)
        await pilot.press("x")
        await wait_until(pilot, lambda: said(pilot))
        other.release()


async def _taken_over(other: Journal, path: Path) -> None:
    await asyncio.to_thread(other.take_over, path)


@pytest.mark.parametrize("keys", [("b",), ("b", "enter")], ids=["typed", "on a match"])
async def test_replacing_all_says_so(tmp_path: Path, keys: tuple[str, ...]) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        await pilot.press("ctrl+f", *keys, "ctrl+r")
        await wait_until(pilot, lambda: said(pilot))
        assert (said(pilot), screen.editor.text_out()) == (1, TEXT)


async def test_the_field_for_replacing_says_so(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        await pilot.press("ctrl+f")
        await wait_until(pilot, lambda: isinstance(app.screen, FindBar) and bool(app.screen.query("#replace")))
        assert app.screen.query_one("#replace", Input).placeholder == "read-only"
