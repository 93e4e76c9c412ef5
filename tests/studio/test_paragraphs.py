"""Texts in several lines, with something ahead of and behind the first one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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
