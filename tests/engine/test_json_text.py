"""JSON of others: its depth and its numbers have bounds, and within them it is read as it stands."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.record import DEEPEST, TooDeep, is_deeper, read_json
from tests.many_cases import every

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_written_is_read(data: Any) -> None:
    assert read_json(json.dumps(data)) == data


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_levels_are_counted(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    assert read_json(opening * DEEPEST + "1" + closing * DEEPEST) is not None
    with pytest.raises(TooDeep):
        read_json(opening * (DEEPEST + 1) + "1" + closing * (DEEPEST + 1))


@every("depth", [990, 5_000, 500_000])
def test_a_depth_that_the_reader_gives_up_on_is_too_deep(depth: int) -> None:
    with pytest.raises(TooDeep):
        read_json("[" * depth + "]" * depth)


def test_a_long_list_is_not_deep() -> None:
    assert not is_deeper([[]] * 100_000, 2)


@every(("digits", "sign"), [(309, ""), (309, "-"), (5_000, ""), (400_000, "-")])
def test_an_integer_that_is_no_double_is_infinite(digits: int, sign: str) -> None:
    assert read_json(sign + "9" * digits) == float(f"{sign}inf")


def test_the_longest_integer_is_a_double() -> None:
    assert math.isfinite(float(read_json("9" * 308)))
