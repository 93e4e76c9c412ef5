"""The standing of paths: their lead, and the smallest change that makes one the best."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.explanation_builder import explain
from engine.scoring.what_if import PathStanding, change_text, lead_text, path_standings
from tests.engine.builders import assessed, prompt, text

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


THREE = prompt([[text("A"), text("B")], [text("C")], [text("D"), text("E", weight=2)]])


def test_the_best_path_leads_and_the_others_are_behind() -> None:
    found = standings(THREE, [1.0, 0.5, 0.25, 0.0, 0.5])
    assert [lead_text(each.lead) for each in found] == ["41.7 ahead", "50 behind", "41.7 behind"]
    assert [change_text(each) for each in found] == [
        "",
        "to be the best, meet “C”",
        "to be the best, meet “D” and “E”",
    ]


def test_a_path_beside_a_perfect_one_can_only_draw_level() -> None:
    found = standings(THREE, [1.0, 1.0, 0.0, 0.0, 0.0])
    assert change_text(found[1]) == "it can only draw level"


def test_of_a_path_that_is_level_already_it_does_not_say_that_it_can_draw_level() -> None:
    level = standings(prompt([[text("A")], [text("B")]]), [1.0, 1.0])
    assert [change_text(each) for each in level] == ["", ""]


def test_an_open_path_has_a_range_for_its_lead() -> None:
    found = standings(prompt([[text("A")], [text("B")]]), [None, 0.5])
    assert lead_text(found[0].lead) == "50 behind to 50 ahead"


def test_a_range_on_one_side_is_in_one_phrase() -> None:
    found = standings(prompt([[text("A"), text("B")], [text("C")]]), [1.0, None, 0.25])
    assert [lead_text(each.lead) for each in found] == ["25 to 75 ahead", "25 to 75 behind"]


def test_a_lone_path_has_no_lead() -> None:
    assert standings(prompt([text("A"), [text("B")]]), [1.0, 0.0]) == ()


@pytest.mark.parametrize("extents", [[0.5, 0.5], [None, None]])
def test_paths_that_are_level_are_not_the_best(extents: list[float | None]) -> None:
    assert not any(each.change == () for each in standings(prompt([[text("A")], [text("B")]]), extents))
