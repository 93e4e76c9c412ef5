"""Quantiles of the beta distribution and of Student's t, for intervals.

Both rest on the regularised incomplete beta function, which is computed by its continued fraction (NIST Digital
Library of Mathematical Functions, 8.17.22), evaluated from its front by the modified method of Lentz.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log, log1p, sqrt

_TERMS = 10_000
"""The fraction needs about the square root of the larger parameter in terms; this is far beyond any sample."""
_SMALL = 1e-300
_PRECISION = 1e-15
_HALVINGS = 50


def regularised_beta(at: float, a: float, b: float) -> float:
    """The distribution function of the beta distribution with `a`, `b` > 0, at a value of 0–1."""
    if at <= 0 or at >= 1:
        return 0.0 if at <= 0 else 1.0
    if at > (a + 1) / (a + b + 2):  # there the fraction of the other tail converges faster
        return 1 - regularised_beta(1 - at, b, a)
    front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(at) + b * log1p(-at)
    return exp(front) / (a * _fraction(at, a, b))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The value (0–1) below which the beta distribution with `a`, `b` > 0 has this probability (0–1)."""
    return _root(lambda at: regularised_beta(at, a, b) - probability, 0.0, 1.0)


def t_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t with `freedom` > 0 degrees of freedom has this probability (0–1, exclusive)."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    # Twice the upper tail is the beta distribution of freedom / (freedom + t²).
    beta = beta_quantile(2 * (1 - probability), freedom / 2, 0.5)
    return sqrt(freedom * (1 - beta) / beta)


def _fraction(at: float, a: float, b: float) -> float:
    """The continued fraction 1 + d₁/(1 + d₂/(1 + …)) of the function."""
    value = upper = 1.0
    lower = 0.0
    for number in range(1, _TERMS):
        term = _term(number, at, a, b)
        lower = 1 / _not_zero(1 + term * lower)
        upper = _not_zero(1 + term / upper)
        factor = upper * lower
        value *= factor
        if abs(factor - 1) < _PRECISION:
            break
    return value


def _term(number: int, at: float, a: float, b: float) -> float:
    half, is_odd = divmod(number, 2)
    if is_odd:
        return -(a + half) * (a + b + half) * at / ((a + 2 * half) * (a + 2 * half + 1))
    return half * (b - half) * at / ((a + 2 * half - 1) * (a + 2 * half))


def _not_zero(value: float) -> float:
    return value if abs(value) > _SMALL else _SMALL


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function crosses 0 between `low` and `high`, by bisection."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
