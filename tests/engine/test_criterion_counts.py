"""What each point is good for: which labelled answers it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Prompt
from engine.evaluation.events import Response, Scored
from engine.evaluation.sources import REFUSAL, ControlKind
from engine.functions import point_text
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, Grade
from engine.scoring.explanation_builder import explain
from engine.study.case import Case, CaseGrade, CaseOutcome, CaseState, Label, NamedPoint, control_kind, ideal_case
from engine.study.criterion_counts import RubricCounts, Tally, criterion_counts, seen_text, units_of
from engine.study.wordings import carried, edit_back, found_point, point_among, points_in, written_wording
from engine.text.record import replace
from engine.text.spans import NOWHERE, Span, TextEdit, apply_edits
from tests.engine.builders import assessed, check, prompt, text
from tests.many_cases import every

# What each point is good for: which labelled answers it fails


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


@every(("extent", "is_caught"), [(0.0, True), (0.25, True), (0.49, True), (0.5, False), (0.75, False), (1.0, False)])
def test_a_point_fails_an_answer_below_a_half_after_inversion(extent: float, is_caught: bool) -> None:
    found = counts(THREE, (case(), [1.0, 1.0, extent]))
    assert caught(found)[2] == (is_caught, 1, 0)


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


def test_the_ideal_is_one_good_answer() -> None:
    ideal = outcome(ideal_case("p", ""), THREE, assessed(THREE, [0.0, 1.0, 1.0]))
    found = criterion_counts("p", THREE, [ideal])
    assert [figures(each.fails_good) for each in found.units] == [(1, 1, 0), (0, 1, 0), (0, 1, 0)]
    assert found.test_answers == ()


@every("label", [GOOD, BAD, None])
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


@every(("seen", "expected"), [(3, "all seen while wording"), (1, "1 of 3 seen while wording"), (0, ""), (None, "")])
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


@every("grade", Grade)
def test_a_grade_tests_a_point_if_by_it_the_fault_is_committed(grade: Grade) -> None:
    assert ("Gives a dose" in untested(graded(grade))) is (grade.extent <= 0.5)


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


@every(
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
    assert listed[1] == (True, None, False)
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
    assert listed[0].test is ControlKind.REFUSAL


def test_criteria_pasted_are_a_test_answer() -> None:
    (listed,) = counts(THREE, (case(BAD, "A\nB"), [1.0, 1.0, 1.0])).test_answers
    assert listed[0].test is ControlKind.STUFFING


# Following a point through edits, and writing an earlier wording back as it was


TEXT = """\
- id: rent
  prompt: When?
  should:
    - Names the lease
    - {text: Is friendly, weight: 2}
    - $contains: 3rd
    - - In a path
  should_not:
    - >-
      Advises to stop
      paying rent
"""
LEASE = Span(TEXT.index("Names"), TEXT.index("Names") + len("Names the lease"))


def after(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@every(
    ("old", "new", "found"),
    [
        ("Names the lease", "Names the lease or contract", "Names the lease or contract"),
        ("Names the lease", "Says who says so", "Says who says so"),
        ("When?", "When is it due?", "Names the lease"),
        ("    - Names", "    - Says when\n    - Names", "Names the lease"),
        ("- $contains: 3rd", "- $contains: 5th", "Names the lease"),
        ("lease\n", "lease\n    - Says when\n", "Names the lease"),
    ],
)
def test_a_point_is_found_after_an_edit(old: str, new: str, found: str) -> None:
    text = after(old, new)
    points = points_in(*parse(text).blueprint.prompts)
    same = [point_text(each.point) == "Names the lease" for each in points]
    point = found_point(points, carried(LEASE, TEXT, text), same)
    assert point is not None
    assert point_text(point.point) == found


def test_a_point_whose_line_is_deleted_is_not_the_next_one() -> None:
    assert carried(LEASE, TEXT, after("    - Names the lease\n", "")) is None


def test_edits_at_several_places_are_told_apart_by_lines() -> None:
    text = after("When?", "When is it due?").replace("lease", "contract").replace("path", "road")
    span = carried(LEASE, TEXT, text)
    assert span is not None
    assert span.of(text) == "Names the contract"


@given(st.text("ab\n -", max_size=12), st.text("ab\n -", max_size=12), st.data())
def test_a_range_that_no_edit_touches_keeps_its_text(before: str, inserted: str, data: st.DataObject) -> None:
    text = f"{before}[kept]{before}"
    span = Span(len(before), len(before) + 6)
    outside = [*range(len(before)), *range(span.end + 1, len(text) + 1)] or [0]
    at = data.draw(st.sampled_from(outside))
    changed = text[:at] + inserted + text[at:]
    moved = carried(span, text, changed)
    assert moved is not None
    assert "[kept]" in moved.of(changed)


@given(st.text("ab [", max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_a_range_grows_with_what_is_typed_in_it(typed: str, start: int, end: int) -> None:
    text, span = "a: [kept]\nb: c\n", Span(4, 8)
    low, high = sorted((4 + min(start, 4), 4 + min(end, 4)))
    changed = text[:low] + typed + text[high:]
    moved = carried(span, text, changed)
    assert moved is not None
    assert changed[: moved.start] + changed[moved.end :] == "a: []\nb: c\n"


@every("criterion", ["Names", "Is friendly", "$contains", "In a path", "Advises"])
@every("other", ["Says: 'so'", "- # not a comment", 'A "quoted" word', "Over\ntwo lines"])
def test_a_wording_is_written_back_as_it_was(criterion: str, other: str) -> None:
    parsed = parse(TEXT)
    found = point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index(criterion))
    assert found is not None
    first = written_wording(TEXT, found.point)
    span = found.point.span if found.point.function is not None else found.point.subject_span
    quoted = parse(apply_edits(TEXT, [TextEdit(span, json.dumps(other))]))
    again = point_among(points_in(*quoted.blueprint.prompts), quoted.text, found.point.span.start)
    assert again is not None
    edit = edit_back(quoted, again, first)
    assert edit is not None
    assert apply_edits(quoted.text, [edit]) == TEXT


def test_a_weight_stays_when_an_earlier_wording_comes_back() -> None:
    parsed = parse(TEXT)
    found = point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index("Is friendly"))
    lease = point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index("Names"))
    assert found is not None
    assert lease is not None
    edit = edit_back(parsed, found, written_wording(TEXT, lease.point))
    assert edit is not None
    assert "{text: Names the lease, weight: 2}" in apply_edits(TEXT, [edit])


def test_the_point_on_whose_lines_the_cursor_is() -> None:
    points = points_in(*parse(TEXT).blueprint.prompts)
    texts = [
        None if (found := point_among(points, TEXT, TEXT.index(at))) is None else point_text(found.point)
        for at in ("When", "    - Names", "weight", "3rd", "path", "paying")
    ]
    assert texts == [
        None, "Names the lease", "Is friendly", 'Function: contains("3rd")', "In a path", "Advises to stop paying rent",
    ]  # fmt: skip
