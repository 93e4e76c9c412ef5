"""Statistics of each judge of an answer, and the judges' agreement, in an author's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.judging.agreement import Agreement, Interpretation
from engine.judging.judgement import Judgement
from engine.judging.panel import PanelJudge
from engine.judging.verdict import NoVerdict
from engine.record import Record, replace


class JudgeRecord(Record):
    """One judge over all points of an answer.

    `points` is the number of points it was asked about, `judged` the number of its verdicts, `reused` the cached ones
    among these. `failures` has the reasons for missing verdicts, each with its number of points, in order.
    """

    judge: PanelJudge
    points: int
    judged: int
    reused: int
    failures: tuple[tuple[NoVerdict, int], ...]

    @property
    def summary(self) -> str:
        """`3 of 4 judged (2 cached)`."""
        cached = f" ({self.reused} cached)" if self.reused else ""
        return f"{self.judged} of {self.points} judged{cached}"


def judge_records(points: Iterable[Sequence[Judgement]]) -> tuple[JudgeRecord, ...]:
    """One record for each judge, in the order of their first judgement. `points` holds the judgements of each point."""
    by_judge: dict[PanelJudge, list[Judgement]] = {}
    for judgements in points:
        for judgement in judgements:
            by_judge.setdefault(judgement.judge, []).append(judgement)
    return tuple(_record(judge, judgements) for judge, judgements in by_judge.items())


def _record(judge: PanelJudge, judgements: Sequence[Judgement]) -> JudgeRecord:
    failures = Counter(replace(each.failure, on_weval=None) for each in judgements if each.failure is not None)
    return JudgeRecord(
        judge,
        len(judgements),
        sum(each.verdict is not None for each in judgements),
        sum(each.reused for each in judgements),
        tuple(failures.items()),
    )


def failure_text(failure: NoVerdict, count: int) -> str:
    """`2 points: declined to judge. Choose another judge for this text.`, on one line."""
    return f"{_points(count)}: {' '.join(f'{failure.message}. {failure.advice}'.split())}"


def agreement_text(agreement: Agreement | None) -> str:
    """`0.82 over 3 points (Krippendorff's alpha), reliable`, or why the agreement is unknown."""
    if agreement is None:
        return "unknown, as no point has two verdicts"
    return f"{agreement.alpha:g} over {_points(agreement.items)} (Krippendorff's alpha), {agreement.interpretation}"


def agreement_advice(interpretation: Interpretation) -> str:
    """What the agreement means for the score, and what to do."""
    match interpretation:
        case Interpretation.RELIABLE:
            return "The judges read the points alike: their mean can be relied on."
        case Interpretation.TENTATIVE:
            return "The judges mostly agree: take the score as tentative, and look where they differ."
        case Interpretation.UNRELIABLE:
            return "The judges read the points differently: look where they differ, the wording may allow both."
        case Interpretation.UNSTABLE:
            return "Nearly all verdicts are the same, so that the figure says little about how far the judges agree."


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
