"""Targets and the standing of paths as JSON (docs/machine-readable.md). Scores are within 0–1, unrounded."""

from __future__ import annotations

from collections.abc import Iterable

from engine import functions
from engine.evaluation.coverage_result import bounds_json
from engine.scoring.explanation import Explanation, PointScore
from engine.scoring.target import Target, target
from engine.scoring.target_text import target_notes
from engine.yaml_nodes.nodes import Data


def expected_json(explanation: Explanation | None, wanted: float | None) -> dict[str, Data]:
    """`target` for a score of `wanted`, 0–100; nothing where no score is wanted, null where none was computed."""
    if wanted is None:
        return {}
    return {"target": None if explanation is None else target_json(target(explanation, wanted / 100))}


def target_json(found: Target) -> dict[str, Data]:
    """`target`: what an answer would have to do for a score."""
    return {
        "wanted": found.wanted,
        "reached": found.is_reached,
        "reachable": found.is_reachable,
        "highest": found.highest,
        "sets": [{"points": _points(each.points), "bounds": bounds_json(each.bounds)} for each in found.sets],
        "others": found.has_others,
        "notes": list(target_notes(found)),
        "obstacles": [{**_point(each.point), "highest": each.highest, "why": each.why} for each in found.obstacles],
    }


def _points(points: Iterable[PointScore]) -> list[Data]:
    return [_point(point) for point in points]


def _point(point: PointScore) -> dict[str, Data]:
    placed = point.assessment.placed
    return {
        "keyPointText": functions.point_text(point.assessment.point),
        "pathId": placed.path_id,
        "isInverted": placed.inverted,
        "judged": point.assessment.assessed,
    }
