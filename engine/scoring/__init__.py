"""Assessments → path scores → score, and the `Explanation` that can be drawn or printed."""

from engine.scoring.aggregation import PointExtent, aggregate, score_of, to_fixed
from engine.scoring.assessment import AssessedBy, Assessment, Grade, OnWeval, PlacedPoint
from engine.scoring.explanation import (
    Advice,
    Bounds,
    Explanation,
    GroupScore,
    PointScore,
    Step,
    StepKind,
    WevalScore,
)
from engine.scoring.explanation_builder import explain
from engine.scoring.placement import place

__all__ = [
    "Advice",
    "AssessedBy",
    "Assessment",
    "Bounds",
    "Explanation",
    "Grade",
    "GroupScore",
    "OnWeval",
    "PlacedPoint",
    "PointExtent",
    "PointScore",
    "Step",
    "StepKind",
    "WevalScore",
    "aggregate",
    "explain",
    "place",
    "score_of",
    "to_fixed",
]
