"""The arithmetic of a score, and all that is told of it, as the documents describe it and as the platform does it."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Point, Prompt
from engine.evaluation.headline import Effect, Headline, effect_of, headline
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules.rubric_edits import Refusal, rubric_edits
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, OnWeval, PlacedPoint
from engine.scoring.explanation import (
    Explanation,
    GroupScore,
    IdealScore,
    number_text,
    point_label,
    points_text,
)
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, place, to_fixed
from engine.scoring.what_if import (
    RubricChanges,
    change_text,
    lead_text,
    obstacle_text,
    path_standings,
    set_text,
    stepped,
    target,
    target_headline,
    target_notes,
    what_if,
)
from engine.text.spans import Span, TextEdit, apply_edits
from tests.engine.builders import assessed, check, prompt, text
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every
from tests.world import golden


def from_data(fields: dict[str, Any]) -> PointExtent:
    """One entry of `pointAssessments` as Weval reads it: no `coverageExtent` is left out, a null one counts 0."""
    extent = float(fields["coverageExtent"] or 0) if "coverageExtent" in fields else None
    multiplier = fields.get("multiplier")
    return PointExtent(extent, 1.0 if multiplier is None else float(multiplier), fields.get("pathId"))


@every("row", golden("aggregate"), ids=lambda row: row["id"])
def test_aggregate_answers_as_the_platform_does(row: dict[str, Any]) -> None:
    assert aggregate(map(from_data, row["assessments"])) == row["score"]


@every("row", [row for row in golden("aggregate") if row["assessments"]], ids=lambda row: row["id"])
def test_a_stored_average_has_two_decimals(row: dict[str, Any]) -> None:
    assert float(to_fixed(row["score"], 2)) == row["avgCoverageExtent"]


@every("row", golden("tofixed"), ids=lambda row: row["x"])
def test_decimals_are_rounded_as_javascript_does(row: dict[str, Any]) -> None:
    assert (to_fixed(row["x"], 2), to_fixed(row["x"], 3)) == (row["f2"], row["f3"])


@pytest.mark.parametrize("extents", [(math.nan, 0.5), (0.5, math.nan)])
def test_a_path_that_is_no_number_poisons_the_score_wherever_it_stands(extents: tuple[float, float]) -> None:
    assert math.isnan(aggregate(PointExtent(extent, 1.0, f"path_{at}") for at, extent in enumerate(extents)))


def test_numbers_without_a_fixed_form_are_refused() -> None:
    with pytest.raises(ValueError):
        to_fixed(float("nan"), 2)


def test_an_assessment_too_few_is_refused() -> None:
    two = prompt([text("a"), text("b")])
    with pytest.raises(ValueError):
        explain(two, assessed(two, [1.0, 1.0])[:-1])


# The cases of `score_cases.txt`: each point stands with its extent and perhaps its weight, `A 0.5 ×3`

POINT = re.compile(r"(?:\$(?P<function>\w+) ?)?(?P<text>.*?) ?(?P<extent>\S+)(?: ×(?P<weight>[\d.]+))?")
STATES: dict[str, dict[str, Any]] = {
    "?": {},
    "failed": {"by": AssessedBy.JUDGE, "error": "the judge timed out"},
    "broken": {"extent": 0.0, "by": AssessedBy.FUNCTION, "error": "it cannot run", "on_weval": OnWeval.ERROR},
    "threw": {"extent": 0.0, "by": AssessedBy.FUNCTION, "error": "The script failed: null.", "on_weval": OnWeval.ERROR},
    "unknown": {"extent": 0.0, "by": AssessedBy.FUNCTION, "on_weval": OnWeval.ERROR},
    "nan": {"extent": 0.0, "by": AssessedBy.FUNCTION, "error": "returned NaN", "on_weval": OnWeval.NAN},
}
"""What stands in the place of an extent; `0.25<0.5<0.75` is an extent with what a judge that failed leaves."""


def parsed(written: str) -> tuple[Point, str]:
    """A point, and its extent as it is written."""
    found = POINT.fullmatch(written)
    assert found is not None
    weight = float(found["weight"] or 1)
    if found["function"] is None:
        return text(found["text"], weight), found["extent"]
    args = data_of(found["text"]) if found["text"].startswith("[") else found["text"]
    return check(found["function"], args, weight), found["extent"]


def assessment(placed: PlacedPoint, extent: str) -> Assessment:
    if extent in STATES:
        return Assessment(placed, **STATES[extent])
    low, middle, high = [float(each) for each in extent.split("<")] if "<" in extent else [float(extent)] * 3
    if low == high:
        return Assessment(placed, middle, AssessedBy.HUMAN)
    failed = {"error": "1 of 2 judges failed", "failed_judges": ("j(own:j)",), "possible": Bounds(low, high)}
    return Assessment(placed, middle, AssessedBy.JUDGE, **failed)


def told(_: str, written: str) -> Iterator[str]:
    """All that is told of the score of a case."""
    fields: Any = data_of(written)
    extents: list[str] = []
    blocks: dict[str, list[Any]] = {"should": [], "should_not": []}
    for name, block in blocks.items():
        for entry in fields.get(name, []):
            pairs = [parsed(each) for each in ([entry] if isinstance(entry, str) else entry)]
            extents += [extent for _, extent in pairs]
            points = [point for point, _ in pairs]
            block.append(points[0] if isinstance(entry, str) else points)
    of = prompt(**blocks, ideal=fields.get("ideal"), is_cut_off=fields.get("cut_off", False))
    assessments = [assessment(placed, extent) for placed, extent in zip(place(of), extents, strict=True)]
    ideal = None
    if "scores" in fields:
        low, high = fields["scores"] or (0, 100)
        figure = f"{low:g}" if low == high else f"{low:g}–{high:g}"
        ideal = IdealScore(Bounds(low / 100, high / 100), len(fields["scores"]), figure)
    explanation = explain(of, assessments, ideal)
    if ideal is not None:
        yield explanation.against_ideal or "nothing is said of the ideal"
    elif "wanted" in fields:
        yield from aim(explanation, fields["wanted"] / 100)
    else:
        yield from whole(explanation)


def whole(explanation: Explanation) -> Iterator[str]:
    said = headline(explanation)
    yield f"{said} ({said.whole_figure})"
    for step in explanation.steps:
        yield f"{step.label}: {step.working} = {step.figure}"
    for group in explanation.groups():
        yield from costs(group)
    yield from (f"{lead_text(each.lead)}; {change_text(each)}" for each in path_standings(explanation))
    weval = explanation.weval
    if weval.reasons or weval.stored is None:
        yield f"Weval stores {weval.stored}"
    yield from (*weval.reasons, *explanation.notes, *(each.text for each in explanation.advice))


def costs(group: GroupScore) -> Iterator[str]:
    """A group and its points: what each costs and gains, and where meeting it leads."""
    if group.path_id is not None:
        yield f"{group.path_id}: {figures(group.cost, group.gain, group.met)}"
    for point in group.points:
        where = point_label(point.assessment.point)
        severity = "" if point.severity is None else f", alone {points_text(point.severity)}"
        yield f"{where}: {figures(point.cost, point.gain, point.met)}{severity}"


def figures(cost: float | None, gain: float | None, met: Bounds) -> str:
    high = "" if met.closed else f"–{number_text(met.high)}"
    return f"costs {points_text(cost)}, gains {points_text(gain)} → {number_text(met.low)}{high}"


def aim(explanation: Explanation, wanted: float) -> Iterator[str]:
    found = target(explanation, wanted)
    yield target_headline(found)
    yield from sorted(set_text(one.points) for one in found.sets)
    yield from (obstacle_text(each) for each in found.obstacles)
    yield from target_notes(found)


def test_a_score_is_told_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("score_cases.txt"), told, pytestconfig)


# What-if: the score under changes is the score once they are made, and their edits make just these


ENTRY = st.one_of(
    st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0])),
    st.lists(st.builds(text, st.just("p"), st.sampled_from([1.0, 2.0])), min_size=1, max_size=3),
)
EXTENT = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def changed(draw: st.DrawFn) -> tuple[Prompt, list[float | None], RubricChanges]:
    some = prompt(draw(st.lists(ENTRY, min_size=1, max_size=4)), draw(st.lists(ENTRY, max_size=2)))
    count = len(some.points())
    extents = draw(st.lists(EXTENT, min_size=count, max_size=count))
    places = st.integers(0, count - 1)
    paths = sorted({each.path_id for each in place(some) if each.path_id is not None})
    flat = draw(st.frozensets(st.sampled_from(paths))) if paths else frozenset[str]()
    weights = draw(st.dictionaries(places, st.sampled_from([0.1, 1.4, 3.0, 10.0]), max_size=3))
    return some, extents, RubricChanges(weights, draw(st.frozensets(places, max_size=2)), flat)


def points_of(some: Prompt, extents: list[float | None]) -> list[PointExtent]:
    return [PointExtent.of(each) for each in assessed(some, extents)]


def really(some: Prompt, extents: list[float | None], changes: RubricChanges) -> tuple[float | None, float, float]:
    """The score and its bounds by `explain`, of the rubric with the changes made."""
    left = [
        (each, changes.weights.get(at, each.point.multiplier), extents[at])
        for at, each in enumerate(place(some))
        if at not in changes.off
    ]
    paths: dict[str | None, list[tuple[float, float | None]]] = {}
    for each, weight, extent in left:
        free = each.path_id is None or each.path_id in changes.flat
        paths.setdefault(None if free else each.path_id, []).append((weight, extent))
    required = [text("p", weight) for weight, _ in paths.get(None, [])]
    others = [[text("p", weight) for weight, _ in path] for key, path in paths.items() if key is not None]
    made = prompt([*required, *others])
    order = [extent for _, extent in paths.get(None, [])]
    order += [extent for key, path in paths.items() if key is not None for _, extent in path]
    found = explain(made, assessed(made, order))
    return found.score, found.bounds.low, found.bounds.high


@given(changed())
def test_the_score_is_that_of_the_rubric_with_the_changes_made(
    case: tuple[Prompt, list[float | None], RubricChanges],
) -> None:
    some, extents, changes = case
    found = what_if(points_of(some, extents), changes)
    assert (found.score, found.bounds.low, found.bounds.high) == pytest.approx(really(some, extents, changes))


@given(changed(), st.sampled_from([0.0, 0.5, 1.0]))
def test_every_completion_lies_within_the_bounds(
    case: tuple[Prompt, list[float | None], RubricChanges], extent: float
) -> None:
    some, extents, changes = case
    points = points_of(some, extents)
    bounds = what_if(points, changes).bounds
    filled = {at: extent for at, each in enumerate(extents) if each is None}
    score = what_if(points, changes, filled).score
    assert score is None or bounds.low - 1e-9 <= score <= bounds.high + 1e-9


def test_a_rounding_makes_no_path_the_best() -> None:
    points = [PointExtent(0.75, 1.0, "should-0"), PointExtent(0.75, 1.0, "should-1")]
    assert what_if(points, RubricChanges({0: 0.7})).best_path_id == "should-0"


@every(
    ("weight", "by", "then"),
    [(1.0, 1, 1.25), (1.0, -1, 0.75), (1.4, 1, 1.5), (1.4, -1, 1.25), (10, 1, 10), (0.1, -1, 0.1)],
)
def test_a_key_steps_through_round_weights(weight: float, by: int, then: float) -> None:
    assert stepped(weight, by) == then


def made(mark: str, source: str) -> Iterator[str]:
    """The lines that a change of the rubric writes anew, or why it is refused."""
    case, parsed = data_of(mark), parse(source)
    of = parsed.blueprint.prompts[case.get("prompt", 0)]
    weights = {int(at): float(weight) for at, weight in case.get("weights", {}).items()}
    changes = RubricChanges(weights, frozenset(case.get("off", ())), frozenset(case.get("flat", ())))
    edits = rubric_edits(parsed, of, changes, {0: case["forms"]} if "forms" in case else {})
    if isinstance(edits, Refusal):
        yield f"refused: {edits.message}"
        return
    after = apply_edits(source, edits)
    yield from list(difflib.unified_diff(source.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]


def test_a_change_of_the_rubric_is_written_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("rubric_edit_cases.txt"), made, pytestconfig)


# What an edit of the rubric does to the score of an answer that is there


PATHS = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  should:
    - $icontains: largest
    - - $icontains: Lagos
    - - $icontains: Cairo
"""
GRADED = """\
- id: cities
  prompt: Name the three largest cities of Africa.
  should:
    - $icontains: Lagos
    - Says by what they were counted
"""


def edit(text: str, before: str, after: str) -> tuple[TextEdit, ...]:
    start = text.index(before)
    return (TextEdit(Span(start, start + len(before)), after),)


def effect(text: str, edits: tuple[TextEdit, ...], answer: str, javascript: JavaScript) -> Effect | None:
    return effect_of(parse(text), 0, edits, answer, javascript)


def test_flattening_paths_tells_the_score_before_and_after(javascript: JavaScript) -> None:
    flat = (
        *edit(PATHS, "- - $icontains: Lagos", "- $icontains: Lagos"),
        *edit(PATHS, "- - $icontains: C", "- $icontains: C"),
    )
    answer = "The largest are Lagos and Kinshasa."
    assert str(effect(PATHS, flat, answer, javascript)) == "100.0 → 66.7"


def test_an_edit_that_moves_no_score_says_so(javascript: JavaScript) -> None:
    renamed = edit(PATHS, "largest\n", "the largest\n")
    answer = "The largest are Lagos and Cairo."
    assert str(effect(PATHS, renamed, answer, javascript)) == "the score stays 100.0"


def test_points_that_nobody_judged_leave_bounds(javascript: JavaScript) -> None:
    added = edit(GRADED, "    - Says", "    - $icontains: Cairo\n    - Says")
    answer = "Lagos"
    assert str(effect(GRADED, added, answer, javascript)) == (
        "50–100, 1 of 2 criteria judged → 33.3–66.7, 2 of 3 criteria judged"
    )


def test_what_is_judged_is_reported_once_where_an_edit_leaves_it() -> None:
    before, after = Headline(Bounds(0.5, 1.0), 2, 4), Headline(Bounds(0.25, 0.75), 2, 4)
    assert str(Effect(before, after)) == "50–100 → 25–75, 2 of 4 criteria judged"


def test_nothing_is_told_of_an_edit_that_breaks_the_file(javascript: JavaScript) -> None:
    broken = edit(PATHS, "prompt: Name", "prompt: 'Name")
    assert effect(PATHS, broken, "x", javascript) is None
