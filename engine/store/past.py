"""An earlier run, as the history tells of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.blueprint import Path, Point, Prompt
from engine.evaluation.candidates import Candidate
from engine.scoring.explanation import Bounds
from engine.store.database import digest


class RunState(StrEnum):
    """How far a run came. One that was left under way when its program ended is interrupted."""

    RUNNING = "running"
    SCORED = "scored"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class PastRun:
    """One earlier run of a prompt.

    `number` grows with time. `score` is 0–1, None where nothing was scored; `bounds` is what it could still become
    then. `rubric` is the `rubric_digest` that it was held against, "" where that is not known. `words` is what was told
    where it failed. `answered` is whether any of its answer is kept.
    """

    number: int
    candidate: Candidate
    began: datetime
    state: RunState
    ended: datetime | None = None
    score: float | None = None
    bounds: Bounds | None = None
    rubric: str = ""
    words: str = ""
    answered: bool = False

    @property
    def open(self) -> bool:
        """Whether the score could still have moved: points were not judged."""
        return self.score is not None and self.bounds is not None and not self.bounds.closed


def rubric_digest(prompt: Prompt) -> str:
    """16 hex digits for what a prompt's answers are held against: the same as long as every score stays the same."""
    blocks = [[rubric.block.value, [_entry(entry) for entry in rubric.entries]] for rubric in prompt.rubrics]
    return digest(json.dumps(blocks, default=str))[:16]


def _entry(entry: Point | Path) -> object:
    return [_point(point) for point in entry.points] if isinstance(entry, Path) else _point(entry)


def _point(point: Point) -> object:
    call = point.function
    return {"text": point.text, "call": None if call is None else [call.name, call.args], "weight": point.multiplier}
