"""Quantiles of the beta distribution and of Student's t, against sums, tables and each other."""

from __future__ import annotations

from math import comb, pi, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cases.binomial_interval import clopper_pearson
from engine.distributions import beta_quantile, regularised_beta, t_quantile

parameters = st.floats(0.5, 300.0)


@given(st.integers(1, 40), st.integers(1, 40), st.floats(0.01, 0.99))
def test_for_whole_numbers_it_is_the_sum_of_binomial_probabilities(a: int, b: int, at: float) -> None:
    trials = a + b - 1
    exact = sum(comb(trials, k) * at**k * (1 - at) ** (trials - k) for k in range(a, trials + 1))
    assert regularised_beta(at, a, b) == pytest.approx(exact, abs=1e-12)


@given(parameters, parameters, st.floats(0.001, 0.999))
def test_a_quantile_has_its_probability(a: float, b: float, probability: float) -> None:
    assert regularised_beta(beta_quantile(probability, a, b), a, b) == pytest.approx(probability, abs=1e-9)


@given(parameters, parameters, st.floats(0.001, 0.999))
def test_the_two_tails_add_up(a: float, b: float, at: float) -> None:
    assert regularised_beta(at, a, b) + regularised_beta(1 - at, b, a) == pytest.approx(1.0, abs=1e-12)


def test_the_ends_have_no_tail() -> None:
    assert (regularised_beta(0.0, 2.5, 3.5), regularised_beta(1.0, 2.5, 3.5)) == (0.0, 1.0)


@given(st.integers(1, 30).flatmap(lambda total: st.tuples(st.integers(1, total), st.just(total))))
def test_for_whole_numbers_it_gives_the_interval_of_clopper_and_pearson(counts: tuple[int, int]) -> None:
    count, total = counts
    low, _ = clopper_pearson(count, total)
    assert beta_quantile(0.025, count, total - count + 1) == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(2, 4.302653), (5, 2.570582), (10, 2.228139), (19, 2.093024), (30, 2.042272), (120, 1.979930), (1e7, 1.959964)],
)
def test_t_is_that_of_the_tables(freedom: float, value: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(value, abs=2e-6)


@given(st.floats(0.01, 0.99))
def test_t_with_one_degree_of_freedom_is_the_cauchy_distribution(probability: float) -> None:
    assert t_quantile(probability, 1) == pytest.approx(tan(pi * (probability - 0.5)), rel=1e-7, abs=1e-7)
