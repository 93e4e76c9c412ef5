"""Judges of points in words, and how far they agree."""

from engine.judging.agreement import Agreement, Interpretation, JudgeShare, agreement

__all__ = ["Agreement", "Interpretation", "JudgeShare", "agreement"]
