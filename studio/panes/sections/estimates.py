"""Estimates in the result: a line of its head, and the closest sentence in the detail of a point. Never a row."""

from __future__ import annotations

from collections.abc import Iterator

from engine.estimating.wording import NOT_READ, estimated_score, near
from engine.scoring.explanation import Explanation, PointScore
from studio.panes.result_view import Cell, Ink, ResultView

_LONGEST_SENTENCE = 70
"""Two lines: the grades below stay in sight, and the whole sentence is lit up in the answer."""
GOES_ON = "≈ …, an estimate"


def estimate_line(view: ResultView) -> str:
    """The line of the head: what the score would be if open points counted as estimated, and how near the ideal is.

    Empty where there is nothing to say of either.
    """
    if view.explanation is None:
        return ""
    is_open = any(each.point.text is not None and not each.assessed for each in view.assessments)
    if view.estimate is None:
        return GOES_ON if view.estimating and is_open else ""
    score = view.estimate.score(view.assessments)
    to_ideal = view.estimate.to_ideal
    ideal = "" if to_ideal is None else f"{near(to_ideal)} near the ideal"
    if score is None:
        return f"≈ {ideal}, an estimate" if ideal else ""
    return f"{estimated_score(score)}{f' · {ideal}' if ideal else ''}"


def estimate_detail(view: ResultView, _: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    """What a point in words would amount to, and the sentence of the answer that comes closest to it."""
    text = point.assessment.point.text
    found = None if view.estimate is None else view.estimate.points.get(place)
    if text is None:
        return
    if found is None:
        yield Cell(GOES_ON if view.estimating else NOT_READ, Ink.ESTIMATE)
        if view.estimating:
            yield Cell("closest: …", Ink.DIM)  # the room that it will have, so that little moves
        return
    here = " of what it would count here" if point.assessment.placed.inverted else ""
    yield Cell(f"{estimated_score(found.extent)}{here}  Ctrl+E  what it can tell", Ink.ESTIMATE)
    if found.closest is None:
        yield Cell("the answer has no sentence", Ink.DIM)
    else:
        yield Cell(f"closest, {near(found.closeness)}: “{_cut(found.closest.text)}”")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SENTENCE else text[: _LONGEST_SENTENCE - 1].rstrip() + "…"
