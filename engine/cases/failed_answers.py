"""Whether a point fails an answer, as far as that is known (`docs/cases.md`, "What a point is good for")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.scoring.aggregation import PointExtent
from engine.scoring.assessment import Assessment
from engine.scoring.sums import Sums

FAILING = 0.5
"""A point fails an answer if its extent after inversion is below this."""
_NOISE = 1e-9
"""What the rounding of binary fractions can take from a mean of extents."""


def is_failed(extent: float) -> bool:
    """Whether an answer is failed by a point with this extent (0–1, after inversion)."""
    return extent < FAILING - _NOISE


def known_extent(assessment: Assessment) -> float | None:
    """The extent after inversion of a grade, a check or a consensus.

    None if nobody judged the point, if its verdict is carried over, if missing verdicts decide whether it fails, or if
    its check could not run: the 0 that this counts in the score says nothing of the answer.
    """
    possible = assessment.possible
    if assessment.broken or assessment.carried_over:
        return None
    if possible is not None and is_failed(possible.low) is not is_failed(possible.high):
        return None
    return assessment.extent


def fails(assessments: Sequence[Assessment]) -> bool | None:
    """Whether a unit fails an answer; None if that depends on what is not known.

    A unit is one required point, or all alternative paths together: their best path counts, by its weighted mean.
    """
    bounds = list(_path_bounds(assessments))
    if is_failed(max(high for _, high in bounds)):
        return True
    return None if is_failed(max(low for low, _ in bounds)) else False


def _path_bounds(assessments: Iterable[Assessment]) -> Iterator[tuple[float, float]]:
    """The lowest and the highest mean of each path; the extents of a required point."""
    paths: dict[str | None, list[PointExtent]] = {}
    for each in assessments:
        weight = 1.0 if each.placed.path_id is None else each.point.multiplier
        paths.setdefault(each.placed.path_id, []).append(PointExtent(known_extent(each), weight))
    for path in paths.values():
        bounds = Sums.of(path).bounds
        yield bounds.low, bounds.high


def any_of(values: Iterable[bool | None]) -> bool | None:
    """Whether any is true: True if one is, None if that depends on unknown ones."""
    seen = set(values)
    return True if True in seen else None if None in seen else False
