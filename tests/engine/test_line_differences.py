"""Comparing texts line by line: right for all, and quick for long ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import spans
from engine.text.spans import apply_edits, changed_lines, edits_between
from tests.processor_time import costs_less_than

LINES = [f"line {number}" for number in range(60_000)]


def shuffled(lines: list[str]) -> list[str]:
    return random.Random(1).sample(lines, len(lines))


def of_two(seed: int) -> list[str]:
    return random.Random(seed).choices(["a", "b"], k=60_000)


LONG: dict[str, Callable[[], tuple[list[str], list[str]]]] = {
    "all lines": lambda: (LINES, [line.upper() for line in LINES]),
    "each other line": lambda: (LINES, [line.upper() if number % 2 else line for number, line in enumerate(LINES)]),
    "another order": lambda: (LINES, shuffled(LINES)),
    "backwards": lambda: (LINES, LINES[::-1]),
    "two kinds of lines": lambda: (of_two(1), of_two(2)),
    "one line": lambda: (LINES, [*LINES[:30_000], "x", *LINES[30_001:]]),
    "blank lines between": lambda: (
        [line if number % 3 else "" for number, line in enumerate(LINES)],
        [line if number % 3 else "" for number, line in enumerate(shuffled(LINES))],
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


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
def test_long_texts_are_compared_within_seconds(make: Callable[[], tuple[list[str], list[str]]]) -> None:
    old, new = make()
    with costs_less_than(5):
        assert rebuilt(old, new) == new


def test_of_a_long_text_only_what_differs_is_changed() -> None:
    new = [line.upper() if number % 100 == 0 else line for number, line in enumerate(LINES)]
    assert [(change.low, change.high) for change in changed_lines(LINES, new)] == [
        (number, number + 1) for number in range(0, 60_000, 100)
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
    before, after = "\n".join(LINES), "\n".join(shuffled(LINES))
    assert apply_edits(before, edits_between(before, after)) == after
