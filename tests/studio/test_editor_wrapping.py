"""Long lines on several rows: where they are broken, what is painted, and how cursor and mouse move over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual.content import Content

from engine.text.diagnostics import Severity
from engine.text.spans import Span, TextEdit
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.source_document import RowLayout, RowNavigator, SourceDocument
from studio.tui.editor.syntax import Kind, Syntax
from studio.tui.editor.wrapping import line_cells, wrapping
from tests.engine.short_cases import assert_says
from tests.processor_time import costs_less_than
from tests.studio.driving import wait_until
from tests.studio.test_editor import finding, opened, rows, underlined

LONG = "- Says that a march may be banned only where the ban is necessary and proportionate.\n"
TEXT = st.text(alphabet="ab  -—:\t\n\u202e\x1b\u6f22\u3002\U0001f469\u200d\u0301", max_size=60)
EDIT = st.tuples(st.integers(0, 60), st.integers(0, 60), TEXT)


def laid_out(line: str, width: int) -> list[str]:
    """The rows of one line as they are drawn."""
    layout = RowLayout(SourceDocument(line), width)
    parts = [layout.part_at(y) for y in range(layout.height)]
    return [" " * part.indent + line_cells(line[part.start : part.end]).shown for part in parts]


# --- Where lines are broken


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ("one two three", 13, ["one two three"]),
        ("one two three", 9, ["one two ", "three"]),
        ("one two three", 7, ["one two ", "three"]),
        ("- - one two three", 12, ["- - one two ", "    three"]),
        ("  - one two three", 10, ["  - one ", "    two ", "    three"]),
        ("        one two", 10, ["        on", "     e two"]),
        ("see https://example.org/a/b", 20, ["see ", "https://example.org/", "a/b"]),
        ("see https://example.org/about", 22, ["see ", "https://example.org/", "about"]),
        ("one—two—three", 9, ["one—two—", "three"]),
        ("a 漢字漢字漢字", 8, ["a 漢字漢", "字漢字"]),
        ("漢字漢字。漢字", 8, ["漢字漢", "字。漢字"]),
        ("漢字word漢字", 7, ["漢字", "word漢", "字"]),
        ("ab \u202e\u202e", 9, ["ab ", "\\u202e", "\\u202e"]),
        ("one two ", 7, ["one two ", ""]),
        ("", 7, [""]),
    ],
)
def test_lines_are_broken_between_words_and_hang_under_their_text(line: str, width: int, shown: list[str]) -> None:
    assert laid_out(line, width) == shown


@given(TEXT, st.integers(1, 30))
def test_rows_cover_each_line_exactly_once_and_in_order(text: str, width: int) -> None:
    document = SourceDocument(text)
    layout = RowLayout(document, width)
    parts = [layout.part_at(y) for y in range(layout.height)]
    joined = ["".join(text[p.start : p.end] for p in parts if p.row == row) for row, text in enumerate(document.lines)]
    assert joined == document.lines
    assert [(part.row, part.number) for part in parts] == sorted((part.row, part.number) for part in parts)


@given(TEXT, st.integers(8, 30))
@example("\t\t \u0301", 8)
def test_no_row_is_wider_than_the_screen_but_for_the_space_it_is_broken_at(text: str, width: int) -> None:
    layout = RowLayout(SourceDocument(text), width)
    for y in range(layout.height):
        part = layout.part_at(y)
        line = layout.document[part.row]
        cells = line_cells(line)
        last = cells.whole(part.end - 1)[0] if part.end > part.start else part.end
        end = last if not part.last and line[last] == " " else part.end
        assert part.indent + cells.cell(end) - cells.cell(part.start) <= width


@given(TEXT, st.one_of(st.none(), st.integers(1, 30)))
def test_every_place_of_the_text_has_a_cell_and_is_found_again_from_it(text: str, width: int | None) -> None:
    document = SourceDocument(text)
    layout = RowLayout(document, width)
    for offset in range(len(text) + 1):
        at = layout.location_to_offset(document.location_of(offset))
        found = layout.offset_to_location(at)
        assert layout.location_to_offset(found) == at
        assert found[0] == document.location_of(offset)[0]


@given(TEXT, st.lists(EDIT, max_size=6), st.integers(1, 30))
def test_rows_after_edits_are_those_of_the_text_laid_out_afresh(
    text: str, edits: list[tuple[int, int, str]], width: int
) -> None:
    document = SourceDocument(text)
    layout = RowLayout(document, width)
    for one, other, new in edits:
        start, end = sorted((min(one, document.length), min(other, document.length)))
        layout.follow(document.replace(start, end, new))
    fresh = RowLayout(SourceDocument(document.text), width)
    assert [layout.part_at(y) for y in range(layout.height)] == [fresh.part_at(y) for y in range(fresh.height)]


def test_a_break_never_leaves_a_dash_alone_on_its_row() -> None:
    assert wrapping("- " + "x" * 20, 10).breaks == (10, 18)


# --- What is painted


async def test_numbers_and_signs_stand_on_the_first_row_of_a_line_only() -> None:
    async with opened(LONG + "b: 1\n", size=(40, 6)) as (editor, _):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 2, 70)])
        assert rows(editor)[:4] == [
            "  1 ● - Says that a march may be banned",
            "        only where the ban is necessary",
            "        and proportionate.",
            "  2   b: 1",
        ]


async def test_underlines_go_on_over_the_rows_of_a_line() -> None:
    start, end = LONG.index("banned"), LONG.index(" necessary")
    async with opened(LONG, size=(40, 6)) as (editor, _):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, start, end)])
        assert [underlined(editor, y) for y in range(3)] == ["banned ", "only where the ban is", ""]


async def test_the_selection_goes_on_over_the_rows_of_a_line() -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.press("down", "shift+down")
        background = editor._styles_now().selection.bgcolor
        selected = [
            "".join(one.text for one in editor.render_line(y) if one.style and one.style.bgcolor == background)
            for y in range(3)
        ]
        assert selected == ["", "only where the ban is necessary ", ""]


async def test_f10_lets_lines_run_past_the_edge_and_wraps_them_again_and_the_text_stays() -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.press("f10", "end")
        assert rows(editor)[0].endswith("necessary and proportionate.")
        await pilot.press("f10")
        assert editor.scroll_offset.x == 0
        assert [row.strip() for row in rows(editor)[1:3]] == ["only where the ban is necessary", "and proportionate."]
        assert editor.text_out() == LONG


async def test_the_rows_below_the_text_are_blank() -> None:
    async with opened("", size=(40, 3)) as (editor, _):
        assert rows(editor) == ["  1", "", ""]


async def test_lines_stay_painted_right_when_an_edit_above_them_takes_one_row_more() -> None:
    async with opened("one two three four five six \n- b: 1\n", size=(35, 5)) as (editor, pilot):
        assert rows(editor)[1:3] == ["  2   - b: 1", "  3"]
        await pilot.press("end", *"seven")
        assert rows(editor)[:3] == ["  1   one two three four five six", "      seven", "  2   - b: 1"]
        await pilot.press("ctrl+z")
        assert rows(editor)[1:3] == ["  2   - b: 1", "  3"]


# --- Moving


@pytest.mark.parametrize(
    ("keys", "column"),
    [
        (["down"], 34),
        (["end"], 84),
        (["end", "end"], 84),
        (["down", "end"], 84),
        (["down", "right", "home"], 0),
        (["right", "right", "right", "right", "down", "down", "up", "up"], 4),
        (["right", "right", "right", "right", "down", "down"], 68),
        (["down", "down", "down", "up"], 66),
        (["end", "up"], 52),
        (["pagedown", "pageup"], 0),
    ],
)
async def test_keys_move_by_the_rows_that_are_seen(keys: list[str], column: int) -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.press(*keys)
        assert editor.cursor_location == (0, column)


@pytest.mark.parametrize("keys", [[], ["down"], ["down", "down"]], ids=str)
async def test_end_leads_to_the_end_of_the_line_so_that_enter_does_not_split_it(keys: list[str]) -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.press(*keys, "end", "enter", *"New")
        assert editor.text_out() == LONG + "- New\n"


@given(TEXT, st.integers(1, 30), st.integers(0, 60))
def test_end_and_home_lead_to_the_ends_of_the_line_from_all_its_rows(text: str, width: int, offset: int) -> None:
    layout = RowLayout(SourceDocument(text), width)
    keys = RowNavigator(layout)
    row, column = layout.document.location_of(offset)
    assert keys.get_location_end((row, column)) == (row, len(layout.document[row]))
    assert keys.get_location_home((row, column)) == (row, 0)


async def test_the_column_is_kept_over_pages_and_short_rows() -> None:
    async with opened("0123456789 abc\n\n" * 30, size=(40, 6)) as (editor, pilot):
        await pilot.press(*["right"] * 9, "pagedown", "down", "pagedown", "up")
        assert editor.cursor_location == (12, 9)


async def test_pages_can_be_selected() -> None:
    async with opened(LONG * 4, size=(40, 6)) as (editor, pilot):
        await pilot.press("shift+pagedown")
        assert editor.selected_text == LONG * 2


async def test_deleting_to_the_start_takes_the_whole_line() -> None:
    async with opened("a: 1\n" + LONG, size=(40, 6)) as (editor, pilot):
        await pilot.press("down", "end", "end", "ctrl+u")
        assert editor.text_out() == "a: 1\n\n"


async def test_going_somewhere_shows_rows_around_it() -> None:
    async with opened(LONG * 20, size=(40, 12)) as (editor, _):
        editor.go_to(editor.offset_at((10, 60)))
        at = editor.cursor_screen_offset
        assert at.y == 12 - 1 - 3
        assert rows(editor)[at.y][at.x :].startswith(LONG[60:66])


# --- The mouse


@pytest.mark.parametrize(
    ("at", "column"), [((8, 1), 34), ((3, 1), 34), ((10, 1), 36), ((39, 0), 33), ((39, 2), 84), ((39, 1), 65)]
)
async def test_a_click_puts_the_cursor_where_it_points(at: tuple[int, int], column: int) -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.click(BlueprintEditor, offset=at)
        assert editor.cursor_location == (0, column)


async def test_a_drag_selects_over_rows() -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        await pilot.mouse_down(BlueprintEditor, offset=(8 + 5, 0))
        await pilot.hover(BlueprintEditor, offset=(8 + 4, 2))
        await pilot.mouse_up(BlueprintEditor, offset=(8 + 4, 2))
        assert editor.selected_text == LONG[7 : LONG.index("proportionate")]


@pytest.mark.parametrize(("at", "told"), [((9, 1), True), ((38, 2), False), ((7, 1), False), ((4, 0), True)])
async def test_the_mouse_is_told_of_what_it_is_on_and_of_nothing_beside_it(at: tuple[int, int], told: bool) -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        editor.show_diagnostics(editor.revision, [finding(Severity.ERROR, 2, len(LONG) - 1)])
        await pilot.hover(BlueprintEditor, offset=at)
        assert isinstance(editor.tooltip, Content) is told


# --- Another width


async def test_a_resize_keeps_the_cursor_on_its_row_and_in_sight() -> None:
    async with opened(LONG * 40, size=(40, 12)) as (editor, pilot):
        editor.go_to(editor.offset_at((20, 50)))
        row = editor.cursor_screen_offset.y
        await pilot.resize_terminal(64, 12)
        shown = " 21   - Says that a march may be banned only where the ban is"
        await wait_until(pilot, lambda: rows(editor)[row] == shown)
        assert (editor.cursor_location, editor.cursor_screen_offset.y) == ((20, 50), row)


async def test_a_resize_keeps_what_is_read_in_place_where_the_cursor_is_elsewhere() -> None:
    async with opened("".join(f"{number} {LONG}" for number in range(60)), size=(40, 12)) as (editor, pilot):
        editor.scroll_to(y=editor.row_layout.y_of(30), animate=False)
        await pilot.pause()
        await pilot.resize_terminal(64, 12)
        await wait_until(pilot, lambda: rows(editor)[0].startswith(" 31   30 - Says"))
        assert editor.cursor_offset == 0


async def test_toggling_keeps_the_cursor_on_its_row() -> None:
    async with opened(LONG * 40, size=(40, 12)) as (editor, pilot):
        editor.go_to(editor.offset_at((20, 50)))
        row = editor.cursor_screen_offset.y
        await pilot.press("f10")
        await pilot.pause()
        assert editor.cursor_screen_offset.y == row
        await pilot.press("f10")
        await pilot.pause()
        assert editor.cursor_screen_offset.y == row


async def test_more_digits_in_the_gutter_leave_less_room_for_the_text() -> None:
    async with opened("x" * 33 + "\n" * 998, size=(42, 6)) as (editor, pilot):
        assert editor.row_layout.height == 999
        await pilot.press("ctrl+end", "enter")
        assert (editor.document.line_count, editor.row_layout.height) == (1000, 1001)


async def test_an_edit_made_while_the_editor_is_hidden_leaves_it_wrapped() -> None:
    async with opened(LONG, size=(40, 6)) as (editor, pilot):
        editor.display = False
        await pilot.pause()
        editor.apply_edits([TextEdit(Span(0, 0), "- x\n")])
        assert editor.row_layout.height == 5
        editor.display = True
        await pilot.pause()
        assert rows(editor)[:3] == [
            "  1   - x",
            "  2   - Says that a march may be banned",
            "        only where the ban is necessary",
        ]


# --- The colours of YAML in the editor, line by line


K, N = Kind.KEY, Kind.NUMBER


def coloured(text: str, row: int) -> tuple[tuple[str, Kind], ...]:
    """What is coloured in a line, but for punctuation."""
    document = SourceDocument(text)
    found = Syntax(document).on(row)
    return tuple((document[row][one.start : one.end], one.kind) for one in found if one.kind is not Kind.PUNCTUATION)


def colours(_mark: str, text: str) -> Iterator[str]:
    """What is coloured in each line of a text."""
    for row, line in enumerate(text.splitlines()):
        yield "  ".join([line, *(f"{kind.name.lower()}: {words}" for words, kind in coloured(text, row))])


def test_a_line_has_the_colours_of_what_yaml_reads_there(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).parent / "line_cases" / "colours.txt", colours, pytestconfig)


def test_line_ends_of_every_kind_part_lines() -> None:
    assert [coloured("a: 1\rb: 'x'\r\nc: true\n", row) for row in range(3)] == [
        (("a", K), ("1", N)),
        (("b", K),),
        (("c", K), ("true", N)),
    ]


def test_a_quotation_mark_that_is_never_closed_colours_no_prompt_below_it() -> None:
    assert coloured("- id: 'a\n  prompt: 5\n- id: 7\n", 2) == (("id", K), ("7", N))


def test_a_line_far_below_the_last_one_at_the_margin_has_its_colours() -> None:
    assert coloured("prompts:\n" + "  - id: 3\n" * 3000, 2900) == (("id", K), ("3", N))


def test_numbers_of_an_indented_json_file_have_their_colour_everywhere() -> None:
    assert coloured("{\n" + '  "a": 3,\n' * 3000 + "}\n", 2900) == (('"a"', K), ("3", N))


@given(st.text("ab-:# '\"|>[]{},&*!\\\n1", max_size=60), st.text("a: |\n'\"[", max_size=9), st.integers(0, 60))
def test_after_an_edit_the_colours_are_those_of_the_new_text(text: str, put: str, at: int) -> None:
    document = SourceDocument(text)
    syntax = Syntax(document)
    syntax.on(document.line_count - 1)
    document.replace(min(at, len(text)), min(at, len(text)), put)
    syntax.follow()
    fresh = Syntax(SourceDocument(document.text))
    rows = range(document.line_count)
    assert [syntax.on(row) for row in rows] == [fresh.on(row) for row in reversed(rows)][::-1]


DEEP = ("[", "{a: ", "- ", "? ", "a: ", "& ", '"', "' ", "x", " #", "\\", "| ")


@pytest.mark.parametrize("sign", DEEP)
def test_colours_cost_the_same_however_long_or_deep_a_line_is(sign: str) -> None:
    document = SourceDocument(sign * 100_000)
    with costs_less_than(0.4):
        Syntax(document).on(0, 0, 80)


def test_colours_cost_the_same_however_deep_lines_are_nested() -> None:
    document = SourceDocument("\n".join(f"{' ' * depth}a:" for depth in range(3000)))
    with costs_less_than(0.4):
        assert Syntax(document).on(2999)
