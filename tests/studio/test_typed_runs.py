"""Many letters that wait are inserted together, and do what they do one by one."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.tui.editor import BlueprintEditor
from studio.tui.editor.source_document import Replacement
from studio.tui.editor.source_edit import Change
from tests.processor_time import costs_less_than
from tests.studio.driving import WIDE, press, settle, studio_on, wait_until
from tests.studio.test_type_ahead import TEXT, burst
from tests.thoroughness import tried

PIECES = ("word ", "-", "- ", " ", "$icontains: x", "é", "\u4f60", "\r", "\r", "\x7f", "'", "---", "\x1b[D", "x" * 120)
"""What a terminal sends for letters, Enter, Backspace and the left arrow."""


def changes_of(editor: BlueprintEditor) -> list[Change]:
    """The changes of the text from now on."""
    changes: list[Change] = []
    changed = editor.text_changed

    def noted(change: Change, lines: Replacement) -> None:
        changes.append(change)
        changed(change, lines)

    editor.text_changed = noted
    return changes


async def typed(path: Path, data: Sequence[str], *, at_once: bool) -> tuple[str, list[str]]:
    """The text after `data`, and the texts that undo leads to."""
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+end")
        if at_once:
            burst(app, "".join(data))
            await wait_until(pilot, lambda: not app.type_ahead)
        else:
            for one in (key for each in data for key in ([each] if each.startswith("\x1b") else each)):
                burst(app, one)
                await wait_until(pilot, lambda: not app.type_ahead)
        await settle(pilot)
        text, undone = screen.editor.text_out(), []
        while screen.editor.history.undo_stack:
            screen.editor.undo()
            undone.append(screen.editor.text_out())
        return text, undone


@pytest.mark.parametrize("seed", range(tried(2, 6)))
async def test_a_burst_leads_to_the_text_that_single_keys_lead_to(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = chance.choices(PIECES, k=12)
    one, _ = await typed(tmp_path / "one.yml", data, at_once=False)
    other, undone = await typed(tmp_path / "other.yml", data, at_once=True)
    assert other == one
    assert undone[-1] == TEXT


async def test_letters_that_wait_are_few_edits(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        changes = changes_of(screen.editor)
        burst(app, "word " * 1000)
        await settle(pilot)
        assert screen.editor.text_out() == "word " * 1000 + TEXT
        assert len(changes) < 20


async def test_undoing_many_letters_is_one_change_of_the_text(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        burst(app, "x" * 90)
        await settle(pilot)
        changes = changes_of(screen.editor)
        screen.editor.undo()
        screen.editor.redo()
        assert changes == [Change(0, "x" * 90, ""), Change(0, "", "x" * 90)]
        assert screen.editor.cursor_location == (0, 90)


@pytest.mark.parametrize("letters", [["abcdef"], list("abcdef"), ["ab", "cd", "ef"]])
async def test_letters_are_undone_together_however_they_came(tmp_path: Path, letters: list[str]) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        for some in letters:
            burst(app, some)
            await wait_until(pilot, lambda: not app.type_ahead)
        await settle(pilot)
        screen.editor.undo()
        assert screen.editor.text_out() == TEXT


async def test_letters_that_wait_replace_the_selection(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+a")
        burst(app, "abc")
        await settle(pilot)
        assert screen.editor.text_out() == "abc"


async def test_letters_that_wait_open_the_list_of_completions(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+end")
        burst(app, "  - $word")
        await wait_until(pilot, lambda: screen.editor.completing.is_open)


async def test_letters_that_wait_do_not_change_a_read_only_text(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.read_only = True
        burst(app, "abc")
        await settle(pilot)
        assert screen.editor.text_out() == TEXT


async def test_lines_typed_ahead_cost_little_processor_time(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "ctrl+end")
        with costs_less_than(4):
            burst(app, "a line of text that is typed\r" * 50)
            while app.type_ahead:
                await asyncio.sleep(0.1)
        await settle(pilot)
        assert screen.editor.text_out().count("a line of text that is typed") == 50


async def test_what_is_typed_after_undo_is_a_step_of_its_own(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        burst(app, "\x1fx\x1ay\x1a")  # comment the line out, type, undo, type, undo
        await settle(pilot)
        assert screen.editor.text_out() == f"# {TEXT}"
