"""Following a point through edits, and writing an earlier wording back as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.functions import point_text
from engine.parsing import parse
from engine.study.wordings import carried, edit_back, found_point, point_at, points_of, written_wording
from engine.text.spans import Span, TextEdit, apply_edits

TEXT = """\
- id: rent
  prompt: When?
  should:
    - Names the lease
    - {text: Is friendly, weight: 2}
    - $contains: 3rd
    - - In a path
  should_not:
    - >-
      Advises to stop
      paying rent
"""
LEASE = Span(TEXT.index("Names"), TEXT.index("Names") + len("Names the lease"))


def after(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Names the lease", "Names the lease or contract", "Names the lease or contract"),
        ("Names the lease", "Says who says so", "Says who says so"),
        ("When?", "When is it due?", "Names the lease"),
        ("    - Names", "    - Says when\n    - Names", "Names the lease"),
        ("- $contains: 3rd", "- $contains: 5th", "Names the lease"),
        ("lease\n", "lease\n    - Says when\n", "Names the lease"),
    ],
)
def test_a_point_is_found_after_an_edit(old: str, new: str, found: str) -> None:
    text = after(old, new)
    points = points_of(parse(text).blueprint)
    same = [point_text(each.point) == "Names the lease" for each in points]
    point = found_point(points, carried(LEASE, TEXT, text), same)
    assert point is not None
    assert point_text(point.point) == found


def test_a_point_whose_line_is_deleted_is_not_the_next_one() -> None:
    assert carried(LEASE, TEXT, after("    - Names the lease\n", "")) is None


def test_edits_at_several_places_are_told_apart_by_lines() -> None:
    text = after("When?", "When is it due?").replace("lease", "contract").replace("path", "road")
    span = carried(LEASE, TEXT, text)
    assert span is not None
    assert span.of(text) == "Names the contract"


@given(st.text("ab\n -", max_size=12), st.text("ab\n -", max_size=12), st.data())
def test_a_range_that_no_edit_touches_keeps_its_text(before: str, inserted: str, data: st.DataObject) -> None:
    text = f"{before}[kept]{before}"
    span = Span(len(before), len(before) + 6)
    outside = [*range(len(before)), *range(span.end + 1, len(text) + 1)] or [0]
    at = data.draw(st.sampled_from(outside))
    changed = text[:at] + inserted + text[at:]
    moved = carried(span, text, changed)
    assert moved is not None
    assert "[kept]" in moved.of(changed)


@given(st.text("ab [", max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_a_range_grows_with_what_is_typed_in_it(typed: str, start: int, end: int) -> None:
    text, span = "a: [kept]\nb: c\n", Span(4, 8)
    low, high = sorted((4 + min(start, 4), 4 + min(end, 4)))
    changed = text[:low] + typed + text[high:]
    moved = carried(span, text, changed)
    assert moved is not None
    assert changed[: moved.start] + changed[moved.end :] == "a: []\nb: c\n"


@pytest.mark.parametrize("criterion", ["Names", "Is friendly", "$contains", "In a path", "Advises"])
@pytest.mark.parametrize("other", ["Says: 'so'", "- # not a comment", 'A "quoted" word', "Over\ntwo lines"])
def test_a_wording_is_written_back_as_it_was(criterion: str, other: str) -> None:
    parsed = parse(TEXT)
    found = point_at(parsed.blueprint, TEXT, TEXT.index(criterion))
    assert found is not None
    first = written_wording(TEXT, found.point)
    span = found.point.span if found.point.function is not None else found.point.subject_span
    quoted = parse(apply_edits(TEXT, [TextEdit(span, json.dumps(other))]))
    again = point_at(quoted.blueprint, quoted.text, found.point.span.start)
    assert again is not None
    edit = edit_back(quoted, again, first)
    assert edit is not None
    assert apply_edits(quoted.text, [edit]) == TEXT


def test_a_weight_stays_when_an_earlier_wording_comes_back() -> None:
    parsed = parse(TEXT)
    found = point_at(parsed.blueprint, TEXT, TEXT.index("Is friendly"))
    lease = point_at(parsed.blueprint, TEXT, TEXT.index("Names"))
    assert found is not None
    assert lease is not None
    edit = edit_back(parsed, found, written_wording(TEXT, lease.point))
    assert edit is not None
    assert "{text: Names the lease, weight: 2}" in apply_edits(TEXT, [edit])


def test_the_point_on_whose_lines_the_cursor_is() -> None:
    blueprint = parse(TEXT).blueprint
    texts = [
        None if (found := point_at(blueprint, TEXT, TEXT.index(at))) is None else point_text(found.point)
        for at in ("When", "    - Names", "weight", "3rd", "path", "paying")
    ]
    assert texts == [
        None, "Names the lease", "Is friendly", 'Function: contains("3rd")', "In a path", "Advises to stop paying rent",
    ]  # fmt: skip
