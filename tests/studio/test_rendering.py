"""An answer as lines: formatted, wrapped, with evidence, and never anything of it lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import RenderAs
from engine.text.spans import Span
from studio.tui.panes.rendering import TextLayout, lay_out
from studio.tui.panes.rendering import answer_blocks as reading
from studio.tui.panes.rendering.formatted_line import Line
from tests.engine.short_cases import assert_lines_say
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in

MARKDOWN, HTML, PLAIN = RenderAs.MARKDOWN, RenderAs.HTML, RenderAs.PLAINTEXT


def rows(text: str, render_as: RenderAs = MARKDOWN, *evidence: Span, width: int = 40) -> list[str]:
    """The rows of the screen, without what is blank at their ends."""
    return [row.rstrip() for row in shown_by(lay_out(text, render_as, evidence, width))]


def shown_by(laid: TextLayout) -> list[str]:
    found = map(laid.row, range(laid.height))
    return [row.before + " " * row.indent + row.line.body[row.start : row.end] for row in found]


def lines_of(text: str, render_as: RenderAs) -> list[Line]:
    return [line for block in reading.blocks(text, render_as) for line in block.lines]


def inks(text: str, render_as: RenderAs = MARKDOWN) -> list[tuple[str, str]]:
    """What is not drawn plainly: the words and their ink."""
    pieces = [piece for line in lines_of(text, render_as) for piece in line.pieces if piece.ink]
    drawn = [(text[piece.start : piece.end] if piece.shown is None else piece.shown, piece.ink) for piece in pieces]
    return [(words, ink) for words, ink in drawn if words]


def found(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def drawn_rows(line: str) -> Iterator[str]:
    """The rows of an answer, in which ⏎ is a line break; behind ⇐ stands what of it is evidence."""
    text, _, words = line.replace("⏎", "\n").partition(" ⇐ ")
    yield "\n".join(rows(text, MARKDOWN, *([found(text, words)] if words else [])))


def test_an_answer_is_drawn_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "answers.txt", drawn_rows, pytestconfig)


def test_what_hangs_under_a_bullet_is_set_in() -> None:
    assert rows("- the notice period is thirty days", width=20) == ["• the notice period", "  is thirty days"]


def test_a_quote_that_wraps_keeps_its_bar() -> None:
    assert rows("> the notice period is thirty days", width=20) == ["│ the notice period", "│ is thirty days"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A *b*", [("A ", "heading"), ("b", "heading emphasis")]),
        ("**a `b`**", [("a ", "strong"), ("b", "strong code")]),
        ("***a***", [("a", "emphasis strong")]),
    ],
)
def test_formatting_has_its_ink(text: str, expected: list[tuple[str, str]]) -> None:
    assert inks(text) == expected


def test_code_is_coloured_by_its_language() -> None:
    assert ("def", "keyword") in inks("```python\ndef f(): return 'a'\n```")
    assert ("1", "number") in inks("```python\ndef f(): return 1\n```")


def test_code_in_an_unknown_language_has_one_colour() -> None:
    assert ("def f()", "code") in inks("```nonsense\ndef f()\n```")


def test_html_is_shown_as_its_source_in_colours() -> None:
    text = "<p onload=x>Hi</p>\n<script>alert(1)</script>"
    assert rows(text, HTML) == text.split("\n")
    assert ("p", "keyword") in inks(text, HTML)


def test_plain_text_stays_as_it_is() -> None:
    assert rows("# a\n- **b**", PLAIN) == ["# a", "- **b**"]


def test_evidence_that_overlaps_or_lies_outside_is_left_out() -> None:
    assert rows("abc", PLAIN, Span(0, 2), Span(1, 3), Span(2, 9)) == ["⟦ab⟧c"]


def test_a_place_in_the_answer_is_found_on_the_screen() -> None:
    text = "# Notice\n\nThe period is **thirty** days, by the lease and by the law."
    laid = lay_out(text, MARKDOWN, (found(text, "thirty"),), 30)
    assert [laid.row_of(0), laid.row_of(text.index("The")), laid.row_of(text.index("law"))] == [0, 2, 3]


# Laws

_MARKS = [
    *"ab `*_~#->|[](){}.1=+!&<:\t\\\n\n",
    "```",
    "```python\n",
    "- ",
    "**",
    "1. ",
    "> ",
    "    ",
    "|-|",
    "[x] ",
    "~~",
]
_LETTERS = st.sampled_from([*_MARKS, "好", "\r\n", "\x1b", "é", "\u00a0", "\x0b", "&amp;", "](b)", "\n\n", "\n- a\n"])
_TEXTS = st.lists(_LETTERS, max_size=60).map("".join)
_FORMATS = st.sampled_from(RenderAs)


@given(_TEXTS, _FORMATS)
def test_pieces_cover_every_line_without_gaps(text: str, render_as: RenderAs) -> None:
    for line in lines_of(text, render_as):
        places = [line.start, *(at for piece in line.pieces for at in (piece.start, piece.end)), line.end]
        assert places[::2] == places[1::2]


@given(_TEXTS, _FORMATS)
def test_every_line_of_the_answer_is_a_line_on_the_screen(text: str, render_as: RenderAs) -> None:
    assert "\n".join(text[line.start : line.end] for line in lines_of(text, render_as)) == text


@given(_TEXTS)
def test_no_letter_or_digit_is_left_out(text: str) -> None:
    def letters(of: str) -> str:
        return "".join(letter for letter in of.replace("☑", "x") if letter.isalnum())

    shown = "\n".join(row.line.lead + row.body for row in lay_out(text, MARKDOWN, (), 40).drawn)
    assert letters(shown) == letters(text)


@given(_TEXTS, st.integers(0, 60), _FORMATS)
def test_what_grows_looks_as_if_it_had_been_there_at_once(text: str, at: int, render_as: RenderAs) -> None:
    whole = lay_out(text, render_as, (), 12)
    grown = lay_out(text, render_as, (), 12, lay_out(text[:at], render_as, (), 12))
    assert (list(grown.drawn), shown_by(grown)) == (list(whole.drawn), shown_by(whole))


def small_blocks(most: int = 16, longest_line: int = 6) -> Any:
    """Blocks so small that a short text has many, and lines that are cut."""
    return patch.multiple(reading, BLOCK=8, CODE=4, MOST=most, LONGEST_LINE=longest_line)


@given(_TEXTS, st.integers(0, 60), _FORMATS)
def test_what_grows_over_many_blocks_looks_as_if_it_had_been_there_at_once(
    text: str, at: int, render_as: RenderAs
) -> None:
    with small_blocks():
        whole = lay_out(text, render_as, (), 12)
        grown = lay_out(text, render_as, (), 12, lay_out(text[:at], render_as, (), 12))
    assert (list(grown.drawn), shown_by(grown), grown.tops) == (list(whole.drawn), shown_by(whole), whole.tops)


@given(_TEXTS, st.integers(0, 60), st.integers(8, 60))
def test_where_a_block_ends_rests_on_nothing_behind_it(text: str, at: int, most: int) -> None:
    with small_blocks(most, longest_line=100):
        whole = lay_out(text, MARKDOWN, (), 12)
        grown = lay_out(text, MARKDOWN, (), 12, lay_out(text[:at], MARKDOWN, (), 12))
    assert (list(grown.drawn), grown.tops) == (list(whole.drawn), whole.tops)


@given(_TEXTS, _FORMATS)
def test_lines_that_are_cut_lose_nothing(text: str, render_as: RenderAs) -> None:
    with small_blocks():
        lines = lines_of(text, render_as)
    assert "".join(text[line.start : line.end] + "\n" * (not line.cut_behind) for line in lines) == text + "\n"
    assert [line.cut_before for line in lines[1:]] == [line.cut_behind for line in lines[:-1]]


@given(_TEXTS, st.tuples(st.integers(0, 70), st.integers(0, 70)).map(sorted), _FORMATS)
def test_evidence_over_many_blocks_has_one_bracket_on_each_side(
    text: str, places: list[int], render_as: RenderAs
) -> None:
    span = Span(min(places[0], len(text)), min(places[1], len(text)))
    with small_blocks():
        plain = lay_out(text, render_as, (), 40)
        lit = lay_out(text, render_as, (span,), 40, plain)
        assert shown_by(lit) == shown_by(lay_out(text, render_as, (span,), 40))
        assert shown_by(lay_out(text, render_as, (), 40, lit)) == shown_by(plain)
    bodies = "".join(each.body for each in lit.drawn)
    assert bodies.count("⟦") == bodies.count("⟧") == 1


@given(_TEXTS, st.integers(6, 40), _FORMATS)
def test_another_width_wraps_as_if_it_had_been_there_from_the_start(text: str, width: int, render_as: RenderAs) -> None:
    with small_blocks():
        again = lay_out(text, render_as, (), width, lay_out(text, render_as, (), 12))
        assert shown_by(again) == shown_by(lay_out(text, render_as, (), width))


def test_what_is_added_to_a_long_answer_costs_its_last_block_only() -> None:
    text = "The notice period is thirty days, by the lease.\n" * 2000
    laid = lay_out(text, MARKDOWN, (), 40)
    grown = lay_out(text + "And so on", MARKDOWN, (), 40, laid)
    assert laid.costs(text + "And so on", (), 40) < reading.MOST + 100
    assert grown.laid[:-1] == laid.laid[: len(grown.laid) - 1]


def test_code_after_a_long_stretch_of_it_still_has_its_colours() -> None:
    text = "```python\n" + "def f():\n    return 1\n\n" * 600 + "```\nnot `code`"
    assert inks(text).count(("def", "keyword")) == 600
    assert inks(text)[-1] == ("code", "code")


@given(_TEXTS, st.tuples(st.integers(0, 70), st.integers(0, 70)).map(sorted), _FORMATS)
def test_evidence_adds_brackets_and_takes_nothing_away(text: str, places: list[int], render_as: RenderAs) -> None:
    span = Span(min(places[0], len(text)), min(places[1], len(text)))
    lit = "".join(each.body for each in lay_out(text, render_as, (span,), 40).drawn)
    assert lit.count("⟦") == lit.count("⟧") == 1


_ODD = [
    "*a **b ",
    "` `` ",
    "[a](",
    "_",
    "好的，",
    "> - ",
    "\\*",
    "**30 days** and `more`, ",
    "*a*\n",
    "> *a*\n",
    "- a\n",
]
_ODD += [
    "  - a\n",
    "|a|\n|-|\n",
    "[",
    "![",
    "~~a ",
    "1. ",
    "\t",
    "```\n",
    "<a",
    "a\n\n",
    "- [x] ",
    "    a\n",
    "[[a]()",
    "**a_",
]


@pytest.mark.parametrize("piece", one_in(2, _ODD))
def test_a_long_answer_is_laid_out_in_time_however_odd_it_is(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    with costs_less_than(3):
        laid: TextLayout = lay_out(text, MARKDOWN, (), 60)
        assert laid.text == text
