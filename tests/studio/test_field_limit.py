"""A paste of any length into a field of one line is answered at once, and what is too long is not inserted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from studio.tui.dialogs.ask import AskText
from studio.tui.field_limit import MOST_CHARACTERS
from tests.studio.driving import WIDE, blueprint_screen, settle, studio_on, wait_until

LONG = "x" * 3_000_000
MESSAGE = "This field takes at most 4,000 characters. The paste has 3,000,000: nothing is inserted."


async def search(pilot: Pilot[Any]) -> None:
    await pilot.press("ctrl+f")


async def go_to_line(pilot: Pilot[Any]) -> None:
    await pilot.press("ctrl+g")


async def palette(pilot: Pilot[Any]) -> None:
    await pilot.press("ctrl+p")


async def question(pilot: Pilot[Any]) -> None:
    await pilot.app.push_screen(AskText("Save", "Where?"))


FIELDS = [search, go_to_line, palette, question]


async def opened(pilot: Pilot[Any], open_field: Callable[[Pilot[Any]], Any]) -> Input:
    await settle(pilot)
    await open_field(pilot)
    await wait_until(pilot, lambda: isinstance(pilot.app.focused, Input))
    assert isinstance(pilot.app.focused, Input)
    return pilot.app.focused


def messages(pilot: Pilot[Any]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


@pytest.mark.parametrize("open_field", FIELDS, ids=lambda each: each.__name__)
async def test_a_paste_of_megabytes_is_refused_in_words(open_field: Callable[..., Any], tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", "title: a\n").run_test(size=WIDE) as pilot:
        field = await opened(pilot, open_field)
        pilot.app.post_message(Paste(LONG))
        await wait_until(pilot, lambda: messages(pilot))
        assert (messages(pilot), field.value) == ([MESSAGE], "")


async def test_megabytes_of_the_clipboard_are_refused_in_words(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", "title: a\n").run_test(size=WIDE) as pilot:
        field = await opened(pilot, search)
        pilot.app.copy_to_clipboard(LONG)
        await pilot.press("ctrl+v")
        await wait_until(pilot, lambda: messages(pilot))
        assert (messages(pilot), field.value) == ([MESSAGE], "")


async def test_pastes_that_are_too_long_together_are_refused(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", "title: a\n").run_test(size=WIDE) as pilot:
        field = await opened(pilot, search)
        for _ in range(2):
            pilot.app.post_message(Paste("y" * (MOST_CHARACTERS - 1)))
        await wait_until(pilot, lambda: messages(pilot))
        assert field.value == "y" * (MOST_CHARACTERS - 1)


async def test_a_paste_of_usual_length_is_inserted(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", "title: a\n").run_test(size=WIDE) as pilot:
        field = await opened(pilot, search)
        pilot.app.post_message(Paste("title"))
        await wait_until(pilot, lambda: field.value == "title")
        assert messages(pilot) == []


async def test_a_long_paste_into_the_text_is_inserted(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", "title: a\n").run_test(size=WIDE) as pilot:
        await settle(pilot)
        pilot.app.post_message(Paste("# " + "y" * MOST_CHARACTERS + "\n"))
        editor = blueprint_screen(pilot.app).editor  # pyright: ignore[reportArgumentType]
        await wait_until(pilot, lambda: len(editor.text_out()) > MOST_CHARACTERS)
        assert messages(pilot) == []


async def test_a_long_selected_line_is_not_searched_for(tmp_path: Path) -> None:
    text = "# " + "y" * MOST_CHARACTERS + "\n"
    async with studio_on(tmp_path / "x.yml", text).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.move_cursor((0, len(text) - 1), select=True)
        assert (await opened(pilot, search)).value == ""
