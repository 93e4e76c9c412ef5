"""What each point is good for: which labelled answers it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Point, Prompt
from engine.evaluation.events import Response, Scored
from engine.evaluation.sources import ControlKind
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
from tests.engine.short_cases import assert_says, data_of
from tests.expected import present
from tests.many_cases import every
from tests.pieces import whole_text

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


# --- The cases of `criterion_count_cases.txt`


def points_from(written: Sequence[Any]) -> list[Any]:
    """Criteria and paths as a case has them."""
    return [points_from(each) if isinstance(each, list) else point_from(each) for each in written]


def point_from(written: str) -> Point:
    """A criterion; `$function argument` is a check."""
    if not written.startswith("$"):
        return text(written)
    name, args = written.removeprefix("$").split(" ", 1)
    return check(name, args)


def assessed_as(some: Prompt, extents: Sequence[Any]) -> tuple[Assessment, ...]:
    """The assessments with these extents, of which one may be `carried` over or of a `broken` check."""
    odd = {
        "carried": {"carried_over": (ChangedPart.CRITERIA,)},
        "broken": {"error": "Unterminated character class", "by": AssessedBy.FUNCTION},
    }
    found = assessed(some, [0.0 if isinstance(each, str) else each for each in extents])
    return tuple(replace(each, **odd.get(str(extent), {})) for each, extent in zip(found, extents, strict=True))


def outcome_from(some: Prompt, written: dict[str, Any]) -> CaseOutcome:
    if "orphaned" in written:
        return CaseOutcome(case(), CaseState.ORPHANED, "")
    answer = written.get("answer", "An answer.")
    if "ideal" in written:
        return outcome(ideal_case("p", answer), some, assessed_as(some, written["extents"]))
    grades = tuple(
        CaseGrade(
            NamedPoint(name.removeprefix("should "), Block.SHOULD if name.startswith("should ") else None),
            Grade(grade), "Maria", Span(0, 0),
        )
        for name, grade in written.get("grades", {}).items()
    )  # fmt: skip
    one = case(
        Label(written["label"]) if "label" in written else None,
        answer,
        fails=NamedPoint(written["fails"]) if "fails" in written else None,
        model=written.get("model"),
        is_edited=written.get("edited", False),
        test=ControlKind(written["test"]) if "test" in written else None,
        grades=grades,
    )
    return outcome(one, some, assessed_as(some, written["extents"]))


def tallies(bad: Tally, good: Tally) -> str:
    shares = [f"{each.count} of {each.known} ({each.unjudged} unjudged)" for each in (bad, good)]
    return f"fails bad {shares[0]}, good {shares[1]}"


def told(mark: str, listed: str) -> Iterator[str]:
    """What each unit of a rubric is good for: of how many known bad and good answers it fails how many."""
    rubric = data_of(mark)
    should, should_not = (points_from(rubric.get(block, ())) for block in ("should", "should_not"))
    some = prompt(should, should_not, is_cut_off=rubric.get("cut_off", False))
    outcomes = [outcome_from(some, each) for each in data_of(listed)] if listed.strip() else []
    found = criterion_counts("p", some, outcomes)
    for each in found.units:
        untested = ", ".join(point_text(some.points()[at]) for at in each.untested)
        paths = f"{each.unit.paths} paths at " if each.unit.paths else ""
        yield f"{paths}{each.unit.places}: {tallies(each.catches, each.fails_good)}"
        yield from [f"  untested: {untested}"] if untested else []
    yield f"in all: {tallies(found.catches, found.fails_good)}"
    yield from (f"test answer {one.case.turns}, {one.test}: {fails}" for one, fails in found.test_answers)


def test_criteria_are_counted_as_the_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("criterion_count_cases.txt"), told, pytestconfig)


def caught(of: RubricCounts) -> list[tuple[int, int, int]]:
    return [figures(each.catches) for each in of.units]


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


# Following a point through edits, and writing an earlier wording back as it was


TEXT = whole_text("rent-with-two-criteria.yml")
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
    point = present(found_point(points, carried(LEASE, TEXT, text), same))
    assert point_text(point.point) == found


def test_a_point_whose_line_is_deleted_is_not_the_next_one() -> None:
    assert carried(LEASE, TEXT, after("    - Names the lease\n", "")) is None


def test_edits_at_several_places_are_told_apart_by_lines() -> None:
    text = after("When?", "When is it due?").replace("lease", "contract").replace("path", "road")
    span = present(carried(LEASE, TEXT, text))
    assert span.of(text) == "Names the contract"


@given(st.text("ab\n -", max_size=12), st.text("ab\n -", max_size=12), st.data())
def test_a_range_that_no_edit_touches_keeps_its_text(before: str, inserted: str, data: st.DataObject) -> None:
    text = f"{before}[kept]{before}"
    span = Span(len(before), len(before) + 6)
    outside = [*range(len(before)), *range(span.end + 1, len(text) + 1)] or [0]
    at = data.draw(st.sampled_from(outside))
    changed = text[:at] + inserted + text[at:]
    moved = present(carried(span, text, changed))
    assert "[kept]" in moved.of(changed)


@given(st.text("ab [", max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_a_range_grows_with_what_is_typed_in_it(typed: str, start: int, end: int) -> None:
    text, span = "a: [kept]\nb: c\n", Span(4, 8)
    low, high = sorted((4 + min(start, 4), 4 + min(end, 4)))
    changed = text[:low] + typed + text[high:]
    moved = present(carried(span, text, changed))
    assert changed[: moved.start] + changed[moved.end :] == "a: []\nb: c\n"


@every("criterion", ["Names", "Is friendly", "$contains", "In a path", "Advises"])
@every("other", ["Says: 'so'", "- # not a comment", 'A "quoted" word', "Over\ntwo lines"])
def test_a_wording_is_written_back_as_it_was(criterion: str, other: str) -> None:
    parsed = parse(TEXT)
    found = present(point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index(criterion)))
    first = written_wording(TEXT, found.point)
    span = found.point.span if found.point.function is not None else found.point.subject_span
    quoted = parse(apply_edits(TEXT, [TextEdit(span, json.dumps(other))]))
    again = present(point_among(points_in(*quoted.blueprint.prompts), quoted.text, found.point.span.start))
    edit = present(edit_back(quoted, again, first))
    assert apply_edits(quoted.text, [edit]) == TEXT


def test_a_weight_stays_when_an_earlier_wording_comes_back() -> None:
    parsed = parse(TEXT)
    found = point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index("Is friendly"))
    lease = point_among(points_in(*parsed.blueprint.prompts), TEXT, TEXT.index("Names"))
    assert found is not None
    assert lease is not None
    edit = present(edit_back(parsed, found, written_wording(TEXT, lease.point)))
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
