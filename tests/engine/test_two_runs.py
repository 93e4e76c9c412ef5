"""Two runs of a prompt: each answer by each rubric, the verdicts that pass, and those that are missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart
from engine.scoring.sums import place
from engine.study.scored_answer import Side
from engine.study.two_runs import Combination, TwoRuns, criterion_changes
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


def figures(runs: TwoRuns) -> list[str]:
    """The scores, with the new answer on the old rubric before the old answer on the new one."""
    return [score.figure for score in runs.scores.values()]


def missing(runs: TwoRuns) -> dict[Combination, set[int]]:
    return {of: set(places) for of, places in runs.missing.items() if places}


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


def test_each_answer_is_scored_by_each_rubric() -> None:
    found = {
        Combination.NEW_ON_OLD: assessments(A, [0.5]),
        Combination.OLD_ON_NEW: assessments(AB, [1.0, 0.0]),
    }
    runs = TwoRuns(side(A, [1.0]), side(AB, [0.5, 1.0], NEW), found)
    assert figures(runs) == ["100.0", "50.0", "50.0", "75.0"]
    assert (runs.difference.low, runs.difference.high) == (-0.25, -0.25)


def test_holistic_verdicts_do_not_pass_to_another_rubric() -> None:
    assert figures(TwoRuns(side(A, [1.0], OLD, "A"), side(AB, [0.5, 1.0], OLD, "AB")))[0::3] == ["100.0", "75.0"]
    other = TwoRuns(side(A, [1.0], OLD, "A"), side(AB, [0.5, 1.0], NEW, "AB"))
    assert figures(other)[1:3] == ["not judged yet", "not judged yet"]
    assert missing(other) == {Combination.NEW_ON_OLD: {0}, Combination.OLD_ON_NEW: {0, 1}}


def test_a_grade_of_a_person_is_on_the_wording_and_passes_to_another_rubric() -> None:
    runs = TwoRuns(side(A, [1.0], OLD, "A", AssessedBy.HUMAN), side(AB, [0.5, 1.0], NEW, "AB", AssessedBy.HUMAN))
    assert figures(runs) == ["100.0", "50.0", "50–100", "75.0"]
    assert missing(runs) == {Combination.OLD_ON_NEW: {1}}


def test_a_verdict_from_before_an_edit_counts() -> None:
    (judged,) = assessments(A, [1.0])
    carried = Assessment(judged.placed, 1.0, AssessedBy.JUDGE, carried_over=(ChangedPart.CRITERIA,))
    assert TwoRuns(Side(OLD, [carried]), side(A, [0.0], NEW)).difference.low == -1.0
    (change,) = criterion_changes([judged], [carried])
    assert (change.part.low, change.part.high) == (0.0, 0.0)


def test_a_check_that_both_rubrics_have_is_known_for_both_answers() -> None:
    old, new = prompt([check("icontains", "x")]), prompt([check("icontains", "x"), check("icontains", "y")])
    runs = TwoRuns(side(old, [1.0]), side(new, [0.0, 1.0], NEW))
    assert figures(runs) == ["100.0", "0.0", "50–100", "50.0"]
    assert missing(runs) == {Combination.OLD_ON_NEW: {1}}


def test_what_is_looked_up_completes_the_runs() -> None:
    runs = TwoRuns(side(AB, [1.0, None]), side(AB, [1.0, None], NEW))
    asked: list[tuple[Combination, set[int]]] = []

    def lookup(of: Combination, places: object) -> tuple[Assessment, ...]:
        asked.append((of, set(places)))  # pyright: ignore[reportArgumentType]
        return assessments(AB, [0.0, 0.5])

    own = runs.completed(lookup, fills_own=True)
    assert figures(own) == ["75.0"] * 4
    assert asked == [(Combination.OLD, {1}), (Combination.NEW, {1})]
    assert figures(runs.completed(lookup, fills_own=False)) == ["50–100", "75.0", "75.0", "50–100"]


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
    shown = draw(st.booleans())

    def some(of: Prompt, answer: tuple[str, ...]) -> Side:
        return side(of, draw(extents_of(of)), answer, ("shown", id(of)) if shown else None)

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
