"""Assessments → `Explanation`: the score, its arithmetic in order, and the cost and gain of each part.

Beside it stand notes on what is open or failed, advice on how to raise the score, ranked by gain, and the score that
Weval would store for the same assessments, with why it differs (platform.md, A4, A5, A31).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isclose

from engine.blueprint import Prompt
from engine.scoring.assessment import Assessment, ChangedPart, OnWeval
from engine.scoring.explanation import (
    Advice,
    Bounds,
    Explanation,
    GroupScore,
    IdealScore,
    PointScore,
    Step,
    StepKind,
    WevalScore,
    between_text,
    bounds_text,
    changed_text,
    extent_text,
    judge_name,
    listed,
    path_label,
    point_label,
    points_text,
    weight_text,
)
from engine.scoring.sums import Groups, PointExtent, Sums, aggregate, combined, groups_of, severities, to_fixed
from engine.text.record import replace
from engine.text.spans import Span, count


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
    return f"{message}: no evidence on the rubric or the answer until all criteria of both are judged"


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
        yield Advice(f"require every path → {_worded(after)}", gain, after, span)


_UNREAD = (
    "A YAML error hides the rest of this prompt, and with it criteria that would count: the score can still be "
    "anywhere between 0 and 100. Fix the error, then run the prompt again."
)


def notes_on(explanation: Explanation, prompt: Prompt) -> tuple[str, ...]:
    """All notes on an explanation, those on missing verdicts first."""
    if not explanation.groups():
        return (_UNREAD if prompt.is_cut_off else _nothing_to_score(prompt),)
    return (
        *((_UNREAD,) if prompt.is_cut_off else ()),
        *_open_points(explanation),
        *_carried_over(explanation),
        *forgiven(explanation),
    )


def _nothing_to_score(prompt: Prompt) -> str:
    """The note on a prompt without points (platform.md, A33)."""
    if prompt.ideal is None:
        return "This prompt has no criteria: nothing is scored."
    return "This prompt has no criteria: nothing is scored here. Weval would have a model draw criteria from the ideal."


def _open_points(explanation: Explanation) -> tuple[str, ...]:
    assessments = explanation.assessments
    failed_checks = sum(each.broken for each in assessments)
    unjudged = sum(each.failed for each in assessments)
    waiting = sum(each.open for each in assessments)
    between = between_text(explanation.bounds.low, explanation.bounds.high)
    notes: list[str] = []
    if waiting:
        notes.append(
            f"{waiting} of {len(assessments)} criteria {'is' if waiting == 1 else 'are'} not judged and left out: "
            f"the score can still be {between}."
        )
    if failed_checks:
        checks = "One check" if failed_checks == 1 else f"{failed_checks} checks"
        notes.append(f"{checks} could not run and {'counts' if failed_checks == 1 else 'count'} 0.")
    if unjudged:
        verb = "is" if unjudged == 1 else "are"
        notes.append(f"No judge could judge {unjudged} of {len(assessments)} criteria: {unjudged} {verb} left out.")
    partly = [each for each in assessments if each.assessed and each.failed_judges]
    if partly:
        judges = listed(dict.fromkeys(map(judge_name, (name for each in partly for name in each.failed_judges))))
        what = count(len(partly), "criterion counts", "criteria count")
        notes.append(f"{judges} failed: {what} by the mean of the other judges.")
    if (unjudged or partly) and not waiting:
        notes.append(f"With the missing verdicts, the score would be {between}.")
    return tuple(notes)


def _carried_over(explanation: Explanation) -> tuple[str, ...]:
    carried = [each for each in explanation.assessments if each.carried_over]
    if not carried:
        return ()
    changed = changed_text(part for part in ChangedPart if any(part in each.carried_over for each in carried))
    verdicts, judges = (
        ("1 verdict is", "its judge") if len(carried) == 1 else (f"{len(carried)} verdicts are", "their judges")
    )
    what = (
        "The score is exact arithmetic on old verdicts, not a forecast of a new run."
        if any(each.assessed for each in carried)
        else "The criteria are open."
    )
    return (f"{verdicts} from before this edit: {judges} saw {changed}. {what}",)


def forgiven(explanation: Explanation) -> tuple[str, ...]:
    """A note on paths of `should_not` that are met (below 50 after inversion) but hidden by a better path (002)."""
    scored = [(number, path, path.score) for number, path in enumerate(explanation.paths, 1) if path.score is not None]
    best = next((each for each in scored if each[1].path_id == explanation.best_path_id), None)
    if best is None:
        return ()
    forgiver, _, highest = best
    met = {
        number: score
        for number, path, score in scored
        if score < min(0.5, highest) and path.points[0].assessment.placed.inverted
    }
    if not met:
        return ()
    strict = combined(None if explanation.required is None else explanation.required.score, min(met.values()))
    return (
        f"The response meets {listed(map(path_label, met))} of should_not, which the documents call a failure. As only "
        f"the best path counts, {path_label(forgiver)} with {points_text(highest)} forgives it. "
        f"If the alternative that is met decided instead, the score would be {points_text(strict or 0.0)}.",
    )


_MOST_TERMS = 8
"""A mean of more points than this is written as the quotient of two sums."""


def explain(prompt: Prompt, assessments: Iterable[Assessment], ideal: IdealScore | None = None) -> Explanation:
    """The score of one answer to `prompt` with all of its arithmetic, from one assessment for each point in any order.

    The documented algorithm (002, "Understanding the Aggregation Formula"): the mean of each group by weight, the best
    path, and the mean of required points and best path. All figures of the result are floats of 0 to 1 and unrounded:
    extents and scores after inversion, costs and gains as parts of the whole score. A check that errored counts 0.
    Points without an extent are left out of the score (None if no point is left); they widen its bounds, as do verdicts
    that are missing beside others, and points that a YAML error hides. `WevalScore` in it is the figure of the platform
    (`aggregate`), with the reasons where it is another one. `ideal` is the score of the prompt's ideal on this rubric,
    if it is known. Makes no request and runs no check. Raises `ValueError` if there are not as many assessments as
    points, and `KeyError` for an assessment of a path that the prompt does not have.
    """
    given = tuple(assessments)
    if len(given) != len(prompt.points()):
        raise ValueError(f"{len(given)} assessments for {len(prompt.points())} criteria")
    groups = _groups(prompt, given)
    ordered = tuple(assessment for group in groups.values() for assessment in group)
    points = [PointExtent.of(assessment) for assessment in ordered]
    sums = groups_of(points, is_partial=prompt.is_cut_off)
    settled = groups_of(map(PointExtent.settled, ordered), is_partial=prompt.is_cut_off)
    score = sums.score
    left = (None,) * len(ordered) if prompt.is_cut_off else severities(each.placed for each in ordered)
    beside = zip(left, _same_criteria(ordered), strict=True)
    spans = {rubric.path_id(path): path.span for rubric in prompt.rubrics for path in rubric.paths}
    scored = {
        path_id: _group_score(path_id, spans.get(path_id or ""), group, sums, settled, beside)
        for path_id, group in groups.items()
    }
    required = scored.pop(None, None)
    paths = tuple(scored.values())
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


def _groups(prompt: Prompt, assessments: Iterable[Assessment]) -> dict[str | None, list[Assessment]]:
    """The assessments of the required points, if there are any, then those of each path as written."""
    ids = (rubric.path_id(path) for rubric in prompt.rubrics for path in rubric.paths)
    members: dict[str | None, list[Assessment]] = {path_id: [] for path_id in (None, *ids)}
    for assessment in assessments:
        members[assessment.placed.path_id].append(assessment)
    return {path_id: group for path_id, group in members.items() if group}


def _same_criteria(ordered: Sequence[Assessment]) -> Iterator[str]:
    """For each point, which others are the same in its block: `the same criterion as number 2: graded together`."""
    from engine.functions import point_text  # here, behind the first frame

    named = [(each.placed.rubric.block, point_text(each.point)) for each in ordered]
    for at, one in enumerate(named):
        same = [str(number) for number, each in enumerate(named, 1) if each == one and number != at + 1]
        what, how = ("check", "met") if ordered[at].point.function else ("criterion", "graded")
        yield f"the same {what} as number {listed(same)}: {how} together" if same else ""


def _group_score(
    path_id: str | None,
    span: Span | None,
    group: Sequence[Assessment],
    groups: Groups,
    settled: Groups,
    beside: Iterator[tuple[float | None, str]],
) -> GroupScore:
    """The score of a group; `beside` yields the severity of each of its points in turn, and which are the same."""
    sums = groups[path_id]
    scored: list[PointScore] = []
    all_lost = 0.0
    for assessment, (severity, same_as) in zip(group, beside, strict=False):
        extent, weight = assessment.extent, assessment.point.multiplier
        lost = 0.0 if extent is None else (1.0 - extent) * weight
        share = weight / sums.weights if extent is not None and sums.weights > 0 else 0.0
        figures = settled.figures(path_id, None if extent is None else lost)
        scored.append(PointScore(assessment, share, *figures, severity, same_as))
        all_lost += lost
    is_known = sums.mean is not None and not any(each.open for each in group)
    figures = settled.figures(path_id, all_lost if is_known else None)
    return GroupScore(path_id, span, tuple(scored), sums.mean, groups.bounds_of(path_id), *figures)


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
        steps.append(Step(StepKind.REQUIRED_MEAN, "required criteria", _mean_working(required), mean))
    scored = [(number, path, path.score) for number, path in enumerate(paths, 1) if path.score is not None]
    for number, path, path_score in scored:
        steps.append(Step(StepKind.PATH_MEAN, path_label(number), _mean_working(path), path_score))
    if best is not None and best.score is not None:
        label = f"best path: {path_label(paths.index(best) + 1)}"
        working = f"max({', '.join(extent_text(path_score) for _, _, path_score in scored)})"
        steps.append(Step(StepKind.BEST_PATH, label, working, best.score))
        if mean is not None and score is not None:
            working = f"({extent_text(mean)} + {extent_text(best.score)}) ÷ 2"
            steps.append(Step(StepKind.COMBINED, "mean of required criteria and best path", working, score))
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
        return f"{extent_text(total)} ÷ {weight_text(weights)}, the sums over {len(assessed)} criteria"
    if all(multiplier == 1 for _, multiplier in assessed):
        terms = [extent_text(extent) for extent, _ in assessed]
    else:
        terms = [f"{extent_text(extent)}×{weight_text(multiplier)}" for extent, multiplier in assessed]
    return f"({' + '.join(terms)}) ÷ {weight_text(weights)}"


def weval_score(assessments: Sequence[Assessment], score: float | None) -> WevalScore:
    """The platform's score over `assessments`, and the reasons why it differs from `score`.

    `stored` and `unrounded` are None without any point, and while one is open: Weval would have judged it.
    """
    if not assessments or any(each.open for each in assessments):
        return WevalScore(None, None)
    if any(each.on_weval is OnWeval.NAN for each in assessments):
        return WevalScore(None, None, ("A check gives NaN, which on Weval makes the whole score no number.",))
    there = score_there(assessments)
    reasons = _reasons(assessments) if score is None or not isclose(there, score, abs_tol=1e-9) else ()
    return WevalScore(float(to_fixed(there, 2)), there, reasons)


def score_there(assessments: Iterable[Assessment]) -> float:
    """The platform's score over the points that are not open, unrounded: it adds up functions first (A33)."""
    ordered = sorted(assessments, key=lambda each: each.point.function is None)
    return aggregate(_as_there(each) for each in ordered if not each.open)


def _as_there(assessment: Assessment) -> PointExtent:
    """The numbers on Weval: no extent for an error, and the same path ids in both blocks."""
    path_id = assessment.placed.path_id
    errs = assessment.broken or assessment.on_weval is OnWeval.ERROR
    extent = None if errs else assessment.extent
    return PointExtent(
        assessment.extent_on_weval if assessment.on_weval in (OnWeval.NO_LIMIT, OnWeval.READS) else extent,
        assessment.point.multiplier,
        None if path_id is None else path_id.removeprefix("not_"),
    )


def _reasons(assessments: Sequence[Assessment]) -> tuple[str, ...]:
    reasons: list[str] = []
    failed = [each for each in assessments if each.broken]
    errors = sum(each.on_weval is not OnWeval.NO_LIMIT for each in failed)
    if any(each.extent_on_weval == 1 for each in failed):
        reasons.append(
            "A pattern that was stopped for time is an error, and counts 0. Weval has no such limit: if the pattern "
            "finds nothing after all, its check counts 100 there, as this figure takes it."
        )
    if any(each.on_weval is OnWeval.NO_LIMIT and each.extent_on_weval is None for each in failed):
        reasons.append(
            "A check of several patterns was stopped for time. What it comes to on Weval, which waits, is not known."
        )
    if errors:
        checks = "The check that failed to run is" if errors == 1 else f"The {errors} checks that failed to run are"
        reasons.append(f"{checks} left out of the mean on Weval; documented, and here, an error counts 0.")
    refused = sum(each.on_weval is OnWeval.ERROR and not each.broken for each in assessments)
    if refused:
        checks = "One check that works here is" if refused == 1 else f"{refused} checks that work here are"
        reasons.append(f"{checks} an error on Weval, which leaves errors out of the mean.")
    if any(each.on_weval is OnWeval.READS for each in assessments):
        reasons.append("Weval reads other verdicts in replies of judges, as the criteria say.")
    merged = _merged_paths(assessments)
    if merged:
        reasons.append(
            f"Weval merges paths of should and should_not into one, {listed(merged)}; documented, and here, the two "
            "blocks are counted apart."
        )
    if empty := _in_empty_groups(assessments):
        reasons.append(f"A group in which {_nobody(empty)} counts 0 on Weval and is still averaged in.")
    return tuple(reasons)


def _nobody(empty: Sequence[Assessment]) -> str:
    """Why these points have no extent: checks failed, judges failed, or both."""
    checks = sum(each.assessed for each in empty)
    if 0 < checks < len(empty):
        return "nothing could be checked or judged"
    return "every check failed to run" if checks else "no criterion could be judged"


def _merged_paths(assessments: Sequence[Assessment]) -> list[str]:
    """`path 1 with path 3`, for each pair of paths of the two blocks that share an id on Weval."""
    ids = dict.fromkeys(each.placed.path_id for each in assessments if each.placed.path_id is not None)
    numbers = {path_id: number for number, path_id in enumerate(ids, 1)}
    return [
        f"{path_label(number)} with {path_label(numbers[f'not_{path_id}'])}"
        for path_id, number in numbers.items()
        if f"not_{path_id}" in numbers
    ]


def _in_empty_groups(assessments: Sequence[Assessment]) -> list[Assessment]:
    """The points of groups in which no point has an extent on Weval."""
    groups: dict[str | None, list[Assessment]] = {}
    for assessment in assessments:
        groups.setdefault(_as_there(assessment).path_id, []).append(assessment)
    empty = [group for group in groups.values() if all(_as_there(each).extent is None for each in group)]
    return [assessment for group in empty for assessment in group]
