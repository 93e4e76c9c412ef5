"""The judges' part of an evaluation: the points in words that are still open, judged one after the other as it comes.

It begins where an evaluation without judges ends, with its `Scored`: checks are done, and what the author graded is not
asked again. Until a point is judged it stays open, and the bounds of the explanation show what it can still change.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engine.blueprint import Header, Prompt
from engine.evaluation.answering import Resolve
from engine.evaluation.events import Scored
from engine.judging.agreement import Agreement
from engine.judging.asking import questions
from engine.judging.consensus import Consensus, panel_agreement
from engine.judging.judge import JudgeAnswered, Kept, PointJudged, judge_points
from engine.judging.panel import Panel
from engine.scoring.assessment import AssessedBy, Assessment, PlacedPoint
from engine.scoring.explaining import explain
from engine.scoring.explanation import Explanation

Explained: TypeAlias = Callable[[tuple[Assessment, ...]], Explanation]


@dataclass(frozen=True, slots=True)
class PointAssessed:
    """One point is judged, or could not be; `index` is its place in `Prompt.points()`.

    `assessments` and `explanation` are how things stand now, with the bounds that open points leave.
    """

    index: int
    consensus: Consensus
    assessments: tuple[Assessment, ...]
    explanation: Explanation

    @property
    def assessment(self) -> Assessment:
        """What became of this point."""
        return self.assessments[self.index]


@dataclass(frozen=True, slots=True)
class AllJudged:
    """The end: the score with all verdicts, what was said of each point that was asked, and how far judges agree."""

    scored: Scored
    points: Mapping[int, Consensus]
    agreement: Agreement | None


JudgedEvent: TypeAlias = JudgeAnswered | PointAssessed | AllJudged


async def judged(
    prompt: Prompt,
    header: Header,
    scored: Scored,
    panel: Panel,
    *,
    providers: Resolve,
    kept: Kept | None = None,
    explained: Explained | None = None,
) -> AsyncGenerator[JudgedEvent]:
    """Have `panel` judge what is open in `scored`: verdicts as they come, ended by one `AllJudged`.

    `explained` makes an explanation of assessments, `explain` unless given. Closing the stream or cancelling the task
    ends every request; what had come then stands in the last `PointAssessed`.
    """
    explained = explained or partial(explain, prompt)
    assessments = list(scored.assessments)
    asked = questions(prompt, scored.response.thread, header.description)
    waiting = {index: question for index, question in asked.items() if is_open(assessments[index])}
    points: dict[int, Consensus] = {}
    async with aclosing(judge_points(waiting, panel, providers=providers, kept=kept)) as events:
        async for event in events:
            match event:
                case JudgeAnswered():
                    yield event
                case PointJudged(index, consensus):
                    points[index] = consensus
                    assessments[index] = judged_assessment(assessments[index].placed, consensus)
                    standing = tuple(assessments)
                    yield PointAssessed(index, consensus, standing, explained(standing))
    standing = tuple(assessments)
    agreed = panel_agreement((points[index] for index in sorted(points)), panel)
    yield AllJudged(Scored(scored.response, standing, explained(standing)), points, agreed)


def is_open(assessment: Assessment) -> bool:
    """Whether a point is for judges: it is in words, and nobody has assessed it. An estimate is no assessment."""
    return assessment.point.text is not None and not assessment.assessed


def judged_assessment(placed: PlacedPoint, consensus: Consensus) -> Assessment:
    """What the judges' consensus is worth at its place.

    Where nobody judged, there is no extent but the reasons, and the point is as open as before: for the author to
    grade, and for judges to be asked again.
    """
    extent = consensus.counted(placed.inverted)
    if extent is None:
        return Assessment(placed, error=consensus.error, detail=consensus.error or "")
    counts = f", so it counts {extent * 100:.0f} here" if placed.inverted else ""
    return Assessment(
        placed, extent, AssessedBy.JUDGE, detail=f"{consensus.told}{counts}", reflection=consensus.reflection
    )
