"""Texts as lines: paragraphs beside something, hanging indents, counts of problems, and the diff of a fix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from engine.text.spans import Span, TextEdit
from studio.session.analysis import Tally
from studio.tui.dialogs.ask import choice_prompt
from studio.tui.dialogs.fix_dialog import DiffLine, unified
from studio.tui.dialogs.hanging import Hanging
from studio.tui.panes.status import problems_text
from studio.tui.paragraphs import beside, cells, paragraph
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
