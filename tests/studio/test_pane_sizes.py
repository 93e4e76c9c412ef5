"""The sizes of panes for each width of the screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.tui.pane_sizes import MOST_WIDTHS, NEAR, Divider, Room, fitted, read_sizes, sizes_at, with_sizes

SIZES = st.dictionaries(st.sampled_from(Divider), st.integers(1, 300), min_size=1)
WIDTHS = st.integers(1, 400)
REMEMBERED = st.dictionaries(WIDTHS, SIZES.map(lambda sizes: {str(key): size for key, size in sizes.items()}))


@given(REMEMBERED, WIDTHS, SIZES)
def test_a_width_gets_back_what_was_remembered_for_it(
    remembered: dict[int, dict[str, int]], width: int, sizes: dict[Divider, int]
) -> None:
    after = with_sizes(remembered, width, sizes)
    assert sizes_at(after, width) == sizes
    assert len(after) <= max(len(remembered), MOST_WIDTHS)


@given(REMEMBERED, WIDTHS)
def test_after_a_reset_a_width_has_the_usual_sizes(remembered: dict[int, dict[str, int]], width: int) -> None:
    assert sizes_at(with_sizes(remembered, width, {}), width) == {}


@given(REMEMBERED, WIDTHS)
def test_sizes_are_those_of_a_width_that_is_near(remembered: dict[int, dict[str, int]], width: int) -> None:
    near = [sizes for each, sizes in remembered.items() if abs(each - width) <= NEAR]
    found = {str(divider): size for divider, size in sizes_at(remembered, width).items()}
    assert found in [*near, {}]


def test_a_wide_layout_takes_nothing_from_a_narrow_one() -> None:
    assert sizes_at({99: {"outline": 40}}, 100) == {}
    assert sizes_at({99: {"outline": 40}}, 95) == {Divider.OUTLINE: 40}


@given(st.sampled_from(Divider), st.integers(-10, 1000), WIDTHS, st.integers(1, 200), WIDTHS, WIDTHS)
def test_a_size_is_within_the_screen(
    divider: Divider, size: int, width: int, height: int, outline: int, side: int
) -> None:
    found = fitted(divider, size, Room(width, height, outline, side))
    whole = height if divider in (Divider.PROBLEMS, Divider.SHARED) else width
    assert 1 <= found <= whole


def test_what_is_not_of_the_form_of_sizes_is_left_out() -> None:
    saved = {"120": {"outline": 30, "side": "wide", "problems": True}, "wide": {"outline": 3}, "90": [1]}
    assert read_sizes(saved) == {120: {"outline": 30}}
    assert read_sizes([1]) == {}
