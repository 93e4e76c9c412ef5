"""A file that another program changes while it is open, on the screen: the place stays, and a changed text asks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from studio.session import blueprint_file, file_watch
from studio.tui.dialogs.difference_dialog import AskWithDifference
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import NARROW, WIDE, press, see, settle, studio_on, wait_until
from tests.terminal import Terminal, needs_tmux

STUDIO = Path(sys.executable).parent / "studio"
PROMPTS = "".join(f"- id: p{number}\n  prompt: Question {number}?\n  ideal: Answer {number}.\n" for number in range(60))
HEAD = "title: Sixty\n---\n"
TEXT = HEAD + PROMPTS


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_watch, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(blueprint_file, "REST_SECONDS", 0.02)


def row_of_cursor(screen: BlueprintScreen) -> int:
    """The row of the screen on which the cursor is drawn."""
    editor = screen.editor
    return editor.row_layout.location_to_offset(editor.cursor_location).y - editor.scroll_offset.y


def line_of_cursor(screen: BlueprintScreen) -> str:
    return screen.editor.document[screen.editor.cursor_location[0]]


async def loaded(pilot: Pilot[Any], screen: BlueprintScreen, text: str) -> None:
    await wait_until(pilot, lambda: screen.editor.text_out() == text)
    await settle(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_lines_added_above_and_below_leave_the_cursor_on_its_row(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "x.yml"
    async with studio_on(path, TEXT).run_test(size=size) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(TEXT.index("Question 30"))
        await settle(pilot)
        row, line = row_of_cursor(screen), line_of_cursor(screen)
        theirs = HEAD + "# one\n# two\n# three\n" + PROMPTS.replace("Answer 31", "Another answer") + "# end\n"
        path.write_text(theirs, "utf-8")
        await loaded(pilot, screen, theirs)
        assert (row_of_cursor(screen), line_of_cursor(screen)) == (row, line)
        assert not screen.session.file.unsaved
        await press(pilot, "ctrl+z")
        await loaded(pilot, screen, TEXT)
        assert (line_of_cursor(screen), screen.session.file.unsaved) == (line, True)


async def test_what_is_scrolled_to_stays_though_the_cursor_is_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with studio_on(path, TEXT).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.scroll_to(y=90, animate=False, immediate=True)
        await settle(pilot)
        theirs = "# one\n" + TEXT
        path.write_text(theirs, "utf-8")
        await loaded(pilot, screen, theirs)
        assert (screen.editor.scroll_offset.y, screen.editor.cursor_location) == (91, (1, 0))


async def test_a_selection_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with studio_on(path, TEXT).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        start = TEXT.index("Question 3")
        screen.editor.selection = type(screen.editor.selection)(
            screen.editor.location_of(start), screen.editor.location_of(start + 30)
        )
        selected = screen.editor.selected_text
        theirs = "# one\n" + TEXT
        path.write_text(theirs, "utf-8")
        await loaded(pilot, screen, theirs)
        assert screen.editor.selected_text == selected


async def test_a_changed_text_asks_with_the_difference_and_theirs_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with studio_on(path, TEXT).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press(*"#mine")
        await settle(pilot)
        mine, theirs = screen.editor.text_out(), TEXT.replace("Answer 2.", "Their answer.")
        path.write_text(theirs, "utf-8")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskWithDifference))
        await see(pilot, "Something else changed the file", "Keep your text", "Load what is on disk", "Their answer.")
        lines = str(pilot.app.screen.query_one("#lines", Static).render())
        assert [line for line in lines.splitlines() if line[:1] in "+-"] == [
            "- #minetitle: Sixty",
            "+ title: Sixty",
            "-   ideal: Answer 2.",
            "+   ideal: Their answer.",
        ]
        await press(pilot, "down", "down", "enter")
        await loaded(pilot, screen, theirs)
        assert not screen.session.file.unsaved
        await press(pilot, "ctrl+z")
        assert (screen.editor.text_out(), screen.session.file.unsaved) == (mine, True)


async def test_a_stray_enter_answers_nothing_and_saving_asks_again(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with studio_on(path, TEXT).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press(*"#mine")
        path.write_text("theirs: 1\n", "utf-8")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskWithDifference))
        await press(pilot, "enter")
        await settle(pilot)
        assert screen.editor.text_out() == "#mine" + TEXT
        await press(pilot, "ctrl+s")
        await see(pilot, "Save anyway")
        assert path.read_text("utf-8") == "theirs: 1\n"


@needs_tmux
@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24)])
def test_the_installed_program_shows_what_another_program_writes(tmp_path: Path, columns: int, rows: int) -> None:
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    with Terminal([str(STUDIO), str(path)], columns=columns, rows=rows, home=tmp_path / "home") as terminal:
        terminal.wait_for("Question 2?")
        path.write_text(TEXT.replace("Question 2?", "What is it?"), "utf-8")
        terminal.wait_for("What is it?")
        terminal.type("#mine")
        terminal.wait_for("#mine")
        path.write_text(TEXT, "utf-8")
        terminal.wait_for("Keep your text")
        terminal.press("Escape")
        terminal.wait_until_gone("Keep your text")
        path.unlink()
        terminal.wait_for("no longer there")
        terminal.press("C-q")
        terminal.wait_for("Leave without saving")
        terminal.press("Down", "Enter")
        assert terminal.wait_for_exit() == 0
