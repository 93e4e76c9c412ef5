"""Four corners: answer, rubric, interaction and judging again add up, and intervals hold every completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.comparison.corners import Cause, FourCorners, Side
from engine.comparison.criterion_changes import criterion_changes
from engine.comparison.joint_intervals import Interval, OpenPoint, OpenScore, joint_interval
from engine.comparison.scored_answer import own_headlines
from engine.scoring import AssessedBy, Assessment, place, score_of
from engine.scoring.aggregation import PointExtent
from engine.scoring.assessment import ChangedPart
from tests.engine.builders import check, prompt, text

OLD, NEW = ("the old answer",), ("the new answer",)
EXTENTS = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
POINT = st.builds(text, st.sampled_from("ABC"), st.sampled_from([0.5, 1.0, 3.0])) | st.just(check("icontains", "x"))
BLOCK = st.lists(POINT | st.lists(POINT, min_size=1, max_size=2), max_size=3)


def side(
    of: Prompt, extents: list[float | None], answer: tuple[str, ...] = OLD, shown: object = None,
    by: AssessedBy = AssessedBy.JUDGE,
) -> Side:  # fmt: skip
    return Side(answer, assessments(of, extents, by), shown)  # pyright: ignore[reportArgumentType]


def assessments(of: Prompt, extents: list[float | None], by: AssessedBy = AssessedBy.JUDGE) -> tuple[Assessment, ...]:
    return tuple(
        Assessment(placed, extent, None if extent is None else by)
        for placed, extent in zip(place(of), extents, strict=True)
    )


def closed(value: float) -> Interval:
    return Interval(pytest.approx(value), pytest.approx(value))  # pyright: ignore[reportArgumentType]


A, AB = prompt([text("A")]), prompt([text("A"), text("B")])


def test_another_answer_to_the_same_rubric_is_the_answer_alone() -> None:
    found = FourCorners(side(AB, [1.0, 0.0]), side(AB, [0.5, 1.0], NEW))
    assert (found.answer, found.causes) == (closed(0.25), (Cause.ANSWER,))


def test_another_weight_for_the_same_answer_is_the_rubric_alone() -> None:
    heavier = prompt([text("A", 3.0), text("B")])
    found = FourCorners(side(AB, [1.0, 0.0]), side(heavier, [1.0, 0.0]))
    assert (found.rubric, found.causes) == (closed(0.25), (Cause.RUBRIC,))


def test_another_verdict_on_the_same_question_is_judging_again() -> None:
    found = FourCorners(side(AB, [1.0, 0.0]), side(AB, [1.0, 0.5]))
    assert (found.again, found.causes, found.judged_twice) == (closed(0.25), (Cause.VERDICT,), 1)


def test_a_run_has_a_score_where_the_other_run_decides_its_open_point() -> None:
    old, new = own_headlines(FourCorners(side(AB, [1.0, None]), side(AB, [1.0, 0.5])))
    assert (old.score, old.figure, new.figure) == (0.75, "75.0", "75.0")
    old, _ = own_headlines(FourCorners(side(AB, [1.0, None]), side(AB, [1.0, 0.5], NEW)))
    assert (old.score, old.figure) == (None, "50–100")


def test_what_both_change_together_is_the_interaction() -> None:
    found = FourCorners(
        side(A, [1.0]),
        side(AB, [0.5, 1.0], NEW),
        (assessments(A, [0.5]), assessments(AB, [1.0, 0.0])),
    )
    parts = [found.answer, found.rubric, found.interaction, found.again]
    assert parts == [closed(-0.5), closed(-0.5), closed(0.75), closed(0.0)]
    assert found.total == closed(-0.25)


def test_holistic_verdicts_do_not_pass_to_another_rubric() -> None:
    found = FourCorners(side(A, [1.0], OLD, "A"), side(AB, [0.5, 1.0], OLD, "AB"))
    assert found.rubric == Interval(-0.25, -0.25)
    other = FourCorners(side(A, [1.0], OLD, "A"), side(AB, [0.5, 1.0], NEW, "AB"))
    assert (other.rubric, other.answer) == (Interval(-1.0, 0.0), Interval(-1.0, 0.0))
    missing = [(each.new_answer, each.new_rubric) for each in other.missing]
    assert missing == [(True, False), (False, True), (False, True)]


def test_a_grade_of_a_person_is_on_the_wording_and_passes_to_another_rubric() -> None:
    found = FourCorners(side(A, [1.0], OLD, "A", AssessedBy.HUMAN), side(AB, [0.5, 1.0], NEW, "AB", AssessedBy.HUMAN))
    assert found.answer == closed(-0.5)
    assert [(each.new_answer, each.new_rubric, each.index) for each in found.missing] == [(False, True, 1)]


def test_a_verdict_from_before_an_edit_counts() -> None:
    (judged,) = assessments(A, [1.0])
    carried = Assessment(judged.placed, 1.0, AssessedBy.JUDGE, carried_over=(ChangedPart.CRITERIA,))
    assert FourCorners(Side(OLD, [carried]), side(A, [0.0], NEW)).answer == closed(-1.0)
    (change,) = criterion_changes([judged], [carried])
    assert (change.part.least, change.part.most) == (0.0, 0.0)


def test_a_check_that_both_rubrics_have_is_known_for_both_answers() -> None:
    old, new = prompt([check("icontains", "x")]), prompt([check("icontains", "x"), check("icontains", "y")])
    found = FourCorners(side(old, [1.0]), side(new, [0.0, 1.0], NEW))
    assert found.answer == closed(-1.0)
    assert [(each.new_answer, each.index) for each in found.missing] == [(False, 1)]


def test_an_open_point_of_both_answers_is_two_unknowns_and_of_one_answer_is_one() -> None:
    heavier = prompt([text("A", 3.0), text("B")])
    one = FourCorners(side(AB, [None, 1.0]), side(heavier, [None, 1.0]))
    assert one.rubric == Interval(pytest.approx(-0.25), pytest.approx(0.0))  # pyright: ignore[reportArgumentType]
    two = FourCorners(side(AB, [None, 1.0]), side(AB, [None, 1.0], NEW))
    assert two.answer == Interval(-0.5, 0.5)


# Laws


@st.composite
def corners(draw: st.DrawFn) -> FourCorners:
    old = prompt(draw(BLOCK), draw(BLOCK))
    new = draw(st.sampled_from([old, prompt(draw(BLOCK), draw(BLOCK))]))
    new_answer = draw(st.sampled_from([OLD, NEW]))
    shown = draw(st.booleans())

    def some(of: Prompt, answer: tuple[str, ...]) -> Side:
        return side(of, draw(extents_of(of)), answer, ("shown", id(of)) if shown else None)

    return FourCorners(
        some(old, OLD), some(new, new_answer),
        draw(st.tuples(st.none() | mixed(old), st.none() | mixed(new))),
    )  # fmt: skip


def extents_of(of: Prompt) -> st.SearchStrategy[list[float | None]]:
    size = len(of.points())
    return st.lists(EXTENTS, min_size=size, max_size=size)


def mixed(of: Prompt) -> st.SearchStrategy[tuple[Assessment, ...]]:
    return extents_of(of).map(lambda extents: assessments(of, extents))


def completed(points: tuple[OpenPoint, ...], values: Mapping[Any, float]) -> float:
    numbers = [
        PointExtent(values[each.unknown] if each.extent is None else each.extent, each.multiplier, each.path_id)
        for each in points
    ]
    return score_of(numbers) or 0.0


@given(corners(), st.data())
def test_the_four_parts_add_up_in_every_completion_and_the_intervals_hold_it(
    found: FourCorners, data: st.DataObject
) -> None:
    all_points = (found.old_on_old, found.new_on_old, found.old_on_new, found.new_on_new, found.judged_again)
    unknowns = {each.unknown for points in all_points for each in points if each.extent is None}
    values: Mapping[Any, float] = {each: data.draw(st.sampled_from([0.0, 0.4, 1.0])) for each in unknowns}
    old, new_on_old, old_on_new, new, again = (completed(points, values) for points in all_points)
    parts = {
        Cause.ANSWER: new_on_old - old,
        Cause.RUBRIC: old_on_new - old,
        Cause.INTERACTION: new - new_on_old - old_on_new + old,
        Cause.VERDICT: again - new,
    }
    assert sum(parts.values()) == pytest.approx(again - old)
    for cause, part in parts.items():
        assert found.parts[cause].low - 1e-9 <= part <= found.parts[cause].high + 1e-9
    assert found.total.low - 1e-9 <= again - old <= found.total.high + 1e-9


@given(corners())
def test_the_same_answer_and_the_same_rubric_leave_nothing_but_judging_again(found: FourCorners) -> None:
    if found.same_answer and found.same_rubric:
        assert set(found.causes) <= {Cause.VERDICT}
    if found.same_answer:
        assert Cause.ANSWER not in found.causes
        assert Cause.INTERACTION not in found.causes
    if found.same_rubric:
        assert Cause.RUBRIC not in found.causes
        assert Cause.INTERACTION not in found.causes


@given(corners())
def test_without_paths_an_interval_is_reached(found: FourCorners) -> None:
    terms = [(1.0, found.new_on_old), (-1.0, found.old_on_old)]
    points = [point for _, each in terms for point in each]
    if any(point.path_id is not None for point in points):
        return
    unknowns = {point.unknown for point in points if point.extent is None}
    interval = joint_interval([(factor, OpenScore.of(each)) for factor, each in terms])
    slope = {
        unknown: sum(
            factor * each.multiplier / sum(one.multiplier for one in corner)
            for factor, corner in terms
            for each in corner
            if each.extent is None and each.unknown == unknown
        )
        for unknown in unknowns
    }
    best = {unknown: float(rise > 0) for unknown, rise in slope.items()}
    assert interval.high == pytest.approx(completed(terms[0][1], best) - completed(terms[1][1], best), abs=1e-9)


def test_many_paths_are_bounded_by_themselves() -> None:
    def score(name: str) -> OpenScore:
        return OpenScore.of([OpenPoint(None, 1.0, f"path_{at}", (name, at)) for at in range(70)])

    assert joint_interval([(1.0, score("a")), (-1.0, score("b"))]) == Interval(-1.0, 1.0)
