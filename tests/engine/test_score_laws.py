"""Laws of a score: its bounds, what each point costs and gains, and the standing of paths."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.rules.rubric_edits import Refusal, rubric_edits
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import Explanation, GroupScore, IdealScore, points_text
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, groups_of
from engine.scoring.what_if import PathStanding, RubricChanges, path_standings
from engine.text.record import replace
from tests.checked_corpus import read
from tests.engine.builders import assessed, prompt, text
from tests.world import corpus_files, needs_corpus

# The sums


SHARES = st.floats(0, 1)


WEIGHTS = st.floats(0.1, 10)


PATHS = st.sampled_from([None, None, "path_1", "path_2", "not_path_1"])


POINTS = st.lists(st.builds(PointExtent, SHARES, WEIGHTS, PATHS), min_size=1, max_size=8)


@given(POINTS)
def test_a_score_lies_between_0_and_1(points: list[PointExtent]) -> None:
    assert 0 <= aggregate(points) <= 1


@given(POINTS, st.data())
def test_a_score_never_falls_when_an_extent_rises(points: list[PointExtent], data: st.DataObject) -> None:
    place_of_one = data.draw(st.integers(0, len(points) - 1))
    raised = data.draw(st.floats(points[place_of_one].extent or 0, 1))
    better = [*points]
    better[place_of_one] = PointExtent(raised, points[place_of_one].multiplier, points[place_of_one].path_id)
    assert aggregate(better) >= aggregate(points)


@given(POINTS, st.randoms(use_true_random=False))
def test_a_score_is_indifferent_to_the_order_of_points(points: list[PointExtent], random: Any) -> None:
    shuffled = random.sample(points, len(points))
    assert aggregate(shuffled) == pytest.approx(aggregate(points))


@given(POINTS)
def test_where_everything_is_assessed_both_readings_agree(points: list[PointExtent]) -> None:
    assert groups_of(points).score == aggregate(points)


# What points and paths cost and gain

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


@given(st.integers(1, 60), st.lists(st.booleans(), min_size=60, max_size=60), st.floats(0.1, 10))
def test_equal_points_have_equal_figures(count: int, is_met: list[bool], weight: float) -> None:
    some = prompt([text(f"p{number}", weight) for number in range(count)])
    explanation = explain(some, assessed(some, [float(each) for each in is_met[:count]]))
    missed = [point for point in explanation.groups()[0].points if point.assessment.extent == 0]
    assert len({points_text(point.cost) for point in missed}) <= 1
    assert {points_text(point.gain) for point in missed} == {points_text(each.cost) for each in missed}


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


@settings(deadline=None)
@given(cases())
def test_bounds_hold_the_score_of_every_completion_and_both_are_reached(case: Case) -> None:
    some, extents = case
    bounds = met(case, ()).bounds
    open_places = [place for place, extent in enumerate(extents) if extent is None]
    scores = []
    for choice in product((0.0, 0.4, 1.0), repeat=min(len(open_places), 4)):
        filled = dict(zip(open_places, (*choice, *choice[-1:] * len(open_places)), strict=False))
        completed = [filled.get(place, extent) for place, extent in enumerate(extents)]
        scores.append(explain(some, assessed(some, completed)).score or 0.0)
    assert (min(scores), max(scores)) == pytest.approx((bounds.low, bounds.high))


FIVE = prompt([text("A"), text("B"), text("C"), [text("D")], [text("E")]])


def ideal(low: float, high: float, judged: int = 5) -> IdealScore:
    figure = f"{low * 100:g}" if low == high else f"{low * 100:g}–{high * 100:g}"
    return IdealScore(Bounds(low, high), judged, figure, "" if low == high else "3 of 5 criteria judged")


@given(
    extents=st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=5, max_size=5),
    bounds=st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0])).map(sorted),
)
def test_nothing_is_said_of_the_ideal_that_a_verdict_to_come_could_contradict(
    extents: list[float | None], bounds: list[float]
) -> None:
    low, high = bounds
    explanation = explain(FIVE, assessed(FIVE, extents), ideal(low, high))
    said = explanation.against_ideal or ""
    assert ("look at the answer" in said) <= (low >= 1 or low > explanation.bounds.high)
    assert ("look at the rubric" in said) <= (high <= explanation.bounds.low)
    assert ("and the rubric" in said) <= (high < 1)


# The standing of paths


PATH = st.lists(st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=3)


EXTENT = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def paths(draw: st.DrawFn) -> tuple[Prompt, list[float | None]]:
    some = prompt(draw(st.lists(PATH, min_size=2, max_size=3)))
    return some, draw(st.lists(st.none() | EXTENT, min_size=len(some.points()), max_size=len(some.points())))


def standings(some: Prompt, extents: list[float | None]) -> tuple[PathStanding, ...]:
    return path_standings(explain(some, assessed(some, extents)))


def places(some: Prompt, standing: PathStanding) -> list[int]:
    return [at for at, p in enumerate(some.points()) if any(p is q.assessment.point for q in standing.path.points)]


def is_best(some: Prompt, extents: list[float | None], own: list[int], met: tuple[int, ...]) -> bool:
    """Whether the path of the points `own` is the only best one with `met` at 1, others at 1 where open."""
    filled = [
        1.0 if at in met else (0.0 if at in own else 1.0) if each is None else each for at, each in enumerate(extents)
    ]
    scores = {path.path_id: path.score or 0.0 for path in explain(some, assessed(some, filled)).paths}
    mine = next(
        path
        for path in explain(some, assessed(some, filled)).paths
        if path.points[0].assessment.point is some.points()[own[0]]
    )
    return all(
        mine.score is not None and mine.score > other + 1e-9 for key, other in scores.items() if key != mine.path_id
    )


@given(paths())
def test_the_change_is_the_smallest_that_makes_the_path_the_best(case: tuple[Prompt, list[float | None]]) -> None:
    some, extents = case
    for standing in standings(some, extents):
        own = places(some, standing)
        sizes = [
            size
            for size in range(len(own) + 1)
            if any(is_best(some, extents, own, met) for met in combinations(own, size))
        ]
        assert (None if standing.change is None else len(standing.change)) == (sizes[0] if sizes else None)


@given(paths())
def test_the_change_comes_true(case: tuple[Prompt, list[float | None]]) -> None:
    some, extents = case
    for standing in [each for each in standings(some, extents) if each.change is not None]:
        met = [at for at, p in enumerate(some.points()) if any(p is q.assessment.point for q in standing.change or ())]
        assert is_best(some, extents, places(some, standing), tuple(met))


@given(paths())
def test_every_completion_is_within_the_lead(case: tuple[Prompt, list[float | None]]) -> None:
    some, extents = case
    found = standings(some, extents)
    for value in (0.0, 0.5, 1.0):
        now = standings(some, [value if each is None else each for each in extents])
        for before, after in zip(found, now, strict=True):
            assert before.lead.low - 1e-9 <= after.lead.low <= after.lead.high <= before.lead.high + 1e-9


# Edits of published rubrics


@needs_corpus
def test_weights_and_points_of_the_corpus_can_be_changed() -> None:
    done = refused = 0
    for path in corpus_files()[::12]:
        parsed = read(path)
        for some in [each for each in parsed.blueprint.prompts[:2] if len(each.points()) > 1]:
            last = len(some.points()) - 1
            found = rubric_edits(parsed, some, RubricChanges({0: 2.0}, frozenset({last})), {})
            refused += isinstance(found, Refusal)
            done += not isinstance(found, Refusal)
    assert done > 20 * refused
