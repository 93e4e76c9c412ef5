"""How often judges and a person agree, over the sample of judged pairs.

They agree where both pass the answer on the point, or both fail it: where both extents are on the same side of 0.5.
The interval follows Korn and Graubard (1998, "Confidence intervals for proportions with small expected number of
positive counts estimated from survey data"), as the US National Center for Health Statistics uses it for published
proportions: Clopper and Pearson's interval for an effective number of pairs. Pairs of one answer are alike, so the
effective number is smaller than the number of pairs: it is what would give the variance that is seen between answers,
corrected for the number of answers, and never more than the number of pairs. Where all agree, or none, no variance is
seen; then each answer counts as one pair. The interval is never empty of width, unlike that of a bootstrap, and depends
on no seed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import fsum

from engine.distributions import beta_quantile, t_quantile
from engine.grading.judged_pair import JudgedPair
from engine.record import Record
from engine.store.blind_grades import BlindGrade
from engine.store.judged_answers import PairId

LEAST_ANSWERS = 20
"""With fewer answers, no interval is given."""
_CONFIDENCE = 0.95


class Disagreement(Record):
    """A pair that the judges pass and the person fails (`is_false_pass`), or the other way round."""

    pair: JudgedPair
    given: BlindGrade

    @property
    def is_false_pass(self) -> bool:
        """Whether the judges pass it."""
        return self.pair.is_passed


class GradingRate(Record):
    """How far one person's blind grades of a sample agree with its judges.

    `size` is the number of pairs in the sample, `gone` how many of them are no longer judged pairs: their criterion,
    answer or verdict has changed. `graded` and `skipped` are counted up to the first pair that is neither, `answers`
    are the answers among the graded pairs. `agree` of the graded pairs agree; a judge that calls every point met
    (`should_not`: avoided) would agree on `always_met`. `interval` is that of the rate, 0–1, at 95 %; None with fewer
    than `LEAST_ANSWERS` answers.
    """

    size: int
    gone: int
    graded: int
    skipped: int
    answers: int
    agree: int
    always_met: int
    disagreements: tuple[Disagreement, ...]
    interval: tuple[float, float] | None

    @property
    def waiting(self) -> int:
        """How many pairs are still to be graded."""
        return self.size - self.gone - self.graded - self.skipped

    @property
    def false_passes(self) -> int:
        """How many pairs the judges pass and the person fails."""
        return sum(each.is_false_pass for each in self.disagreements)

    @property
    def false_failures(self) -> int:
        """How many pairs the judges fail and the person passes."""
        return len(self.disagreements) - self.false_passes


def grading_rate(
    sample: Sequence[PairId], judged: Mapping[PairId, JudgedPair], grades: Mapping[PairId, BlindGrade]
) -> GradingRate:
    """The rate of one person. `judged` are the pairs that are judged today, by their id."""
    present = [judged[pair] for pair in sample if pair in judged]
    decided: list[tuple[JudgedPair, BlindGrade]] = []
    for pair in present:
        given = grades.get(pair.id)
        if given is None:  # what comes later may have been chosen by its verdict
            break
        decided.append((pair, given))
    graded = [(pair, given, given.grade) for pair, given in decided if given.grade is not None]
    outcomes = [(pair.answer, pair.passed_by(grade) == pair.is_passed) for pair, _, grade in graded]
    answers = len({answer for answer, _ in outcomes})
    return GradingRate(
        size=len(sample),
        gone=len(sample) - len(present),
        graded=len(graded),
        skipped=len(decided) - len(graded),
        answers=answers,
        agree=sum(agrees for _, agrees in outcomes),
        always_met=sum(pair.passed_by(grade) for pair, _, grade in graded),
        disagreements=tuple(
            Disagreement(pair, given)
            for (pair, given, _), (_, agrees) in zip(graded, outcomes, strict=True)
            if not agrees
        ),
        interval=clustered_interval(outcomes) if answers >= LEAST_ANSWERS else None,
    )


def disagreements(judged: Mapping[PairId, JudgedPair], grades: Mapping[PairId, BlindGrade]) -> tuple[Disagreement, ...]:
    """All pairs that a person graded otherwise than the judges, of the sample or not, in the order of the grades."""
    return tuple(
        Disagreement(judged[pair], given)
        for pair, given in grades.items()
        if pair in judged and given.grade is not None and judged[pair].passed_by(given.grade) != judged[pair].is_passed
    )


def clustered_interval(
    outcomes: Iterable[tuple[Hashable, bool]], confidence: float = _CONFIDENCE
) -> tuple[float, float]:
    """The interval (0–1) of the share of true outcomes, each of which belongs to a cluster.

    Raises `ValueError` with fewer than two clusters.
    """
    clusters: dict[Hashable, list[bool]] = {}
    for cluster, outcome in outcomes:
        clusters.setdefault(cluster, []).append(outcome)
    if len(clusters) < 2:
        raise ValueError("an interval needs two clusters")
    number = _effective_number(tuple(clusters.values()), (1 - confidence) / 2)
    share = sum(map(sum, clusters.values())) / sum(map(len, clusters.values()))
    return _interval(share, number, (1 - confidence) / 2)


def _effective_number(clusters: Sequence[Sequence[bool]], tail: float) -> float:
    """The number of independent outcomes that say as much as these do."""
    total = sum(map(len, clusters))
    share = sum(map(sum, clusters)) / total
    several = len(clusters)
    if share in (0.0, 1.0):
        return several
    squares = fsum((sum(each) - share * len(each)) ** 2 for each in clusters)
    variance = several / (several - 1) * squares / total**2
    if variance == 0.0:
        return total
    freedom = (t_quantile(1 - tail, total - 1) / t_quantile(1 - tail, several - 1)) ** 2
    return min(total, share * (1 - share) / variance * freedom)


def _interval(share: float, number: float, tail: float) -> tuple[float, float]:
    """Clopper and Pearson's interval for a number that need not be whole."""
    count = share * number
    low = 0.0 if share == 0.0 else beta_quantile(tail, count, number - count + 1)
    high = 1.0 if share == 1.0 else beta_quantile(1 - tail, count + 1, number - count)
    return low, high
