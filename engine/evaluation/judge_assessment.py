"""Judging the open text points of an answer: each verdict is reported as it arrives.

Judging starts from the `Scored` of an evaluation without judges: the checks are done, and points that the author graded
are not judged. A point is open until it is judged, and the bounds of the explanation show what it can still change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from functools import partial
from typing import TypeAlias

from engine.blueprint import Header, Prompt
from engine.evaluation.answer_stream import until
from engine.evaluation.events import AllJudged, PointAssessed, Scored
from engine.judging.consensus import Consensus, judged_today, panel_agreement
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import JudgeAnswered, JudgementLookup, PointJudged, judge_points, with_pending
from engine.judging.judgement import Judgement
from engine.judging.panel import Panel
from engine.providers.chat import Resolve
from engine.record import Record
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, OnWeval, PlacedPoint
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import inversion_text

Explained: TypeAlias = Callable[[tuple[Assessment, ...]], Explanation]
Decided: TypeAlias = Callable[[int, PlacedPoint, Consensus], tuple[Consensus, Assessment]]
"""What counts of new judgements on a point, by its place in `Prompt.points()`, beside those that are known."""
JudgedEvent: TypeAlias = JudgeAnswered | PointAssessed | AllJudged


class Judges(Record):
    """The judges of a run's text points, and how to reach them. `again`: they are asked whatever they said before."""

    panel: Panel
    providers: Resolve
    again: bool = False


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
    answered: dict[int, list[Judgement]] = {}
    judging = judge_points(asked, panel, providers=providers, cached=cached, custom=header.models)
    async with aclosing(until(stop or asyncio.Event(), judging)) as arriving:
        async for events in arriving:
            for event in events:
                if isinstance(event, JudgeAnswered):
                    answered.setdefault(event.index, []).append(event.judgement)
                else:
                    del answered[event.index]
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
    for index, given in answered.items():  # some judges of these points were stopped
        if not assessments[index].assessed:
            new = Consensus(with_pending(given, asked[index], panel))
            points[index], assessments[index] = decided(index, assessments[index].placed, new)
    if answered:
        scored = Scored(scored.response, tuple(assessments), explained(tuple(assessments)))
    # In a thread: every verdict is compared with every other.
    agreed = await asyncio.to_thread(panel_agreement, judged_today(points, today), panel)
    yield AllJudged(scored, points, agreed)


def _all_count(_: int, placed: PlacedPoint, consensus: Consensus) -> tuple[Consensus, Assessment]:
    return consensus, consensus_assessment(placed, consensus)


def open_points(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points that judges are asked about."""
    return tuple(index for index, assessment in enumerate(scored.assessments) if is_open(assessment))


def points_to_judge(scored: Scored) -> tuple[int, ...]:
    """The places in `Prompt.points()` of open points, and of points whose verdict is carried over."""
    return tuple(
        index
        for index, each in enumerate(scored.assessments)
        if is_open(each) or (each.carried_over and each.point.text)
    )


def is_open(assessment: Assessment) -> bool:
    """Whether a point is for judges: a text point without a grade, on which a judge has not judged."""
    return assessment.point.text is not None and (not assessment.assessed or assessment.possible is not None)


def consensus_assessment(
    placed: PlacedPoint, consensus: Consensus, carried_over: tuple[ChangedPart, ...] = ()
) -> Assessment:
    """The assessment of a point by its judges. `carried_over`: what has changed since of what the judges saw.

    The mean of the verdicts counts, though judges may have failed: what their verdicts could make of it are its
    bounds. While a judge is still to be asked, or named several classes, the point is open, with the same bounds.
    """
    extent, there = consensus.counted_extent(placed.inverted), consensus.extent_on_weval(placed.inverted)
    counts = "" if extent is None else inversion_text(placed, extent)
    in_vain = (each.judge.label for each in consensus.missing if not each.opens_point)
    return Assessment(
        placed,
        extent,
        None if consensus.is_open else AssessedBy.JUDGE,
        consensus.error,
        consensus.summary_with(counts) or consensus.error or "",
        consensus.reflection,
        carried_over=carried_over,
        possible=consensus.counted_bounds(placed.inverted) if consensus.verdicts else None,
        failed_judges=tuple(dict.fromkeys(in_vain)),
        on_weval=OnWeval.SAME if there == extent else OnWeval.READS,
        extent_on_weval=there,
    )
