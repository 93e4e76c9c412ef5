"""How far scores vary: between answers to the same prompt, and between verdicts on the same answer.

The two are told apart as the components of variance of a one-way layout (analysis of variance): the verdicts on one
answer vary by judging alone; the means of answers vary by generation, and by what is left of judging in a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from engine.record import Record
from engine.repeats.repeated_answer import RepeatedAnswer


class Variation(Record):
    """The variation of the scores of several answers to one prompt; scores and standard deviations are 0–1.

    `mean` is that of the answers' scores, `between` the standard deviation between them, None with fewer than two.
    `judging` is that of a single round of verdicts on the same answer, None if no answer has two rounds. `generation`
    is what is left of `between` without judging; None with fewer than two answers, and where verdicts count that were
    given once, so that the two cannot be told apart. `judged` is whether verdicts count at all.
    """

    answers: int
    mean: float
    between: float | None
    generation: float | None
    judging: float | None
    judged: bool


def variation(answers: Sequence[RepeatedAnswer]) -> Variation:
    """The variation of at least one answer."""
    judged = any(each.rounds for each in answers)
    judging = _within(answers)
    between = _variance([each.score for each in answers])
    generation = between
    if judged and between is not None:
        generation = None if judging is None else _generation(answers, judging)
    return Variation(
        answers=len(answers),
        mean=fsum(each.score for each in answers) / len(answers),
        between=None if between is None else sqrt(between),
        generation=None if generation is None else sqrt(generation),
        judging=None if judging is None else sqrt(judging),
        judged=judged,
    )


def _generation(answers: Sequence[RepeatedAnswer], judging: float) -> float:
    """The variance of generation: that between the answers' means, less what judging leaves in a mean."""
    between = _variance([each.center for each in answers])
    left = judging * fsum(1 / len(each.rounds) for each in answers if each.rounds) / len(answers)
    return max(0.0, (between or 0.0) - left)


def _within(answers: Sequence[RepeatedAnswer]) -> float | None:
    """The variance of rounds around the mean of their answer."""
    several = [each for each in answers if len(each.rounds) > 1]
    if not several:
        return None
    squares = fsum((score - each.center) ** 2 for each in several for score in each.rounds)
    return squares / sum(len(each.rounds) - 1 for each in several)


def _variance(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
