"""Long lines on several rows: where they are broken, what is painted, and how cursor and mouse move over them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.diagnostics import Severity
from studio.editor.cells import line_cells
from studio.editor.document import SourceDocument
from studio.editor.view import View
from studio.editor.wrapping import wrapping
from tests.studio.test_editor import finding, opened, rows, underlined

LONG = "- Says that a march may be banned only where the ban is necessary and proportionate.\n"
TEXT = st.text(alphabet="ab  -—:\t\n\u202e\x1b\u6f22\u3002\U0001f469\u200d\u0301", max_size=60)
EDIT = st.tuples(st.integers(0, 60), st.integers(0, 60), TEXT)


def laid_out(line: str, width: int) -> list[str]:
    """The rows of one line as they are drawn."""
    view = View(SourceDocument(line), width)
    parts = [view.part_at(y) for y in range(view.height)]
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
    view = View(document, width)
    parts = [view.part_at(y) for y in range(view.height)]
    joined = ["".join(text[p.start : p.end] for p in parts if p.row == row) for row, text in enumerate(document.lines)]
    assert joined == document.lines
    assert [(part.row, part.number) for part in parts] == sorted((part.row, part.number) for part in parts)


@given(TEXT, st.integers(8, 30))
def test_no_row_is_wider_than_the_screen_but_for_the_space_it_is_broken_at(text: str, width: int) -> None:
    view = View(SourceDocument(text), width)
    for y in range(view.height):
        part = view.part_at(y)
        line = view.document[part.row]
        cells = line_cells(line)
        end = part.end - 1 if not part.last and line[part.start : part.end].endswith(" ") else part.end
        assert part.indent + cells.cell(end) - cells.cell(part.start) <= width


@given(TEXT, st.one_of(st.none(), st.integers(1, 30)))
def test_every_place_of_the_text_has_a_cell_and_is_found_again_from_it(text: str, width: int | None) -> None:
    document = SourceDocument(text)
    view = View(document, width)
    for offset in range(len(text) + 1):
        at = view.location_to_offset(document.location_of(offset))
        found = view.offset_to_location(at)
        assert view.location_to_offset(found) == at
        assert found[0] == document.location_of(offset)[0]


@given(TEXT, st.lists(EDIT, max_size=6), st.integers(1, 30))
def test_rows_after_edits_are_those_of_the_text_laid_out_afresh(
    text: str, edits: list[tuple[int, int, str]], width: int
) -> None:
    document = SourceDocument(text)
    view = View(document, width)
    for one, other, new in edits:
        start, end = sorted((min(one, document.length), min(other, document.length)))
        view.follow(document.replace(start, end, new))
    fresh = View(SourceDocument(document.text), width)
    assert [view.part_at(y) for y in range(view.height)] == [fresh.part_at(y) for y in range(fresh.height)]


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
