"""An edit in a very long line costs little, and lays the line out as if it were new."""

from __future__ import annotations

import random

import pytest

from studio.tui.editor.line_break import break_line
from studio.tui.editor.source_document import RowLayout, SourceDocument
from studio.tui.editor.wrapping import wrapped
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
