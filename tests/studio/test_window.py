"""Which panes are seen at a width, and that what stays does not move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.tui.window import TEXTS, Pane, Seen, window

OUTLINE, CRITERIA, ANSWERS, TEXT, ANSWER = Pane
TABLE = [
    (80, TEXT, (), "Text 80"),
    (80, CRITERIA, (TEXT,), "Criteria 80"),
    (100, TEXT, (), "Outline 44 | Text 55"),
    (100, CRITERIA, (OUTLINE, TEXT), "Criteria 44 | Text 55"),
    (120, TEXT, (), "Outline 53 | Text 66"),
    (120, TEXT, (CRITERIA,), "Criteria 53 | Text 66"),
    (120, ANSWER, (CRITERIA, TEXT), "Criteria 53 | Answer 66"),
    (120, OUTLINE, (CRITERIA, ANSWER), "Outline 53 | Answer 66"),
    (120, ANSWERS, (CRITERIA, TEXT), "All answers 53 | Text 66"),
    (140, TEXT, (CRITERIA,), "Criteria 73 | Text 66"),
    (160, TEXT, (), "Outline 44 | Text 57 | Answer 57"),
    (160, CRITERIA, (), "Criteria 44 | Text 57 | Answer 57"),
    (200, TEXT, (), "Outline 30 | Criteria 47 | Text 60 | Answer 60"),
    (200, ANSWERS, (), "Outline 30 | All answers 47 | Text 60 | Answer 60"),
]
WIDTHS = st.integers(20, 320)
PANES = st.sampled_from(Pane)


@pytest.mark.parametrize(("width", "focused", "opened", "seen"), TABLE)
def test_the_window(width: int, focused: Pane, opened: tuple[Pane, ...], seen: str) -> None:
    assert " | ".join(f"{each.pane} {each.width}" for each in window(width, focused, opened)) == seen


def test_all_answers_stay_while_a_text_has_the_keys() -> None:
    assert [each.pane for each in window(120, TEXT, (ANSWERS,), answers=True)] == [ANSWERS, TEXT]


def test_the_criteria_come_back_with_the_keys() -> None:
    assert [each.pane for each in window(120, CRITERIA, (ANSWERS,), answers=True)] == [CRITERIA, TEXT]


@given(WIDTHS, PANES, st.booleans())
def test_no_width_hides_what_has_the_keys(width: int, focused: Pane, answers: bool) -> None:
    assert focused in [each.pane for each in window(width, focused, (), answers=answers)]


@given(WIDTHS, PANES, st.sets(PANES), st.booleans())
def test_the_panes_and_the_lines_between_them_fill_the_screen(
    width: int, focused: Pane, opened: set[Pane], answers: bool
) -> None:
    seen = window(width, focused, opened, answers=answers)
    assert sum(each.width for each in seen) + len(seen) - 1 == width


@given(WIDTHS, st.lists(PANES, min_size=2, max_size=8), st.booleans())
def test_a_pane_that_stays_does_not_move(width: int, path: list[Pane], answers: bool) -> None:
    seen: tuple[Seen, ...] = ()
    for focused in path:
        before, seen = seen, window(width, focused, [each.pane for each in seen], answers=answers)
        assert _moved(before, seen) == []


def _moved(before: tuple[Seen, ...], now: tuple[Seen, ...]) -> list[Pane]:
    was, at = _columns(before), _columns(now)
    return [pane for pane in was.keys() & at.keys() if was[pane] != at[pane]]


def _columns(seen: tuple[Seen, ...]) -> dict[Pane, tuple[int, int]]:
    columns: dict[Pane, tuple[int, int]] = {}
    left = 0
    for each in seen:
        columns[each.pane] = left, each.width
        left += each.width + 1
    return columns


@given(WIDTHS.filter(lambda width: width >= 100), PANES, PANES)
def test_a_text_keeps_its_width(width: int, one: Pane, other: Pane) -> None:
    widths = {each.width for focused in (one, other) for each in window(width, focused, ()) if each.pane in TEXTS}
    assert len(widths) == 1


@given(WIDTHS, PANES)
def test_two_answers_take_the_place_of_both_texts_and_nothing_else_moves(width: int, focused: Pane) -> None:
    one, two = (window(width, focused, (), two=each) for each in (False, True))
    assert [each for each in two if each.pane.is_list] == [each for each in one if each.pane.is_list]
    assert sum(each.width + 1 for each in two) == sum(each.width + 1 for each in one)
    assert focused in [each.pane for each in two]
    if width >= 160 and focused is not Pane.TEXT:
        assert two[-1] == Seen(Pane.ANSWER, 2 * one[-1].width + 1)
