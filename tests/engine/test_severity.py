"""Severity: what an answer can still score that fails one point and meets all others."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.evaluation.result_json import explanation_json
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import severity_text
from engine.scoring.sums import place, severities
from engine.text.record import replace
from tests.checked_corpus import read
from tests.engine.builders import assessed, check, prompt, text
from tests.world import corpus_files, needs_corpus

ENTRIES = st.lists(
    st.one_of(
        st.builds(text, st.just("p"), st.floats(0.1, 10)),
        st.lists(st.builds(text, st.just("p"), st.floats(0.1, 10)), min_size=1, max_size=3),
    ),
    max_size=5,
)
PROMPTS = st.builds(prompt, ENTRIES, ENTRIES)


def recomputed(some: Prompt, failed: int) -> float | None:
    """The score by `explain` with one point at 0 and all others at 1."""
    extents = [0.0 if place == failed else 1.0 for place in range(len(some.points()))]
    return explain(some, assessed(some, extents)).score


@given(PROMPTS)
def test_it_is_the_score_with_this_point_at_0_and_all_others_at_1(some: Prompt) -> None:
    expected = [recomputed(some, index) for index in range(len(some.points()))]
    assert severities(place(some)) == pytest.approx(expected)


@given(PROMPTS, st.data())
def test_it_does_not_depend_on_what_is_assessed(some: Prompt, data: st.DataObject) -> None:
    count = len(some.points())
    extents = data.draw(st.lists(st.none() | st.floats(0, 1), min_size=count, max_size=count))
    explanation = explain(some, assessed(some, extents))
    left = {id(each.assessment.placed.point): each.severity for group in explanation.groups() for each in group.points}
    expected = severities(place(some))
    assert [left[id(point)] for point in some.points()] == pytest.approx(expected)


def test_a_point_among_twelve_leaves_what_the_others_are_worth() -> None:
    some = prompt([text("wanted") for _ in range(11)], [text("Gives a dose")])
    assert severities(place(some))[-1] == pytest.approx(11 / 12)


def test_a_point_of_one_of_several_paths_costs_nothing() -> None:
    assert severities(place(prompt([[text("A")], [text("B")]]))) == (1.0, 1.0)


def test_a_point_of_the_only_path_costs_its_part_of_half_of_the_score() -> None:
    assert severities(place(prompt([text("A"), [text("B"), text("C")]]))) == (0.5, 0.75, 0.75)


def test_it_is_unknown_where_all_weights_are_0() -> None:
    assert severities(place(prompt([text("A", weight=0.0)]))) == (None,)


def test_it_is_unknown_where_a_yaml_error_hides_points() -> None:
    cut = replace(prompt([text("A"), text("B")]), is_cut_off=True)
    (group,) = explain(cut, assessed(cut, [1.0, 1.0])).groups()
    assert [point.severity for point in group.points] == [None, None]


def test_the_sentence_says_whether_the_answer_does_or_misses_it() -> None:
    some = prompt([text("A")], [check("contains", "b")])
    wanted, forbidden = place(some)
    assert severity_text(wanted, 0.92) == "an answer that misses this can still get 92"
    assert severity_text(forbidden, 10 / 11) == "an answer that does this can still get 90.9"


def test_the_explanation_in_json_has_it_beside_each_point() -> None:
    some = prompt([text("A")], [text("B")])
    data: Any = explanation_json(explain(some, assessed(some, [1.0, None])))
    assert [point["severity"] for point in data["groups"][0]["points"]] == [0.5, 0.5]
    assert data["version"] == 2


def forbidden(some: Prompt) -> list[float]:
    placed = place(some)
    pairs = zip(placed, severities(placed), strict=True)
    return [left for each, left in pairs if each.inverted and left is not None]


@needs_corpus
def test_most_forbidden_things_of_the_corpus_cost_25_or_less() -> None:
    prompts = [each for path in corpus_files() for each in read(path).blueprint.prompts]
    assert median(left for some in prompts for left in forbidden(some)) >= 0.75
