"""The blueprint editor: what it keeps, what it says, what it paints."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from engine.diagnostics import Diagnostic, Severity
from engine.text import Span, TextEdit, apply_edits
from studio.editor import BlueprintEditor

BLUEPRINT = """\
title: Rights
---
- id: march
  prompt: May a state ban a march?
  should:
    - Names the test
    - "$icontains: 'Article 19'"
"""

TEXT = st.text(alphabet="ab- :\t\r\n\u2028\x85\x0c\x1b\u6f22\u0301", max_size=30)
STEP = st.one_of(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXT), st.sampled_from(["undo", "redo"]))


class EditorApp(App[None]):
    """The editor alone."""

    def __init__(self, text: str = BLUEPRINT) -> None:
        super().__init__()
        self._text = text
        self.seen: list[object] = []

    def compose(self) -> ComposeResult:
        yield BlueprintEditor()

    def on_mount(self) -> None:
        self.editor.load(self._text)
        self.editor.focus()

    @property
    def editor(self) -> BlueprintEditor:
        return self.query_one(BlueprintEditor)

    def on_blueprint_editor_edited(self, message: BlueprintEditor.Edited) -> None:
        self.seen.append(message.revision)

    def on_blueprint_editor_cursor_moved(self, message: BlueprintEditor.CursorMoved) -> None:
        self.seen.append(("cursor", message.offset))


@asynccontextmanager
async def opened(
    text: str = BLUEPRINT, size: tuple[int, int] = (60, 12)
) -> AsyncIterator[tuple[BlueprintEditor, Pilot[None]]]:
    app = EditorApp(text)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app.editor, pilot


def finding(severity: Severity, start: int, end: int, message: str = "Something is wrong.") -> Diagnostic:
    return Diagnostic("E1", "a-rule", severity, Span(start, end), message, "Because it is.")


def rows(editor: BlueprintEditor) -> list[str]:
    return [editor.render_line(y).text.rstrip() for y in range(editor.size.height)]


def underlined(editor: BlueprintEditor, y: int) -> str:
    return "".join(segment.text for segment in editor.render_line(y) if segment.style and segment.style.underline)


# --- The source


@given(TEXT, st.lists(STEP, max_size=10))
def test_edits_undo_and_redo_leave_no_other_byte_changed(text: str, steps: list[tuple[int, int, str] | str]) -> None:
    editor = BlueprintEditor()
    editor.load(text)
    past: list[str] = []
    future: list[str] = []
    for step in steps:
        match step:
            case "undo":
                editor.undo()
                if past:
                    future.append(text)
                    text = past.pop()
            case "redo":
                editor.redo()
                if future:
                    past.append(text)
                    text = future.pop()
            case (int(one), int(other), str(new)):
                start, end = sorted((min(one, len(text)), min(other, len(text))))
                edit = TextEdit(Span(start, end), new)
                editor.apply_edits([edit])
                if new or start < end:
                    past.append(text)
                    future.clear()
                text = apply_edits(text, [edit])
        assert editor.text_out() == text


@pytest.mark.parametrize("seed", range(2))
async def test_keys_change_only_what_they_say(seed: int) -> None:
    keys = ["a", "enter", "tab", "backspace", "delete", "left", "right", "up", "down", "home", "end", "ctrl+k", "space"]
    text = "a: 1\r\n  - b\u2028c\rd: '\x1b'\n\n- x\x85\ty\r\n"
    async with opened(text) as (editor, pilot):
        await pilot.press(*random.Random(seed).choices(keys, k=40))
        while editor.history.undo_stack:
            editor.undo()
        assert editor.text_out() == text
