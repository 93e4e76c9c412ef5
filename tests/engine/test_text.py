"""Positions, edits, and what untrusted text looks like on a screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.spans import (
    Carrier,
    LineIndex,
    Position,
    Span,
    TextEdit,
    apply_edits,
    carry_span,
    edits_between,
    in_quotes,
    positions,
    visible,
)


@given(st.text(alphabet="ab\n\r\u2028😀"), st.integers(0, 40))
def test_an_offset_survives_the_way_to_a_position_and_back(text: str, offset: int) -> None:
    index = LineIndex(text)
    place = min(offset, len(text))
    assert index.offset(index.position(place)) in (place, index.line_span(index.position(place).line).end)


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\r\nb"])
def test_a_line_ends_at_every_yaml_line_break(text: str) -> None:
    assert LineIndex(text).position(len(text)) == Position(1, 1)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0c", "\x0b", "\x1c"])
def test_other_separators_end_no_line(separator: str) -> None:
    assert LineIndex(f"a{separator}b").line_count == 1


def test_edits_apply_to_the_text_before_any_of_them() -> None:
    edits = [TextEdit(Span(4, 5), "E"), TextEdit(Span(0, 1), ""), TextEdit(Span(2, 2), "++")]
    assert apply_edits("abcde", edits) == "b++cdE"


@pytest.mark.parametrize("edits", [[TextEdit(Span(0, 2), ""), TextEdit(Span(1, 3), "")], [TextEdit(Span(2, 9), "")]])
def test_edits_that_overlap_or_lie_outside_are_refused(edits: list[TextEdit]) -> None:
    with pytest.raises(ValueError, match="edit"):
        apply_edits("abcde", edits)


@pytest.mark.parametrize(
    ("untrusted", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("a\tb\nc", "a\tb\nc"),
        ("\r", "␍"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("naïve 😀", "naïve 😀"),
    ],
)
def test_what_could_steer_a_terminal_becomes_visible(untrusted: str, shown: str) -> None:
    assert visible(untrusted) == shown


BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("control", [*BIDI_CONTROLS, "\u2028", "\u2029", "\ufeff"], ids=ascii)
def test_what_could_turn_a_line_around_or_hide_becomes_visible(control: str) -> None:
    assert visible(f"a{control}b") == f"a\\u{ord(control):04x}b"


@given(st.text())
def test_nothing_invisible_gets_through(text: str) -> None:
    assert not any((ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in visible(text))


@given(st.text("a\n\ré"), st.lists(st.integers(-1, 12)))
def test_positions_in_one_pass_are_those_of_the_index(text: str, offsets: list[int]) -> None:
    index = LineIndex(text)
    assert list(positions(text, sorted(offsets))) == [index.position(offset) for offset in sorted(offsets)]


@given(st.text("ab\n\ré"), st.text("ab\n\ré"))
def test_the_edits_between_two_texts_make_one_of_the_other(before: str, after: str) -> None:
    assert apply_edits(before, edits_between(before, after)) == after


def test_the_edits_between_two_texts_touch_only_what_differs() -> None:
    assert edits_between("a\nbcd\ne\n", "a\nbXd\ne\nf\n") == (TextEdit(Span(3, 4), "X"), TextEdit(Span(8, 8), "f\n"))


@pytest.mark.parametrize(
    ("edits", "carried"),
    [
        ([TextEdit(Span(0, 1), "XYZ")], Span(6, 8)),
        ([TextEdit(Span(4, 4), "(")], Span(4, 7)),
        ([TextEdit(Span(6, 6), ")")], Span(4, 7)),
        ([TextEdit(Span(3, 5), "")], Span(3, 4)),
        ([TextEdit(Span(5, 8), "long")], Span(4, 9)),
        ([TextEdit(Span(2, 8), "ab")], Span(2, 4)),
        ([TextEdit(Span(7, 9), "")], Span(4, 6)),
    ],
)
def test_a_span_is_carried_through_edits_with_what_is_written_into_it(edits: list[TextEdit], carried: Span) -> None:
    assert carry_span(Span(4, 6), edits) == carried


@st.composite
def edits_apart(draw: st.DrawFn) -> list[TextEdit]:
    """Edits that do not overlap, in any order: insertions, and replacements that may be adjacent."""
    bounds = sorted(draw(st.lists(st.integers(0, 30), max_size=12)))
    spans = dict.fromkeys(Span(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=False))
    return draw(st.permutations([TextEdit(span, draw(st.text("ab", max_size=4))) for span in spans]))


@given(edits_apart(), st.integers(0, 35), st.integers(0, 10))
def test_a_carrier_carries_as_each_span_alone_is_carried(edits: list[TextEdit], start: int, length: int) -> None:
    span = Span(start, start + length)
    assert Carrier(edits).carry(span) == carry_span(span, edits)


@given(edits_apart())
def test_a_carrier_knows_where_the_text_of_each_edit_is(edits: list[TextEdit]) -> None:
    after = apply_edits("." * 40, edits)
    carrier = Carrier(edits)
    assert [carrier.written(edit).of(after) for edit in edits] == [edit.text for edit in edits]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Paraná", "“Paraná”"),
        ("", "“”"),
        ("tenants’", "“tenants’”"),
        ("the “poor” door", "“the “poor” door”"),
        ("“Paraná", "`“Paraná`"),
        ('30 "days"', '`30 "days"`'),
        ("„so“", "`„so“`"),
        ("‘due’ process", "`‘due’ process`"),
    ],
)
def test_a_text_with_a_quotation_mark_at_its_edge_is_not_shown_in_doubled_ones(text: str, shown: str) -> None:
    assert in_quotes(text) == shown
