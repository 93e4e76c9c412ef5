"""What is too long for a field or a text, and keys that would change a read-only one: refused, and said so once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.widgets import Input

from engine.files.journal import Journal
from engine.files.open_files import open_to_show
from engine.text import text_limits
from engine.text.text_limits import FILE_BYTES
from studio.session.host import EditQuestion, EnterText
from studio.tui.app import Studio
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.field_limit import MOST_CHARACTERS
from tests.studio.driving import Page, opened, running
from tests.thoroughness import one_in

TEXT = "- id: a\n  prompt: b\n"

# --- Fields of one line

LONG = "x" * 3_000_000
MESSAGE = "This field takes at most 4,000 characters. The paste has 3,000,000: nothing is inserted."


def question(page: Page) -> None:
    page.app.run_worker(DialogHost(page.app).ask(EnterText("Save", "Where?")))


async def field(page: Page, key: str) -> Input:
    """The field that a key opens, or a question."""
    await page.hit(key) if key else question(page)
    await page.until(lambda: isinstance(page.app.focused, Input))
    return page.app.focused


@pytest.mark.parametrize("key", one_in(3, ["ctrl+f", "ctrl+g", "ctrl+p", ""]), ids=str)
async def test_a_paste_of_megabytes_is_refused_in_words(key: str, tmp_path: Path) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        found = await field(page, key)
        page.app.post_message(Paste(LONG))
        await page.until(lambda: page.told)
        assert (page.told, found.value) == ([MESSAGE], "")


async def test_pastes_that_are_too_long_together_are_refused_also_from_the_clipboard(tmp_path: Path) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        found = await field(page, "ctrl+f")
        page.app.post_message(Paste("title"))
        await page.until(lambda: found.value == "title")
        assert page.told == []
        found.value = ""
        for _ in range(2):
            page.app.post_message(Paste("y" * (MOST_CHARACTERS - 1)))
        await page.until(lambda: page.told)
        assert found.value == "y" * (MOST_CHARACTERS - 1)
        found.value = ""
        page.app.copy_to_clipboard(LONG)
        await page.hit("ctrl+v", until=lambda: page.told[-1] == MESSAGE)
        assert found.value == ""


async def test_a_long_paste_into_the_text_is_inserted_and_a_long_selected_line_is_not_searched_for(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, "title: a\n") as page:
        page.app.post_message(Paste("# " + "y" * MOST_CHARACTERS + "\n"))
        await page.until(lambda: len(page.text) > MOST_CHARACTERS)
        assert page.told == []
        page.screen.editor.move_cursor((0, 0))
        page.screen.editor.move_cursor((0, MOST_CHARACTERS + 2), select=True)
        assert (await field(page, "ctrl+f")).value == ""


# --- Beyond the limit of a text

LIMIT = 4096
ROOM = LIMIT - len(TEXT)


@pytest.fixture
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the real limit takes seconds to check."""
    monkeypatch.setattr(text_limits, "FILE_BYTES", LIMIT)


async def pasted(page: Page, editor: Any, text: str) -> str:
    """The text of `editor` after a paste."""
    editor.post_message(Paste(text))
    await page.pilot.pause()
    return editor.text_out()


def refusals(page: Page) -> list[str]:
    return [message for message in page.told if message.startswith("Not inserted: the text would have")]


@pytest.mark.usefixtures("_small_limit")
async def test_a_paste_beyond_the_limit_changes_nothing_and_says_why_unless_it_replaces_more(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        editor = page.screen.editor
        for text in ("x" * (ROOM + 1), "é" * (ROOM // 2 + 1), "x\n" * (16 << 20)):
            page.app.clear_notifications()
            assert await pasted(page, editor, text) == TEXT
            assert len(refusals(page)) == 1
        fits = "#" * (ROOM - 1) + "\n"
        assert await pasted(page, editor, fits) == fits + TEXT
        editor.load("#" * (LIMIT + 10))
        editor.select_all()
        assert await pasted(page, editor, "#" * (LIMIT + 5)) == "#" * (LIMIT + 5)


@pytest.mark.usefixtures("_small_limit")
async def test_replacing_all_and_an_answer_have_the_same_limit(tmp_path: Path) -> None:
    text = "a\n" * 100
    async with opened(tmp_path, text) as page:
        await page.hit("ctrl+f", "a")
        (await page.asked()).field("#replace").value = "b" * 100
        await page.hit("ctrl+r", until=lambda: refusals(page))
        assert page.text == text
        await page.reply("escape")
        page.app.clear_notifications()
        page.app.run_worker(DialogHost(page.app).ask(EditQuestion("Edit the answer", "It is 30 days.")))
        editor = (await page.asked("Edit the answer")).screen.query_one("PlainEditor")
        assert await pasted(page, editor, "x" * LIMIT) == "It is 30 days."
        assert len(refusals(page)) == 1


# --- A text that is read-only

EDITS = ("x", "space", "enter", "tab", "shift+tab", "backspace", "delete", "ctrl+x", "ctrl+v", "ctrl+z", "ctrl+y")
OTHERS = ("down", "right", "home", "ctrl+c", "ctrl+a", "pagedown", "f8", "f7")


def said(page: Page) -> int:
    return page.told.count("This file is open read-only.")


async def test_each_key_that_edits_says_so_once_in_a_while_and_those_that_move_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, TEXT) as page:
        page.screen.editor.read_only = True
        await page.press(*OTHERS)
        assert said(page) == 0
        await page.hit(*"xyz", until=lambda: said(page))
        assert said(page) == 1
        monkeypatch.setattr("studio.tui.editor.source_area._SECONDS_BETWEEN_REFUSALS", 0.0)
        for key in EDITS:
            page.app.clear_notifications()
            await page.hit(key, until=lambda: said(page))
            assert (said(page), page.text) == (1, TEXT), key
        page.app.clear_notifications()
        page.screen.editor.post_message(Paste("pasted"))
        await page.until(lambda: said(page))
        assert (said(page), page.text) == (1, TEXT)


async def test_a_file_that_is_too_large_or_that_another_studio_took_over_says_so(tmp_path: Path) -> None:
    large = tmp_path / "large.yml"
    large.write_text(TEXT + "# " + "x" * FILE_BYTES, "utf-8")
    async with running(Studio(open_to_show(large)), keys=()) as page:
        await page.hit("x", until=lambda: said(page))
    path = tmp_path / "x.yml"
    async with opened(path, TEXT) as page:
        other = Journal()
        other.claim(path)
        page.screen.session.tasks.start("other", taken_over(other, path))
        await page.until(lambda: page.read_only)
        await page.hit("x", until=lambda: said(page))
        other.release()


async def taken_over(other: Journal, path: Path) -> None:
    await asyncio.to_thread(other.take_over, path)


async def test_replacing_all_says_so_and_so_does_its_field(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        page.screen.editor.read_only = True
        await page.hit("ctrl+f")
        assert (await page.asked()).field("#replace").placeholder == "read-only"
        await page.hit("b", "enter", "ctrl+r", until=lambda: said(page))
        assert (said(page), page.text) == (1, TEXT)
