"""Lines that keep their indent where they are wrapped, as the choices of dialogs have them."""

from __future__ import annotations

from textual.content import Content

from studio.tui.dialogs.ask import choice_prompt
from studio.tui.dialogs.hanging import Hanging


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
