"""The diff that a fix is shown as."""

from __future__ import annotations

from engine.text.spans import Span, TextEdit
from studio.tui.dialogs.fix_dialog import DiffLine, unified

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def _edit(old: str, new: str) -> TextEdit:
    start = TEXT.index(old)
    return TextEdit(Span(start, start + len(old)), new)


def test_a_changed_line_stands_between_two_lines_on_either_side() -> None:
    assert unified(TEXT, [_edit("three", "3")]) == [
        DiffLine("@", "line 1"),
        DiffLine(" ", "one"),
        DiffLine(" ", "two"),
        DiffLine("-", "three"),
        DiffLine("+", "3"),
        DiffLine(" ", "four"),
        DiffLine(" ", "five"),
    ]


def test_edits_far_apart_are_two_pieces_with_their_line_numbers() -> None:
    text = TEXT + "\n" * 20 + "last\n"
    edits = [_edit("one", "1"), TextEdit(Span(text.index("last"), text.index("last") + 4), "end")]
    assert [line.text for line in unified(text, edits) if line.sign == "@"] == ["line 1", "line 25"]


def test_no_edit_is_no_diff() -> None:
    assert unified(TEXT, []) == []
