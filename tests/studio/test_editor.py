"""The blueprint editor: what it keeps, what it says, what it paints."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.events import Key, Paste
from textual.pilot import Pilot

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span, TextEdit, apply_edits, visible
from studio.session.views.result_view import TextScores
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.find_bar import find_all
from studio.tui.editor.source_area import SourceArea
from studio.tui.editor.wrapping import line_cells
from tests.studio.driving import drawn, wait_until
from tests.studio.text_files import text_file

BLUEPRINT = text_file("editor.yml")

TEXT = st.text(alphabet="ab- :\t\r\n\u2028\x85\x0c\x1b\u6f22\u0301", max_size=30)
STEP = st.one_of(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXT), st.sampled_from(["undo", "redo"]))


class EditorApp(App[None]):
    """The editor alone."""

    def __init__(self, text: str = BLUEPRINT) -> None:
        super().__init__()
        self._text = text
        self.seen: list[object] = []
        self.editor = BlueprintEditor()

    def compose(self) -> ComposeResult:
        yield self.editor

    def on_mount(self) -> None:
        self.editor.load(self._text)
        self.editor.focus()

    def on_source_area_edited(self) -> None:
        self.seen.append(self.editor.revision)

    def on_source_area_cursor_moved(self) -> None:
        self.seen.append(("cursor", self.editor.cursor_offset))


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


def colours_of(pilot: Pilot[None]) -> set[str]:
    """The colours on the screen as it was painted."""
    return set(re.findall("fill: (#[0-9a-f]{6})", drawn(pilot)))


def underlined(editor: BlueprintEditor, y: int) -> str:
    return "".join(segment.text for segment in editor.render_line(y) if segment.style and segment.style.underline)


def seen(editor: BlueprintEditor) -> list[object]:
    app = editor.app
    assert isinstance(app, EditorApp)
    return app.seen


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
    keys = ["a", "enter", "tab", "backspace", "delete", "left", "right", "up", "down", "home", "end", "ctrl+u", "space"]
    text = "a: 1\r\n  - b\u2028c\rd: '\x1b'\n\n- x\x85\ty\r\n"
    async with opened(text) as (editor, pilot):
        await pilot.press(*random.Random(seed).choices(keys, k=40))
        while editor.history.undo_stack:
            editor.undo()
        assert editor.text_out() == text


async def test_pasted_text_takes_the_line_ends_of_the_file_and_its_other_characters_stay() -> None:
    async with opened("a: 1\r\n") as (editor, pilot):
        editor.post_message(Paste("x\ny\u2028z\r\n\tq\tr\n"))
        await pilot.pause()
        assert editor.text_out() == "x\r\ny\u2028z\r\n  q\tr\r\na: 1\r\n"


async def test_the_clipboard_gets_control_characters_made_visible_and_the_text_gets_them_back_as_they_were() -> None:
    async with opened("a\x1b\u2028b") as (editor, pilot):
        await pilot.press("ctrl+a", "ctrl+x")
        assert (editor.text_out(), pilot.app.clipboard) == ("", "a␛\\u2028b")
        await pilot.press("ctrl+v", "ctrl+v")
        assert editor.text_out() == "a\x1b\u2028ba\x1b\u2028b"


async def test_where_nothing_is_selected_the_line_of_the_cursor_is_copied() -> None:
    async with opened("a: 1\nb: 2\n") as (_, pilot):
        await pilot.press("down", "ctrl+c")
        assert pilot.app.clipboard == "b: 2\n"


async def test_nothing_is_typed_into_a_read_only_text() -> None:
    async with opened() as (editor, pilot):
        editor.load(BLUEPRINT, read_only=True)
        await pilot.press("x", "enter", "tab", "backspace", "delete", "ctrl+underscore", "shift+tab")
        assert editor.text_out() == BLUEPRINT


async def test_keys_that_come_together_act_in_their_order() -> None:
    async with opened("") as (editor, pilot):
        for key, character in (("a", "a"), ("b", "b"), ("left", None), ("backspace", "\x7f"), ("c", "c")):
            editor.post_message(Key(key, character))
        await pilot.pause()
        assert editor.text_out() == "cb"


# --- Revisions and messages


async def test_each_edit_undo_and_redo_is_told_with_a_greater_revision() -> None:
    async with opened() as (editor, pilot):
        start = editor.revision
        await pilot.press("x", "ctrl+z", "ctrl+y")
        await pilot.pause()
        told = [one for one in seen(editor) if isinstance(one, int) and one > start]
        assert told == [start + 1, start + 2, start + 3] == [*range(start + 1, editor.revision + 1)]


async def test_the_cursor_is_told_as_an_offset_of_the_source() -> None:
    async with opened("a\r\nbc\n") as (editor, pilot):
        await pilot.press("down", "right")
        await pilot.pause()
        assert seen(editor)[-2:] == [("cursor", 3), ("cursor", 4)]
        assert editor.cursor_offset == 4


async def test_an_offset_of_an_older_text_is_carried_to_the_present_one() -> None:
    async with opened("ab cd") as (editor, pilot):
        old = editor.revision
        await pilot.press("x", "y")
        assert editor.carry(3, old) == 5
        assert editor.carry(3, editor.revision) == 3
        editor.load("other")
        assert editor.carry(3, old) is None


async def test_applied_edits_are_one_step_and_the_cursor_stays_in_its_text() -> None:
    async with opened("one two three") as (editor, _):
        editor.move_cursor((0, 6))
        editor.apply_edits([TextEdit(Span(0, 3), "first"), TextEdit(Span(8, 13), "third")])
        assert (editor.text_out(), editor.cursor_offset) == ("first two third", 8)
        editor.undo()
        assert (editor.text_out(), editor.cursor_offset) == ("one two three", 6)


async def test_edits_that_overlap_are_refused() -> None:
    async with opened("one two") as (editor, _):
        with pytest.raises(ValueError, match="overlaps"):
            editor.apply_edits([TextEdit(Span(0, 4), ""), TextEdit(Span(3, 5), "")])
        assert editor.text_out() == "one two"


# --- What is painted


async def test_control_characters_are_shown_and_the_cursor_counts_them_once() -> None:
    text = "a\x1b[31mb\x85c\u202ed\x00"
    async with opened(text) as (editor, pilot):
        assert rows(editor)[0] == "  1   a␛[31mb\\x85c\\u202ed␀"
        await pilot.press("end")
        assert editor.cursor_offset == len(text)
        assert editor.cursor_screen_offset.x == len("  1   a␛[31mb\\x85c\\u202ed␀")


@pytest.mark.parametrize("line", ["a\tb", "漢字", "e\u0301x", "👩\u200d💻 x", "\x1b\x85", "“quoted” – and…"])
def test_every_column_is_found_again_from_its_cell(line: str) -> None:
    cells = line_cells(line)
    assert [cells.column(cells.cell(column)) for column in range(len(line) + 1)] == [
        cells.whole(column)[0] for column in range(len(line) + 1)
    ]


@given(st.text(alphabet=st.characters(exclude_characters="\r\n"), max_size=20))
def test_a_line_is_as_wide_as_the_terminal_draws_it(line: str) -> None:
    cells = line_cells(line)
    assert cells.shown == visible(cells.shown)
    assert cell_len(cells.shown) == cells.width


async def test_signs_stand_in_the_gutter_and_the_worst_wins() -> None:
    async with opened() as (editor, _):
        editor.show_diagnostics(
            editor.revision,
            [
                finding(Severity.HINT, 0, 5),
                finding(Severity.WARNING, 14, 15),
                finding(Severity.HINT, 18, 22),
                finding(Severity.ERROR, 20, 25),
            ],
        )
        assert [row[4:5] for row in rows(editor)[:4]] == ["·", "▲", "●", " "]


async def test_underlines_cover_exact_spans_over_several_lines() -> None:
    start, end = BLUEPRINT.index("march"), BLUEPRINT.index("state ban")
    async with opened() as (editor, _):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, start, end)])
        assert [underlined(editor, y) for y in (1, 2, 3, 4)] == ["", "march", "  prompt: May a ", ""]
        assert [row[4:5] for row in rows(editor)[:5]] == [" ", " ", "●", " ", " "]


@pytest.mark.parametrize(("offset", "shown"), [(0, "t"), (13, " ")])
async def test_an_empty_span_shows_one_cell(offset: int, shown: str) -> None:
    async with opened() as (editor, _):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, offset, offset)])
        assert underlined(editor, 0) == shown


async def test_marks_move_with_the_text_until_newer_ones_come() -> None:
    async with opened() as (editor, pilot):
        wrong = BLUEPRINT.index("Names")
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, wrong, wrong + 5)])
        await pilot.press("enter", "x", "down", "down", "enter")
        assert underlined(editor, 7) == "Names"
        editor.show_diagnostics(editor.revision, [])
        assert underlined(editor, 7) == ""


async def test_late_diagnostics_are_taken_through_the_edits_made_since() -> None:
    async with opened() as (editor, pilot):
        wrong = BLUEPRINT.index("Names")
        old = editor.revision
        await pilot.press("enter", "x")
        editor.show_diagnostics(old, [finding(Severity.ERROR, wrong, wrong + 5), finding(Severity.HINT, 0, 5)])
        assert (underlined(editor, 6), underlined(editor, 1)) == ("Names", "title")


async def test_diagnostics_of_a_text_that_is_gone_are_not_shown() -> None:
    async with opened() as (editor, _):
        old = editor.revision
        editor.load("other")
        editor.show_diagnostics(old, [finding(Severity.ERROR, 0, 5)])
        assert underlined(editor, 0) == ""


async def test_a_mark_goes_with_the_text_it_was_on() -> None:
    async with opened("ab wrong cd") as (editor, _):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 3, 8)])
        editor.apply_edits([TextEdit(Span(2, 9), "")])
        assert underlined(editor, 0) == ""


async def test_the_mouse_over_an_underline_tells_message_and_reason_as_plain_text() -> None:
    async with opened() as (editor, pilot):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 0, 5, "[red]Not\x1b markup[/]")])
        await pilot.hover(BlueprintEditor, offset=(8, 0))
        assert isinstance(editor.tooltip, Content)
        assert editor.tooltip.plain == "[red]Not␛ markup[/]\nBecause it is."
        await pilot.hover(BlueprintEditor, offset=(8, 4))
        assert editor.tooltip is None


async def test_the_mouse_in_the_gutter_tells_what_begins_on_the_line() -> None:
    async with opened() as (editor, pilot):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 7, 9, "Wrong.")])
        await pilot.hover(BlueprintEditor, offset=(4, 0))
        assert isinstance(editor.tooltip, Content)
        assert editor.tooltip.plain == "Wrong.\nBecause it is."


async def test_the_mouse_below_the_text_tells_nothing() -> None:
    async with opened("wrong") as (editor, pilot):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 0, 5)])
        await pilot.hover(BlueprintEditor, offset=(8, 3))
        assert editor.tooltip is None


async def test_a_line_too_long_to_highlight_is_still_painted_and_edited() -> None:
    async with opened("{" + "a: 1, " * 20_000 + "}") as (editor, pilot):
        await pilot.press("ctrl+end", "x")
        assert editor.text_out().endswith("}x")
        assert rows(editor)[-1].endswith("}x")


async def test_a_long_paste_gets_its_colours_without_another_key() -> None:
    async with opened("a: 'b' # c\n" * 9000) as (_, pilot):
        await pilot.press("pagedown")
        colours = colours_of(pilot)
    async with opened("") as (editor, pilot):
        editor.post_message(Paste("a: 'b' # c\n" * 9000))
        await wait_until(pilot, lambda: colours_of(pilot) == colours)


@pytest.mark.every_frame
async def test_only_rows_that_look_otherwise_are_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened("a: 1\n" * 50) as (editor, pilot):
        painted: list[int] = []
        refresh_lines = editor.refresh_lines

        def noted(y_start: int, line_count: int = 1) -> None:
            painted.append(y_start)
            refresh_lines(y_start, line_count)

        monkeypatch.setattr(editor, "refresh_lines", noted)
        await pilot.press("x")
        assert set(painted) == {0}


async def test_going_somewhere_shows_lines_around_it_and_keeps_the_column() -> None:
    async with opened("".join(f"line {row}\n" for row in range(100))) as (editor, _):
        editor.go_to(editor.offset_at((60, 3)))
        shown = [row.split()[-1] for row in rows(editor) if row]
        assert editor.cursor_location == (60, 3)
        assert {"57", "60", "63"} <= set(shown)


# --- Typing


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", ((("tab", "end", "tab"), "  a "),)),
        # Shifted, and taken back
        ("a\n\nb\nc\n", (((*["shift+down"] * 3, "tab"), "  a\n\n  b\nc\n"), (("shift+tab",), "a\n\nb\nc\n"))),
        ("a\n\nb\nc\n", (((*["shift+down"] * 3, "tab", "shift+tab", "ctrl+z", "ctrl+z"), "a\n\nb\nc\n"),)),
        # Comments at the least indentation
        (
            "  a\n    b\n\nc\n",
            (
                (("shift+down", "shift+down", "ctrl+underscore"), "  # a\n  #   b\n\nc\n"),
                (("ctrl+underscore",), "  a\n    b\n\nc\n"),
            ),
        ),
        # The newline of the line is that of the next
        ("a: 1\r\nb: 2\n", ((("end", "enter"), "a: 1\r\n\r\nb: 2\n"),)),
        ("a: 1\r\nb: 2\n", ((("ctrl+end", "up", "end", "enter"), "a: 1\r\nb: 2\n\n"),)),
        # A selection up to an end of the text is deleted like a word
        ("a: 1\nb: 2\n", ((("down", "ctrl+shift+home", "ctrl+w"), "b: 2\n"),)),
        ("a: 1\nb: 2\n", ((("down", "ctrl+shift+home", "ctrl+u"), "b: 2\n"),)),
        ("a: 1\nb: 2\n", ((("down", "ctrl+shift+end", "alt+delete"), "a: 1\n"),)),
        # Pasting nothing leaves what is selected
        ("all of it", ((("ctrl+a", "ctrl+v"), "all of it"),)),
        # Replacing: all as one step of undo, or one and on to the next
        (
            "one two one\nOne",
            (
                (("ctrl+f", *"one", "tab", *"three", "ctrl+r", "escape"), "three two three\nthree"),
                (("ctrl+z",), "one two one\nOne"),
            ),
        ),
        (
            "one two one",
            ((("ctrl+f", *"one", "tab", "x", "enter"), "x two one"), (("enter",), "x two x")),
        ),
    ],
)
async def test_what_keys_make_of_a_text(text: str, steps: tuple[tuple[tuple[str, ...], str], ...]) -> None:
    async with opened(text) as (editor, pilot):
        for keys, after in steps:
            await pilot.press(*keys)
            assert editor.text_out() == after


# --- Finding


@pytest.mark.parametrize(
    ("wanted", "spans"),
    [("ab", [Span(0, 2), Span(3, 5)]), ("AB", [Span(3, 5)]), (".", [Span(2, 3)]), ("x", []), ("", [])],
)
def test_finding_minds_capitals_only_where_they_are_asked_for(wanted: str, spans: list[Span]) -> None:
    assert find_all("ab.AB", wanted) == spans


async def test_find_goes_on_and_back_and_leaves_the_place_selected() -> None:
    async with opened("one two one\nOne") as (editor, pilot):
        await pilot.press("ctrl+f", *"one", "down", "down", "up", "escape")
        assert editor.selected_text == "one"
        assert editor.cursor_location == (0, 11)


async def test_a_key_that_reaches_the_text_while_a_bar_opens_changes_nothing() -> None:
    async with opened("one\n" * 30) as (editor, pilot):
        for key, character in (("ctrl+g", "\x07"), ("2", "2"), ("0", "0"), ("enter", "\r")):
            editor.post_message(Key(key, character))
        await pilot.pause()
        await pilot.pause()
        assert editor.text_out() == "one\n" * 30


async def test_escape_leaves_the_selection_and_then_is_the_apps() -> None:
    async with opened() as (editor, pilot):
        await pilot.press("shift+right", "escape")
        assert editor.selection.is_empty
        assert editor.has_focus


# --- What is overridden of Textual's own


def test_textual_is_the_version_whose_private_names_are_overridden() -> None:
    assert version("textual") == "8.2.8"


def test_the_keys_of_the_app_are_not_taken_by_the_editor() -> None:
    bindings = Binding.make_bindings([*BlueprintEditor.BINDINGS, *SourceArea.BINDINGS])
    keys = {binding.key for binding in bindings}
    taken = {key for joined in keys for key in joined.split(",")}
    assert not taken & {*(f"f{number}" for number in range(1, 10)), *(f"ctrl+{letter}" for letter in "sqprt")}


# --- Notes


NOTED = "- id: p\n  should:\n    - - Names Lagos\n    - - Names Cairo\n"
NOTE = "any one of these 2 earns all of the score"


async def test_a_note_follows_its_line_where_there_is_room() -> None:
    for width, shown in (
        (80, f"← {NOTE}"),
        (62, "← any one of these 2 earns all of …"),
        (40, "← any one of…"),
        (36, ""),
    ):
        async with opened(NOTED, size=(width, 12)) as (editor, _):
            editor.show_diagnostics(editor.revision, [], [(2, NOTE)])
            assert rows(editor)[2].rstrip() == f"  3       - - Names Lagos{'  ' * bool(shown)}{shown}"
            assert "←" not in rows(editor)[1] + rows(editor)[3]


async def test_a_note_stays_where_it_is_beside_the_cursor() -> None:
    async with opened(NOTED, size=(90, 12)) as (editor, pilot):
        editor.show_diagnostics(editor.revision, [], [(2, NOTE)])
        before = rows(editor)[2]
        editor.move_cursor((2, len("    - - Names Lagos")))
        await pilot.pause()
        assert rows(editor)[2] == before


async def test_a_note_moves_with_its_line_until_newer_ones_come() -> None:
    async with opened(NOTED, size=(90, 12)) as (editor, pilot):
        editor.show_diagnostics(editor.revision, [], [(2, NOTE)])
        editor.move_cursor((1, 0))
        await pilot.press("enter", "x")
        assert [row for row, text in enumerate(rows(editor)) if NOTE in text] == [3]
        editor.show_diagnostics(editor.revision - 1, [], [(0, NOTE)])
        assert [row for row, text in enumerate(rows(editor)) if NOTE in text] == [3]
        editor.show_diagnostics(editor.revision, [])
        assert not any(NOTE in text for text in rows(editor))


async def test_a_note_is_told_on_hover_too() -> None:
    async with opened(NOTED, size=(40, 12)) as (editor, pilot):
        editor.show_diagnostics(editor.revision, [], [(2, NOTE)])
        editor.tooltip_at = lambda _offset: "A check."
        await pilot.hover(BlueprintEditor, offset=(16, 2))
        assert str(editor.tooltip) == f"{NOTE}\n\nA check."
        await pilot.hover(BlueprintEditor, offset=(16, 3))
        assert str(editor.tooltip) == "A check."


# --- Scores


MET, UNMET = "list--met", "list--unmet"


def score(extent: float) -> tuple[str, str]:
    return ("● 100", MET) if extent else ("○   0", UNMET)


async def test_a_score_stands_at_the_end_of_the_line_of_its_criterion() -> None:
    async with opened(NOTED, size=(60, 12)) as (editor, _):
        editor.show_diagnostics(editor.revision, [], [(2, NOTE)])
        at = NOTED.index("Lagos"), NOTED.index("Cairo")
        editor.show_scores(TextScores(editor.revision, ((at[0], 1.0), (at[1], 0.0))), score)
        assert rows(editor)[2:4] == [
            "  3       - - Names Lagos  ← any one of these 2 earns… ● 100",
            "  4       - - Names Cairo                              ○   0",
        ]


async def test_without_room_a_score_stands_in_the_gutter() -> None:
    full = f"should:\n  - {'w' * 48}\n  - {'words ' * 8}{'w' * 40} to end\n"
    async with opened(full, size=(60, 12)) as (editor, _):
        ends = full.index("www"), full.index("end")
        editor.show_scores(TextScores(editor.revision, ((ends[0], 0.0), (ends[1], 1.0))), score)
        assert [row.rstrip() for row in rows(editor)[1:4]] == [
            f"○   0   - {'w' * 48}",
            f"  3     - {'words ' * 8}".rstrip(),
            f"● 100     {'w' * 40} to end",
        ]


async def test_a_score_moves_with_its_line_and_goes_with_its_text() -> None:
    async with opened(NOTED, size=(60, 12)) as (editor, pilot):
        editor.show_scores(TextScores(editor.revision, ((NOTED.index("Lagos"), 1.0),)), score)
        editor.move_cursor((1, 0))
        await pilot.press("enter", "x")
        assert [row for row, text in enumerate(rows(editor)) if "● 100" in text] == [3]
        editor.show_scores(None, score)
        assert not any("● 100" in text for text in rows(editor))
