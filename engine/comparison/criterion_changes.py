"""The criteria of two runs of a prompt side by side, with the part of each in the difference of the scores."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint_changes.point_matching import match_points
from engine.comparison.differences import Part
from engine.comparison.scored_answer import PointCosts, point_costs
from engine.record import Record
from engine.scoring.aggregation import PointExtent
from engine.scoring.assessment import Assessment


class CriterionChange(Record):
    """One criterion in the old and in the new run; None where a rubric lacks it.

    `part` is its cost for the old answer less its cost for the new one. The parts of all criteria add up to the
    difference of the scores.
    """

    old: Assessment | None
    new: Assessment | None
    part: Part

    @property
    def is_reworded(self) -> bool:
        """Whether both rubrics have it in other words, or with another check."""
        if self.old is None or self.new is None:
            return False
        one, other = self.old.point, self.new.point
        return (one.text, one.function) != (other.text, other.function)


def criterion_changes(old: Sequence[Assessment], new: Sequence[Assessment]) -> tuple[CriterionChange, ...]:
    """The criteria of the new rubric in order, then those that only the old one has."""
    pairing, _, _ = match_points([each.placed for each in old], [each.placed for each in new])
    partners = {there: here for here, there in pairing.pairs}
    one, other = _costs(old), _costs(new)
    found = [
        CriterionChange(
            None if (before := partners.get(index)) is None else old[before],
            assessment,
            Part(
                _at(one.least, before) - other.most[index],
                _at(one.most, before) - other.least[index],
            ),
        )
        for index, assessment in enumerate(new)
    ]
    found += [CriterionChange(old[index], None, Part(one.least[index], one.most[index])) for index in pairing.old_left]
    return tuple(found)


def _costs(assessments: Sequence[Assessment]) -> PointCosts:
    return point_costs([PointExtent.of(each) for each in assessments])


def _at(costs: Sequence[float], index: int | None) -> float:
    return 0.0 if index is None else costs[index]
