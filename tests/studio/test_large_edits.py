"""What keeps the editor quick on large texts says the same as the plain way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.tui.editor.find_bar import MOST_MATCHES, find_all, find_most
from studio.tui.editor.source_document import split_lines
from studio.tui.editor.wrapping import line_cells, line_widths

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
