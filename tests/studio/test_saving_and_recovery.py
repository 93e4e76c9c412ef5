"""Nothing typed is lost: saving, changes on disk, quitting, and the recovery journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import AppBlur
from textual.pilot import Pilot

from engine.files.journal import Journal
from studio.session import journal_thread
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask, AskText
from tests.studio.driving import WIDE, see, settle, studio_on, wait_until

TEXT = "- id: a\n  prompt: b\n"


async def _type(pilot: Pilot[Any], text: str) -> None:
    await settle(pilot)
    await pilot.press(*text)
    await settle(pilot)


async def _asked(pilot: Pilot[Any]) -> None:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.pause()


def _text_left(path: Path) -> str | None:
    found = Journal().pending(path)
    return None if found is None else found.text


async def test_ctrl_s_writes_what_was_typed_and_the_mark_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        screen = await settle(pilot)
        assert "not saved" in str(screen.query_one("StatusLine").render())
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: not screen.session.file.unsaved)
        await pilot.pause()
        assert "not saved" not in str(screen.query_one("StatusLine").render())
    assert path.read_text("utf-8") == "#x" + TEXT


async def test_what_is_undone_need_not_be_saved(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await _type(pilot, "#x")
        await pilot.press("enter", "ctrl+z", "ctrl+z")
        await settle(pilot)
        assert screen.editor.text_out() == TEXT
        assert not screen.session.file.unsaved
        await pilot.press("ctrl+y")
        assert screen.session.file.unsaved


async def test_undoing_what_was_saved_is_a_change(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await _type(pilot, "#x")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: not screen.session.file.unsaved)
        await pilot.press("ctrl+z")
        assert screen.session.file.unsaved


async def test_nothing_is_kept_for_recovery_of_what_was_undone(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await _type(pilot, "#x")
        await screen.session.file.write_journal()
        assert Journal().pending(path) is not None
        await pilot.press("ctrl+z")
        await screen.session.file.write_journal()
        assert Journal().pending(path) is None


async def _save_over_a_change(pilot: Pilot[Any], path: Path, downs: int) -> None:
    await _type(pilot, "#mine")
    path.write_text("theirs: 1\n", "utf-8")
    await pilot.press("ctrl+s")
    await _asked(pilot)
    await pilot.press(*["down"] * downs, "enter")
    await wait_until(pilot, lambda: not isinstance(pilot.app.screen, Ask))
    await settle(pilot)


async def test_a_file_changed_on_disk_is_replaced_only_when_the_author_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _save_over_a_change(pilot, path, 3)
        assert path.read_text("utf-8") == "theirs: 1\n"
        await pilot.press("ctrl+s")
        await _asked(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: path.read_text("utf-8") == "#mine" + TEXT)


async def test_a_file_changed_on_disk_can_be_loaded_instead(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _save_over_a_change(pilot, path, 1)
        screen = await settle(pilot)
        assert screen.editor.text_out() == "theirs: 1\n"
        assert not screen.session.file.unsaved


async def test_a_file_changed_on_disk_can_be_saved_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _save_over_a_change(pilot, path, 2)
        assert isinstance(app.screen, AskText)
        await pilot.press("end", *["backspace"] * len("x.yml"), *"y.yml", "enter")
        await wait_until(pilot, (tmp_path / "y.yml").exists)
        screen = await settle(pilot)
        assert screen.session.file.opened.path == tmp_path / "y.yml"
    assert path.read_text("utf-8") == "theirs: 1\n"
    assert (tmp_path / "y.yml").read_text("utf-8") == "#mine" + TEXT


async def test_quitting_asks_only_where_something_is_not_saved(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: not app.is_running or app._exit)


async def test_quitting_with_unsaved_changes_can_save_first(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        await pilot.press("ctrl+q")
        await _asked(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app._exit)
    assert path.read_text("utf-8") == "#x" + TEXT


async def test_quitting_with_unsaved_changes_can_be_thought_better_of(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        await pilot.press("ctrl+q")
        await _asked(pilot)
        await pilot.press("escape")
        screen = await settle(pilot)
        assert screen.session.file.unsaved
        assert not app._exit


async def test_discarding_leaves_the_file_and_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        await wait_until(pilot, lambda: Journal().pending(path) is not None)
        await pilot.press("ctrl+q")
        await _asked(pilot)
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app._exit)
    assert path.read_text("utf-8") == TEXT
    assert Journal().pending(path) is None


async def test_the_journal_follows_the_keys_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        await wait_until(pilot, lambda: _text_left(path) == "#x" + TEXT)


async def test_what_a_crash_left_is_offered_and_comes_back_unsaved(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    Journal().write(path, "- id: lost and found\n", None)
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _asked(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: not isinstance(app.screen, Ask))
        screen = await settle(pilot)
        assert screen.editor.text_out() == "- id: lost and found\n"
        assert screen.session.file.unsaved
    assert path.read_text("utf-8") == TEXT


async def test_what_was_left_is_offered_with_what_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    Journal().write(path, TEXT.replace("prompt: b", "prompt: lost and found"), None)
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _asked(pilot)
        await see(pilot, "+   prompt: lost and found", "-   prompt: b")


async def test_all_versions_are_offered_by_an_action(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    Journal().write(path, "- id: lost and found\n", None)
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _asked(pilot)
        await pilot.press("escape")
        screen = await settle(pilot)
        screen.action_recover()
        await _asked(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: screen.editor.text_out() == "- id: lost and found\n")


async def test_the_journal_is_written_at_once_when_the_terminal_loses_the_focus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_thread, "JOURNAL_SECONDS", 3600.0)
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        app.post_message(AppBlur())
        await wait_until(pilot, lambda: Journal().pending(path) is not None)


async def test_what_is_typed_right_before_the_end_is_in_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.insert("#")
        app.end(143)
        await wait_until(pilot, lambda: app._exit)
    found = Journal().pending(path)
    assert found is not None
    assert (found.text, app.return_code) == ("#" + TEXT, 143)


async def test_saving_forgets_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await _type(pilot, "#x")
        await wait_until(pilot, lambda: Journal().pending(path) is not None)
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: Journal().pending(path) is None)


async def test_the_bundled_example_is_written_only_where_the_author_saves_it(tmp_path: Path, monkeypatch: Any) -> None:
    from engine.files.open_files import new_file
    from studio.example import EXAMPLE, read

    monkeypatch.chdir(tmp_path)
    app = Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert list(tmp_path.iterdir()) == []
        await pilot.press("ctrl+s")
        await wait_until(pilot, (tmp_path / EXAMPLE.file).exists)


async def test_a_file_that_was_opened_is_among_the_recent_ones(tmp_path: Path) -> None:
    from engine.files.user_settings import recent_files

    path = tmp_path / "x.yml"
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await wait_until(pilot, lambda: recent_files() == [path])
