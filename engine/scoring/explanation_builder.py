"""Assessments → `Explanation`: the score, its arithmetic in order, and the cost and gain of each part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.blueprint import Path, Prompt
from engine.record import Record, replace
from engine.scoring.advice import advise, against_ideal
from engine.scoring.aggregation import PointExtent
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore, IdealScore, PointScore, Step, StepKind, WevalScore
from engine.scoring.explanation_notes import notes_on
from engine.scoring.explanation_text import extent_text, listed, path_label, weight_text
from engine.scoring.severity import severities
from engine.scoring.sums import Groups, groups_of
from engine.scoring.weval_score import weval_score
from engine.text import Span

_MOST_TERMS = 8
"""A mean of more points than this is written as the quotient of two sums."""


class _Group(Record):
    """A group of assessments; `first` is the index of its first point among the points of all groups."""

    path_id: str | None
    span: Span | None
    first: int
    assessments: tuple[Assessment, ...]

    @property
    def places(self) -> range:
        return range(self.first, self.first + len(self.assessments))


def explain(prompt: Prompt, assessments: Iterable[Assessment], ideal: IdealScore | None = None) -> Explanation:
    """Explain the score of `prompt` with these `assessments`, one per point in any order.

    The documented algorithm (002, "Understanding the Aggregation Formula"): the mean of each group by weight, the best
    path, and the mean of required points and best path. A check that errored counts 0; points that are not assessed are
    left out and widen the bounds, as do verdicts that are missing beside others and points that a YAML error hides.
    `ideal` is the score of the prompt's ideal on this rubric, if it is known. Raises `ValueError` if there are not as
    many assessments as points.
    """
    given = tuple(assessments)
    if len(given) != len(prompt.points()):
        raise ValueError(f"{len(given)} assessments for {len(prompt.points())} points")
    groups = _groups(prompt, given)
    ordered = tuple(assessment for group in groups for assessment in group.assessments)
    points = [PointExtent.of(assessment) for assessment in ordered]
    sums = groups_of(points, is_partial=prompt.is_cut_off)
    settled = groups_of(map(PointExtent.settled, ordered), is_partial=prompt.is_cut_off)
    score = sums.score
    left = (None,) * len(ordered) if prompt.is_cut_off else severities(each.placed for each in ordered)
    same = tuple(_same_criteria(ordered))
    scored = tuple(_group_score(group, sums, settled, left, same) for group in groups)
    required = next((group for group in scored if group.path_id is None), None)
    paths = tuple(group for group in scored if group.path_id is not None)
    best = _best(paths)
    weval = WevalScore(None, None) if prompt.is_cut_off else weval_score(given, score)
    explanation = Explanation(
        score=score,
        bounds=sums.bounds,
        settled=settled.bounds,
        required=required,
        paths=paths,
        best_path_id=None if best is None else best.path_id,
        steps=_steps(required, paths, best, score, weval),
        weval=weval,
        against_ideal=None if score is None or ideal is None else against_ideal(sums.bounds, ideal),
        is_partial=prompt.is_cut_off,
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


def _same_criteria(ordered: Sequence[Assessment]) -> Iterator[str]:
    """For each point, which others are the same in its block: `the same criterion as point 2: graded together`."""
    from engine.functions import point_text  # here, behind the first frame

    named = [(each.placed.rubric.block, point_text(each.point)) for each in ordered]
    for at, one in enumerate(named):
        same = [str(number) for number, each in enumerate(named, 1) if each == one and number != at + 1]
        points = "points" if len(same) > 1 else "point"
        what, how = ("check", "met") if ordered[at].point.function else ("criterion", "graded")
        yield f"the same {what} as {points} {listed(same)}: {how} together" if same else ""


def _group_score(
    group: _Group, groups: Groups, settled: Groups, left: Sequence[float | None], same: Sequence[str]
) -> GroupScore:
    sums = groups[group.path_id]
    scored: list[PointScore] = []
    all_lost = 0.0
    for place, assessment in zip(group.places, group.assessments, strict=True):
        extent, weight = assessment.extent, assessment.point.multiplier
        lost = 0.0 if extent is None else (1.0 - extent) * weight
        share = weight / sums.weights if extent is not None and sums.weights > 0 else 0.0
        figures = settled.figures(group.path_id, None if extent is None else lost)
        scored.append(PointScore(assessment, share, *figures, left[place], same[place]))
        all_lost += lost
    is_known = sums.mean is not None and not any(each.open for each in group.assessments)
    cost, gain, met = settled.figures(group.path_id, all_lost if is_known else None)
    return GroupScore(
        group.path_id, group.span, tuple(scored), sums.mean, groups.bounds_of(group.path_id), cost, gain, met
    )


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
        steps.append(Step(StepKind.PATH_MEAN, path_label(number), _mean_working(path), path_score))
    if best is not None and best.score is not None:
        label = f"best path: {path_label(paths.index(best) + 1)}"
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
