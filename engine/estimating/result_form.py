"""An estimate in result JSON: ours alone, apart from every field by which Weval or anybody else counts."""

from __future__ import annotations

from collections.abc import Sequence

from engine.estimating.estimate import Estimate, PointEstimate
from engine.scoring.assessment import Assessment
from engine.yaml_nodes.nodes import Data


def estimate_json(estimate: Estimate, assessments: Sequence[Assessment]) -> dict[str, Data]:
    """`estimate` in the form that `engine.evaluation.export` describes."""
    return {
        "score": estimate.score(assessments),
        "toIdeal": estimate.to_ideal,
        "points": [
            _point(index, assessments[index].point.text or "", estimate.points[index])
            for index in sorted(estimate.points)
        ],
    }


def _point(index: int, criterion: str, point: PointEstimate) -> dict[str, Data]:
    return {
        "index": index,
        "keyPointText": criterion,
        "extent": point.extent,
        "closeness": point.closeness,
        "closest": None if point.closest is None else point.closest.text,
    }
