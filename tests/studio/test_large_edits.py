"""What keeps the editor quick on large texts and very long lines says the same as the plain way."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.tui.editor.find_bar import MOST_MATCHES, find_all, find_most
from studio.tui.editor.line_break import break_line
from studio.tui.editor.source_document import RowLayout, SourceDocument, split_lines
from studio.tui.editor.wrapping import line_cells, line_widths, wrapped
from tests.processor_time import costs_less_than
from tests.thoroughness import tried

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
