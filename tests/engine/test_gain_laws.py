"""Gains come true when their change is made, and the interval of a score holds every completion of its verdicts."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.explanation import Explanation, GroupScore
from engine.scoring.explanation_builder import explain
from tests.engine.builders import assessed, prompt, text
from tests.engine.test_waterfall import BLOCK, EXTENTS

Case = tuple[Prompt, list[float | None]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    some = prompt(draw(BLOCK), draw(BLOCK))
    return some, draw(st.lists(EXTENTS, min_size=len(some.points()), max_size=len(some.points())))


def met(case: Case, places: Collection[int]) -> Explanation:
    """The explanation with the judged ones of these points fully met."""
    some, extents = case
    changed = [1.0 if at in places and each is not None else each for at, each in enumerate(extents)]
    return explain(some, assessed(some, changed))


def places_of(some: Prompt, group: GroupScore) -> list[int]:
    points = [each.assessment.point for each in group.points]
    return [at for at, point in enumerate(some.points()) if any(point is each for each in points)]


@given(cases())
def test_the_gain_of_each_point_comes_true(case: Case) -> None:
    now = met(case, ())
    for group in now.groups():
        for point, place in zip(group.points, places_of(case[0], group), strict=True):
            then = met(case, {place})
            assert then.settled.low - now.settled.low == pytest.approx(point.gain or 0, abs=1e-9)
            assert (then.settled.low, then.settled.high) == pytest.approx((point.met.low, point.met.high))


@given(cases())
def test_the_gain_of_each_path_comes_true(case: Case) -> None:
    now = met(case, ())
    for path in now.paths:
        then = met(case, places_of(case[0], path))
        assert path.gain in (None, pytest.approx(then.settled.low - now.settled.low, abs=1e-9))


@given(cases(), st.data())
def test_every_completion_lies_within_the_bounds(case: Case, data: st.DataObject) -> None:
    some, extents = case
    bounds = met(case, ()).bounds
    filled = [data.draw(st.floats(0, 1)) if each is None else each for each in extents]
    score = explain(some, assessed(some, filled)).score
    assert score is None or bounds.low - 1e-9 <= score <= bounds.high + 1e-9


def test_points_of_one_path_gain_apart_and_not_in_sum() -> None:
    some = prompt([[text("A"), text("B")], [text("C")]])
    gains = [point.gain for path in explain(some, assessed(some, [0.0, 0.0, 0.5])).paths for point in path.points]
    assert gains == [0.0, 0.0, 0.5]
