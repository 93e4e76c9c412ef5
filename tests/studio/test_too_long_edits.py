"""A paste or a replacement that would take a text beyond its limit of bytes is refused, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from engine.text import text_limits
from studio.tui.dialogs.edit_answer import EditAnswer
from studio.tui.editor import PlainEditor
from tests.studio.driving import WIDE, blueprint_screen, settle, studio_on, wait_until

LIMIT = 4096
TEXT = "- id: a\n  prompt: b\n"
ROOM = LIMIT - len(TEXT)


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the real limit takes seconds to check."""
    monkeypatch.setattr(text_limits, "FILE_BYTES", LIMIT)


async def pasted(pilot: Pilot[Any], editor: Any, text: str) -> str:
    """The text of `editor` after a paste."""
    editor.post_message(Paste(text))
    await pilot.pause()
    return editor.text_out()


def refusals(pilot: Pilot[Any]) -> list[str]:
    notes = [note.message for note in pilot.app._notifications]
    return [message for message in notes if message.startswith("Not inserted: the text would have")]


@pytest.mark.parametrize("text", ["x" * (ROOM + 1), "é" * (ROOM // 2 + 1), "x\n" * (16 << 20)], ids=["x", "é", "32 MB"])
async def test_a_paste_beyond_the_limit_changes_nothing_and_says_why_once(tmp_path: Path, text: str) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert await pasted(pilot, screen.editor, text) == TEXT
        assert len(refusals(pilot)) == 1


async def test_a_paste_up_to_the_limit_is_inserted(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        fits = "#" * (ROOM - 1) + "\n"
        assert await pasted(pilot, screen.editor, fits) == fits + TEXT


async def test_a_paste_that_replaces_more_is_inserted_even_beyond_the_limit(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.load("#" * (LIMIT + 10))
        screen.editor.select_all()
        assert await pasted(pilot, screen.editor, "#" * (LIMIT + 5)) == "#" * (LIMIT + 5)


async def test_replacing_all_beyond_the_limit_changes_nothing_and_says_why(tmp_path: Path) -> None:
    text = "a\n" * 100
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("ctrl+f", "a")
        await wait_until(pilot, lambda: app.screen is not screen)
        app.screen.query_one("#replace", Input).value = "b" * 100
        await pilot.press("ctrl+r")
        await wait_until(pilot, lambda: refusals(pilot))
        assert blueprint_screen(app).editor.text_out() == text


async def test_an_answer_has_the_same_limit(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.push_screen(EditAnswer("Edit the answer", "It is 30 days."))
        await pilot.pause()
        editor = app.screen.query_one(PlainEditor)
        assert await pasted(pilot, editor, "x" * LIMIT) == "It is 30 days."
        assert len(refusals(pilot)) == 1
