"""The arithmetic of a score, and all that is told of it, as the documents describe it and as the platform does it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Point
from engine.evaluation.headline import headline
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, OnWeval, PlacedPoint
from engine.scoring.explanation import Explanation, GroupScore, IdealScore, number_text, point_label, points_text
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, place, to_fixed
from engine.scoring.what_if import (
    change_text,
    lead_text,
    obstacle_text,
    path_standings,
    set_text,
    target,
    target_headline,
    target_notes,
)
from engine.yaml.nodes import to_data
from engine.yaml.tree_loader import load
from tests.engine.builders import assessed, check, prompt, text
from tests.engine.short_cases import assert_says
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


def data_of(written: str) -> Any:
    root = load(written).documents[0].root
    assert root is not None
    return to_data(root)


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
