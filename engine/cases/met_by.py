"""How many other answers meet each point: evidence on where to look, at the rubric or the answer, and no proof."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cases.failed_answers import is_failed, known_extent
from engine.record import Record
from engine.scoring.assessment import Assessment


class MetBy(Record, gc=False):
    """Of `known` models whose verdict on a point is known, `met` meet it; `ideal`: whether the ideal does, if known."""

    met: int
    known: int
    ideal: bool | None = None


def met_by(
    models: Sequence[Sequence[Assessment]], ideal: Sequence[Assessment] | None, points: int
) -> tuple[MetBy, ...]:
    """For each of so many points, how many of `models`, one answer each, meet it.

    A point is met by at least half, after inversion. Verdicts that are open, carried over or failed are not known.
    """
    found: list[MetBy] = []
    for place in range(points):
        extents = [known_extent(each[place]) for each in models]
        known = [extent for extent in extents if extent is not None]
        of_ideal = None if ideal is None else known_extent(ideal[place])
        met = sum(not is_failed(extent) for extent in known)
        found.append(MetBy(met, len(known), None if of_ideal is None else not is_failed(of_ideal)))
    return tuple(found)


def met_by_text(found: MetBy, *, is_met: bool | None) -> str:
    """`evidence: 6 of 8 other models meet this and the ideal meets it, so look at the answer`; "" if nothing is known.

    `is_met`: whether the answer that is shown meets the point. Only for one that it fails, it says where to look.
    """
    parts: list[str] = []
    if found.known:
        noun = "other model" if found.known == 1 else "other models"
        parts.append(f"{found.met} of {found.known} {noun} {'meets' if found.known == 1 else 'meet'} this")
    if found.ideal is not None:
        parts.append("the ideal meets it" if found.ideal else "the ideal does not meet it")
    if not parts:
        return ""
    return f"evidence: {' and '.join(parts)}{'' if is_met is not False else _points_to(found)}"


def _points_to(found: MetBy) -> str:
    """Where the evidence points for a point that the answer fails; "" where it is divided."""
    others = None if found.known == 0 else found.met * 2 > found.known
    none = found.known > 0 and found.met == 0
    if others is not False and found.ideal is not False:
        return ", so look at the answer"
    if (none or found.known == 0) and found.ideal is not True:
        return ", so look at the rubric"
    return ""
