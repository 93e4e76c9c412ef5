"""Pictures of the editor: marks (in both themes), selection, control characters, the find bar."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span
from studio.tui.editor import BlueprintEditor
from studio.tui.theme import DARK, LIGHT, THEMES

TEXT = """\
title: Freedom of assembly   # a comment
tags: [rights, &law law]
temperatures: [0.0, 0.7]
---
- id: march
  prompt: |
    May a state ban a march it finds
    offensive?
  should:
    - "$icontains: 'Article 19'"
    - Says that offence is no ground
    - - $icontains: covenant
  render_as: plain
  weight: null
  note: "\x1b[31m \u202e \ttab 漢字 \\n"
"""


def diagnostics() -> list[Diagnostic]:
    """One of each severity, one over two lines, one empty."""

    def at(severity: Severity, text: str, length: int | None = None) -> Diagnostic:
        start = TEXT.index(text)
        end = start + (len(text) if length is None else length)
        return Diagnostic("E1", "a-rule", severity, Span(start, end), "Something is wrong.", "Because.")

    return [
        at(Severity.ERROR, "\"$icontains: 'Article 19'\""),
        at(Severity.WARNING, "a march it finds\n    offensive"),
        at(Severity.HINT, "- - $icontains", 1),
        at(Severity.ERROR, "null\n", 0),
    ]


class Picture(App[None]):
    """The editor in one of the studio's themes."""

    CSS = "Screen { background: $background; color: $foreground; }"

    def __init__(self, theme: str) -> None:
        super().__init__()
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield BlueprintEditor()

    def on_mount(self) -> None:
        editor = self.query_one(BlueprintEditor)
        editor.load(TEXT)
        editor.show_diagnostics(editor.revision, diagnostics())
        editor.focus()


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_marks_signs_and_highlighting(snap_compare: Callable[..., bool], theme: str) -> None:
    assert snap_compare(Picture(theme), press=["down", "down", "end", "shift+home"], terminal_size=(64, 18))


def test_the_find_bar_and_what_it_found(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(Picture(DARK), press=["ctrl+f", *"ma", "down"], terminal_size=(64, 18))


def test_a_long_line_scrolled_to_its_end_beside_its_gutter(snap_compare: Callable[..., bool]) -> None:
    async def fill(pilot: Pilot[None]) -> None:
        editor = pilot.app.query_one(BlueprintEditor)
        editor.load("short: 1\nlong: " + " ".join(f"word{number}" for number in range(40)) + "\n")
        await pilot.press("f10", "down", "end")

    assert snap_compare(Picture(DARK), run_before=fill, terminal_size=(40, 6))


LONG = """\
- id: rent
  prompt: "My landlord says I must leave within a week (he told me so on the phone). Is that lawful, and what can I do?"
  should:
    - Says that notice must be given in writing, that the period is set by the lease or else by statute, never by phone
    - - $icontains: "a control \x1b[31m character, 漢字 and an ↵ in a line that is long enough to be wrapped"
"""


def test_long_lines_wrapped_with_marks_and_selection(snap_compare: Callable[..., bool]) -> None:
    async def fill(pilot: Pilot[None]) -> None:
        editor = pilot.app.query_one(BlueprintEditor)
        editor.load(LONG)
        spans = [("within a week", Severity.WARNING), ("period is set by the lease", Severity.ERROR)]
        found = [(LONG.index(text), len(text), severity) for text, severity in spans]
        editor.show_diagnostics(
            editor.revision,
            [Diagnostic("E1", "a-rule", severity, Span(at, at + size), "Wrong.", "") for at, size, severity in found],
        )
        editor.select_span(Span(LONG.index("else by"), LONG.index("control")))
        await pilot.pause()

    assert snap_compare(Picture(DARK), run_before=fill, terminal_size=(53, 15))


def test_the_cursor_and_its_bracket_on_the_rows_of_one_line(snap_compare: Callable[..., bool]) -> None:
    async def fill(pilot: Pilot[None]) -> None:
        editor = pilot.app.query_one(BlueprintEditor)
        editor.load(LONG)
        editor.go_to(LONG.index("(he"))
        await pilot.pause()

    assert snap_compare(Picture(DARK), run_before=fill, terminal_size=(53, 15))


@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24)])
def test_the_list_of_completions(snap_compare: Callable[..., bool], columns: int, rows: int) -> None:
    async def fill(pilot: Pilot[None]) -> None:
        editor = pilot.app.query_one(BlueprintEditor)
        editor.load(TEXT.replace("    - - $icontains: covenant\n", "    - \n"))
        editor.go_to(editor.text_out().index("    - \n") + 6)
        for key in ("$", "m", "a", "t", "down", "down", "down"):
            await pilot.press(key)
            await pilot.pause()

    assert snap_compare(Picture(DARK), run_before=fill, terminal_size=(columns, rows))
