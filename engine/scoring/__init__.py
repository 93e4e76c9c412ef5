"""Assessments → path scores → score, with an `Explanation` of the arithmetic."""

from engine.scoring.assessment import AssessedBy, Assessment, Grade, OnWeval
from engine.scoring.explanation import (
    Bounds,
    Explanation,
    GroupScore,
    PointScore,
    StepKind,
)
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, place, to_fixed

__all__ = [
    "AssessedBy",
    "Assessment",
    "Bounds",
    "Explanation",
    "Grade",
    "GroupScore",
    "OnWeval",
    "PointExtent",
    "PointScore",
    "StepKind",
    "aggregate",
    "explain",
    "place",
    "to_fixed",
]
