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
from tests.studio.driving import opened
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
    async with opened(path, TEXT, keys=("ctrl+end",)) as page:
        if at_once:
            burst(page.app, "".join(data))
            await page.until(lambda: not page.app.type_ahead)
        else:
            for one in (key for each in data for key in ([each] if each.startswith("\x1b") else each)):
                burst(page.app, one)
                await page.until(lambda: not page.app.type_ahead)
        await page.settle()
        text, undone = page.text, []
        while page.screen.editor.history.undo_stack:
            page.screen.editor.undo()
            undone.append(page.text)
        return text, undone


@pytest.mark.parametrize("seed", range(tried(1, 6)))
async def test_a_burst_leads_to_the_text_that_single_keys_lead_to(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = chance.choices(PIECES, k=12)
    one, _ = await typed(tmp_path / "one.yml", data, at_once=False)
    other, undone = await typed(tmp_path / "other.yml", data, at_once=True)
    assert other == one
    assert undone[-1] == TEXT


async def test_letters_that_wait_are_few_edits_and_one_change_when_they_are_undone(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        changes = changes_of(page.screen.editor)
        burst(page.app, "word " * 1000)
        await page.settle()
        assert page.text == "word " * 1000 + TEXT
        assert len(changes) < 20
        await page.rewrite(TEXT)
        await page.press("ctrl+home")
        burst(page.app, "x" * 90)
        await page.settle()
        changes.clear()
        page.screen.editor.undo()
        page.screen.editor.redo()
        assert changes == [Change(0, "x" * 90, ""), Change(0, "", "x" * 90)]
        assert page.screen.editor.cursor_location == (0, 90)


async def test_letters_are_undone_together_however_they_came_but_after_undo_they_are_a_step_of_their_own(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, TEXT) as page:
        for letters in (["abcdef"], list("abcdef"), ["ab", "cd", "ef"]):
            for some in letters:
                burst(page.app, some)
                await page.until(lambda: not page.app.type_ahead)
            await page.settle()
            page.screen.editor.undo()
            assert page.text == TEXT
        burst(page.app, "\x1fx\x1ay\x1a")  # comment the line out, type, undo, type, undo
        await page.settle()
        assert page.text == f"# {TEXT}"


async def test_letters_that_wait_replace_the_selection_open_completions_and_change_no_read_only_text(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, TEXT, keys=("ctrl+end",)) as page:
        burst(page.app, "  - $word")
        await page.until(lambda: page.screen.editor.completing.is_open)
        await page.press("escape", "ctrl+a")
        burst(page.app, "abc")
        await page.settle()
        assert page.text == "abc"
        page.screen.editor.read_only = True
        burst(page.app, "def")
        await page.settle()
        assert page.text == "abc"


async def test_lines_typed_ahead_cost_little_processor_time(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT, keys=("ctrl+end",)) as page:
        with costs_less_than(1.5):
            burst(page.app, "a line of text that is typed\r" * 15)
            while page.app.type_ahead:
                await asyncio.sleep(0.1)
        await page.settle()
        assert page.text.count("a line of text that is typed") == 15
