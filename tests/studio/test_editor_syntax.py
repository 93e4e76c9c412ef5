"""The colours of YAML in the editor, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.tui.editor.source_document import SourceDocument
from studio.tui.editor.syntax import Kind, Syntax
from tests.engine.short_cases import assert_says
from tests.processor_time import costs_less_than

K, N = Kind.KEY, Kind.NUMBER


def coloured(text: str, row: int) -> tuple[tuple[str, Kind], ...]:
    """What is coloured in a line, but for punctuation."""
    document = SourceDocument(text)
    found = Syntax(document).on(row)
    return tuple((document[row][one.start : one.end], one.kind) for one in found if one.kind is not Kind.PUNCTUATION)


def colours(_mark: str, text: str) -> Iterator[str]:
    """What is coloured in each line of a text."""
    for row, line in enumerate(text.splitlines()):
        yield "  ".join([line, *(f"{kind.name.lower()}: {words}" for words, kind in coloured(text, row))])


def test_a_line_has_the_colours_of_what_yaml_reads_there(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).parent / "line_cases" / "colours.txt", colours, pytestconfig)


def test_line_ends_of_every_kind_part_lines() -> None:
    assert [coloured("a: 1\rb: 'x'\r\nc: true\n", row) for row in range(3)] == [
        (("a", K), ("1", N)),
        (("b", K),),
        (("c", K), ("true", N)),
    ]


def test_a_quotation_mark_that_is_never_closed_colours_no_prompt_below_it() -> None:
    assert coloured("- id: 'a\n  prompt: 5\n- id: 7\n", 2) == (("id", K), ("7", N))


def test_a_line_far_below_the_last_one_at_the_margin_has_its_colours() -> None:
    assert coloured("prompts:\n" + "  - id: 3\n" * 3000, 2900) == (("id", K), ("3", N))


def test_numbers_of_an_indented_json_file_have_their_colour_everywhere() -> None:
    assert coloured("{\n" + '  "a": 3,\n' * 3000 + "}\n", 2900) == (('"a"', K), ("3", N))


@given(st.text("ab-:# '\"|>[]{},&*!\\\n1", max_size=60), st.text("a: |\n'\"[", max_size=9), st.integers(0, 60))
def test_after_an_edit_the_colours_are_those_of_the_new_text(text: str, put: str, at: int) -> None:
    document = SourceDocument(text)
    syntax = Syntax(document)
    syntax.on(document.line_count - 1)
    document.replace(min(at, len(text)), min(at, len(text)), put)
    syntax.follow()
    fresh = Syntax(SourceDocument(document.text))
    rows = range(document.line_count)
    assert [syntax.on(row) for row in rows] == [fresh.on(row) for row in reversed(rows)][::-1]


DEEP = ("[", "{a: ", "- ", "? ", "a: ", "& ", '"', "' ", "x", " #", "\\", "| ")


@pytest.mark.parametrize("sign", DEEP)
def test_colours_cost_the_same_however_long_or_deep_a_line_is(sign: str) -> None:
    document = SourceDocument(sign * 100_000)
    with costs_less_than(0.4):
        Syntax(document).on(0, 0, 80)


def test_colours_cost_the_same_however_deep_lines_are_nested() -> None:
    document = SourceDocument("\n".join(f"{' ' * depth}a:" for depth in range(3000)))
    with costs_less_than(0.4):
        assert Syntax(document).on(2999)
