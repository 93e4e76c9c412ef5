"""Positions, edits, and what untrusted text looks like on a screen."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import FunctionCall, Prompt
from engine.evaluation.result_json import explanation_json
from engine.evidence.passages import sentence_text, sentences
from engine.files.own_files import listen, state_dir
from engine.files.user_settings import offset_in, place_in, recalled_cursor, remember_cursor
from engine.models.chat import USUAL_MAX_TOKENS
from engine.models.prices import longest_answer
from engine.scoring.explanation import severity_text
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place, severities
from engine.text import spans
from engine.text.record import replace
from engine.text.spans import (
    Carrier,
    LineIndex,
    Position,
    Span,
    TextEdit,
    apply_edits,
    carry_span,
    changed_lines,
    edits_between,
    positions,
    visible,
)
from engine.yaml.tree_loader import load
from tests.checked_corpus import read
from tests.engine.builders import assessed, check, prompt, text
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

# Positions, edits, and what untrusted text looks like on a screen


@given(st.text(alphabet="ab\n\r\u2028😀"), st.integers(0, 40))
def test_an_offset_survives_the_way_to_a_position_and_back(text: str, offset: int) -> None:
    index = LineIndex(text)
    place = min(offset, len(text))
    assert index.offset(index.position(place)) in (place, index.line_span(index.position(place).line).end)


@every("text", ["a\nb", "a\rb", "a\r\nb"])
def test_a_line_ends_at_every_yaml_line_break(text: str) -> None:
    assert LineIndex(text).position(len(text)) == Position(1, 1)


@every("separator", ["\u2028", "\u2029", "\u0085", "\x0c", "\x0b", "\x1c"])
def test_other_separators_end_no_line(separator: str) -> None:
    assert LineIndex(f"a{separator}b").line_count == 1


def test_edits_apply_to_the_text_before_any_of_them() -> None:
    edits = [TextEdit(Span(4, 5), "E"), TextEdit(Span(0, 1), ""), TextEdit(Span(2, 2), "++")]
    assert apply_edits("abcde", edits) == "b++cdE"


@pytest.mark.parametrize("edits", [[TextEdit(Span(0, 2), ""), TextEdit(Span(1, 3), "")], [TextEdit(Span(2, 9), "")]])
def test_edits_that_overlap_or_lie_outside_are_refused(edits: list[TextEdit]) -> None:
    with pytest.raises(ValueError, match="edit"):
        apply_edits("abcde", edits)


@every(
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


@every("control", [*BIDI_CONTROLS, "\u2028", "\u2029", "\ufeff"])
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


@every(
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


# Where the cursor was in a file that is opened again


LINES = st.lists(st.text("ab \u2028-", max_size=4), max_size=6).map("\n".join)


@given(LINES, st.integers(0, 40))
def test_an_unchanged_text_is_read_on_at_the_same_offset(text: str, offset: int) -> None:
    assert offset_in(text, place_in(text, offset)) == min(offset, len(text))


@given(LINES, LINES, st.integers(0, 40))
def test_a_place_is_within_any_text(text: str, other: str, offset: int) -> None:
    assert 0 <= offset_in(other, place_in(text, offset)) <= len(other)


def test_the_line_is_found_where_it_is_now() -> None:
    text = "a\nb\nNames the lease\nc\n"
    place = place_in(text, text.index("lease"))
    other = f"new\nnew\nnew\n{text}"
    assert offset_in(other, place) == other.index("lease")


def test_of_several_such_lines_the_nearest_counts() -> None:
    place = place_in("a\nx\nb\nx\nc\nx\n", 6)
    assert offset_in("a\nx\nb\nx\nx\n", place) == 6


def test_a_line_that_is_gone_leaves_the_cursor_at_its_number() -> None:
    place = place_in("a\nb\nlong line\n", 8)
    assert offset_in("a\nb\nc\n", place) == 5


def test_each_file_has_a_cursor_of_its_own(tmp_path: Path) -> None:
    remember_cursor(tmp_path / "a.yml", place_in("x\ny\n", 2))
    remember_cursor(tmp_path / "b.yml", place_in("x\ny\n", 1))
    found = [recalled_cursor(tmp_path / name, "x\ny\n") for name in ("a.yml", "b.yml", "c.yml")]
    assert found == [2, 1, 0]


@pytest.mark.parametrize("content", [b"[]", b'{"a": [1, 2]}', b'{"a": [-1, 2, "x"]}', b"nonsense"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    reports: list[str] = []
    listen(reports.append)
    state_dir().mkdir(parents=True, exist_ok=True)
    (state_dir() / "cursors.json").write_bytes(content)
    assert (recalled_cursor(tmp_path / "a.yml", "x"), len(reports)) == (0, 1)


# Comparing texts line by line: right for all, and quick for long ones


TEXT_LINES = [f"line {number}" for number in range(20_000)]


def shuffled(lines: list[str]) -> list[str]:
    return random.Random(1).sample(lines, len(lines))


def of_two(seed: int) -> list[str]:
    return random.Random(seed).choices(["a", "b"], k=20_000)


LONG: dict[str, Callable[[], tuple[list[str], list[str]]]] = {
    "all lines": lambda: (TEXT_LINES, [line.upper() for line in TEXT_LINES]),
    "each other line": lambda: (
        TEXT_LINES,
        [line.upper() if number % 2 else line for number, line in enumerate(TEXT_LINES)],
    ),
    "another order": lambda: (TEXT_LINES, shuffled(TEXT_LINES)),
    "backwards": lambda: (TEXT_LINES, TEXT_LINES[::-1]),
    "two kinds of lines": lambda: (of_two(1), of_two(2)),
    "one line": lambda: (TEXT_LINES, [*TEXT_LINES[:10_000], "x", *TEXT_LINES[10_001:]]),
    "blank lines between": lambda: (
        [line if number % 3 else "" for number, line in enumerate(TEXT_LINES)],
        [line if number % 3 else "" for number, line in enumerate(shuffled(TEXT_LINES))],
    ),
}


def rebuilt(old: list[str], new: list[str]) -> list[str]:
    """`old` with its changes made."""
    lines: list[str] = []
    done = 0
    for change in changed_lines(old, new):
        lines += [*old[done : change.low], *new[change.new_low : change.new_high]]
        done = change.high
    return lines + old[done:]


@every("make", LONG.values())
def test_long_texts_are_compared_within_seconds(make: Callable[[], tuple[list[str], list[str]]]) -> None:
    old, new = make()
    with costs_less_than(2):
        assert rebuilt(old, new) == new


def test_of_a_long_text_only_what_differs_is_changed() -> None:
    new = [line.upper() if number % 100 == 0 else line for number, line in enumerate(TEXT_LINES)]
    assert [(change.low, change.high) for change in changed_lines(TEXT_LINES, new)] == [
        (number, number + 1) for number in range(0, 20_000, 100)
    ]


lines = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@given(old=lines, new=lines, pairs=st.sampled_from([0, 9, 100]))
def test_the_changes_make_one_of_the_other_however_they_are_found(old: list[str], new: list[str], pairs: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_MOST_PAIRS", pairs)
        assert rebuilt(old, new) == new


@given(old=lines, new=lines, pairs=st.sampled_from([0, 9, 100]))
def test_changes_have_lines_in_common_between_them(old: list[str], new: list[str], pairs: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_MOST_PAIRS", pairs)
        changes = changed_lines(old, new)
    assert all(one.high < other.low and one.new_high < other.new_low for one, other in pairwise(changes))
    assert all(change.low < change.high or change.new_low < change.new_high for change in changes)


def test_the_edits_between_long_texts_make_one_of_the_other() -> None:
    before, after = "\n".join(TEXT_LINES), "\n".join(shuffled(TEXT_LINES))
    assert apply_edits(before, edits_between(before, after)) == after


# An answer's sentences: where they end, where they do not, and that nothing of the answer goes unread


def said(text: str) -> list[str]:
    return [sentence_text(span, text) for span in sentences(text)]


def test_a_sentence_has_its_place_in_the_text() -> None:
    text = "One.\n\n- **Two** is here.  Three."
    assert [span.of(text) for span in sentences(text)] == ["One.", "**Two** is here.", "Three."]


@given(st.text(alphabet=st.sampled_from("aB1é法.!?。 \n\t-*#`|>()“”é\u2028\r"), max_size=120) | st.text(max_size=200))
def test_every_letter_is_in_exactly_one_sentence(text: str) -> None:
    spans = sentences(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    inside = {place for span in spans for place in range(span.start, span.end)}
    marks = {place for place, each in enumerate(text) if each.isalnum()} - inside
    assert all(_begins_an_item(text, place) for place in marks)


def _begins_an_item(text: str, place: int) -> bool:
    """Whether what stands at `place` numbers an item of a list, or names the language of a block of code."""
    line = text[: place + 1].splitlines()[-1].lstrip()
    return line.lstrip("> \t(").isalnum() or line.startswith(("```", "~~~"))


@given(st.text(max_size=300))
def test_a_sentence_is_one_line_of_meaning_within_the_text(text: str) -> None:
    assert all("\n" not in each and each == each.strip() for each in said(text))
    assert all(0 <= span.start < span.end <= len(text) for span in sentences(text))


# The longest answer that a request leaves room for


def test_the_usual_limit_is_that_of_a_request() -> None:
    assert longest_answer("openai:gpt-4o", []) == USUAL_MAX_TOKENS == 1500


# Severity: what an answer can still score that fails one point and meets all others


ENTRIES = st.lists(
    st.one_of(
        st.builds(text, st.just("p"), st.floats(0.1, 10)),
        st.lists(st.builds(text, st.just("p"), st.floats(0.1, 10)), min_size=1, max_size=3),
    ),
    max_size=5,
)
PROMPTS = st.builds(prompt, ENTRIES, ENTRIES)


def recomputed(some: Prompt, failed: int) -> float | None:
    """The score by `explain` with one point at 0 and all others at 1."""
    extents = [0.0 if place == failed else 1.0 for place in range(len(some.points()))]
    return explain(some, assessed(some, extents)).score


@given(PROMPTS)
def test_it_is_the_score_with_this_point_at_0_and_all_others_at_1(some: Prompt) -> None:
    expected = [recomputed(some, index) for index in range(len(some.points()))]
    assert severities(place(some)) == pytest.approx(expected)


@given(PROMPTS, st.data())
def test_it_does_not_depend_on_what_is_assessed(some: Prompt, data: st.DataObject) -> None:
    count = len(some.points())
    extents = data.draw(st.lists(st.none() | st.floats(0, 1), min_size=count, max_size=count))
    explanation = explain(some, assessed(some, extents))
    left = {id(each.assessment.placed.point): each.severity for group in explanation.groups() for each in group.points}
    expected = severities(place(some))
    assert [left[id(point)] for point in some.points()] == pytest.approx(expected)


def test_it_is_unknown_where_all_weights_are_0() -> None:
    assert severities(place(prompt([text("A", weight=0.0)]))) == (None,)


def test_it_is_unknown_where_a_yaml_error_hides_points() -> None:
    cut = replace(prompt([text("A"), text("B")]), is_cut_off=True)
    (group,) = explain(cut, assessed(cut, [1.0, 1.0])).groups()
    assert [point.severity for point in group.points] == [None, None]


def test_the_sentence_says_whether_the_answer_does_or_misses_it() -> None:
    some = prompt([text("A")], [check("contains", "b")])
    wanted, forbidden = place(some)
    assert severity_text(wanted, 0.92) == "an answer that misses this can still get 92"
    assert severity_text(forbidden, 10 / 11) == "an answer that does this can still get 90.9"


def test_the_explanation_in_json_has_it_beside_each_point() -> None:
    some = prompt([text("A")], [text("B")])
    data: Any = explanation_json(explain(some, assessed(some, [1.0, None])))
    assert [point["severity"] for point in data["groups"][0]["points"]] == [0.5, 0.5]
    assert data["version"] == 2


def forbidden(some: Prompt) -> list[float]:
    placed = place(some)
    pairs = zip(placed, severities(placed), strict=True)
    return [left for each, left in pairs if each.inverted and left is not None]


@needs_corpus
def test_most_forbidden_things_of_the_corpus_cost_25_or_less() -> None:
    prompts = [each for path in one_in(6, corpus_files()) for each in read(path).blueprint.prompts]
    assert median(left for some in prompts for left in forbidden(some)) >= 0.75


# Records: frozen, told apart by their fields, and given back when nobody needs them


SPAN = Span(3, 7)
LONG_RECORD = "x" * 100_000


def test_nobody_sets_a_field_anew() -> None:
    with pytest.raises(AttributeError):
        setattr(SPAN, "start", 4)  # noqa: B010  # the type checker knows it already


def test_a_record_of_lists_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(FunctionCall("contains_any_of", ["a"]))


def test_spans_sort_by_where_they_begin_and_then_end() -> None:
    assert sorted([Span(3, 9), SPAN, Span(1, 8)]) == [Span(1, 8), SPAN, Span(3, 9)]


@every("text", ["&a {self: *a, text: LONG}", "&a [*a, LONG]", "&a\n- text: LONG\n  self: *a\n- *a\n"])
def test_a_collection_that_holds_itself_is_given_back(text: str) -> None:
    tracemalloc.start()
    try:
        for _ in range(5):
            load(text.replace("LONG", LONG_RECORD))
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 2 * len(LONG_RECORD)
    finally:
        tracemalloc.stop()
