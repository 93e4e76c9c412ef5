"""Texts as lines: paragraphs, hanging indents, diffs, results in a terminal, and what is not drawn."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from engine.blueprint import RenderAs
from engine.text.spans import Span, TextEdit, visible
from studio.cli.frame import wrapped
from studio.session.analysis import Tally
from studio.tui.dialogs.ask import choice_prompt
from studio.tui.dialogs.fix_dialog import DiffLine, unified
from studio.tui.dialogs.hanging import Hanging
from studio.tui.editor.wrapping import line_cells
from studio.tui.panes.passages import Passage, Passages
from studio.tui.panes.status import problems_text
from studio.tui.paragraphs import beside, cells, paragraph
from studio.tui.pieces import fit
from tests.studio.command_line import studio
from tests.studio.driving import opened
from tests.studio.driving.alone import Alone
from tests.studio.results import text_of

LEAD = ((" ◔  25  ", ""),)
TAIL = (("−6.3", ""),)
WORDS = st.lists(st.text("abcdefghij", min_size=1, max_size=12), min_size=1, max_size=30).map(" ".join)


def test_below_the_first_line_the_text_has_the_place_of_the_tail() -> None:
    assert text_of(beside(LEAD, "Says what the duty of a public authority is", TAIL, 30)) == [
        " ◔  25  Says what the     −6.3",
        "        duty of a public",
        "        authority is",
    ]


def test_a_word_without_room_beside_the_tail_goes_below_it() -> None:
    assert text_of(beside(LEAD, "proportionality-test", TAIL, 28)) == [
        " ◔  25                  −6.3",
        "        proportionality-test",
    ]


def test_a_text_that_is_cut_ends_with_an_ellipsis_beside_the_tail() -> None:
    assert text_of(beside(LEAD, "Says what the duty of an authority is", TAIL, 30, most=1)) == [
        " ◔  25  Says what the…    −6.3"
    ]


@given(WORDS, st.integers(30, 120))
def test_no_line_is_too_wide_and_no_word_is_lost(text: str, width: int) -> None:
    lines = beside(LEAD, text, TAIL, width)
    assert max(map(cells, lines)) <= width
    words = " ".join(each[8:] for each in text_of(lines)).split()
    assert [each for each in words if each != "−6.3"] == text.split()


@given(WORDS, st.integers(10, 120))
def test_without_anything_beside_it_a_paragraph_is_as_wide_as_it_may_be(text: str, width: int) -> None:
    first, *others = text_of(paragraph(text, width))
    assert not others or len(first) + 1 + len(others[0].split()[0]) > width


# --- Lines that keep their indent where they are wrapped, as the choices of dialogs have them


def test_a_wrapped_line_keeps_its_indent() -> None:
    text = Hanging((0, Content("label")), (2, Content("one two three four")))
    assert text.wrapped(12).plain.split("\n") == ["label", "  one two", "  three four"]


def test_a_line_has_some_room_however_deep_its_indent() -> None:
    assert Hanging((20, Content("one two three"))).wrapped(10).plain.split() == ["one", "two", "three"]


def test_a_text_stands_beside_a_name_or_below_it_where_that_leaves_too_little_room() -> None:
    text = Hanging((Content("  name  "), Content("one two three four five six")))
    assert text.wrapped(28).plain.split("\n") == ["  name  one two three four", "        five six"]
    assert text.wrapped(20).plain.split("\n") == ["  name", "    one two three", "    four five six"]


def test_a_choice_has_its_warning_before_its_detail() -> None:
    assert str(choice_prompt("label", "detail", warning="careful")) == "label\n  ▲ careful\n  detail"


def test_what_a_terminal_would_obey_is_shown() -> None:
    assert str(choice_prompt("a\x1bb")) == "a␛b"


# --- How many problems there are, in words


@pytest.mark.parametrize(
    ("tally", "said"),
    [
        (None, "checking …"),
        (Tally(), "no problems"),
        (Tally(hints=1), "· 1 hint"),
        (Tally(hints=2), "· 2 hints"),
        (Tally(warnings=1, hints=2), "▲ 1 warning"),
        (Tally(errors=2, warnings=1), "● 2 errors · ▲ 1 warning"),
    ],
)
def test_errors_and_warnings_are_counted_and_hints_where_there_is_nothing_else(tally: Tally | None, said: str) -> None:
    assert str(problems_text(tally)) == said


# --- The diff that a fix is shown as


SIX_LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"


def _edit(old: str, new: str) -> TextEdit:
    start = SIX_LINES.index(old)
    return TextEdit(Span(start, start + len(old)), new)


def test_a_changed_line_stands_between_two_lines_on_either_side() -> None:
    assert unified(SIX_LINES, [_edit("three", "3")]) == [
        DiffLine("@", "line 1"),
        DiffLine(" ", "one"),
        DiffLine(" ", "two"),
        DiffLine("-", "three"),
        DiffLine("+", "3"),
        DiffLine(" ", "four"),
        DiffLine(" ", "five"),
    ]


def test_edits_far_apart_are_two_pieces_with_their_line_numbers() -> None:
    text = SIX_LINES + "\n" * 20 + "last\n"
    edits = [_edit("one", "1"), TextEdit(Span(text.index("last"), text.index("last") + 4), "end")]
    assert [line.text for line in unified(text, edits) if line.sign == "@"] == ["line 1", "line 25"]


def test_no_edit_is_no_diff() -> None:
    assert unified(SIX_LINES, []) == []


# --- Results in a terminal are wrapped below their last column, and are one line each on a pipe


ROW = "   2     –      1     –     –     66.7  “Says that the notice must be in writing, and names the hour of a visit”"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    return monkeypatch


def test_on_a_pipe_nothing_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    assert wrapped(f"{ROW}\n") == f"{ROW}\n"


def test_a_row_goes_on_below_its_last_column(terminal: pytest.MonkeyPatch) -> None:
    assert wrapped(f"{ROW}\n").splitlines() == [
        "   2     –      1     –     –     66.7  “Says that the notice must be in",
        "                                        writing, and names the hour of a visit”",
    ]


def test_a_paragraph_goes_on_below_its_text(terminal: pytest.MonkeyPatch) -> None:
    assert wrapped(f"    {'word ' * 17}end") == f"    {' '.join(['word'] * 15)}\n    word word end"


def test_a_line_whose_columns_take_half_of_the_terminal_goes_on_at_its_margin(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("COLUMNS", "60")
    assert wrapped(ROW).splitlines()[1].startswith("     in writing") or wrapped(ROW).splitlines()[1][:5] == "     "


@given(st.text(st.sampled_from("ab  ，语é“”"), max_size=300), st.integers(20, 120))
def test_no_sign_is_lost_and_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setattr(os, "environ", {**os.environ, "COLUMNS": str(width)})
        lines = wrapped(text).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


KEY = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.mark.parametrize(
    "command",
    [
        ("check", "{}"), ("review", "{}"), ("run", "{}", "--ideal"), ("explain", "{}", "--prompt", "a", "--ideal"),
        ("report", "{}", "--format", "markdown"), ("report", "{}", "--format", "html"), ("diff", "{}", "{}.old"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_text_shows_a_key_that_stands_in_a_blueprint(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "a.yml"
    text = f"- id: a\n  prompt: My key is {KEY}\n  ideal: {KEY}\n  should:\n    - $contains: {KEY}\n"
    path.write_text(text, "utf-8")
    Path(f"{path}.old").write_text(text.replace("My key", "A key").replace("contains: ", "contains: yes "), "utf-8")
    done = studio(*(each.format(path) for each in command))
    assert done.stdout
    assert KEY not in done.stdout + done.stderr


# --- Text that is not drawn is shown wherever a blueprint or an answer is shown, and what an emoji needs stays


HIDDEN_IN_ALL = """\
title: Soft\u00adly
---
- id: first
  prompt: What is the\u2060 notice period?
  ideal: It is 30\u200b days 👩\u200d👧.
  should:
    - Names\U000e0041 the lease
"""


def test_the_editor_draws_the_escape_in_cells_of_its_own() -> None:
    cells = line_cells("a\u200bb")
    assert (cells.shown, cells.width, [cells.cell(column) for column in range(4)]) == ("a\\u200bb", 8, [0, 1, 7, 8])


def test_the_editor_draws_an_emoji_of_several_as_one() -> None:
    cells = line_cells("a👩\u200d👧b")
    assert (cells.shown, cells.whole(2)) == ("a👩\u200d👧b", (1, 4))


def test_tabs_and_escapes_stop_where_they_should() -> None:
    assert line_cells("\u200b\tb\t\xad").shown == "\\u200b  b   \\u00ad"


@given(st.text(st.characters(exclude_characters="\t\n")))
def test_the_editor_shows_what_is_shown_elsewhere(line: str) -> None:
    assert line_cells(line).shown == visible(line)


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "hidden.yml"
    path.write_text(HIDDEN_IN_ALL, "utf-8")
    return path


async def test_a_blueprint_hides_nothing_in_the_editor(blueprint: Path) -> None:
    async with opened(blueprint) as page:
        await page.see("Soft\\u00adly", "the\\u2060 notice", "30\\u200b days 👩\u200d👧.", "Names\\U000e0041 the")


async def test_an_answer_hides_nothing() -> None:
    app = Alone(Passages())
    async with app.run_test(size=(50, 8)) as pilot:
        passages = app.query_one(Passages)
        passages.read((Passage("", "It is 30\u200b days 👩\u200d👧.", render_as=RenderAs.MARKDOWN),))
        await pilot.pause()
        assert passages.render_line(0).text.strip() == "It is 30\\u200b days 👩\u200d👧."


def test_a_row_of_a_list_hides_nothing() -> None:
    assert fit("30\u200b days", 20) == "30\\u200b days"
