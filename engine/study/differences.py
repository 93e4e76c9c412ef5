"""X less Y: by prompt and by criterion, such that the parts add up to the difference of the means.

The part of a criterion is its cost for Y less its cost for X. As the costs of an answer add up to 100 less its score,
these parts add up to the difference of the two scores, with and without paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from engine.scoring.assessment import Assessment, PlacedPoint
from engine.scoring.sums import PointExtent
from engine.study.matrix import Matrix, PromptRow, of_models
from engine.study.pairing import match_points
from engine.study.scored_answer import PointCosts, PointName, ScoredAnswer, point_costs
from engine.text.record import Record, replace


class Part(Record, gc=False):
    """A part of a difference of scores (−1 to 1): of the `least` difference that is possible, and of the `most`.

    While points are open, the part of a criterion on a path can be greater in the least difference than in the most:
    another path may be the best one.
    """

    least: float
    most: float

    def times(self, share: float) -> Part:
        """This part of a prompt that makes `share` of a mean."""
        return Part(self.least * share, self.most * share)

    @property
    def is_closed(self) -> bool:
        """Whether no open point matters."""
        return abs(self.least - self.most) < 1e-12


def mean_part(parts: Sequence[tuple[float, Part]]) -> Part | None:
    """The weighted mean of differences; None if the weights add up to 0."""
    weights = sum(weight for weight, _ in parts)
    if not weights > 0:
        return None
    shares = [part.times(weight / weights) for weight, part in parts]
    return Part(sum(part.least for part in shares), sum(part.most for part in shares))


class PromptDifference(Record, eq=False, dict=True):
    """X less Y on one prompt of a grid, or X less the mean of `others` where there are several. All have scores.

    `share` is the part of the prompt in the weights of the prompts that are compared.
    """

    row: PromptRow
    answer: ScoredAnswer
    others: tuple[ScoredAnswer, ...]
    share: float = 1.0

    @cached_property
    def total(self) -> Part:
        """The difference of the scores."""
        bounds = self.answer.bounds
        assert bounds is not None
        others = [each.bounds for each in self.others if each.bounds is not None]
        low = sum(each.low for each in others) / len(others)
        high = sum(each.high for each in others) / len(others)
        return Part(bounds.low - high, bounds.high - low)

    @property
    def part(self) -> Part:
        """Its part of the difference of the means."""
        return self.total.times(self.share)

    @cached_property
    def by_criterion(self) -> dict[PointName, Part]:
        """The part of each point of any of the rubrics; points that no score depends on have a part of 0."""
        found: dict[PointName, list[float]] = {}
        _add(found, self.answer, -1.0, swapped=False)
        for other in self.others:
            _add(found, other, 1.0 / len(self.others), swapped=True)
        return {name: Part(least, most) for name, (least, most) in found.items()}

    @cached_property
    def placed(self) -> dict[PointName, PlacedPoint]:
        """The points by their names."""
        found: dict[PointName, PlacedPoint] = {}
        for answer in (self.answer, *self.others):
            for name, each in zip(answer.names, answer.assessments, strict=True):
                found.setdefault(name, each.placed)
        return found


def _add(found: dict[PointName, list[float]], answer: ScoredAnswer, factor: float, *, swapped: bool) -> None:
    """Add the costs of an answer. X is at its lowest where Y is at its highest: `swapped`."""
    costs = point_costs(answer.points)
    for name, least, most in zip(answer.names, costs.least, costs.most, strict=True):
        part = found.setdefault(name, [0.0, 0.0])
        part[0] += factor * (least if swapped else most)
        part[1] += factor * (most if swapped else least)


class ColumnDifference(Record, eq=False):
    """X less Y, or less the mean of the other models, over the prompts on which both have a score.

    `total` is the difference of the weighted means, None without a prompt. `left_out` are the names of the others.
    """

    prompts: tuple[PromptDifference, ...]
    total: Part | None
    left_out: tuple[str, ...]


def column_difference(grid: Matrix, column: int, other: int | None) -> ColumnDifference:
    """Column `column` less column `other`; None for the mean of the other models, prompt by prompt."""
    found = [each for row in grid.rows if (each := row_difference(row, column, other)) is not None]
    weights = sum(each.row.weight for each in found)
    if not weights > 0:
        return ColumnDifference((), None, tuple(row.name for row in grid.rows))
    shared = tuple(replace(each, share=each.row.weight / weights) for each in found)
    compared = {each.row.name for each in found}
    left_out = tuple(row.name for row in grid.rows if row.name not in compared)
    return ColumnDifference(shared, mean_part([(each.row.weight, each.total) for each in found]), left_out)


def row_difference(row: PromptRow, column: int, other: int | None) -> PromptDifference | None:
    """As `column_difference`, on one prompt; None if one of the two has no score."""
    columns = of_models(range(len(row.answers)), row.models) if other is None else (other,)
    others = [row.answers[at] for at in columns if other is not None or at != column]
    scored = tuple(each for each in others if each.bounds is not None)
    if row.answers[column].bounds is None or not scored:
        return None
    return PromptDifference(row, row.answers[column], scored)


# --- Two rubrics side by side


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
