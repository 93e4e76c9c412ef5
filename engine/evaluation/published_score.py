"""Comparing a published score with the points in its own file: whether they add up to it, and how.

Weval leaves errors out of the mean (platform.md, A4), and older versions had no paths or no weights. Each of these
calculations is tried, and the one that gives the published score is named.
"""

from __future__ import annotations

from engine.evaluation.results import StoredResult
from engine.record import Record
from engine.scoring.aggregation import PointExtent, weighted_mean
from engine.scoring.assessment import OnWeval
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_text import points_text
from engine.scoring.weval_score import score_there

_CLOSE = 0.005 + 1e-9
"""Half a step of the two decimals that Weval stores."""


class ScoreComparison(Record):
    """A published score (0–1) and the score computed from the points in its file, None where it has none.

    `reasons` explains in sentences how the two are related.
    """

    stored: float
    computed: float | None
    reasons: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the points in the file add up to the score in it."""
        return self.computed is not None and abs(self.computed - self.stored) <= _CLOSE


def compare_score(result: StoredResult, explanation: Explanation) -> ScoreComparison | None:
    """Compare the published score of `result` with its own points; None where the file has no score of it.

    `explanation` explains the assessments in the file.
    """
    stored = result.stored
    if stored is None:
        return None
    readings = _readings(result, explanation)
    if not readings:
        return ScoreComparison(stored, None, ("The file has this score but none of its points.",))
    for computed, words in readings:
        if abs(computed - stored) <= _CLOSE:
            return ScoreComparison(stored, computed, (*words, *_left_out(result, explanation)))
    computed = readings[0][0]
    by = points_text(abs(computed - stored))
    more = "less" if computed > stored else "more"
    reasons = f"The published score is {by} points {more} than its own points add up to ({points_text(computed)})."
    return ScoreComparison(stored, computed, (reasons, *_doubts(result), *_left_out(result, explanation)))


def _readings(result: StoredResult, explanation: Explanation) -> list[tuple[float, tuple[str, ...]]]:
    """The score of the points by each known calculation, the likeliest first, with the sentence that names it."""
    points = [PointExtent.of(each) for each in result.assessments]
    known = [point.extent for point in points if point.extent is not None]
    if not points:
        return []
    is_number = all(each.on_weval is not OnWeval.NAN for each in result.assessments)
    as_weval = (score_there(result.assessments) if is_number else None, ())
    as_documented = (explanation.score, ())
    plain = "The published score is the plain mean of all points: "
    readings: list[tuple[float | None, tuple[str, ...]]] = [
        *((as_documented, as_weval) if result.ours else (as_weval,)),
        (_without_errors(result), (f"{plain}this version of Weval knew no alternative paths.",)),
        (sum(known) / len(known) if known else None, (f"{plain}this version of Weval knew no weights.",)),
    ]
    return [(score, words) for score, words in readings if score is not None]


def _without_errors(result: StoredResult) -> float | None:
    """The weighted mean of all points with an extent and no error, regardless of paths."""
    points = [PointExtent.of(each) for each in result.assessments if not each.broken]
    return weighted_mean(PointExtent(point.extent, point.multiplier) for point in points)


def _left_out(result: StoredResult, explanation: Explanation) -> tuple[str, ...]:
    """The points that the published score leaves out."""
    reasons: list[str] = []
    checks = sum(each.broken for each in result.assessments)
    judges = sum(each.failed for each in result.assessments)
    open_points = sum(each.open for each in result.assessments)
    if checks and not result.ours:
        what = "One check" if checks == 1 else f"{checks} checks"
        reasons.append(
            f"{what} could not run and took no part in it. The documents count an error as 0: "
            f"that gives {points_text(explanation.score or 0.0)}."
        )
    if judges:
        reasons.append(f"{_points(judges)} could not be judged and took no part in it.")
    if open_points:
        reasons.append(f"{_points(open_points)} took no part in it: the file has no verdict.")
    return tuple(reasons)


def _points(count: int) -> str:
    return "One point" if count == 1 else f"{count} points"


def _doubts(result: StoredResult) -> tuple[str, ...]:
    """Possible reasons for a difference, from the file itself."""
    reasons: list[str] = []
    samples = max([result.samples, *(point.samples for point in result.points)])
    if samples > 1:
        reasons.append(f"Weval averaged it over {samples} answers; the values of each point in the file are rounded.")
    if result.counted is not None and result.counted > len(result.points):
        missing = result.counted - len(result.points)
        reasons.append(f"{_points(missing)} of {result.counted} {'is' if missing == 1 else 'are'} not in the file.")
    return tuple(reasons) or (
        "Nothing in the file says why; another version of Weval may have added them up otherwise.",
    )
