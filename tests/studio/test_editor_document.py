"""The document of the editor: the same text out as in, and after edits the same as those edits on a plain string."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input
from textual.widgets.text_area import Selection

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, Span
from studio.tui.editor import BlueprintEditor, PlainEditor
from studio.tui.editor.diagnostic_marks import Marks
from studio.tui.editor.find_bar import MOST_MATCHES, find_all, find_most
from studio.tui.editor.line_break import break_line
from studio.tui.editor.source_document import LineStarts, RowLayout, SourceDocument, split_lines
from studio.tui.editor.source_edit import Change
from studio.tui.editor.wrapping import line_cells, line_widths, wrapped
from studio.tui.editor.yaml_line import Within, read_line, within
from tests.conservation.hands import opened
from tests.conservation.trials import kept
from tests.engine.short_cases import assert_lines_say
from tests.processor_time import costs_less_than
from tests.studio.test_editor import EditorApp
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

TEXT = st.text(alphabet="ab- :\t\r\n\u2028\x85\x0c\x0b\x1b\u00e9\u6f22\U0001f469\u200d\u0301\ud800", max_size=40)
EDIT = st.tuples(st.integers(0, 60), st.integers(0, 60), TEXT)


@given(TEXT)
def test_a_text_comes_out_as_it_went_in(text: str) -> None:
    assert SourceDocument(text).text == text


@given(TEXT)
def test_lines_are_those_of_the_engine(text: str) -> None:
    index = LineIndex(text)
    assert SourceDocument(text).lines == [index.line(row) for row in range(index.line_count)]


@given(TEXT, st.lists(EDIT, max_size=8))
def test_edits_do_what_they_do_to_a_plain_string(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = SourceDocument(text)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        removed = document.replace(start, end, new).removed
        assert removed == text[start:end]
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.lines == SourceDocument(text).lines
        assert document.length == len(text)
        assert document.get_size(2) == SourceDocument(text).get_size(2)


@given(TEXT, st.lists(EDIT, max_size=5))
def test_offsets_and_locations_are_those_of_the_text(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = SourceDocument(text)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        document.replace(start, end, new)
        text = text[:start] + new + text[end:]
    index = LineIndex(text)
    fresh = SourceDocument(text)
    assert [document.location_of(at) for at in range(len(text) + 1)] == [
        fresh.location_of(at) for at in range(len(text) + 1)
    ]
    assert [document.offset_at((row, 0)) for row in range(index.line_count)] == [
        index.line_span(row).start for row in range(index.line_count)
    ]


@given(TEXT, TEXT, TEXT, st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(0, 9), TEXT), max_size=6))
def test_marks_stay_on_their_text_whatever_is_edited_around_it(
    before: str, marked: str, after: str, edits: list[tuple[bool, int, int, str]]
) -> None:
    marked = f"<{marked}>"
    document = SourceDocument(before + marked + after)
    marks = Marks(document.line_count)
    here = Span(len(before), len(before) + len(marked))
    marks.show(document, [Diagnostic("E1", "a-rule", Severity.ERROR, here, "Wrong.", "Why.")], [])
    for is_before, at, length, new in edits:
        side = before if is_before else after
        start, end = min(at, len(side)), min(at + length, len(side))
        offset = start if is_before else len(before) + len(marked) + start
        lines = document.replace(offset, offset + end - start, new)
        marks.follow(document, Change(offset, side[start:end], new), lines)
        side = side[:start] + new + side[end:]
        before, after = (side, after) if is_before else (before, side)
    pieces = [
        document.lines[row][mark.start : mark.end] for row in range(document.line_count) for mark in marks.on(row)
    ]
    assert "".join(pieces) == re.sub("[\r\n]", "", marked)


@pytest.mark.parametrize("offset", range(5))
def test_a_location_within_a_crlf_is_the_end_of_its_line(offset: int) -> None:
    assert SourceDocument("a\r\nb").location_of(offset) == [(0, 0), (0, 1), (0, 1), (1, 0), (1, 1)][offset]


def test_mixed_line_ends_and_line_separators_survive_an_edit() -> None:
    document = SourceDocument("a\r\nb\u2028c\nd\re\x85f\x0cg")
    document.replace(3, 4, "B")
    assert document.text == "a\r\nB\u2028c\nd\re\x85f\x0cg"


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4), st.lists(st.integers(0, 9), min_size=1, max_size=4))),
)
def test_line_starts_stay_the_running_total(sizes: list[int], edits: list[tuple[int, int, list[int]]]) -> None:
    starts = LineStarts(sizes)
    for first, count, new in edits:
        first = min(first, len(sizes) - 1)
        after = min(first + count, len(sizes))
        starts.replace(first, after, new)
        sizes[first:after] = new
    assert [starts.start(row) for row in range(len(sizes) + 1)] == [sum(sizes[:row]) for row in range(len(sizes) + 1)]
    assert starts.total == sum(sizes)


@needs_corpus
def test_every_corpus_file_comes_out_as_it_went_in() -> None:
    for path in corpus_files():
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        assert SourceDocument(text).text == text


@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_text_is_the_lines_joined_however_many_edits_it_was_not_asked_for(count: int) -> None:
    document = SourceDocument("a\r\nb\nc")
    document.text  # noqa: B018
    for number in range(count):
        document.replace(number % 5, number % 5 + number % 2, "x\ny"[number % 3 :])
    assert document.text == document.slice(0, document.length)


# --- The plain editor: an answer as it was typed or pasted, shown safely


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
async def plain_editor(text: str = "") -> AsyncIterator[tuple[PlainEditor, Pilot[None]]]:
    app = PlainApp()
    async with app.run_test(size=(24, 8)) as pilot:
        editor = app.query_one(PlainEditor)
        editor.load(text)
        await pilot.pause()
        yield editor, pilot


def rows(editor: PlainEditor) -> list[str]:
    return [editor.render_line(y).text.rstrip() for y in range(editor.size.height)]


async def test_pasted_control_characters_are_shown_and_come_out_as_they_came() -> None:
    async with plain_editor() as (editor, pilot):
        editor.post_message(Paste("a\x1b[31m\u202eb\x9b"))
        await pilot.pause()
        assert rows(editor)[0] == "a␛[31m\\u202eb\\x9b"
        assert editor.text_out() == "a\x1b[31m\u202eb\x9b"


async def test_pasted_line_ends_of_any_kind_are_line_ends_and_tabs_stay() -> None:
    async with plain_editor() as (editor, pilot):
        editor.post_message(Paste("a\r\n\tb\rc\n"))
        await pilot.pause()
        assert editor.text_out() == "a\n\tb\nc\n"


async def test_there_is_no_gutter_and_long_lines_are_wrapped() -> None:
    async with plain_editor("The notice period is thirty days.") as (editor, _):
        assert rows(editor)[:2] == ["The notice period is", "thirty days."]


async def test_enter_breaks_the_line_and_adds_nothing() -> None:
    async with plain_editor("- a: b") as (editor, pilot):
        await pilot.press("end", "enter", "c")
        assert editor.text_out() == "- a: b\nc"


async def test_tab_leads_on() -> None:
    async with plain_editor("a") as (editor, pilot):
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Input)
        assert editor.text_out() == "a"


async def test_each_edit_is_told_as_one_of_a_plain_text() -> None:
    async with plain_editor() as (_, pilot):
        await pilot.press("a", "b")
        await pilot.pause()
        assert isinstance(pilot.app, PlainApp)
        assert pilot.app.told[-1] == "ab"


# --- What keeps the editor quick on large texts and very long lines says the same as the plain way


WORDS = ("word ", "a", "longer-word/with.joints ", "x" * 90, "— ", "\t", "é", "\u4f60\u597d", "e\u0301")
LONG = 4_000_000


@pytest.mark.parametrize("seed", range(tried(3, 8)))
def test_an_edited_line_is_wrapped_as_a_new_one(seed: int) -> None:
    chance = random.Random(seed)
    some = WORDS[:5] if seed < 7 else WORDS
    document = SourceDocument("    - " + "".join(chance.choices(some, k=14_000)))
    layout = RowLayout(document, width=chance.choice((7, 40, 80)))
    for _ in range(5):
        start = chance.randrange(document.length + 1)
        end = min(document.length, start + chance.choice((0, 0, 1, 30)))
        layout.follow(document.replace(start, end, chance.choice(("", "x", " ", *some))))
        width = layout.width
        assert width is not None
        assert layout.wrapping(0) == wrapped(document[0], width)
        assert layout.height == layout.wrapping(0).rows


@pytest.mark.parametrize("at", [10, LONG // 2, LONG - 10])
def test_a_letter_in_a_line_of_four_million_is_laid_out_in_a_moment(at: int) -> None:
    document = SourceDocument("word " * (LONG // 5))
    layout = RowLayout(document, width=80)
    layout.wrapping(0)
    with costs_less_than(0.5):
        layout.follow(document.replace(at, at, "x"))


def test_a_long_line_as_it_was_before_is_found_in_caches_without_comparing_it() -> None:
    document = SourceDocument("a\n" + "word " * 20_000)
    before = document[1]
    document.replace(30, 31, "x")
    document.replace(30, 31, before[28])
    assert document[1] is before


@pytest.mark.parametrize("column", [30, LONG // 2, LONG])
def test_enter_in_a_line_of_four_million_takes_a_moment(column: int) -> None:
    lines = ["should:", "  - " + "word " * (LONG // 5)]
    with costs_less_than(0.25):
        break_line(lines, 1, column)


# --- What keeps the editor quick on large texts says the same as the plain way


MANY = "a b\n" * (MOST_MATCHES * 2)

lines = st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=8), max_size=300)


@given(lines)
def test_many_lines_have_the_cells_of_each(many: list[str]) -> None:
    assert line_widths(many) == [line_cells(line).width for line in many]


@given(st.text(st.sampled_from("ab\n\r "), max_size=40))
def test_lines_and_ends_are_the_text(text: str) -> None:
    split, ends = split_lines(text)
    assert "".join(line + end for line, end in zip(split, ends, strict=True)) == text


# --- Finding


def test_a_few_matches_are_all_found() -> None:
    assert find_most("a b a", "a", 3) == (find_all("a b a", "a"), True)


def test_of_very_many_matches_the_next_ones_are_found() -> None:
    found, is_all = find_most(MANY, "a", len(MANY) // 2)
    assert (len(found), found[0].start, is_all) == (MOST_MATCHES, len(MANY) // 2, False)


def test_at_the_end_of_the_text_finding_goes_on_at_its_beginning() -> None:
    found, _ = find_most(MANY, "a", len(MANY) - 4)
    assert [each.start for each in found[:2]] == [len(MANY) - 4, 0]


# --- Enter and Backspace in a blueprint, and the dashes typed behind them: the list that comes of it is the one meant


NAMED = {"⏎": "enter", "⇤": "shift+tab", "⌫": "backspace", "↶": "ctrl+z", "↷": "ctrl+y", "←": "left", "→": "right"}
"""The keys that stand for others in the tables. ¦ is the cursor; without one it is at the end."""


def pressed(before: str, typed: str) -> str:
    """The text with the cursor after `typed` in `before`, without a screen."""
    at = before.find("¦")
    text = before.replace("¦", "")
    editor = opened(text, at if at >= 0 else len(text))
    actions = {
        "⏎": editor.action_new_line, "⇤": editor.action_outdent, "⌫": editor.action_delete_left,
        "↶": editor.action_undo, "↷": editor.action_redo, "←": editor.action_cursor_left,
        "→": editor.action_cursor_right,
    }  # fmt: skip
    for key in typed:
        actions[key]() if key in actions else editor.type_text(key)
    end = editor.cursor_offset
    return f"{editor.text_out()[:end]}¦{editor.text_out()[end:]}"


def after_keys(line: str) -> Iterator[str]:
    """What comes of a line `TEXT ⇐ KEYS`, in whose text ⏎ is a line break. One undo takes Backspace back."""
    written, _, typed = line.partition(" ⇐ ")
    before = written.replace("⏎", "\n")
    yield pressed(before, typed)
    assert typed != "⌫" or pressed(before, "⌫↶").replace("¦", "") == before.replace("¦", "")


def test_what_keys_make_of_a_text_is_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "keys.txt", after_keys, pytestconfig)


def test_a_no_break_space_is_no_indentation() -> None:
    assert break_line(["\xa0title: x"], 0, 1).begins == ""


def test_backspace_before_a_text_joins_no_points_without_a_word() -> None:
    text = (
        "- prompt: x\n  should:\n    - one\n    - two\n    - - three\n      - four\n"
        "    - text: five\n      weight: 2\n    - six"
    )
    usual = [one.slug for one in check(parse(text))]
    for at in range(text.index("- one"), len(text)):
        after = pressed(f"{text[:at]}¦{text[at:]}", "⌫").replace("¦", "")
        words = [" ".join(each.words) for each in kept(after)]
        if text[at - 1] in " -" and words != ["one", "two", "three", "four", "five", "six"]:
            assert [one.slug for one in check(parse(after)) if one.slug not in usual], after


# --- On the screen


@asynccontextmanager
async def shown(text: str) -> AsyncIterator[tuple[BlueprintEditor, Pilot[None]]]:
    """The editor on `text` on a screen, with the cursor at its end."""
    app = EditorApp(text)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.editor.move_cursor(app.editor.document.end)
        yield app.editor, pilot


@pytest.mark.parametrize("typed", ["⏎- b⏎⏎", "⏎- - b⏎c⏎⏎d⏎⏎⏎e", "⏎⌫- x", "⏎- ↶↷b", "⏎⇤- b", "⏎---⏎"])
async def test_keys_do_the_same_one_by_one_and_all_at_once(typed: str) -> None:
    text = "- should:\n    - a"
    async with shown(text) as (editor, pilot):
        await pilot.press(*(NAMED.get(each, each) for each in typed))
        slowly = editor.text_out()
    async with shown(text) as (editor, pilot):
        for each in typed:  # as a terminal delivers them that was busy
            editor.post_message(Key(NAMED.get(each, each), "\r" if each == "⏎" else each))
        await pilot.pause()
        assert [slowly, editor.text_out()] == [pressed(text, typed).replace("¦", "")] * 2


async def test_nothing_is_taken_in_a_read_only_text() -> None:
    async with shown("  - a") as (editor, pilot):
        await pilot.press("enter")
        editor.read_only = True
        await pilot.press("-", "space", "enter")
        assert editor.text_out() == "  - a\n  - "


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_pasted_lines_are_indented_to_their_place_as_one_step_of_undo(newline: str) -> None:
    text = newline.join(["- prompt: a", "  should:", "    - b", "    - ", "  weight: 2"])
    async with shown(text) as (editor, pilot):
        editor.move_cursor((3, 6))
        editor.post_message(Paste("1. Names it: by name\r\n2. Says who\n"))
        await pilot.press("!")
        assert editor.document.lines[3:] == ["    - 'Names it: by name'", "    - Says who!", "  weight: 2"]
        assert editor.text_out().count(newline) == editor.document.line_count - 1
        await pilot.press("ctrl+z", "ctrl+z")
        assert editor.text_out() == text
        assert editor.cursor_location == (3, 6)


@pytest.mark.parametrize(
    ("start", "end", "after"),
    [
        ((2, 6), (2, 7), "  should:\n    - a\n    - x\n    - y\n    - c\n"),
        ((1, 6), (2, 7), "  should:\n    - x\n    - y\n    - c\n"),
        ((2, 7), (3, 6), "  should:\n    - a\n    - bc\n    - x\n    - y\n"),
        ((0, 9), (4, 0), "  should:\n    - x\n    - y"),
    ],
)
def test_pasted_lines_take_the_place_of_what_is_selected(
    start: tuple[int, int], end: tuple[int, int], after: str
) -> None:
    text = "  should:\n    - a\n    - b\n    - c\n"
    editor = opened(text, 0)
    editor.selection = Selection(start, end)
    editor.insert_pasted("- x\n- y\n", "\n")
    assert editor.text_out() == after
    editor.action_undo()
    assert editor.text_out() == text


@pytest.mark.parametrize("row", ["- b", "• b", "1. b"])
def test_a_pasted_row_is_the_point_of_the_dash_that_stands_there(row: str) -> None:
    editor = opened("should:\n  - a\n  - ", 18)
    editor.insert_pasted(row, "\n")
    assert editor.text_out().replace("'", "") == "should:\n  - a\n  - b"


# --- The corpus

GOES_ON_WITH_A_MINUS = ("conceptmath", 147)
"""A text of the corpus whose second line reads `- 65° = 115°`."""


@needs_corpus
def test_a_dash_is_never_moved_out_of_the_list_in_which_the_authors_of_the_corpus_wrote_it() -> None:
    files = {*one_in(4, corpus_files()), *(path for path in corpus_files() if path.stem == GOES_ON_WITH_A_MINUS[0])}
    moved = [(path.stem, row) for path in files for row in moved_dashes(path.read_text("utf-8").splitlines())]
    assert moved == [GOES_ON_WITH_A_MINUS]


def moved_dashes(lines: Sequence[str]) -> list[int]:
    """The rows whose item would begin further out, had it been typed behind Enter at the end of the row before it."""
    written = [
        row for row in range(1, len(lines)) if not read_line(lines[row - 1]).is_blank and begins_item(lines, row)
    ]
    made = [break_line(lines[:row], row - 1, len(lines[row - 1])) for row in written]
    places = [len(each.item or each.begins + "- ") - 2 for each in made]
    return [row for row, place in zip(written, places, strict=True) if place < read_line(lines[row]).indent]


def begins_item(lines: Sequence[str], row: int) -> bool:
    """Whether an item begins on `row`."""
    line = read_line(lines[row])
    return bool(line.dashes) and within(lines, row, line.indent) is Within.STRUCTURE
