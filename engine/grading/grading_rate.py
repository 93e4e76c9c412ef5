"""How often judges and a person agree, over the sample of judged pairs.

They agree where both pass the answer on the point, or both fail it: where both extents are on the same side of 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.grading.judged_pair import JudgedPair
from engine.record import Record
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId


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
    (`should_not`: avoided) would agree on `always_met`.
    """

    size: int
    gone: int
    graded: int
    skipped: int
    answers: int
    agree: int
    always_met: int
    disagreements: tuple[Disagreement, ...]

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
    return GradingRate(
        size=len(sample),
        gone=len(sample) - len(present),
        graded=len(graded),
        skipped=len(decided) - len(graded),
        answers=len({pair.answer for pair, _, _ in graded}),
        agree=sum(pair.passed_by(grade) == pair.is_passed for pair, _, grade in graded),
        always_met=sum(pair.passed_by(grade) for pair, _, grade in graded),
        disagreements=tuple(
            Disagreement(pair, given) for pair, given, grade in graded if pair.passed_by(grade) != pair.is_passed
        ),
    )


def disagreements(judged: Mapping[PairId, JudgedPair], grades: Mapping[PairId, BlindGrade]) -> tuple[Disagreement, ...]:
    """All pairs that a person graded otherwise than the judges, of the sample or not, in the order of the grades."""
    return tuple(
        Disagreement(judged[pair], given)
        for pair, given in grades.items()
        if pair in judged and given.grade is not None and judged[pair].passed_by(given.grade) != judged[pair].is_passed
    )
