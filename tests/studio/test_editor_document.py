"""The document of the editor: the same text out as in, and after edits the same as those edits on a plain string."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, Span
from studio.tui.editor.diagnostic_marks import Marks
from studio.tui.editor.source_document import LineStarts, SourceDocument
from studio.tui.editor.source_edit import Change
from tests.world import corpus_files, needs_corpus

TEXT = st.text(alphabet="ab- :\t\r\n\u2028\x85\x0c\x0b\x1b\u00e9\u6f22\U0001f469\u200d\u0301\ud800", max_size=40)
EDIT = st.tuples(st.integers(0, 60), st.integers(0, 60), TEXT)


@given(TEXT)
def test_a_text_comes_out_as_it_went_in(text: str) -> None:
    assert SourceDocument(text).text == text


@given(TEXT)
def test_lines_are_those_of_the_engine(text: str) -> None:
    index = LineIndex(text)
    assert SourceDocument(text).lines == [index.line(row) for row in range(index.line_count)]


@given(TEXT, st.lists(EDIT, max_size=8))
def test_edits_do_what_they_do_to_a_plain_string(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = SourceDocument(text)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        removed = document.replace(start, end, new).removed
        assert removed == text[start:end]
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.lines == SourceDocument(text).lines
        assert document.length == len(text)
        assert document.get_size(2) == SourceDocument(text).get_size(2)


@given(TEXT, st.lists(EDIT, max_size=5))
def test_offsets_and_locations_are_those_of_the_text(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = SourceDocument(text)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        document.replace(start, end, new)
        text = text[:start] + new + text[end:]
    index = LineIndex(text)
    fresh = SourceDocument(text)
    assert [document.location_of(at) for at in range(len(text) + 1)] == [
        fresh.location_of(at) for at in range(len(text) + 1)
    ]
    assert [document.offset_at((row, 0)) for row in range(index.line_count)] == [
        index.line_span(row).start for row in range(index.line_count)
    ]


@given(TEXT, TEXT, TEXT, st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(0, 9), TEXT), max_size=6))
def test_marks_stay_on_their_text_whatever_is_edited_around_it(
    before: str, marked: str, after: str, edits: list[tuple[bool, int, int, str]]
) -> None:
    marked = f"<{marked}>"
    document = SourceDocument(before + marked + after)
    marks = Marks(document.line_count)
    here = Span(len(before), len(before) + len(marked))
    marks.show(document, [Diagnostic("E1", "a-rule", Severity.ERROR, here, "Wrong.", "Why.")], [])
    for is_before, at, length, new in edits:
        side = before if is_before else after
        start, end = min(at, len(side)), min(at + length, len(side))
        offset = start if is_before else len(before) + len(marked) + start
        lines = document.replace(offset, offset + end - start, new)
        marks.follow(document, Change(offset, side[start:end], new), lines)
        side = side[:start] + new + side[end:]
        before, after = (side, after) if is_before else (before, side)
    pieces = [
        document.lines[row][mark.start : mark.end] for row in range(document.line_count) for mark in marks.on(row)
    ]
    assert "".join(pieces) == re.sub("[\r\n]", "", marked)


@pytest.mark.parametrize("offset", range(5))
def test_a_location_within_a_crlf_is_the_end_of_its_line(offset: int) -> None:
    assert SourceDocument("a\r\nb").location_of(offset) == [(0, 0), (0, 1), (0, 1), (1, 0), (1, 1)][offset]


def test_mixed_line_ends_and_line_separators_survive_an_edit() -> None:
    document = SourceDocument("a\r\nb\u2028c\nd\re\x85f\x0cg")
    document.replace(3, 4, "B")
    assert document.text == "a\r\nB\u2028c\nd\re\x85f\x0cg"


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4), st.lists(st.integers(0, 9), min_size=1, max_size=4))),
)
def test_line_starts_stay_the_running_total(sizes: list[int], edits: list[tuple[int, int, list[int]]]) -> None:
    starts = LineStarts(sizes)
    for first, count, new in edits:
        first = min(first, len(sizes) - 1)
        after = min(first + count, len(sizes))
        starts.replace(first, after, new)
        sizes[first:after] = new
    assert [starts.start(row) for row in range(len(sizes) + 1)] == [sum(sizes[:row]) for row in range(len(sizes) + 1)]
    assert starts.total == sum(sizes)


@needs_corpus
def test_every_corpus_file_comes_out_as_it_went_in() -> None:
    for path in corpus_files():
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        assert SourceDocument(text).text == text


@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_text_is_the_lines_joined_however_many_edits_it_was_not_asked_for(count: int) -> None:
    document = SourceDocument("a\r\nb\nc")
    document.text  # noqa: B018
    for number in range(count):
        document.replace(number % 5, number % 5 + number % 2, "x\ny"[number % 3 :])
    assert document.text == document.slice(0, document.length)
