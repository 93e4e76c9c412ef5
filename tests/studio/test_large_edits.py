"""What keeps the editor quick on large texts says the same as the plain way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.tui.editor.find_bar import MOST_MATCHES, find_all, find_most
from studio.tui.editor.line_cells import line_cells, line_widths
from studio.tui.editor.source_document import SourceDocument, split_lines
from studio.tui.editor.syntax import Highlight, Syntax
from tests.processor_time import costs_less_than

MANY = "a b\n" * (MOST_MATCHES * 2)

lines = st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=8), max_size=300)


@given(lines)
def test_many_lines_have_the_cells_of_each(many: list[str]) -> None:
    assert line_widths(many) == [line_cells(line).width for line in many]


@given(st.text(st.sampled_from("ab\n\r "), max_size=40))
def test_lines_and_ends_are_the_text(text: str) -> None:
    split, ends = split_lines(text)
    assert "".join(line + end for line, end in zip(split, ends, strict=True)) == text


@given(lines)
def test_the_highlighter_reads_the_same_lines(many: list[str]) -> None:
    document = SourceDocument("\n".join(many))
    assert Syntax(document).source == "".join(f"{line}\n" for line in document.lines).encode("utf-8", "surrogatepass")


MANY_LINES = "- id: a\n  prompt: 'b'\n  points: 1 # c\n" * 3000


def caught_up(syntax: Syntax) -> Syntax:
    while syntax.is_behind:
        syntax.catch_up()
    return syntax


def highlights(syntax: Syntax) -> list[set[Highlight]]:
    return [set(syntax.on(row)) for row in range(0, 18_000, 500)]


def pasted_at(offset: int) -> tuple[SourceDocument, Syntax]:
    """A long text, not parsed again since as much was pasted at `offset`."""
    document = SourceDocument(MANY_LINES)
    syntax = Syntax(document)
    syntax.follow(document.replace(offset, offset, MANY_LINES))
    return document, syntax


@pytest.mark.parametrize("offset", [0, len(MANY_LINES) // 2, len(MANY_LINES)])
def test_a_long_text_has_the_highlights_of_a_fresh_parse_in_the_end(offset: int) -> None:
    document, syntax = pasted_at(offset)
    syntax.follow(document.replace(offset, offset, "# d\n"))
    syntax.follow(document.replace(document.length, document.length, "- id: 'é'\n"))
    assert highlights(caught_up(syntax)) == highlights(Syntax(document))


def test_a_long_paste_does_not_wait_for_its_highlights() -> None:
    document = SourceDocument(MANY_LINES)
    syntax = Syntax(document)
    lines = document.replace(0, 0, MANY_LINES)
    with costs_less_than(0.01):
        syntax.follow(lines)


def test_until_a_long_paste_is_parsed_the_highlights_of_all_else_move_with_the_text() -> None:
    document, syntax = pasted_at(8)
    assert set(syntax.on(9002)) == set(Syntax(document).on(9002))


# --- Finding


def test_a_few_matches_are_all_found() -> None:
    assert find_most("a b a", "a", 3) == (find_all("a b a", "a"), True)


def test_of_very_many_matches_the_next_ones_are_found() -> None:
    found, is_all = find_most(MANY, "a", len(MANY) // 2)
    assert (len(found), found[0].start, is_all) == (MOST_MATCHES, len(MANY) // 2, False)


def test_at_the_end_of_the_text_finding_goes_on_at_its_beginning() -> None:
    found, _ = find_most(MANY, "a", len(MANY) - 4)
    assert [each.start for each in found[:2]] == [len(MANY) - 4, 0]
