"""Judging the open text points of an answer: each verdict is reported as it arrives.

Judging starts from the `Scored` of an evaluation without judges: the checks are done, and points that the author graded
are not judged. A point is open until it is judged, and the bounds of the explanation show what it can still change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engine.blueprint import Header, Prompt
from engine.evaluation.answer_stream import until
from engine.evaluation.events import AllJudged, PointAssessed, Scored
from engine.judging.consensus import Consensus, judged_today, panel_agreement
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import JudgeAnswered, JudgementLookup, PointJudged, judge_points
from engine.judging.panel import Panel
from engine.providers.chat import Resolve
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, PlacedPoint
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import inversion_text

Explained: TypeAlias = Callable[[tuple[Assessment, ...]], Explanation]
Decided: TypeAlias = Callable[[int, PlacedPoint, Consensus], tuple[Consensus, Assessment]]
"""What counts of new judgements on a point, by its place in `Prompt.points()`, beside those that are known."""
JudgedEvent: TypeAlias = JudgeAnswered | PointAssessed | AllJudged


@dataclass(frozen=True, slots=True)
class Judges:
    """The judges of a run's text points, and how to reach them. `cached` finds earlier judgements."""

    panel: Panel
    providers: Resolve
    cached: JudgementLookup | None = None


async def judge_answer(
    prompt: Prompt,
    header: Header,
    scored: Scored,
    panel: Panel,
    *,
    providers: Resolve,
    cached: JudgementLookup | None = None,
    explained: Explained | None = None,
    stop: asyncio.Event | None = None,
    earlier: Mapping[int, Consensus] | None = None,
    pending: Collection[int] | None = None,
    decided: Decided | None = None,
) -> AsyncGenerator[JudgedEvent]:
    """Have `panel` judge points of `scored`: verdicts as they arrive, ended by one `AllJudged`.

    `pending` are the places of the points to judge (default: those that are open). `earlier` are earlier verdicts by
    place; `AllJudged` includes them. `decided` says what counts of new judgements (default: all).

    `explained` turns assessments into an explanation (default: `explain`). `stop`, once set, ends every request, and
    `AllJudged` holds what had arrived; closing the stream or cancelling the task ends them without a final event.
    """
    explained, decided = explained or partial(explain, prompt), decided or _all_count
    assessments = list(scored.assessments)
    today = questions(prompt, scored.response.thread, header.description)
    asked = {index: today[index] for index in (open_points(scored) if pending is None else pending)}
    points = dict(earlier or {})
    judging = judge_points(asked, panel, providers=providers, cached=cached, custom=header.models)
    async with aclosing(until(stop or asyncio.Event(), judging)) as arriving:
        async for events in arriving:
            for event in events:
                if isinstance(event, PointJudged):
                    placed = assessments[event.index].placed
                    points[event.index], assessments[event.index] = decided(event.index, placed, event.consensus)
            if any(isinstance(event, PointJudged) for event in events):
                scored = Scored(scored.response, tuple(assessments), explained(tuple(assessments)))
            for event in events:
                match event:
                    case JudgeAnswered():
                        yield event
                    case PointJudged(index):
                        yield PointAssessed(index, points[index], scored.assessments, scored.explanation)
    # In a thread: every verdict is compared with every other.
    agreed = await asyncio.to_thread(panel_agreement, judged_today(points, today), panel)
    yield AllJudged(scored, points, agreed)


def _all_count(_: int, placed: PlacedPoint, consensus: Consensus) -> tuple[Consensus, Assessment]:
    return consensus, consensus_assessment(placed, consensus)


def open_points(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points that are open for judges."""
    return tuple(index for index, assessment in enumerate(scored.assessments) if is_open(assessment))


def points_to_judge(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of open points, and of points whose verdict is carried over."""
    return tuple(
        index
        for index, each in enumerate(scored.assessments)
        if is_open(each) or (each.carried_over and each.point.text)
    )


def is_open(assessment: Assessment) -> bool:
    """Whether a point is for judges: a text point without a grade or verdict."""
    return assessment.point.text is not None and not assessment.assessed


def consensus_assessment(
    placed: PlacedPoint, consensus: Consensus, carried_over: tuple[ChangedPart, ...] = ()
) -> Assessment:
    """The assessment of a point by its judges. `carried_over`: what has changed since of what the judges saw.

    Where no judge gave a verdict, it has their reasons and no extent, and the point stays open: the author can grade
    it, or have it judged again.
    """
    extent = consensus.counted_extent(placed.inverted)
    if extent is None:
        return Assessment(placed, error=consensus.error, detail=consensus.error or "")
    return Assessment(
        placed,
        extent,
        AssessedBy.JUDGE,
        detail=consensus.summary_with(inversion_text(placed, extent)),
        reflection=consensus.reflection,
        carried_over=carried_over,
    )
