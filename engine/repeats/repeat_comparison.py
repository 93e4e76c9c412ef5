"""Whether two models differ on one prompt by more than repeats do, by an exact permutation test.

The unit is the answer, with its verdicts averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, fsum

from engine.record import Record

LEAST_ANSWERS = 4
"""The permutation test needs so many answers a side. With three, the smallest p is 2 of 20; with four, 2 of 70."""
_NOISE = 1e-9


class Comparison(Record):
    """One side less the other (−1 to 1), None where a side has no answer.

    `p` is how often a difference at least as great would come about by chance, two-sided, over `ways` splits. Where
    nothing was tested, `reason` says why.
    """

    difference: float | None
    p: float | None = None
    ways: int = 0
    reason: str = ""


def compared(one: Sequence[float], other: Sequence[float]) -> Comparison:
    """The comparison of the scores (0–1) of two sides' answers to one prompt."""
    difference = _mean(one) - _mean(other) if one and other else None
    if min(len(one), len(other)) < LEAST_ANSWERS:
        reason = f"the test needs {LEAST_ANSWERS} scored answers of each, and there are {len(one)} and {len(other)}"
        return Comparison(difference, reason=reason)
    return Comparison(difference, permutation_p(one, other), comb(len(one) + len(other), len(one)))


def permutation_p(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of all splits of the scores into sides of these sizes whose means differ at least as much."""
    pooled = (*one, *other)
    total, size, rest = fsum(pooled), len(one), len(other)

    def gap(chosen: Sequence[float]) -> float:
        in_one = sum(chosen)
        return abs(in_one / size - (total - in_one) / rest)

    observed = gap(one) - _NOISE
    return sum(gap(chosen) >= observed for chosen in combinations(pooled, size)) / comb(size + rest, size)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
