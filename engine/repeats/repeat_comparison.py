"""Whether two sides differ by more than repeats do. The unit is the answer, with its verdicts averaged.

For one prompt, an exact permutation test. Over several prompts there are two questions. *These prompts again*: would
the difference be there if these very prompts were answered once more? Its interval comes from the variance within
prompts. *Prompts like these*: would it be there on other prompts of the kind? The prompts are the units: the test flips
the signs of their differences.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from math import comb, fsum, sqrt
from statistics import variance

from engine.distributions import regularised_beta, t_quantile
from engine.record import Record, replace

LEAST_ANSWERS = 4
"""The permutation test needs so many answers a side. With three, the smallest p is 2 of 20; with four, 2 of 70."""
LEAST_REPEATS = 2
LEAST_PROMPTS_AGAIN = 2
LEAST_PROMPTS = 6
"""With six prompts, the smallest p that sign flips can give is 2 of 64."""
MOST_EXACT_PROMPTS = 16
RANDOM_FLIPS = 20_000
_SEED = 1
_CONFIDENCE = 0.95
_NOISE = 1e-9


class Question(StrEnum):
    """What is compared."""

    ONE_PROMPT = "one-prompt"
    THESE_PROMPTS_AGAIN = "these-prompts-again"
    PROMPTS_LIKE_THESE = "prompts-like-these"


class PairedScores(Record):
    """The scores (0–1) of the answers of both sides to one prompt, and the prompt's weight in the blueprint."""

    prompt: str
    weight: float
    one: tuple[float, ...]
    other: tuple[float, ...]

    @property
    def difference(self) -> float:
        """The mean of the one side less that of the other. Both must have answers."""
        return _mean(self.one) - _mean(self.other)


class Comparison(Record):
    """One side less the other (−1 to 1) over `prompts` prompts; `left_out` others had too few answers.

    `p` is how often a difference at least as great would come about by chance, two-sided; `interval` that of the
    difference, at 95 %. `ways` is the number of splits or flips that were tried, `exact` whether these are all. Where
    nothing was tested, `reason` says why.
    """

    question: Question
    prompts: int
    left_out: int
    difference: float | None
    p: float | None = None
    interval: tuple[float, float] | None = None
    ways: int = 0
    exact: bool = True
    reason: str = ""


def compared(scores: Sequence[PairedScores], question: Question) -> Comparison:
    """The answer to `question`. `ONE_PROMPT` takes the scores of one prompt."""
    match question:
        case Question.ONE_PROMPT:
            return _one_prompt(scores)
        case Question.THESE_PROMPTS_AGAIN:
            return _these_prompts_again(scores)
        case Question.PROMPTS_LIKE_THESE:
            return _prompts_like_these(scores)


def _one_prompt(scores: Sequence[PairedScores]) -> Comparison:
    if len(scores) != 1:
        raise ValueError(f"{len(scores)} prompts are not one")
    (found,) = scores
    fewest = min(len(found.one), len(found.other))
    if fewest < LEAST_ANSWERS:
        reason = f"the test needs {LEAST_ANSWERS} scored answers of each, and there are {len(found.one)} and "
        difference = found.difference if fewest else None
        return Comparison(Question.ONE_PROMPT, 1, 0, difference, reason=f"{reason}{len(found.other)}")
    return Comparison(
        Question.ONE_PROMPT,
        1,
        0,
        found.difference,
        p=permutation_p(found.one, found.other),
        ways=comb(len(found.one) + len(found.other), len(found.one)),
    )


def permutation_p(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of all splits of the scores into sides of these sizes whose means differ at least as much."""
    pooled = (*one, *other)
    total, size, rest = fsum(pooled), len(one), len(other)

    def gap(chosen: Sequence[float]) -> float:
        in_one = sum(chosen)
        return abs(in_one / size - (total - in_one) / rest)

    observed = gap(one) - _NOISE
    return sum(gap(chosen) >= observed for chosen in combinations(pooled, size)) / comb(size + rest, size)


def _these_prompts_again(scores: Sequence[PairedScores]) -> Comparison:
    usable = [each for each in scores if each.weight > 0 and min(len(each.one), len(each.other)) >= LEAST_REPEATS]
    left_out = len(scores) - len(usable)
    if len(usable) < LEAST_PROMPTS_AGAIN:  # one prompt is for the permutation test, and for more answers
        reason = f"it needs {LEAST_PROMPTS_AGAIN} prompts with {LEAST_REPEATS} scored answers of each"
        return Comparison(Question.THESE_PROMPTS_AGAIN, len(usable), left_out, _weighted(usable), reason=reason)
    return replace(within_prompts(usable), left_out=left_out)


def within_prompts(scores: Sequence[PairedScores]) -> Comparison:
    """The difference over prompts with at least two answers a side, held against the variance within prompts.

    The degrees of freedom are those of Welch and Satterthwaite, for a sum of variances.
    """
    question = Question.THESE_PROMPTS_AGAIN
    weights = fsum(each.weight for each in scores)
    difference = fsum(each.weight * each.difference for each in scores) / weights
    parts = [
        ((each.weight / weights) ** 2 * variance(side) / len(side), len(side) - 1)
        for each in scores
        for side in (each.one, each.other)
    ]
    error = fsum(part for part, _ in parts)
    if error <= _NOISE**2:
        reason = "the repeats do not vary, so that there is nothing to hold the difference against"
        return Comparison(question, len(scores), 0, difference, reason=reason)
    freedom = error**2 / fsum(part**2 / degrees for part, degrees in parts)
    reach = t_quantile((1 + _CONFIDENCE) / 2, freedom) * sqrt(error)
    t = difference / sqrt(error)
    p = regularised_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return Comparison(question, len(scores), 0, difference, p=p, interval=(difference - reach, difference + reach))


def _weighted(scores: Sequence[PairedScores]) -> float | None:
    """The weighted mean of the differences; None without prompts."""
    weights = fsum(each.weight for each in scores)
    return fsum(each.weight * each.difference for each in scores) / weights if scores else None


def _prompts_like_these(scores: Sequence[PairedScores]) -> Comparison:
    question = Question.PROMPTS_LIKE_THESE
    usable = [each for each in scores if each.one and each.other and each.weight > 0]
    left_out = len(scores) - len(usable)
    difference = _weighted(usable)
    if len(usable) < LEAST_PROMPTS:
        reason = f"it needs {LEAST_PROMPTS} prompts that both have scored answers to"
        return Comparison(question, len(usable), left_out, difference, reason=reason)
    parts = [each.weight * each.difference for each in usable]
    exact = len(parts) <= MOST_EXACT_PROMPTS
    p, ways = exact_flips_p(parts) if exact else random_flips_p(parts)
    return Comparison(question, len(usable), left_out, difference, p=p, ways=ways, exact=exact)


def exact_flips_p(parts: Sequence[float]) -> tuple[float, int]:
    """The share of all choices of signs whose sum is at least as far from 0, and their number."""
    sums = [0.0]
    for part in parts:
        sums = [*(each + part for each in sums), *(each - part for each in sums)]
    observed = abs(fsum(parts)) - _NOISE
    return sum(abs(each) >= observed for each in sums) / len(sums), len(sums)


def random_flips_p(parts: Sequence[float], flips: int = RANDOM_FLIPS) -> tuple[float, int]:
    """The same over `flips` random choices with a fixed seed. The choice that is there counts as one of them."""
    generator = random.Random(_SEED)
    observed = abs(fsum(parts)) - _NOISE
    as_far = sum(abs(each) >= observed for each in _flipped(parts, generator, flips))
    return (as_far + 1) / (flips + 1), flips


def _flipped(parts: Sequence[float], generator: random.Random, flips: int) -> Iterator[float]:
    total = sum(parts)
    for _ in range(flips):
        bits = generator.getrandbits(len(parts))
        yield total - 2 * sum(part for index, part in enumerate(parts) if bits >> index & 1)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
