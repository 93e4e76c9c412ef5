"""Costs add up from 100 to the score, and equal points have equal figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import points_text
from engine.scoring.what_if import waterfall
from engine.text.record import replace
from tests.engine.builders import assessed, check, prompt, text

WIREFRAME = prompt(
    [text("A"), text("B"), text("C"), [check("icontains", "x")], [check("icontains", "y"), check("icontains", "z")]]
)
BLOCK = st.lists(
    st.one_of(
        st.builds(text, st.just("p"), st.floats(0.1, 10)),
        st.lists(st.builds(text, st.just("p"), st.floats(0.1, 10)), min_size=1, max_size=3),
    ),
    max_size=5,
)
EXTENTS = st.none() | st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.33, 1.0])


@st.composite
def explanations(draw: st.DrawFn) -> Explanation:
    some: Prompt = prompt(draw(BLOCK), draw(BLOCK))
    extents = draw(st.lists(EXTENTS, min_size=len(some.points()), max_size=len(some.points())))
    in_vain = draw(st.lists(st.booleans(), min_size=len(extents), max_size=len(extents)))
    every = zip(assessed(some, extents), in_vain, strict=True)
    return explain(some, [failed(each, Bounds(0.0, 1.0)) if fails else each for each, fails in every])


def failed(assessment: Assessment, possible: Bounds) -> Assessment:
    """The assessment with a judge that was asked in vain, which leaves `possible`."""
    return replace(
        assessment, by=AssessedBy.JUDGE, error="1 of 2 judges failed", possible=possible, failed_judges=("j(own:j)",)
    )


def costs(explanation: Explanation) -> list[float]:
    return [point.cost or 0.0 for group in explanation.groups() for point in group.points]


def test_points_cost_their_share_of_the_required_points_and_of_the_best_path() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [1.0, 0.75, 0.5, 0.0, 1.0, 0.0]))
    assert costs(explanation) == pytest.approx([0, 1 / 24, 1 / 12, 0, 0, 0.25])


def test_a_path_that_does_not_count_costs_nothing_and_may_gain() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [1.0, 1.0, 1.0, 0.0, 1.0, 0.0]))
    lone, best = explanation.paths
    assert (lone.cost, best.cost, lone.gain) == (0, 0.25, 0.25)


def test_an_open_point_has_neither_cost_nor_gain() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [None, 0.5, 1.0, 1.0, None, None]))
    first = explanation.groups()[0].points[0]
    assert (first.cost, first.gain, points_text(first.cost)) == (None, None, "–")
    assert (explanation.paths[1].cost, explanation.paths[1].gain) == (None, None)
    assert costs(explanation) == pytest.approx([0, 1 / 12, 0, 0, 0, 0])
    assert explanation.bounds.high == pytest.approx(1 - 1 / 12)


def test_a_path_of_which_a_point_is_open_has_neither_cost_nor_gain() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [1.0, 1.0, 1.0, 0.0, 1.0, None]))
    assert [(path.cost, path.gain) for path in explanation.paths] == [(0, 0.25), (None, None)]


@given(explanations())
def test_all_costs_and_the_highest_score_that_is_possible_add_up_to_100(explanation: Explanation) -> None:
    has_score = any(not point.assessment.failed for group in explanation.groups() for point in group.points)
    assert sum(costs(explanation)) + explanation.settled.high == pytest.approx(1 if has_score else 0)


@given(explanations())
def test_where_judges_failed_cost_and_gain_are_those_of_the_score(explanation: Explanation) -> None:
    if explanation.is_open or explanation.score is None:
        return
    assert explanation.settled == Bounds(explanation.score, explanation.score)
    for group in explanation.groups():
        for point in group.points:
            assert (point.cost is None, point.gain is None) == (point.assessment.failed, point.assessment.failed)
            assert points_text(point.met.low) == points_text(explanation.score + (point.gain or 0.0))


def test_a_point_with_a_failed_judge_has_the_figures_of_one_without() -> None:
    some = prompt([text("A"), text("B"), text("C"), text("D")])
    sound, in_part, *rest = assessed(some, [0.5, 0.5, 1.0, 1.0])
    explanation = explain(some, [sound, failed(in_part, Bounds(0.25, 0.75)), *rest])
    first, second = (
        (point.cost, point.gain, point.met) for point in (explanation.groups()[0].points[at] for at in (0, 1))
    )
    assert (first, explanation.bounds) == (second, Bounds(0.6875, 0.8125))
    assert first == (0.125, 0.125, Bounds(0.875, 0.875))
    assert [(each.gain, each.after) for each in explanation.advice] == [(0.125, Bounds(0.875, 0.875))] * 2


@given(explanations())
def test_a_waterfall_goes_from_100_down_to_the_score(explanation: Explanation) -> None:
    falls = waterfall(explanation)
    left = [1.0, *(fall.after for fall in falls)]
    assert [fall.before for fall in falls] == left[:-1]
    assert left == sorted(left, reverse=True)
    assert not falls or left[-1] == explanation.settled.high
    assert all(fall.cost == pytest.approx(fall.before - fall.after) for fall in falls)


@given(st.integers(1, 60), st.lists(st.booleans(), min_size=60, max_size=60), st.floats(0.1, 10))
def test_equal_points_have_equal_figures(count: int, is_met: list[bool], weight: float) -> None:
    some = prompt([text(f"p{number}", weight) for number in range(count)])
    explanation = explain(some, assessed(some, [float(each) for each in is_met[:count]]))
    missed = [point for point in explanation.groups()[0].points if point.assessment.extent == 0]
    assert len({points_text(point.cost) for point in missed}) <= 1
    assert {points_text(point.gain) for point in missed} == {points_text(each.cost) for each in missed}


def test_costs_stand_in_the_order_of_the_computation() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [1.0, 0.75, 0.5, 0.0, 1.0, 0.0]))
    assert [points_text(fall.cost) for fall in waterfall(explanation)] == ["4.2", "8.3", "25.0"]


def test_nothing_falls_where_a_yaml_error_hides_points() -> None:
    from engine.text.record import replace as replaced

    cut = replaced(WIREFRAME, is_cut_off=True)
    assert waterfall(explain(cut, assessed(cut, [1.0, 0.75, 0.5, 0.0, 1.0, 0.0]))) == ()
