"""A target below the arithmetic of a score."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring import Explanation
from engine.scoring.target import Target, target
from engine.scoring.target_text import (
    ceiling_text,
    number_text,
    obstacle_text,
    outcome_text,
    set_text,
    target_headline,
    target_notes,
)
from engine.text import visible


def target_text(explanation: Explanation, wanted: float | None) -> str:
    """What an answer would have to do for a score of `wanted`, 0–100, safe to print; "" where no score is wanted."""
    if wanted is None:
        return ""
    return visible("\n".join(("", "", *_lines(target(explanation, wanted / 100)))))


def _lines(found: Target) -> Iterator[str]:
    yield f"  expected {number_text(found.wanted)}: {target_headline(found)}"
    for each in found.sets:
        yield f"    {set_text(each.points)} → {outcome_text(each)}"
    if found.has_others:
        yield "    and others"
    yield from (f"    {note}" for note in target_notes(found))
    if ceiling := ceiling_text(found):
        yield f"    {ceiling}"
    yield from (f"    {obstacle_text(each)}" for each in found.obstacles)
