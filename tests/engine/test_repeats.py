"""Repeated answers: variation of generation and of judging apart, and tests that hold sides against repeats."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, permutations
from statistics import mean

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.blueprint import Header, Prompt
from engine.judging.panel import panel
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.scoring.what_if import MOST_SETS, Target, set_text, target
from engine.study.repeats import (
    LEAST_ANSWERS,
    RepeatedAnswer,
    permutation_p,
    variation,
)
from engine.study.two_runs import Combination, ComparedRun, TwoRuns, criterion_changes, criterion_rows
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import assessed, check, prompt, text
from tests.thoroughness import tried

# Repeated answers: variation of generation and of judging apart, and tests that hold sides against repeats


scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.625, 1.0]), min_size=1, max_size=4).map(tuple)


def answer(*rounds: float) -> RepeatedAnswer:
    return RepeatedAnswer(mean(rounds), rounds)


# Variation


def test_both_components_are_found_again() -> None:
    """2,000 simulated answers with 3 rounds each: components of 0.05 and 0.10."""
    chance = random.Random(1)
    centers = [chance.gauss(0.5, 0.05) for _ in range(2000)]
    answers = [answer(*(chance.gauss(center, 0.1) for _ in range(3))) for center in centers]
    found = variation(answers)
    assert found.generation == pytest.approx(0.05, abs=0.005)
    assert found.judging == pytest.approx(0.10, abs=0.003)


# One prompt: the exact permutation test


@settings(max_examples=tried(15, 60))
@given(scores, scores)
def test_it_is_that_of_all_permutations(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    def gap(order: tuple[float, ...]) -> float:
        return abs(mean(order[: len(one)]) - mean(order[len(one) :]))

    orders = list(permutations((*one, *other))) if len(one) + len(other) <= 6 else []
    as_far = sum(gap(order) >= gap((*one, *other)) - 1e-9 for order in orders)
    assert not orders or permutation_p(one, other) == pytest.approx(as_far / len(orders))


def test_it_is_right_as_often_as_it_says() -> None:
    """Of 400 pairs of equal sides, p is at most 0.1 in no more than a tenth, but for chance."""
    chance = random.Random(3)
    sides = [[chance.random() for _ in range(2 * LEAST_ANSWERS)] for _ in range(400)]
    found = [permutation_p(side[:LEAST_ANSWERS], side[LEAST_ANSWERS:]) for side in sides]
    assert 20 <= sum(p <= 0.1 for p in found) <= 55


# Two runs of a prompt: each answer by each rubric, the verdicts that pass, and those that are missing


OLD, NEW = ("the old answer",), ("the new answer",)
EXTENTS = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
POINT = st.builds(text, st.sampled_from("ABC"), st.sampled_from([0.5, 1.0, 3.0])) | st.just(check("icontains", "x"))
BLOCK = st.lists(POINT | st.lists(POINT, min_size=1, max_size=2), max_size=3)


def side(
    of: Prompt, extents: list[float | None], answer: tuple[str, ...] = OLD, by: AssessedBy = AssessedBy.JUDGE, *,
    is_holistic: bool = False,
) -> ComparedRun:  # fmt: skip
    return ComparedRun(answer, assessments(of, extents, by), of, HEADER, panel(HEADER), is_holistic=is_holistic)


def assessments(of: Prompt, extents: list[float | None], by: AssessedBy = AssessedBy.JUDGE) -> tuple[Assessment, ...]:
    return tuple(
        Assessment(placed, extent, None if extent is None else by)
        for placed, extent in zip(place(of), extents, strict=True)
    )


def figures(runs: TwoRuns) -> list[str]:
    """The scores, with the new answer on the old rubric before the old answer on the new one."""
    return [score.figure for score in runs.scores.values()]


def missing(runs: TwoRuns) -> dict[Combination, set[int]]:
    return {of: set(places) for of, places in runs.missing.items() if places}


HEADER = Header(NOWHERE)
A, AB = prompt([text("A")]), prompt([text("A"), text("B")])


def test_what_is_another_one_is_named() -> None:
    heavier = prompt([text("A", 3.0), text("B")])
    assert TwoRuns(side(AB, [1.0, 0.0]), side(AB, [0.5, 1.0], NEW)).other == ("answer",)
    assert TwoRuns(side(AB, [1.0, 0.0]), side(heavier, [1.0, 0.0])).other == ("rubric",)
    assert TwoRuns(side(AB, [1.0, 0.0]), side(AB, [1.0, 0.5])).other == ("verdict",)
    assert TwoRuns(side(AB, [1.0, 0.0]), side(AB, [1.0, 0.0])).other == ()


def test_a_run_has_a_score_where_the_other_run_decides_its_open_point() -> None:
    assert figures(TwoRuns(side(AB, [1.0, None]), side(AB, [1.0, 0.5]))) == ["75.0"] * 4
    assert figures(TwoRuns(side(AB, [1.0, None]), side(AB, [1.0, 0.5], NEW)))[0] == "50–100"


def test_criteria_are_shown_with_the_verdicts_that_count_so_that_their_parts_add_up() -> None:
    runs = TwoRuns(side(AB, [1.0, 0.5]), side(AB, [1.0, None]))
    assert (runs.difference.low, runs.difference.high) == (0.0, 0.0)
    assert [part for _, _, part, _ in criterion_rows(runs)] == ["0.0"] * 3


def test_each_answer_is_scored_by_each_rubric() -> None:
    found = {
        Combination.NEW_ON_OLD: assessments(A, [0.5]),
        Combination.OLD_ON_NEW: assessments(AB, [1.0, 0.0]),
    }
    runs = TwoRuns(side(A, [1.0]), side(AB, [0.5, 1.0], NEW), found)
    assert figures(runs) == ["100.0", "50.0", "50.0", "75.0"]
    assert (runs.difference.low, runs.difference.high) == (-0.25, -0.25)


def test_holistic_verdicts_do_not_pass_to_another_rubric() -> None:
    def runs(answer: tuple[str, ...]) -> TwoRuns:
        return TwoRuns(side(A, [1.0], is_holistic=True), side(AB, [0.5, 1.0], answer, is_holistic=True))

    assert figures(runs(OLD))[0::3] == ["100.0", "75.0"]
    other = runs(NEW)
    assert figures(other)[1:3] == ["not judged yet", "not judged yet"]
    assert missing(other) == {Combination.NEW_ON_OLD: {0}, Combination.OLD_ON_NEW: {0, 1}}


def test_a_grade_of_a_person_is_on_the_wording_and_passes_to_another_rubric() -> None:
    old = side(A, [1.0], by=AssessedBy.HUMAN, is_holistic=True)
    runs = TwoRuns(old, side(AB, [0.5, 1.0], NEW, AssessedBy.HUMAN, is_holistic=True))
    assert figures(runs) == ["100.0", "50.0", "50–100", "75.0"]
    assert missing(runs) == {Combination.OLD_ON_NEW: {1}}


def test_a_verdict_from_before_an_edit_counts() -> None:
    (judged,) = assessments(A, [1.0])
    carried = Assessment(judged.placed, 1.0, AssessedBy.JUDGE, carried_over=(ChangedPart.CRITERIA,))
    old = replace(side(A, [1.0]), assessments=[carried])
    assert TwoRuns(old, side(A, [0.0], NEW)).difference.low == -1.0
    (change,) = criterion_changes([judged], [carried])
    assert (change.part.low, change.part.high) == (0.0, 0.0)


def test_a_check_that_both_rubrics_have_is_known_for_both_answers() -> None:
    old, new = prompt([check("icontains", "x")]), prompt([check("icontains", "x"), check("icontains", "y")])
    runs = TwoRuns(side(old, [1.0]), side(new, [0.0, 1.0], NEW))
    assert figures(runs) == ["100.0", "0.0", "50–100", "50.0"]
    assert missing(runs) == {Combination.OLD_ON_NEW: {1}}


def test_the_same_criterion_twice_with_two_verdicts_differs_as_its_points_do() -> None:
    twice = prompt([text("A"), text("A")])
    runs = TwoRuns(side(twice, [None, None]), side(twice, [0.0, 0.25]))
    assert figures(runs)[0::3] == ["0.0", "12.5"]
    assert runs.difference.low == 0.125


# Laws


@st.composite
def two_runs(draw: st.DrawFn) -> TwoRuns:
    old = prompt(draw(BLOCK), draw(BLOCK))
    new = draw(st.sampled_from([old, prompt(draw(BLOCK), draw(BLOCK))]))
    new_answer = draw(st.sampled_from([OLD, NEW]))
    is_holistic = draw(st.booleans())

    def some(of: Prompt, answer: tuple[str, ...]) -> ComparedRun:
        return side(of, draw(extents_of(of)), answer, is_holistic=is_holistic)

    return TwoRuns(some(old, OLD), some(new, new_answer))


def extents_of(of: Prompt) -> st.SearchStrategy[list[float | None]]:
    size = len(of.points())
    return st.lists(EXTENTS, min_size=size, max_size=size)


@given(two_runs())
def test_a_run_keeps_its_own_verdicts(runs: TwoRuns) -> None:
    for own, of in ((runs.old, Combination.OLD), (runs.new, Combination.NEW)):
        for before, after in zip(own.assessments, runs.assessments[of], strict=True):
            assert before.extent is None or after == before


@given(two_runs())
def test_of_the_same_answer_or_the_same_rubric_nothing_else_is_another_one(runs: TwoRuns) -> None:
    if runs.same_answer and runs.same_rubric:
        assert set(runs.other) <= {"verdict"}
    assert ("answer" in runs.other) is not runs.same_answer
    assert ("rubric" in runs.other) is not runs.same_rubric


@given(two_runs())
def test_the_parts_of_the_criteria_add_up_to_the_difference(runs: TwoRuns) -> None:
    old, new = runs.assessments[Combination.OLD], runs.assessments[Combination.NEW]
    if any(runs.missing.values()) or not old or not new:
        return
    parts = [each.part.low for each in criterion_changes(old, new)]
    assert sum(parts) == pytest.approx(runs.difference.low, abs=1e-9)


# Targets: the smallest sets of points that an answer would have to meet, against brute force


ENTRY = st.one_of(
    st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0, 3.0])),
    st.lists(st.builds(text, st.just("p"), st.sampled_from([1.0, 2.0])), min_size=1, max_size=3),
)
EXTENT = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
WANTED = st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 1.0])


@st.composite
def scored(draw: st.DrawFn) -> tuple[Prompt, tuple[float | None, ...]]:
    some = prompt(draw(st.lists(ENTRY, max_size=4)), draw(st.lists(ENTRY, max_size=3)))
    extents = draw(st.lists(EXTENT, min_size=len(some.points()), max_size=len(some.points())))
    assume(len(extents) <= 8)
    return some, tuple(extents)


def lowest(some: Prompt, extents: tuple[float | None, ...], met: tuple[int, ...] = ()) -> float:
    """The score with the points `met` at 1 and all other open ones at 0, by `explain`."""
    filled = [1.0 if at in met else each or 0.0 for at, each in enumerate(extents)]
    return explain(some, assessed(some, filled)).score or 0.0


def enough(some: Prompt, extents: tuple[float | None, ...], wanted: float) -> Iterator[frozenset[int]]:
    """All sets of the smallest size that reach `wanted`, tried one by one."""
    places = [at for at, each in enumerate(extents) if each != 1.0]
    for size in range(len(places) + 1):
        found = [met for met in combinations(places, size) if lowest(some, extents, met) >= wanted - 1e-9]
        if found:
            yield from map(frozenset, found)
            return


def sets_of(some: Prompt, extents: tuple[float | None, ...], found: Target) -> set[frozenset[int]]:
    spans = {id(point): at for at, point in enumerate(some.points())}
    return {frozenset(spans[id(each.assessment.point)] for each in one.points) for one in found.sets}


def found_for(some: Prompt, extents: tuple[float | None, ...], wanted: float) -> Target:
    return target(explain(some, assessed(some, list(extents))), wanted)


@st.composite
def with_paths_in_both(draw: st.DrawFn) -> tuple[Prompt, tuple[float | None, ...]]:
    """Required points, and at least one path under `should` and one under `should_not`."""
    path = st.lists(st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=2)
    blocks = [[*draw(st.lists(ENTRY, max_size=1)), *draw(st.lists(path, min_size=1, max_size=2))] for _ in range(2)]
    some = prompt(*blocks)
    extents = draw(st.lists(EXTENT, min_size=len(some.points()), max_size=len(some.points())))
    assume(len(extents) <= 9)
    return some, tuple(extents)


@settings(max_examples=tried(30, 200))
@given(scored() | with_paths_in_both(), WANTED)
def test_the_sets_are_those_of_the_highest_scores_among_the_smallest_that_are_enough(
    case: tuple[Prompt, tuple[float | None, ...]], wanted: float
) -> None:
    some, extents = case
    found, expected = found_for(some, extents, wanted), list(enough(some, extents, wanted))
    listed = sets_of(some, extents, found)
    count = 0 if frozenset() in expected else min(len(expected), MOST_SETS)
    assert listed <= set(expected)
    assert (len(listed), found.has_others) == (count, len(expected) > MOST_SETS)
    scores = sorted((lowest(some, extents, tuple(one)) for one in expected), reverse=True)
    assert [one.bounds.low for one in found.sets] == pytest.approx(scores[:count])
    assert found.is_reached == (lowest(some, extents) >= wanted - 1e-9)
    assert found.is_reachable == (bool(some.points()) or wanted <= 0)
    of_sets = [{point.assessment.placed.path_id for point in one.points} - {None} for one in found.sets]
    assert all(len(paths) <= 1 for paths in of_sets)


def test_a_set_of_middling_points_is_listed_before_one_of_the_best_and_a_poor_one() -> None:
    some = prompt([text(f"p{at}") for at in range(14)])
    extents = [0.0, 0.25, 0.25, *[0.75] * 11]
    found = target(explain(some, assessed(some, extents)), sum(extents) / 14 + 1.25 / 14)
    assert [set_text(one.points) for one in found.sets][:3] == [
        "meet “p0” and “p1”",
        "meet “p0” and “p2”",
        "meet “p1” and “p2”",
    ]


def test_more_than_ten_sets_are_cut_at_ten() -> None:
    twelve = prompt([text("x") for _ in range(12)])
    found = target(explain(twelve, assessed(twelve, [0.0] * 12)), 1 / 12)
    assert (len(found.sets), found.has_others) == (MOST_SETS, True)


def test_two_hundred_points_are_searched_at_once() -> None:
    many = prompt([text("x", weight=1 + at % 7 / 10) for at in range(200)])
    found = target(explain(many, assessed(many, [0.0] * 200)), 0.5)
    assert found.has_others
    assert found.sets[0].bounds.low == max(each.bounds.low for each in found.sets)
