"""The Clopper–Pearson interval, against published tables and against the binomial distribution itself."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cases.binomial_interval import clopper_pearson, regularised_beta


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (9, 10, 0.5550, 0.9975),
        (10, 10, 0.6915, 1.0),
        (0, 20, 0.0, 0.1684),
        (10, 20, 0.2720, 0.7280),
        (50, 100, 0.3983, 0.6017),
        (1, 1, 0.0250, 1.0),
    ],
)
def test_published_values_of_95_percent_intervals(count: int, total: int, low: float, high: float) -> None:
    assert clopper_pearson(count, total) == pytest.approx((low, high), abs=5e-5)


def at_least(count: int, total: int, rate: float) -> float:
    """The probability of at least `count` of `total`."""
    return sum(comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in range(count, total + 1))


@given(st.integers(1, 60).flatmap(lambda total: st.tuples(st.integers(1, total), st.just(total))))
def test_at_the_lower_end_so_many_or_more_have_a_chance_of_a_fortieth(given_counts: tuple[int, int]) -> None:
    count, total = given_counts
    assert at_least(count, total, clopper_pearson(count, total)[0]) == pytest.approx(0.025)


@given(st.integers(1, 60).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_hits_and_misses_have_mirrored_intervals(given_counts: tuple[int, int]) -> None:
    count, total = given_counts
    low, high = clopper_pearson(count, total)
    assert (1 - high, 1 - low) == pytest.approx(clopper_pearson(total - count, total))


@given(st.floats(0, 1), st.integers(1, 30), st.integers(1, 30))
def test_the_incomplete_beta_function_of_whole_numbers_is_a_binomial_tail(at: float, a: int, b: int) -> None:
    assert regularised_beta(at, a, b) == pytest.approx(at_least(a, a + b - 1, at), abs=1e-12)


def test_many_answers_have_a_narrow_interval() -> None:
    low, high = clopper_pearson(1500, 3000)
    assert (low, high) == pytest.approx((0.4819, 0.5181), abs=2e-4)


@pytest.mark.parametrize(("count", "total"), [(-1, 5), (6, 5), (0, 0)])
def test_what_is_no_proportion_has_no_interval(count: int, total: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        clopper_pearson(count, total)
