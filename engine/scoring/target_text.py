"""The text of a target: the sets of points that are enough, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Iterable

from engine.scoring.explanation import Bounds, PointScore
from engine.scoring.explanation_text import (
    bounds_text,
    listed,
    number_text,
    point_label,
    points_text,
    tenths,
)
from engine.scoring.target import MOST_SETS, Obstacle, PointSet, Target
from engine.scoring.what_if import PathStanding


def target_headline(target: Target) -> str:
    """What it takes, in one sentence: `2 more rubric points are enough for 85, in any of these 3 sets`."""
    wanted = number_text(target.wanted)
    if target.is_partial:
        return f"no score is certain, {wanted} or any other: part of the rubric cannot be read"
    if target.is_reached:
        return f"no change is needed: the score is at least {points_text(target.bounds.low)}"
    if not target.is_reachable:
        return f"{wanted} cannot be reached: {_most_text(target)}"
    size = len(target.sets[0].points)
    points = "1 more rubric point is" if size == 1 else f"{size} more rubric points are"
    return f"{points} enough for {wanted}{_choice(target)}"


def _choice(target: Target) -> str:
    if len(target.sets) == 1:
        return ""
    if target.has_others:
        return f": {MOST_SETS} of the sets that are, and others"
    return f", in any of these {len(target.sets)} sets"


def ceiling_text(target: Target) -> str:
    """The highest score that an answer can be sure of, where that is below 100 and above what is wanted; else ""."""
    if not target.obstacles or not target.is_reachable or target.is_partial:
        return ""
    return _most_text(target)


def _most_text(target: Target) -> str:
    return f"{points_text(target.highest)} is the most that an answer can be sure of"


def target_notes(target: Target) -> tuple[str, ...]:
    """What one has to know to read the sets, a sentence each; nothing where there are no sets."""
    if not target.sets:
        return ()
    return tuple(
        note
        for note, applies in (
            (f"Of the {target.paths} paths only the best counts, so no set has points of two.", target.paths > 1),
            (_OPEN, not target.bounds.closed),
            (_EXCLUSIVE, True),
        )
        if applies
    )


_OPEN = "Counted from the lowest score that is possible: points that are not judged count 0."
_EXCLUSIVE = "Points that exclude each other are not recognised: read a set before you aim at it."


def set_text(points: Iterable[PointScore]) -> str:
    """What an answer has to do: `meet “A” and “B”, and avoid “C”`. Open points are marked."""
    every = tuple(points)
    meet = [_named(each) for each in every if not each.assessment.placed.inverted]
    avoid = [_named(each) for each in every if each.assessment.placed.inverted]
    parts = [f"{verb} {listed(names)}" for verb, names in (("meet", meet), ("avoid", avoid)) if names]
    return ", and ".join(parts)


def _named(point: PointScore) -> str:
    state = "" if point.assessment.assessed else f" ({point.assessment.unjudged_text})"
    return f"{point_label(point.assessment.point)}{state}"


def outcome_text(found: PointSet) -> str:
    """The score with a set of points: `87.5`, or `87.5–95` while points are open."""
    return bounds_text(found.bounds.low, found.bounds.high)


def obstacle_text(obstacle: Obstacle) -> str:
    """`$matches: ( counts 0 whatever the answer: its check cannot run: …`."""
    most = "0" if obstacle.highest <= 0 else f"at most {number_text(obstacle.highest)}"
    return f"{point_label(obstacle.point.assessment.point)} counts {most} whatever the answer: {obstacle.why}"


def lead_text(lead: Bounds) -> str:
    """A lead over the other paths: `12 ahead`, `37.5 behind`, `level`; `20 behind to 35 ahead` if open."""
    low, high = tenths(lead.low), tenths(lead.high)
    if low == high:
        return _side(low)
    if low > 0 or high < 0:
        least, most = sorted((abs(low), abs(high)))
        return f"{number_text(least / 1000)} to {_side(most if low > 0 else -most)}"
    return f"{_side(low)} to {_side(high)}"


def _side(lead: int) -> str:
    if lead == 0:
        return "level"
    return f"{number_text(abs(lead) / 1000)} {'ahead' if lead > 0 else 'behind'}"


def change_text(standing: PathStanding) -> str:
    """The smallest change that makes a path the best: `to be the best, meet “A”`; "" if it is as good as it can be."""
    if standing.change:
        return f"to be the best, {set_text(standing.change)}"
    if standing.change is None and not (standing.can_tie and standing.is_level):
        return "it can only draw level" if standing.can_tie else "no answer makes it the best"
    return ""
