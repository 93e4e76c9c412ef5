"""The score that Weval would store for the same assessments, and why it differs (platform.md, A4, A5, A31)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isclose

from engine.scoring.assessment import Assessment, OnWeval
from engine.scoring.explanation import WevalScore
from engine.scoring.explanation_text import listed, path_label
from engine.scoring.sums import PointExtent, aggregate, to_fixed


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
        reasons.append("Weval reads other verdicts in replies of judges, as the points say.")
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
    return "every check failed to run" if checks else "no point could be judged"


def _path_numbers(assessments: Sequence[Assessment]) -> dict[str, int]:
    """The number of each path on the screen, from 1, by its id."""
    ids = dict.fromkeys(each.placed.path_id for each in assessments if each.placed.path_id is not None)
    return {path_id: number for number, path_id in enumerate(ids, 1)}


def _merged_paths(assessments: Sequence[Assessment]) -> list[str]:
    """`path 1 with path 3`, for each pair of paths of the two blocks that share an id on Weval."""
    numbers = _path_numbers(assessments)
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
