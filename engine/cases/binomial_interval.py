"""The interval of a proportion after Clopper and Pearson: exact, and never narrower than it says."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, fsum, lgamma, log

_CONFIDENCE = 0.95
_HALVINGS = 60
"""The quantile is exact to 2⁻⁶⁰, less than the rounding of the sums."""


def clopper_pearson(count: int, total: int, confidence: float = _CONFIDENCE) -> tuple[float, float]:
    """The lowest and the highest proportion (0–1) with which `count` of `total` is not too unlikely.

    Each tail has half of what `confidence` (0–1, exclusive) leaves. Raises `ValueError` unless 0 ≤ count ≤ total, with
    at least one in total.
    """
    if not 0 <= count <= total or total < 1:
        raise ValueError(f"{count} of {total} is no proportion")
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _quantile(tail, count, total - count + 1)
    high = 1.0 if count == total else _quantile(1 - tail, count + 1, total - count)
    return low, high


def _quantile(probability: float, a: int, b: int) -> float:
    """The quantile of the beta distribution."""
    return _root(lambda at: regularised_beta(at, a, b) - probability)


def _root(rising: Callable[[float], float]) -> float:
    """Where a function that rises from 0 to 1 crosses 0, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def regularised_beta(at: float, a: int, b: int) -> float:
    """The regularised incomplete beta function of `at` (0–1) for whole `a` and `b` ≥ 1.

    It is the probability of at least `a` successes in `a + b - 1` trials.
    """
    if at <= 0 or at >= 1:
        return 0.0 if at <= 0 else 1.0
    trials = a + b - 1
    won, lost = log(at), log(1 - at)
    every = lgamma(trials + 1)
    return fsum(
        exp(every - lgamma(k + 1) - lgamma(trials - k + 1) + k * won + (trials - k) * lost)
        for k in range(a, trials + 1)
    )
