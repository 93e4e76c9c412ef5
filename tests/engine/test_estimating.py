"""Estimates: what they say of each point, and that nothing that counts ever moves because of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.conversation import ThreadTurn
from engine.estimating import Estimate, PointEstimate, estimate
from engine.estimating.extent import TABLE, extent_of, is_read
from engine.estimating.page import page
from engine.evaluation.events import Response, Scored
from engine.evaluation.export import coverage_result
from engine.scoring import AssessedBy, Assessment, explain, place, score_of
from engine.scoring.aggregation import PointExtent
from tests.engine.builders import assessed, check, prompt, text
from tests.estimating.by_words import ByWords

TREE, RIVER = "Names the tree", "Names the river"


def of(rubric: Prompt, answer: str) -> Estimate:
    return estimate(rubric, answer, ByWords())


def test_each_point_in_words_has_the_sentence_that_comes_closest() -> None:
    answer = "Hello there. The tree is old. A river names a tree."
    found = of(prompt([text(TREE), check("contains", "x"), text(RIVER)]), answer)
    assert {index: point.closest and point.closest.text for index, point in found.points.items()} == {
        0: "A river names a tree.",
        2: "A river names a tree.",
    }


def test_the_closest_sentence_has_its_place_in_the_answer() -> None:
    answer = "Nothing.\n\n- The **tree**.\n"
    closest = of(prompt([text(TREE)]), answer).points[0].closest
    assert closest is not None
    assert closest.span.of(answer) == "The **tree**."


def test_in_should_not_what_is_near_counts_little() -> None:
    found = of(prompt([text(TREE)], [text(TREE)]), "It names the tree.").points
    assert found[0].closeness == found[1].closeness == pytest.approx(1)
    assert (found[0].extent, found[1].extent) == (pytest.approx(1), pytest.approx(0, abs=1e-6))


def test_an_answer_without_a_sentence_comes_near_nothing() -> None:
    found = of(prompt([text(TREE)], [text(RIVER)]), " … ").points
    assert found == {0: PointEstimate(None, 0.0, 0.0), 1: PointEstimate(None, 0.0, 1.0)}


def test_the_whole_answer_is_held_beside_the_ideal() -> None:
    rubric = prompt([text(TREE)], ideal="The tree. The river.")
    assert of(rubric, "The river. The tree.").to_ideal == pytest.approx(1)
    assert of(rubric, "Hello.").to_ideal == 0
    assert of(rubric, "").to_ideal == 0
    assert of(rubric, "The tree. The river.\n").to_ideal is None


def test_what_is_not_in_latin_letters_is_not_estimated() -> None:
    assert of(prompt([text("Называет дерево"), text(TREE)]), "The tree.").points.keys() == {1}
    assert of(prompt([text(TREE)], ideal="The tree."), "Это дерево.") == Estimate({})


@pytest.mark.parametrize(
    ("said", "read"), [("Ångström, §42", True), ("42", True), ("日本語 ok", False), ("да no", True)]
)
def test_most_letters_decide_whether_a_text_is_read(said: str, read: bool) -> None:
    assert is_read(said) is read


def test_sentences_in_other_letters_are_passed_over() -> None:
    closest = of(prompt([text(TREE)]), "Это дерево. Hello.").points[0].closest
    assert closest is not None
    assert closest.text == "Hello."


def test_the_estimated_score_is_made_as_scores_are_made() -> None:
    rubric = prompt([check("contains", "x", 3.0), text(TREE), [text(RIVER)]])
    known = assessed(rubric, [0.5, None, None])
    found = Estimate({1: PointEstimate(None, 1.0, 1.0), 2: PointEstimate(None, 0.4, 0.25)})
    assert found.score(known) == pytest.approx(((3 * 0.5 + 1) / 4 + 0.25) / 2)


def test_where_everything_is_judged_there_is_nothing_to_estimate() -> None:
    rubric = prompt([text(TREE), text(RIVER)])
    assert of(rubric, "The tree.").score(assessed(rubric, [1.0, 0.5])) is None


def test_where_an_open_point_has_no_estimate_there_is_no_estimated_score() -> None:
    rubric = prompt([text("Называет дерево"), text(TREE)])
    assert of(rubric, "The tree.").score(assessed(rubric, [None, None])) is None
    assert of(rubric, "The tree.").score(assessed(rubric, [1.0, None])) is not None


def test_what_was_judged_counts_as_judged() -> None:
    rubric = prompt([text(TREE), text(RIVER)])
    found = Estimate({0: PointEstimate(None, 1.0, 1.0), 1: PointEstimate(None, 1.0, 1.0)})
    assert found.score(assessed(rubric, [0.0, None])) == 0.5


def test_nearer_never_amounts_to_less() -> None:
    assert all(low <= high and below <= above for (low, below), (high, above) in pairwise(TABLE))
    assert (extent_of(0, inverted=False), extent_of(1, inverted=False)) == (0, 1)


@given(st.floats(0, 1))
def test_should_not_turns_the_figure_round(closeness: float) -> None:
    assert extent_of(closeness, inverted=True) == 1 - extent_of(closeness, inverted=False)
    assert 0 <= extent_of(closeness, inverted=False) <= 1


EXTENTS = st.none() | st.floats(0, 1)
POINTS = st.lists(st.tuples(EXTENTS, st.floats(0, 1), st.sampled_from([1.0, 0.1, 10.0])), min_size=1, max_size=6)


def with_paths(points: Sequence[tuple[float | None, float, float]]) -> Prompt:
    """The first half required, each of the rest a path of its own."""
    made = [text(f"point {number}", weight) for number, (_, _, weight) in enumerate(points)]
    half = (len(made) + 1) // 2
    return prompt([*made[:half], *([point] for point in made[half:])])


@given(POINTS)
def test_an_estimated_score_lies_within_the_bounds(points: Sequence[tuple[float | None, float, float]]) -> None:
    rubric = with_paths(points)
    known = assessed(rubric, [extent for extent, _, _ in points])
    found = Estimate({index: PointEstimate(None, 0.5, near) for index, (_, near, _) in enumerate(points)})
    bounds = explain(rubric, known).bounds
    score = found.score(known)
    assert (score is None) == all(extent is not None for extent, _, _ in points)
    assert score is None or bounds.low - 1e-9 <= score <= bounds.high + 1e-9


@given(POINTS)
def test_an_assessment_marked_as_an_estimate_explains_as_if_it_were_not_there(
    points: Sequence[tuple[float | None, float, float]],
) -> None:
    rubric = with_paths(points)
    known = assessed(rubric, [extent for extent, _, _ in points])
    estimated = tuple(
        Assessment(placed, near, AssessedBy.ESTIMATE) if each.extent is None else each
        for placed, each, (_, near, _) in zip(place(rubric), known, points, strict=True)
    )
    without, given_ = explain(rubric, known), explain(rubric, estimated)
    assert (given_.score, given_.bounds, given_.steps) == (without.score, without.bounds, without.steps)
    assert (given_.advice, given_.notes, given_.weval) == (without.advice, without.notes, without.weval)
    assert score_of(map(PointExtent.of, estimated)) == without.score


@given(POINTS)
def test_exported_scores_do_not_know_of_estimates(points: Sequence[tuple[float | None, float, float]]) -> None:
    rubric = with_paths(points)
    known = assessed(rubric, [extent for extent, _, _ in points])
    scored = Scored(Response("An answer.", tuple[ThreadTurn, ...]()), known, explain(rubric, known))
    found = Estimate({index: PointEstimate(None, near, near) for index, (_, near, _) in enumerate(points)}, 0.5)
    result = coverage_result(scored, None, found)
    assert result.pop("estimate")
    assert result == coverage_result(scored)


def test_the_page_names_the_figures_that_are_printed() -> None:
    told = re.findall(r"printed as ≈ (\d+), (\d+), (\d+) and (\d+)", " ".join(page().split()))
    assert told == [tuple(f"{extent_of(near, inverted=False) * 100:.0f}" for near in (0.2, 0.4, 0.6, 0.8))]
