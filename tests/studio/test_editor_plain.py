"""The plain editor: an answer as it was typed or pasted, shown safely."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from studio.tui.editor import PlainEditor


class PlainApp(App[None]):
    """A plain editor above a field."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield PlainEditor()
        yield Input()

    def on_source_area_edited(self) -> None:
        self.told.append(self.query_one(PlainEditor).text_out())


@asynccontextmanager
async def opened(text: str = "") -> AsyncIterator[tuple[PlainEditor, Pilot[None]]]:
    app = PlainApp()
    async with app.run_test(size=(24, 8)) as pilot:
        editor = app.query_one(PlainEditor)
        editor.load(text)
        await pilot.pause()
        yield editor, pilot


def rows(editor: PlainEditor) -> list[str]:
    return [editor.render_line(y).text.rstrip() for y in range(editor.size.height)]


async def test_pasted_control_characters_are_shown_and_come_out_as_they_came() -> None:
    async with opened() as (editor, pilot):
        editor.post_message(Paste("a\x1b[31m\u202eb\x9b"))
        await pilot.pause()
        assert rows(editor)[0] == "a␛[31m\\u202eb\\x9b"
        assert editor.text_out() == "a\x1b[31m\u202eb\x9b"


async def test_pasted_line_ends_of_any_kind_are_line_ends_and_tabs_stay() -> None:
    async with opened() as (editor, pilot):
        editor.post_message(Paste("a\r\n\tb\rc\n"))
        await pilot.pause()
        assert editor.text_out() == "a\n\tb\nc\n"


async def test_there_is_no_gutter_and_long_lines_are_wrapped() -> None:
    async with opened("The notice period is thirty days.") as (editor, _):
        assert rows(editor)[:2] == ["The notice period is", "thirty days."]


async def test_enter_breaks_the_line_and_adds_nothing() -> None:
    async with opened("- a: b") as (editor, pilot):
        await pilot.press("end", "enter", "c")
        assert editor.text_out() == "- a: b\nc"


async def test_tab_leads_on() -> None:
    async with opened("a") as (editor, pilot):
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Input)
        assert editor.text_out() == "a"


async def test_each_edit_is_told_as_one_of_a_plain_text() -> None:
    async with opened() as (_, pilot):
        await pilot.press("a", "b")
        await pilot.pause()
        assert isinstance(pilot.app, PlainApp)
        assert pilot.app.told[-1] == "ab"
