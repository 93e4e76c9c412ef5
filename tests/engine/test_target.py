"""Targets: the smallest sets of points that an answer would have to meet, against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.assessment import AssessedBy, Assessment, OnWeval
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.scoring.what_if import MOST_SETS, Target, obstacle_text, set_text, target, target_headline, target_notes
from engine.text.record import replace
from tests.engine.builders import assessed, check, prompt, text

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


@given(scored(), WANTED)
def test_the_sets_are_the_smallest_that_are_enough(
    case: tuple[Prompt, tuple[float | None, ...]], wanted: float
) -> None:
    some, extents = case
    found, expected = found_for(some, extents, wanted), set(enough(some, extents, wanted))
    listed = sets_of(some, extents, found)
    assert listed <= expected
    assert len(listed) == (0 if frozenset() in expected else min(len(expected), MOST_SETS))
    assert found.has_others == (len(expected) > MOST_SETS)


@given(scored(), WANTED)
def test_a_set_comes_true_when_its_points_are_met(case: tuple[Prompt, tuple[float | None, ...]], wanted: float) -> None:
    some, extents = case
    found = found_for(some, extents, wanted)
    sums = [
        lowest(
            some,
            extents,
            tuple(at for at, p in enumerate(some.points()) if any(p is q.assessment.point for q in one.points)),
        )
        for one in found.sets
    ]
    assert [one.bounds.low for one in found.sets] == pytest.approx(sums)


@given(scored(), WANTED)
def test_the_sets_that_are_listed_have_the_highest_scores(
    case: tuple[Prompt, tuple[float | None, ...]], wanted: float
) -> None:
    some, extents = case
    found = found_for(some, extents, wanted)
    scores = sorted((lowest(some, extents, tuple(one)) for one in enough(some, extents, wanted)), reverse=True)
    assert [one.bounds.low for one in found.sets] == pytest.approx(scores[: len(found.sets)])


def test_a_set_of_middling_points_is_listed_before_one_of_the_best_and_a_poor_one() -> None:
    some = prompt([text(f"p{at}") for at in range(14)])
    extents = [0.0, 0.25, 0.25, *[0.75] * 11]
    found = target(explain(some, assessed(some, extents)), sum(extents) / 14 + 1.25 / 14)
    assert [set_text(one.points) for one in found.sets][:3] == [
        "meet “p0” and “p1”",
        "meet “p0” and “p2”",
        "meet “p1” and “p2”",
    ]


@given(scored(), WANTED)
def test_a_score_is_reached_or_reachable_or_neither(
    case: tuple[Prompt, tuple[float | None, ...]], wanted: float
) -> None:
    some, extents = case
    found = found_for(some, extents, wanted)
    assert found.is_reached == (lowest(some, extents) >= wanted - 1e-9)
    assert found.is_reachable == (bool(some.points()) or wanted <= 0)


FOUR = prompt([text("A"), text("B"), text("C"), text("D")])


def test_more_than_ten_sets_are_cut_at_ten() -> None:
    twelve = prompt([text("x") for _ in range(12)])
    found = target(explain(twelve, assessed(twelve, [0.0] * 12)), 1 / 12)
    assert (len(found.sets), found.has_others) == (MOST_SETS, True)


def test_two_hundred_points_are_searched_at_once() -> None:
    many = prompt([text("x", weight=1 + at % 7 / 10) for at in range(200)])
    found = target(explain(many, assessed(many, [0.0] * 200)), 0.5)
    assert found.has_others
    assert found.sets[0].bounds.low == max(each.bounds.low for each in found.sets)


def test_an_open_point_counts_0_until_it_is_in_the_set() -> None:
    found = found_for(FOUR, (1.0, 1.0, None, None), 0.75)
    assert {set_text(one.points) for one in found.sets} == {
        "meet “C” (not judged yet)",
        "meet “D” (not judged yet)",
    }


def test_a_forbidden_point_is_avoided() -> None:
    some = prompt([text("A"), text("B")], [text("C")])
    found = target(explain(some, assessed(some, [1.0, 0.0, 0.0])), 1.0)
    assert [set_text(one.points) for one in found.sets] == ["meet “B”, and avoid “C”"]


def test_the_block_of_paths_is_met_by_one_path() -> None:
    some = prompt([text("A"), [text("B")], [text("C"), text("D")]])
    found = target(explain(some, assessed(some, [1.0, 0.0, 0.0, 0.0])), 1.0)
    assert [set_text(one.points) for one in found.sets] == ["meet “B”"]


@st.composite
def with_paths_in_both(draw: st.DrawFn) -> tuple[Prompt, tuple[float | None, ...]]:
    """Required points, and at least one path under `should` and one under `should_not`."""
    path = st.lists(st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=2)
    blocks = [[*draw(st.lists(ENTRY, max_size=1)), *draw(st.lists(path, min_size=1, max_size=2))] for _ in range(2)]
    some = prompt(*blocks)
    extents = draw(st.lists(EXTENT, min_size=len(some.points()), max_size=len(some.points())))
    assume(len(extents) <= 9)
    return some, tuple(extents)


@given(with_paths_in_both(), WANTED)
def test_with_paths_in_both_blocks_the_sets_are_the_smallest_too(
    case: tuple[Prompt, tuple[float | None, ...]], wanted: float
) -> None:
    some, extents = case
    found, expected = found_for(some, extents, wanted), set(enough(some, extents, wanted))
    listed = sets_of(some, extents, found)
    assert listed <= expected
    assert len(listed) == (0 if frozenset() in expected else min(len(expected), MOST_SETS))


@given(with_paths_in_both(), WANTED)
def test_no_set_has_points_of_two_paths(case: tuple[Prompt, tuple[float | None, ...]], wanted: float) -> None:
    some, extents = case
    of_sets = [
        {point.assessment.placed.path_id for point in one.points} - {None}
        for one in found_for(some, extents, wanted).sets
    ]
    assert all(len(paths) <= 1 for paths in of_sets)


def test_it_says_that_only_the_best_path_counts() -> None:
    some = prompt([text("A"), [text("B")], [text("C")]], [[text("D")]])
    found = target(explain(some, assessed(some, [1.0, 0.0, 0.0, 0.0])), 1.0)
    assert target_notes(found)[0] == "Of the 3 paths only the best counts, so no set has points of two."
    assert {set_text(one.points) for one in found.sets} == {"meet “B”", "meet “C”", "avoid “D”"}


def test_of_a_closed_score_without_paths_it_says_what_it_does_not_recognise() -> None:
    assert target_notes(found_for(FOUR, (1.0, 1.0, 1.0, 0.0), 1.0)) == (
        "Points that exclude each other are not recognised: read a set before you aim at it.",
    )


def test_it_says_how_open_points_count() -> None:
    assert target_notes(found_for(FOUR, (1.0, 1.0, None, 0.0), 1.0))[0] == (
        "Counted from the lowest score that is possible: points that are not judged count 0."
    )


def test_without_sets_there_is_nothing_to_know() -> None:
    assert target_notes(found_for(FOUR, (1.0, 1.0, 1.0, 1.0), 1.0)) == ()


def broken(some: Prompt, at: int, error: str) -> tuple[Assessment, ...]:
    """All points unmet; the check of one cannot run."""
    return tuple(
        Assessment(placed, 0.0, AssessedBy.FUNCTION, error=error if index == at else None, on_weval=OnWeval.ERROR)
        for index, placed in enumerate(place(some))
    )


def test_a_check_that_cannot_run_keeps_the_score_below_100_whatever_the_answer() -> None:
    some = prompt([text("A"), check("matches", "(")])
    found = target(explain(some, broken(some, 1, "The pattern “(” cannot be read.")), 0.8)
    assert not found.is_reachable
    assert target_headline(found) == "80 cannot be reached: 50.0 is the most that an answer can be sure of"
    assert [obstacle_text(each) for each in found.obstacles] == [
        "$matches: ( counts 0 whatever the answer: its check cannot run: The pattern “(” cannot be read."
    ]


def test_a_list_that_is_too_short_gives_its_part_at_most() -> None:
    some = prompt([check("contains_at_least_n_of", [3, ["a", "b"]])])
    found = target(explain(some, assessed(some, [0.0])), 1.0)
    assert (found.highest, [each.why for each in found.obstacles]) == (
        pytest.approx(2 / 3),
        ["it asks for 3 of only 2 texts"],
    )


def test_what_must_not_be_found_can_always_be_avoided() -> None:
    some = prompt((), [check("contains_any_of", [])])
    assert target(explain(some, assessed(some, [0.0])), 1.0).is_reachable


def test_a_script_that_threw_may_be_fine_with_another_answer() -> None:
    some = prompt([check("js", "r.match(/x/)[0]")])
    assert target(explain(some, broken(some, 0, "The script failed: TypeError: null.")), 1.0).is_reachable


def test_no_score_is_certain_where_a_yaml_error_hides_points() -> None:
    cut = replace(FOUR, is_cut_off=True)
    found = target(explain(cut, assessed(cut, [1.0] * 4)), 0.5)
    assert target_headline(found) == "no score is certain, 50 or any other: part of the rubric cannot be read"


def test_what_is_reached_already_needs_nothing() -> None:
    found = found_for(FOUR, (1.0, 1.0, 1.0, 0.0), 0.7)
    assert target_headline(found) == "no change is needed: the score is at least 75.0"


@pytest.mark.parametrize(
    ("extents", "wanted", "headline"),
    [
        ((1.0, 1.0, 1.0, 0.0), 0.8, "1 more rubric point is enough for 80"),
        ((1.0, 1.0, 0.0, 0.0), 0.75, "1 more rubric point is enough for 75, in any of these 2 sets"),
        ((0.0, 0.0, 0.0, 0.0), 0.375, "2 more rubric points are enough for 37.5, in any of these 6 sets"),
    ],
)
def test_the_headline_says_how_many_points_are_enough(extents: tuple[float, ...], wanted: float, headline: str) -> None:
    assert target_headline(found_for(FOUR, extents, wanted)) == headline
