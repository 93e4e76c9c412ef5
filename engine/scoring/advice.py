"""Advice on how to raise a score, ranked by gain."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.aggregation import PointExtent
from engine.scoring.explanation import Advice, Bounds, Explanation, IdealScore, PointScore
from engine.scoring.explanation_text import bounds_text, path_label, point_label
from engine.scoring.sums import Sums


def advise(explanation: Explanation) -> tuple[Advice, ...]:
    """All ways to raise the score, the greatest gain first.

    Points that are not judged get no advice.
    """
    if explanation.score is None:
        return ()
    found = (*_meet_a_path(explanation), *_meet_points(explanation), *_flatten(explanation))
    return tuple(sorted(found, key=lambda advice: -advice.gain))


def against_ideal(bounds: Bounds, ideal: IdealScore) -> str | None:
    """Whether the ideal's score on the same rubric is evidence against the rubric or the answer; None at 100.

    `bounds` are those of the answer's score. Evidence is named only where no verdict still to come can change it.
    """
    if bounds.low >= 1:
        return None
    if not ideal.judged:
        return "the ideal's score on this rubric is not known: run the ideal, and grade or judge it"
    details = f" ({ideal.details})" if ideal.details else ""
    message = f"the ideal scores {ideal.figure} on this rubric{details}"
    if ideal.bounds.low >= 1:
        return f"evidence: look at the answer, as {message}"
    if ideal.bounds.low > bounds.high:
        also = " and the rubric" if ideal.bounds.high < 1 else ""
        return f"evidence: look at the answer{also}, as {message}, more than this answer"
    if ideal.bounds.high <= bounds.low:
        return f"evidence: look at the rubric, as {message}, no more than this answer"
    return f"{message}: no evidence on the rubric or the answer until all points of both are judged"


def _meet_points(explanation: Explanation) -> Iterator[Advice]:
    """One piece of advice per point with a gain; a path of one point is treated as a path."""
    for group in explanation.groups():
        if group.path_id is None or len(group.points) > 1:
            yield from (_meet(point, point.gain) for point in group.points if point.gain)


def _meet(point: PointScore, gain: float) -> Advice:
    label = point_label(point.assessment.point)
    if point.assessment.broken:
        text = f"fix {label}, which cannot run: up to {_worded(point.met)}"
    elif point.assessment.placed.inverted:
        text = f"avoid {label} → {_worded(point.met)}"
    else:
        text = f"{label} in full → {_worded(point.met)}"
    return Advice(text, gain, point.met, point.assessment.point.span)


def _worded(bounds: Bounds) -> str:
    return bounds_text(bounds.low, bounds.high)


def _meet_a_path(explanation: Explanation) -> Iterator[Advice]:
    """Advice to meet a path. All paths gain the same, so it points at the one nearest to being met."""
    gaining = [(path.score or 0.0, path, path.gain) for path in explanation.paths if path.gain]
    if not gaining:
        return
    _, nearest, gain = max(gaining, key=lambda each: each[0])
    name = path_label(explanation.paths.index(nearest) + 1)
    if nearest.points[0].assessment.placed.inverted:
        text = f"avoid all of {name}: up to {_worded(nearest.met)}"
    elif len(explanation.paths) == 1:
        text = f"meet {name} in full: up to {_worded(nearest.met)}"
    else:
        text = f"meet one path: up to {_worded(nearest.met)}"
    yield Advice(text, gain, nearest.met, nearest.points[0].assessment.point.span)


def _flatten(explanation: Explanation) -> Iterator[Advice]:
    """Advice to flatten paths of one point beside required points, as most are meant (002, "Common Pitfall")."""
    is_mixed = explanation.required is not None and explanation.paths and not explanation.is_partial
    if not is_mixed or any(len(path.points) > 1 for path in explanation.paths):
        return
    after = Sums.of(map(PointExtent.settled, explanation.assessments)).bounds
    gain = after.low - explanation.settled.low
    if gain > 0:
        span = explanation.paths[0].points[0].assessment.point.span
        yield Advice(f"flatten the paths → {_worded(after)}", gain, after, span)
