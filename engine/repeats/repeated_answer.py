"""A scored answer whose verdicts were given several times."""

from __future__ import annotations

from collections.abc import Iterable

from engine.blueprint import Prompt
from engine.evaluation.events import AllJudged, Scored
from engine.judging.consensus import Consensus
from engine.record import Record, replace
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain


class RepeatedAnswer(Record):
    """One answer: `score` by the mean of all its verdicts, and the score of each round of verdicts alone, all 0–1.

    `rounds` is empty where no verdict of a judge counts. A round that leaves a point open is left out.
    """

    score: float
    rounds: tuple[float, ...] = ()

    @property
    def center(self) -> float:
        """The mean of its rounds; its score where there are none."""
        return sum(self.rounds) / len(self.rounds) if self.rounds else self.score


def repeated_answer(prompt: Prompt, scored: Scored, judged: AllJudged | None) -> RepeatedAnswer | None:
    """The scores of an answer; None where a point is not judged, or there is nothing to score."""
    explanation = scored.explanation
    if explanation.score is None or not all(each.assessed for each in scored.assessments):
        return None
    if judged is None or not any(_is_judged(each) for each in scored.assessments):
        return RepeatedAnswer(explanation.score)
    numbers = sorted({each.round for point in judged.points.values() for each in point.judgements})
    rounds = (_round_score(prompt, scored.assessments, judged, number) for number in numbers)
    return RepeatedAnswer(explanation.score, tuple(score for score in rounds if score is not None))


def _round_score(prompt: Prompt, assessments: Iterable[Assessment], judged: AllJudged, number: int) -> float | None:
    """The score by the verdicts of one round; None where a point has none."""
    in_round = [_in_round(each, index, judged, number) for index, each in enumerate(assessments)]
    return explain(prompt, in_round).score if all(each.assessed for each in in_round) else None


def _in_round(assessment: Assessment, index: int, judged: AllJudged, number: int) -> Assessment:
    if not _is_judged(assessment) or index not in judged.points:
        return assessment
    given = tuple(each for each in judged.points[index].judgements if each.round == number)
    return replace(assessment, extent=Consensus(given).counted_extent(assessment.placed.inverted))


def _is_judged(assessment: Assessment) -> bool:
    return assessment.by is AssessedBy.JUDGE
