"""What a verdict rests on: matches, groups and list entries of checks, nearest misses, and what judges quote."""

from engine.evidence.check_evidence import ArgumentDifference, CheckEvidence, Entry, Match, evidence_of
from engine.evidence.nearest_miss import MissKind, NearestMiss, nearest_miss

__all__ = [
    "ArgumentDifference",
    "CheckEvidence",
    "Entry",
    "Match",
    "MissKind",
    "NearestMiss",
    "evidence_of",
    "nearest_miss",
]
