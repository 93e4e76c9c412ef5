"""The judges' part of an evaluation: the points in words that are still open, judged one after the other as it comes.

It begins where an evaluation without judges ends, with its `Scored`: checks are done, and what the author graded is not
asked again. Until a point is judged it stays open, and the bounds of the explanation show what it can still change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engine.blueprint import Header, Prompt
from engine.evaluation.answer_stream import Resolve, until
from engine.evaluation.events import AllJudged, PointAssessed, Scored
from engine.judging.carried_verdicts import carried_over
from engine.judging.consensus import Consensus, panel_agreement
from engine.judging.judge_prompt import Question, questions
from engine.judging.judge_runner import JudgeAnswered, JudgementLookup, PointJudged, judge_points
from engine.judging.panel import Panel
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, PlacedPoint
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain

EarlierVerdicts: TypeAlias = Mapping[str, Consensus]
"""Earlier verdicts on an answer, by the text of the criterion."""
Explained: TypeAlias = Callable[[tuple[Assessment, ...]], Explanation]


JudgedEvent: TypeAlias = JudgeAnswered | PointAssessed | AllJudged


@dataclass(frozen=True, slots=True)
class Judges:
    """Who judges the points in words of an answer, and what it takes to ask them.

    `header` is the blueprint's, whose description holistic judges are shown. `cached` finds earlier judgements, for
    which nothing is sent.
    """

    panel: Panel
    header: Header
    providers: Resolve
    cached: JudgementLookup | None = None


async def judged(
    prompt: Prompt,
    header: Header,
    scored: Scored,
    panel: Panel,
    *,
    providers: Resolve,
    cached: JudgementLookup | None = None,
    explained: Explained | None = None,
    stop: asyncio.Event | None = None,
    before: Mapping[int, Consensus] | None = None,
    waiting: Collection[int] | None = None,
) -> AsyncGenerator[JudgedEvent]:
    """Have `panel` judge points of `scored`: verdicts as they come, ended by one `AllJudged`.

    `waiting` are their places, those that are open unless given. `before` are earlier verdicts on points;
    `AllJudged` has it too. A point that has a verdict from before keeps it until there is another.

    `explained` makes an explanation of assessments, `explain` unless given. `stop`, once set, ends every request, and
    `AllJudged` holds what had come; closing the stream or cancelling the task ends them without a last event.
    """
    explained = explained or partial(explain, prompt)
    assessments = list(scored.assessments)
    asked = questions(prompt, scored.response.thread, header.description)
    wanted = {index: asked[index] for index in (open_points(scored) if waiting is None else waiting)}
    points = dict(before or {})
    asking = judge_points(wanted, panel, providers=providers, cached=cached, custom=header.models)
    async with aclosing(until(stop or asyncio.Event(), asking)) as arriving:
        async for events in arriving:
            for event in events:
                if isinstance(event, PointJudged):
                    earlier = scored.assessments[event.index]
                    points[event.index] = _with_earlier(event.consensus, points.get(event.index))
                    if event.consensus.verdicts or not earlier.assessed:
                        assessments[event.index] = judged_assessment(earlier.placed, event.consensus)
            if any(isinstance(event, PointJudged) for event in events):
                scored = Scored(scored.response, tuple(assessments), explained(tuple(assessments)))
            for event in events:
                match event:
                    case JudgeAnswered():
                        yield event
                    case PointJudged(index, consensus):
                        yield PointAssessed(index, consensus, scored.assessments, scored.explanation)
    # Every verdict is compared with every other.
    agreed = await asyncio.to_thread(panel_agreement, [points[index] for index in sorted(points)], panel)
    yield AllJudged(scored, points, agreed)


def _with_earlier(consensus: Consensus, earlier: Consensus | None) -> Consensus:
    """New verdicts; where nobody judged, beside the earlier ones, which stay."""
    if consensus.verdicts or earlier is None:
        return consensus
    return Consensus((*(each for each, _ in earlier.verdicts), *consensus.judgements))


def with_verdicts(
    assessments: Sequence[Assessment], said: EarlierVerdicts, asked: Mapping[int, Question]
) -> tuple[tuple[Assessment, ...], dict[int, Consensus]]:
    """The assessments with earlier verdicts on criteria that are open, and all verdicts, by place.

    `asked` is what judges would be asked today (`engine.judging.judge_prompt.questions`): a verdict of a judge that saw
    something else is marked as carried over. It is about the criterion's own text, and holds for a point that moves, to
    the other block too. Where the author graded, the grade counts, and the verdict is there beside it.
    """
    known = {
        index: said[text]
        for index, each in enumerate(assessments)
        if (text := each.point.text) is not None and text in said
    }
    return tuple(
        judged_assessment(each.placed, known[index], carried_over(known[index], asked[index]))
        if index in known and is_open(each)
        else each
        for index, each in enumerate(assessments)
    ), known


def open_points(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of what is for judges."""
    return tuple(index for index, assessment in enumerate(scored.assessments) if is_open(assessment))


def points_to_judge(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of what is open, and of verdicts that are carried over."""
    return tuple(
        index
        for index, each in enumerate(scored.assessments)
        if is_open(each) or (each.carried_over and each.point.text)
    )


def is_open(assessment: Assessment) -> bool:
    """Whether a point is for judges: it is in words, and nobody has assessed it."""
    return assessment.point.text is not None and not assessment.assessed


def judged_assessment(placed: PlacedPoint, consensus: Consensus, changed: tuple[ChangedPart, ...] = ()) -> Assessment:
    """What the judges' consensus is worth at its place, and what has changed since of what they saw.

    Where nobody judged, there is no extent but the reasons, and the point is as open as before: for the author to
    grade, and for judges to be asked again.
    """
    extent = consensus.counted(placed.inverted)
    if extent is None:
        return Assessment(placed, error=consensus.error, detail=consensus.error or "")
    counts = f", so it counts {extent * 100:.0f} here" if placed.inverted else ""
    return Assessment(
        placed,
        extent,
        AssessedBy.JUDGE,
        detail=consensus.summary_with(counts),
        reflection=consensus.reflection,
        carried_over=changed,
    )
