"""A text that another one replaces, by reloading or recovering, can be brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.files.journal import Journal
from studio.tui.dialogs.ask import Ask
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, press, settle, studio_on, wait_until

TEXT = "- id: a\n  prompt: b\n"
THEIRS = "- id: a\n  prompt: theirs\n"
LEFT = "- id: a\n  prompt: lost and found\n"


async def chosen(pilot: Pilot[Any]) -> None:
    """Answer the question that comes by its first choice."""
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.pause()
    await pilot.press("enter")
    await wait_until(pilot, lambda: not isinstance(pilot.app.screen, Ask))


async def shows(pilot: Pilot[Any], screen: BlueprintScreen, text: str) -> None:
    await wait_until(pilot, lambda: screen.editor.text_out() == text)
    await settle(pilot)


async def test_undoing_a_reload_brings_the_typed_text_back_unsaved(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "#", "m")
        path.write_text(THEIRS, "utf-8")
        screen.action_reload()
        await chosen(pilot)
        await shows(pilot, screen, THEIRS)
        assert not screen.session.file.unsaved
        await press(pilot, "ctrl+z")
        assert (screen.editor.text_out(), screen.session.file.unsaved) == ("#m" + TEXT, True)
        await press(pilot, "ctrl+y")
        assert (screen.editor.text_out(), screen.session.file.unsaved) == (THEIRS, False)


async def test_a_text_that_was_brought_back_is_saved_over_the_one_that_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "#")
        path.write_text(THEIRS, "utf-8")
        screen.action_reload()
        await chosen(pilot)
        await shows(pilot, screen, THEIRS)
        await press(pilot, "ctrl+z")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: path.read_text("utf-8") == "#" + TEXT)


async def test_what_is_typed_in_the_instant_of_a_reload_can_be_brought_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        path.write_text(THEIRS, "utf-8")
        await screen.session.file.reload()  # read, and not shown yet
        screen.editor.insert("typed", (0, 0))
        await shows(pilot, screen, THEIRS)
        await press(pilot, "ctrl+z")
        assert screen.editor.text_out() == "typed" + TEXT


async def test_undoing_a_recovery_brings_the_text_before_it_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    Journal().write(path, LEFT, None)
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await chosen(pilot)
        screen = await settle(pilot)
        await shows(pilot, screen, LEFT)
        assert screen.session.file.unsaved
        await press(pilot, "ctrl+z")
        assert (screen.editor.text_out(), screen.session.file.unsaved) == (TEXT, False)


async def test_a_reload_keeps_the_cursor_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "down", "end")
        path.write_text("# new\n" + TEXT, "utf-8")
        screen.action_reload()
        await shows(pilot, screen, "# new\n" + TEXT)
        assert screen.editor.cursor_location == (2, len("  prompt: b"))


async def test_a_text_that_became_read_only_is_not_undone(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "#")
        screen.editor.read_only = True
        await press(pilot, "ctrl+z")
        assert screen.editor.text_out() == "#" + TEXT


async def test_unsaved_text_before_a_reload_that_is_read_only_is_a_version(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "#")
        path.write_bytes(b"a\0b")
        screen.action_reload()
        await chosen(pilot)
        await wait_until(pilot, lambda: screen.editor.read_only)
    assert [version.text for version in Journal().state(path).left] == ["#" + TEXT]
