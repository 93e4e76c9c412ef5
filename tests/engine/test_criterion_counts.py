"""What each point is good for: which labelled answers it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Prompt
from engine.evaluation.events import Response, Scored
from engine.evaluation.sources import REFUSAL, ControlKind
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, Grade
from engine.scoring.explanation_builder import explain
from engine.study.case import Case, CaseGrade, CaseOutcome, CaseState, Label, NamedPoint, control_kind, ideal_case
from engine.study.criterion_counts import RubricCounts, Tally, UnitCounts, criterion_counts, seen_text, units_of
from engine.text.record import replace
from engine.text.spans import NOWHERE, Span
from tests.engine.builders import assessed, check, prompt, text

Extents = Sequence[float | None]
GOOD, BAD = Label.GOOD, Label.BAD
THREE = prompt([text("A"), text("B")], [text("C")])
NUMBERS = count(1)


def case(label: Label | None = BAD, answer: str = "An answer.", **fields: object) -> Case:
    return Case(next(NUMBERS), NOWHERE, "p", NOWHERE, (answer,), label, **fields)  # pyright: ignore[reportArgumentType]


def outcome(one: Case, some: Prompt, assessments: tuple[Assessment, ...]) -> CaseOutcome:
    scored = Scored(Response(one.turns[0], ()), assessments, explain(some, assessments))
    return CaseOutcome(one, CaseState.LABELLED, "", scored, control_kind(one, some))


def counts(some: Prompt, *answers: tuple[Case, Extents], **options: object) -> RubricCounts:
    outcomes = [outcome(one, some, assessed(some, extents)) for one, extents in answers]
    return criterion_counts("p", some, outcomes, **options)  # pyright: ignore[reportArgumentType]


def figures(tally: Tally) -> tuple[int, int, int]:
    return tally.count, tally.known, tally.unjudged


def caught(of: RubricCounts) -> list[tuple[int, int, int]]:
    return [figures(each.catches) for each in of.units]


# --- One answer


@pytest.mark.parametrize(
    ("extent", "is_caught"), [(0.0, True), (0.25, True), (0.49, True), (0.5, False), (0.75, False), (1.0, False)]
)
def test_a_point_fails_an_answer_below_a_half_after_inversion(extent: float, is_caught: bool) -> None:
    found = counts(THREE, (case(), [1.0, 1.0, extent]))
    assert caught(found)[2] == (is_caught, 1, 0)


def test_the_unjudged_stand_beside_the_known_ones() -> None:
    found = counts(THREE, (case(), [0.0, 1.0, 1.0]), (case(), [None, 1.0, 1.0]), (case(GOOD), [1.0, 0.0, None]))
    assert caught(found) == [(1, 1, 1), (0, 2, 0), (0, 2, 0)]
    assert [figures(each.fails_good) for each in found.units] == [(0, 1, 0), (1, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    "unknown",
    [
        lambda each: replace(each, carried_over=(ChangedPart.CRITERIA,)),
        lambda each: replace(each, error="Unterminated character class", by=AssessedBy.FUNCTION),
    ],
    ids=["carried over", "could not run"],
)
def test_a_verdict_on_another_text_and_a_broken_check_are_unjudged(unknown: Callable[[Assessment], Assessment]) -> None:
    first, *others = assessed(THREE, [0.0, 1.0, 1.0])
    found = criterion_counts("p", THREE, [outcome(case(), THREE, (unknown(first), *others))])
    assert caught(found) == [(0, 0, 1), (0, 1, 0), (0, 1, 0)]


def test_the_rubric_catches_what_any_point_fails() -> None:
    found = counts(THREE, (case(), [0.0, None, 1.0]), (case(), [1.0, None, 1.0]), (case(), [1.0, 1.0, 1.0]))
    assert figures(found.catches) == (1, 2, 1)


def test_the_ideal_is_one_good_answer() -> None:
    ideal = outcome(ideal_case("p", ""), THREE, assessed(THREE, [0.0, 1.0, 1.0]))
    found = criterion_counts("p", THREE, [ideal])
    assert [figures(each.fails_good) for each in found.units] == [(1, 1, 0), (0, 1, 0), (0, 1, 0)]
    assert found.test_answers == ()


@pytest.mark.parametrize("label", [GOOD, BAD, None])
def test_the_ideal_among_the_cases_counts_once(label: Label | None) -> None:
    ideal = outcome(ideal_case("p", "The ideal."), THREE, assessed(THREE, [0.0, 1.0, 1.0]))
    same = outcome(case(label, "The ideal."), THREE, assessed(THREE, [0.0, 1.0, 1.0]))
    found = criterion_counts("p", THREE, [same, ideal])
    assert found.units[0].fails_good.known == 1


def test_answers_without_a_label_count_in_no_class() -> None:
    found = counts(THREE, (case(None), [0.0, 0.0, 0.0]))
    assert figures(found.catches) == figures(found.fails_good) == (0, 0, 0)


def test_an_answer_that_is_bad_in_one_way_is_bad() -> None:
    found = counts(THREE, (case(None, fails=NamedPoint("A")), [0.0, 1.0, 1.0]))
    assert caught(found)[0] == (1, 1, 0)


def test_an_orphaned_case_counts_nowhere() -> None:
    found = criterion_counts("p", THREE, [CaseOutcome(case(), CaseState.ORPHANED, "")])
    assert figures(found.catches) == (0, 0, 0)


# --- Paths

PATHS = prompt([text("A"), [text("B"), text("C", weight=3)], [text("D")]], [[text("E")], text("F")])


def test_all_paths_are_one_unit() -> None:
    assert [unit.places for unit in units_of(PATHS)] == [(0,), (1, 2, 3, 4), (5,)]
    assert [unit.paths for unit in units_of(PATHS)] == [0, 3, 0]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((0.0, 0.0, 0.0, 0.0), (1, 1, 0)),
        ((1.0, 0.25, 0.0, 0.0), (1, 1, 0)),
        ((0.5, 0.5, 0.0, 0.0), (0, 1, 0)),
        ((0.0, 0.0, 0.0, 1.0), (0, 1, 0)),
        ((None, 1.0, 0.0, 0.0), (0, 1, 0)),
        ((None, 0.0, 0.0, 0.0), (1, 1, 0)),
        ((0.0, None, 0.0, 0.0), (0, 0, 1)),
        ((0.0, 0.0, None, 1.0), (0, 1, 0)),
    ],
)
def test_the_best_path_decides_as_soon_as_it_is_certain(paths: Extents, expected: tuple[int, int, int]) -> None:
    assert caught(counts(PATHS, (case(), [1.0, *paths, 1.0])))[1] == expected


def test_what_a_yaml_error_hides_is_unjudged() -> None:
    cut = prompt([text("A"), [text("B")]], is_cut_off=True)
    found = counts(cut, (case(), [0.0, 1.0]), (case(), [1.0, 1.0]))
    assert caught(found) == [(1, 2, 0), (0, 0, 2)]
    assert figures(found.catches) == (1, 1, 1)


# --- Against brute force

ENTRIES = st.lists(
    st.one_of(
        st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 3.0])),
        st.lists(st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 3.0])), min_size=1, max_size=2),
    ),
    max_size=3,
)
STEPS = st.sampled_from([None, 0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Prompt, list[tuple[Label, list[float | None]]]]:
    some = prompt(draw(ENTRIES), draw(ENTRIES))
    size = len(some.points())
    extents = st.lists(STEPS, min_size=size, max_size=size)
    return some, draw(st.lists(st.tuples(st.sampled_from(Label), extents), max_size=5))


def completed(extents: Extents, unknown: float) -> list[float]:
    return [unknown if extent is None else extent for extent in extents]


def certain(value: Callable[[list[float]], bool], extents: Extents) -> bool | None:
    """Whether the unit fails the answer in the best and in the worst case."""
    best, worst = value(completed(extents, 1.0)), value(completed(extents, 0.0))
    return best if best == worst else None


def brute(some: Prompt, extents: Extents) -> list[bool | None]:
    """Whether each unit fails an answer, by the scores of the groups in the explanation of every completion."""

    def of_place(index: int) -> bool | None:
        return None if extents[index] is None else (extents[index] or 0.0) < 0.5

    def of_paths(every: list[float]) -> bool:
        paths = explain(some, assessed(some, every)).paths
        return max(path.score or 0.0 for path in paths) < 0.5

    return [certain(of_paths, extents) if unit.paths else of_place(unit.places[0]) for unit in units_of(some)]


@given(labelled())
def test_counts_are_those_of_brute_force(drawn: tuple[Prompt, list[tuple[Label, list[float | None]]]]) -> None:
    some, answers = drawn
    found = counts(some, *((case(label), extents) for label, extents in answers))
    failing = {label: [brute(some, extents) for each, extents in answers if each is label] for label in Label}
    for index, unit in enumerate(found.units):
        bad = [each[index] for each in failing[BAD]]
        good = [each[index] for each in failing[GOOD]]
        assert figures(unit.catches) == (bad.count(True), len(bad) - bad.count(None), bad.count(None))
        assert figures(unit.fails_good) == (good.count(True), len(good) - good.count(None), good.count(None))
    assert found.catches.count == sum(True in each for each in failing[BAD])
    assert found.fails_good.count == sum(True in each for each in failing[GOOD])


@given(labelled())
def test_every_labelled_answer_is_known_or_unjudged(
    drawn: tuple[Prompt, list[tuple[Label, list[float | None]]]],
) -> None:
    some, answers = drawn
    found = counts(some, *((case(label), extents) for label, extents in answers))
    bad = sum(label is BAD for label, _ in answers)
    tallies = [found.catches, *(unit.catches for unit in found.units)]
    assert {tally.known + tally.unjudged for tally in tallies} == {bad}
    assert all(unit.catches.count <= found.catches.count for unit in found.units)


# --- Seen while wording


def from_models(number: int) -> list[tuple[Case, Extents]]:
    return [(case(BAD, model=f"m{index}"), [0.0, None, 1.0]) for index in range(number)]


def test_nothing_is_said_of_what_was_shown_unless_the_caller_knows() -> None:
    found = counts(THREE, *from_models(2))
    assert found.units[0].catches == Tally(2, 2, 0, None)
    assert seen_text(found.catches, found.fails_good) == ""


def test_freshness_is_of_a_wording_and_of_the_known_answers() -> None:
    def since_c(_: Case, points: Sequence[object]) -> bool:
        return [each.point.text for each in points] == ["C"]  # pyright: ignore[reportAttributeAccessIssue]

    found = counts(THREE, *from_models(3), is_fresh=since_c)
    assert [unit.catches.seen for unit in found.units] == [3, 0, 0]
    assert found.catches.seen == 3


@pytest.mark.parametrize(
    ("seen", "expected"), [(3, "all seen while wording"), (1, "1 of 3 seen while wording"), (0, ""), (None, "")]
)
def test_how_many_were_seen_in_words(seen: int | None, expected: str) -> None:
    assert seen_text(Tally(2, 2, 0, seen), Tally(0, 1, 4, None if seen is None else 0)) == expected


# --- Untested points

GUARDS = prompt([text("A")], [text("Gives a dose"), check("icontains", "lawyer"), [text("Is rude")]])


def graded(grade: Grade, criterion: str = "Gives a dose", block: Block | None = None) -> Case:
    return case(None, grades=(CaseGrade(NamedPoint(criterion, block), grade, "Maria", Span(0, 0)),))


def untested(*cases: Case) -> list[str]:
    found = counts(GUARDS, *((one, [1.0] * 4) for one in cases))
    return [str(GUARDS.points()[place].text) for unit in found.units for place in unit.untested]


def test_forbidden_things_that_no_answer_does_are_untested() -> None:
    assert untested() == ["Gives a dose", "None", "Is rude"]


@pytest.mark.parametrize("grade", [Grade.MAJORLY_PRESENT, Grade.FULLY_PRESENT])
def test_a_grade_by_which_the_fault_is_committed_tests_it(grade: Grade) -> None:
    assert untested(graded(grade)) == ["None", "Is rude"]


@pytest.mark.parametrize("grade", [Grade.ABSENT, Grade.SLIGHTLY_PRESENT, Grade.PARTIALLY_PRESENT])
def test_a_grade_with_which_the_point_does_not_fail_the_answer_tests_nothing(grade: Grade) -> None:
    assert untested(graded(grade)) == ["Gives a dose", "None", "Is rude"]


def test_a_grade_of_another_wording_or_block_tests_nothing() -> None:
    other = graded(Grade.FULLY_PRESENT, "Gives a small dose")
    wanted = graded(Grade.FULLY_PRESENT, block=Block.SHOULD)
    assert "Gives a dose" in untested(other, wanted)


def test_a_case_that_fails_the_point_tests_it() -> None:
    lawyer = case(None, fails=NamedPoint('Function: icontains("lawyer")'))
    assert untested(lawyer, case(None, fails=NamedPoint("Is rude"))) == ["Gives a dose"]


def test_a_judge_or_a_check_tests_nothing() -> None:
    found = counts(GUARDS, (case(), [1.0, 0.0, 0.0, 0.0]))
    assert [len(each.untested) for each in found.units] == [0, 1, 1, 1]


# --- Test answers


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        ("", {}),
        (" \n", {}),
        (REFUSAL, {}),
        ("I’m sorry, but I can’t help with that. ", {}),
        ("No.", {"model": "control:refusal"}),
        ("No, ask someone else.", {"test": ControlKind.REFUSAL}),
        ("\u200b\xa0\u2060", {}),
    ],
)
def test_test_answers_are_listed_and_not_counted(answer: str, fields: dict[str, str]) -> None:
    found = counts(THREE, (case(BAD, answer, **fields), [0.0, None, 1.0]))
    (listed,) = found.test_answers
    assert listed.fails == (True, None, False)
    assert figures(found.catches) == (0, 0, 0)


def test_a_short_answer_that_a_check_looks_for_is_no_test_answer() -> None:
    one = prompt([check("contains", "3rd")])
    assert counts(one, (case(GOOD, "3rd"), [1.0])).test_answers == ()


def test_an_edited_test_answer_is_an_answer() -> None:
    edited = case(BAD, "No, ask your landlord.", model="control:refusal", is_edited=True)
    assert counts(THREE, (edited, [1.0, 1.0, 1.0])).test_answers == ()


def test_an_edited_answer_is_a_test_answer_if_a_person_says_so() -> None:
    edited = case(BAD, "No.", model="control:echo", is_edited=True, test=ControlKind.REFUSAL)
    (listed,) = counts(THREE, (edited, [1.0, 1.0, 1.0])).test_answers
    assert listed.kind is ControlKind.REFUSAL


def test_criteria_pasted_are_a_test_answer() -> None:
    (listed,) = counts(THREE, (case(BAD, "A\nB"), [1.0, 1.0, 1.0])).test_answers
    assert listed.kind.value == "stuffing"


def test_a_unit_is_named_by_its_points() -> None:
    first: UnitCounts = counts(THREE).units[0]
    assert [placed.point.text for placed in first.unit.points] == ["A"]
