"""Criteria, each with a passage that meets it and one that says something else: written by hand, kind by kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.estimating import Encoder
from engine.estimating.encoder import closeness

_FILE = Path(__file__).parents[1] / "data" / "met_or_contradicted.jsonl"


@dataclass(frozen=True, slots=True)
class Pair:
    """How near a passage that meets a criterion comes to it, and one that contradicts it."""

    kind: str
    met: float
    contradicted: float

    @property
    def told(self) -> bool:
        """Whether the one that meets it is nearer."""
        return self.met > self.contradicted


def pairs(encoder: Encoder) -> list[Pair]:
    """All that were written."""
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
    found: list[Pair] = []
    for row in rows:
        criterion, met, contradicted = encoder.encode([row["criterion"], row["met"], row["contradicted"]])
        found.append(Pair(row["kind"], closeness(criterion, met), closeness(criterion, contradicted)))
    return found
