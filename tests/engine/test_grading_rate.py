"""The rate of agreement with a person: on which side of 0.5, over which pairs, and how sure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Block
from engine.scoring.assessment import Criterion, Grade
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId
from engine.study.judged_pairs import GradingRate, JudgedPair, grading_rate, rate_lines
from tests.many_cases import every

ABSENT, SLIGHTLY, PARTIALLY, MAJORLY, FULLY = Grade


def pair(answer: int, extent: float, *, inverted: bool = False, criterion: str = "Is kind") -> JudgedPair:
    block = Block.SHOULD_NOT if inverted else Block.SHOULD
    return JudgedPair(PairId("p", f"{answer}", Criterion(block, criterion)), (), "m", inverted, extent, ())


def rate(given_pairs: Sequence[tuple[JudgedPair, Grade | None]], waiting: Sequence[JudgedPair] = ()) -> GradingRate:
    """The rate over these pairs, each with the grade that a person gave (None: skipped), then those not reached."""
    pairs = [*(each for each, _ in given_pairs), *waiting]
    judged = {each.id: each for each in pairs}
    grades = {each.id: BlindGrade(grade) for each, grade in given_pairs}
    return grading_rate([each.id for each in pairs], judged, grades)


@every(
    ("extent", "grade", "inverted", "agrees"),
    [
        (1.0, MAJORLY, False, True),
        (0.5, FULLY, False, True),
        (0.49, FULLY, False, False),
        (0.0, SLIGHTLY, False, True),
        (0.5, SLIGHTLY, False, False),
        (1.0, MAJORLY, True, True),
        (0.5, ABSENT, True, True),
        (0.51, ABSENT, True, False),
        (0.75, PARTIALLY, True, False),
    ],
)
def test_they_agree_on_the_same_side_of_a_half(extent: float, grade: Grade, inverted: bool, agrees: bool) -> None:
    assert rate([(pair(1, extent, inverted=inverted), grade)]).agree == agrees


def test_a_false_pass_and_a_false_failure_are_told_apart() -> None:
    found = rate(
        [
            (pair(1, 1.0), ABSENT),
            (pair(2, 0.0), FULLY),
            (pair(3, 0.0, inverted=True), FULLY),
            (pair(4, 1.0), FULLY),
        ]
    )
    assert (found.false_passes, found.false_failures, found.agree) == (2, 1, 1)
    assert "2 false passes: the judges pass what you fail. 1 false failure: the judges fail what you pass." in (
        rate_lines(found)
    )


def test_always_met_agrees_with_what_the_person_passes() -> None:
    found = rate(
        [(pair(1, 0.0), FULLY), (pair(2, 0.0), ABSENT), (pair(3, 1.0, inverted=True), ABSENT), (pair(4, 0.0), None)]
    )
    assert (found.always_met, found.graded) == (2, 3)


def test_skips_are_counted_and_are_no_agreement() -> None:
    found = rate([(pair(1, 1.0), FULLY), (pair(2, 1.0), None), (pair(3, 1.0), FULLY)])
    assert (found.graded, found.skipped, found.agree, found.waiting) == (2, 1, 2, 0)


def test_only_the_beginning_of_the_sample_that_is_decided_counts() -> None:
    first, missing, later = pair(1, 1.0), pair(2, 1.0), pair(3, 1.0)
    judged = {each.id: each for each in (first, missing, later)}
    grades = {first.id: BlindGrade(FULLY), later.id: BlindGrade(ABSENT)}
    found = grading_rate([first.id, missing.id, later.id], judged, grades)
    assert (found.graded, found.agree, found.waiting) == (1, 1, 2)


def test_grades_outside_of_the_sample_do_not_count() -> None:
    drawn, other = pair(1, 1.0), pair(2, 1.0)
    grades = {drawn.id: BlindGrade(FULLY), other.id: BlindGrade(ABSENT)}
    found = grading_rate([drawn.id], {drawn.id: drawn, other.id: other}, grades)
    assert (found.graded, found.agree) == (1, 1)


def test_pairs_that_are_no_longer_judged_are_left_out_and_counted() -> None:
    gone, there = pair(1, 1.0), pair(2, 1.0)
    grades = {gone.id: BlindGrade(ABSENT), there.id: BlindGrade(FULLY)}
    found = grading_rate([gone.id, there.id], {there.id: there}, grades)
    assert (found.size, found.gone, found.graded, found.agree) == (2, 1, 1, 1)
    assert rate_lines(found)[-1] == (
        "1 pair of the sample is no longer judged as it was and does not count: a criterion, answer or verdict has "
        "changed."
    )


def test_a_rate_in_words() -> None:
    graded = [(pair(number, float(number % 4 > 0)), FULLY) for number in range(20)]
    assert rate_lines(rate([*graded, (pair(30, 1.0), None)], [pair(31, 1.0)])) == (
        "The judges agree with you on 15 of 20 pairs (75%), 1 skipped.",
        "The pairs are of 20 answers; verdicts on one answer are alike.",
        "A judge that calls every criterion met would agree on 20 (100%).",
        "0 false passes: the judges pass what you fail. 5 false failures: the judges fail what you pass.",
        "1 pair of the sample is still to be graded.",
    )


def test_nothing_graded_has_no_rate() -> None:
    assert rate_lines(rate([], [pair(1, 1.0)])) == ("No pair of the sample is graded yet.",)
