"""From assessments to an `Explanation`: the score, its arithmetic in the order it is done, and what each part costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.blueprint import Path, Prompt
from engine.scoring.advice import advise, against_ideal
from engine.scoring.aggregation import PointExtent, combined, score_of, weighted_mean
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore, Step, StepKind, WevalScore
from engine.scoring.notes import notes_on
from engine.scoring.weval import weval_score
from engine.scoring.wording import extent_text, path_label, weight_text
from engine.text import Span

_MOST_TERMS = 8
"""A mean of more points than these is told by its two sums."""


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of assessments; `first` is the place of its first point among the points of all groups."""

    path_id: str | None
    span: Span | None
    first: int
    assessments: tuple[Assessment, ...]

    @property
    def places(self) -> range:
        return range(self.first, self.first + len(self.assessments))


def explain(prompt: Prompt, assessments: Iterable[Assessment], ideal_score: float | None = None) -> Explanation:
    """Why `prompt` scores what it does with these `assessments`, one per point in any order.

    The documented algorithm (002, "Understanding the Aggregation Formula"): the mean of each group by weight, the best
    path, and the mean of required points and best path. A check that errored counts 0; points that are not assessed are
    left out and open the bounds. `ideal_score` (0–1), where known, is what the prompt's ideal scores on this rubric.
    Raises `ValueError` where the number of assessments is not that of the points.
    """
    given = tuple(assessments)
    if len(given) != len(prompt.points()):
        raise ValueError(f"{len(given)} assessments for {len(prompt.points())} points")
    groups = _groups(prompt, given)
    ordered = tuple(assessment for group in groups for assessment in group.assessments)
    points = [PointExtent.of(assessment) for assessment in ordered]
    score = score_of(points)
    costs = _Costs(groups, points, score)
    scored = tuple(_group_score(group, points, costs) for group in groups)
    required = next((group for group in scored if group.path_id is None), None)
    paths = tuple(group for group in scored if group.path_id is not None)
    best = _best(paths)
    weval = weval_score(ordered, score)
    explanation = Explanation(
        score=score,
        bounds=_bounds(points, score_of),
        required=required,
        paths=paths,
        best_path_id=None if best is None else best.path_id,
        steps=_steps(required, paths, best, score, weval),
        weval=weval,
        against_ideal=against_ideal(score, ideal_score),
    )
    return replace(explanation, notes=notes_on(explanation, prompt), advice=advise(explanation))


def _groups(prompt: Prompt, assessments: Sequence[Assessment]) -> tuple[_Group, ...]:
    """The required group first, then the paths as written, each with its assessments."""
    spans: dict[str | None, Span | None] = {None: None}
    for rubric in prompt.rubrics:
        spans |= {rubric.path_id(entry): entry.span for entry in rubric.entries if isinstance(entry, Path)}
    members: Mapping[str | None, list[Assessment]] = {path_id: [] for path_id in spans}
    for assessment in assessments:
        members[assessment.placed.path_id].append(assessment)
    groups: list[_Group] = []
    first = 0
    for path_id, span in spans.items():
        if members[path_id]:
            groups.append(_Group(path_id, span, first, tuple(members[path_id])))
            first += len(members[path_id])
    return tuple(groups)


def _bounds(points: Iterable[PointExtent], score: Callable[[Iterable[PointExtent]], float | None]) -> Bounds:
    """The score with every unassessed point at 0, and at 1.

    A mean and a maximum never fall when an extent rises, so no way of judging them lies beyond; and a group that
    vanishes while nothing in it is judged is there in both.
    """
    known = list(points)
    low, high = (
        [point if point.extent is not None else replace(point, extent=extent) for point in known]
        for extent in (0.0, 1.0)
    )
    return Bounds(score(low) or 0.0, score(high) or 0.0)


def _group_score(group: _Group, everything: Sequence[PointExtent], costs: _Costs) -> GroupScore:
    points = [everything[place] for place in group.places]
    weights = sum(point.multiplier for point in points if point.extent is not None)
    return GroupScore(
        path_id=group.path_id,
        span=group.span,
        points=tuple(
            PointScore(
                assessment,
                everything[place].multiplier / weights if everything[place].extent is not None and weights > 0 else 0.0,
                costs.of(group, everything[place]),
            )
            for place, assessment in zip(group.places, group.assessments, strict=True)
        ),
        score=weighted_mean(points),
        bounds=_bounds(points, weighted_mean),
        costs=costs.of(group, *points),
    )


class _Costs:
    """By how much the score would rise if points were fully met, from the sums of each group."""

    def __init__(self, groups: Sequence[_Group], everything: Sequence[PointExtent], score: float | None) -> None:
        self._score = score
        self._sums: dict[str | None, tuple[float, float]] = {}
        for group in groups:
            assessed = [each for each in (everything[place] for place in group.places) if each.extent is not None]
            total = sum((each.extent or 0.0) * each.multiplier for each in assessed)
            self._sums[group.path_id] = total, sum(each.multiplier for each in assessed)

    def of(self, group: _Group, *points: PointExtent) -> float:
        """What the assessed ones among `points`, all of `group`, cost; 0 where nothing is scored."""
        if self._score is None:
            return 0.0
        lost = sum((1.0 - each.extent) * each.multiplier for each in points if each.extent is not None)
        if lost == 0:
            return 0.0
        means = {path_id: self._mean(path_id, lost if path_id == group.path_id else 0.0) for path_id in self._sums}
        required = means.pop(None, None)
        best = max((mean for mean in means.values() if mean is not None), default=None)
        return max((combined(required, best) or 0.0) - self._score, 0.0)

    def _mean(self, path_id: str | None, gained: float) -> float | None:
        total, weights = self._sums[path_id]
        return (total + gained) / weights if weights > 0 else None


def _best(paths: Sequence[GroupScore]) -> GroupScore | None:
    scored = [path for path in paths if path.score is not None]
    return max(scored, key=lambda path: path.score or 0.0, default=None)


def _steps(
    required: GroupScore | None,
    paths: Sequence[GroupScore],
    best: GroupScore | None,
    score: float | None,
    weval: WevalScore,
) -> tuple[Step, ...]:
    steps: list[Step] = []
    mean = None if required is None else required.score
    if required is not None and mean is not None:
        steps.append(Step(StepKind.REQUIRED_MEAN, "required points", _mean_working(required), mean))
    scored = [(number, path, path.score) for number, path in enumerate(paths, 1) if path.score is not None]
    for number, path, path_score in scored:
        steps.append(Step(StepKind.PATH_MEAN, path_label(number, path.path_id), _mean_working(path), path_score))
    if best is not None and best.score is not None:
        label = f"best path: {path_label(paths.index(best) + 1, best.path_id)}"
        working = f"max({', '.join(extent_text(path_score) for _, _, path_score in scored)})"
        steps.append(Step(StepKind.BEST_PATH, label, working, best.score))
        if mean is not None and score is not None:
            working = f"({extent_text(mean)} + {extent_text(best.score)}) ÷ 2"
            steps.append(Step(StepKind.COMBINED, "mean of required points and best path", working, score))
    if weval.stored is not None and weval.unrounded is not None:
        reading = "by its own reading, " if weval.reasons else ""
        working = f"{reading}{extent_text(weval.unrounded)} to two decimals"
        steps.append(Step(StepKind.STORED, "Weval stores", working, weval.stored))
    return tuple(steps)


def _mean_working(group: GroupScore) -> str:
    points = [PointExtent.of(point.assessment) for point in group.points]
    assessed = [(point.extent, point.multiplier) for point in points if point.extent is not None]
    weights = sum(multiplier for _, multiplier in assessed)
    if len(assessed) == 1:
        return extent_text(assessed[0][0])
    if len(assessed) > _MOST_TERMS:
        total = sum(extent * multiplier for extent, multiplier in assessed)
        return f"{extent_text(total)} ÷ {weight_text(weights)}, the sums over {len(assessed)} points"
    if all(multiplier == 1 for _, multiplier in assessed):
        terms = [extent_text(extent) for extent, _ in assessed]
    else:
        terms = [f"{extent_text(extent)}×{weight_text(multiplier)}" for extent, multiplier in assessed]
    return f"({' + '.join(terms)}) ÷ {weight_text(weights)}"
