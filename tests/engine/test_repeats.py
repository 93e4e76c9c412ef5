"""Repeated answers: variation of generation and of judging apart, and tests that hold sides against repeats."""

from __future__ import annotations

import random
from itertools import permutations
from statistics import mean, stdev, variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.study.repeats import (
    LEAST_ANSWERS,
    Generated,
    RepeatedAnswer,
    compared,
    comparison_text,
    permutation_p,
    variation,
    variation_lines,
)
from tests.thoroughness import tried

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.625, 1.0]), min_size=1, max_size=4).map(tuple)


def answer(*rounds: float) -> RepeatedAnswer:
    return RepeatedAnswer(mean(rounds), rounds)


# Variation


def test_rounds_that_agree_leave_all_variation_to_generation() -> None:
    found = variation([answer(0.2, 0.2), answer(0.6, 0.6), answer(0.7, 0.7)])
    assert (found.judging, found.generation) == (0.0, pytest.approx(stdev([0.2, 0.6, 0.7])))


def test_answers_alike_leave_all_variation_to_judging() -> None:
    found = variation([answer(0.4, 0.6), answer(0.6, 0.4), answer(0.4, 0.6)])
    assert found.judging == pytest.approx(variance([0.4, 0.6]) ** 0.5)
    assert found.generation == 0.0


def test_a_single_round_cannot_tell_the_two_apart() -> None:
    found = variation([answer(0.2), answer(0.6)])
    assert (found.judging, found.generation) == (None, None)
    assert found.between == pytest.approx(stdev([0.2, 0.6]))


def test_without_verdicts_all_variation_is_of_generation() -> None:
    found = variation([RepeatedAnswer(0.2), RepeatedAnswer(0.6)])
    assert (found.judged, found.judging, found.generation) == (False, None, pytest.approx(stdev([0.2, 0.6])))


def test_one_answer_has_a_variation_of_judging_alone() -> None:
    found = variation([answer(0.2, 0.6)])
    assert (found.between, found.generation) == (None, None)
    assert found.judging == pytest.approx(stdev([0.2, 0.6]))


def test_both_components_are_found_again() -> None:
    """2,000 simulated answers with 3 rounds each: components of 0.05 and 0.10."""
    chance = random.Random(1)
    centers = [chance.gauss(0.5, 0.05) for _ in range(2000)]
    answers = [answer(*(chance.gauss(center, 0.1) for _ in range(3))) for center in centers]
    found = variation(answers)
    assert found.generation == pytest.approx(0.05, abs=0.005)
    assert found.judging == pytest.approx(0.10, abs=0.003)


@pytest.mark.parametrize(
    ("generated", "line"),
    [
        (Generated(0.7), "  generation  ±28.3 between answers, at temperature 0.7"),
        (Generated(0.0), "  server      ±28.3 between answers, at temperature 0: the model's server varies"),
        (Generated(0.0, ignores=True), "  generation  ±28.3 between answers, at a temperature of the model's own"),
    ],
)
def test_at_temperature_0_variation_is_called_the_server_s(generated: Generated, line: str) -> None:
    found = variation([answer(0.2, 0.2), answer(0.6, 0.6)])
    assert variation_lines(found, [0.2, 0.6], generated, "judge twice") == (
        "40.0 over 2 answers: 20.0, 60.0",
        line,
        "  judging     ±0.0 between verdicts on the same answer, at temperature 0",
    )


def test_judges_run_at_temperature_0_so_their_variation_is_their_servers() -> None:
    assert variation_lines(variation([answer(0.2, 0.6)]), [0.4], Generated(0.7), "judge twice")[2] == (
        "  judging     ±28.3 between verdicts on the same answer, at temperature 0: the judges' servers vary"
    )


@pytest.mark.parametrize(
    ("answers", "lines"),
    [
        (
            [answer(0.2), answer(0.6)],
            (
                "  generation  together with judging ±28.3; judge twice",
                "  judging     unknown: each answer was judged once",
            ),
        ),
        (
            [RepeatedAnswer(0.2)],
            (
                "  generation  unknown: it takes two scored answers",
                "  judging     none: no verdict of a judge counts",
            ),
        ),
    ],
)
def test_what_is_unknown_is_called_so(answers: list[RepeatedAnswer], lines: tuple[str, str]) -> None:
    assert variation_lines(variation(answers), [0.2], Generated(0.7), "judge twice")[1:] == lines


# One prompt: the exact permutation test


@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        ((0.9, 0.8, 0.85, 0.95), (0.1, 0.2, 0.3, 0.4), 2 / 70),
        ((0.5, 0.5, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5), 1.0),
        ((1.0, 1.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0), 34 / 70),
        ((0.9,) * 5, (0.1,) * 4, 1 / 126),
    ],
)
def test_p_is_the_share_of_splits_that_differ_as_much(
    one: tuple[float, ...], other: tuple[float, ...], p: float
) -> None:
    found = compared(one, other)
    assert found.p == pytest.approx(p)


@settings(max_examples=tried(15, 60))
@given(scores, scores)
def test_it_is_that_of_all_permutations(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    def gap(order: tuple[float, ...]) -> float:
        return abs(mean(order[: len(one)]) - mean(order[len(one) :]))

    orders = list(permutations((*one, *other))) if len(one) + len(other) <= 6 else []
    as_far = sum(gap(order) >= gap((*one, *other)) - 1e-9 for order in orders)
    assert not orders or permutation_p(one, other) == pytest.approx(as_far / len(orders))


@pytest.mark.parametrize("sizes", [(3, 4), (4, 3), (0, 9), (1, 1)])
def test_nothing_is_tested_below_4_against_4(sizes: tuple[int, int]) -> None:
    found = compared((1.0,) * sizes[0], (0.0,) * sizes[1])
    assert found.p is None
    assert found.reason == f"the test needs 4 scored answers of each, and there are {sizes[0]} and {sizes[1]}"


def test_it_is_right_as_often_as_it_says() -> None:
    """Of 400 pairs of equal sides, p is at most 0.1 in no more than a tenth, but for chance."""
    chance = random.Random(3)
    sides = [[chance.random() for _ in range(2 * LEAST_ANSWERS)] for _ in range(400)]
    found = [permutation_p(side[:LEAST_ANSWERS], side[LEAST_ANSWERS:]) for side in sides]
    assert 20 <= sum(p <= 0.1 for p in found) <= 55


# In words


def test_comparisons_in_words() -> None:
    one = compared((0.9, 0.8, 0.85, 0.95), (0.1, 0.2, 0.3, 0.4))
    assert comparison_text(one, "a", "b", "france") == (
        "france: a scores 62.5 higher than b, p = 0.029 (exact permutation test, 70 splits)"
    )


def test_what_is_not_tested_says_why() -> None:
    assert comparison_text(compared((0.9,), (0.1,)), "a", "b", "france") == (
        "france: a scores 80.0 higher than b; no test: the test needs 4 scored answers of each, and there are 1 and 1"
    )
    assert comparison_text(compared((), (0.1,)), "a", "b", "france") == (
        "france: a and b are not compared: the test needs 4 scored answers of each, and there are 0 and 1"
    )
