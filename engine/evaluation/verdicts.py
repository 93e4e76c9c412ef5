"""Judging the open text points of an answer: each verdict is reported as it arrives.

Judging starts from the `Scored` of an evaluation without judges: the checks are done, and points that the author graded
are not judged. A point is open until it is judged, and the bounds of the explanation show what it can still change.

This is the one place that decides which verdicts on an answer count in its score.

A score belongs to a panel. A verdict is of a panel if a judge of it has the same model and approach and is asked by the
same scale; ids do not matter. Of each judge the newest verdict counts: on what it would be asked today or, without one,
on what it was asked before an edit (`carried_over`). The backup judge counts where the others were asked in vain. A
grade of the author comes before all verdicts (`engine.evaluation.point_assessment`).

People read scores with the verdicts from before an edit. For machines these points are open: `as_machines_read`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property, partial
from typing import TypeAlias

from engine.blueprint import Header, Prompt
from engine.evaluation.answer_stream import until
from engine.evaluation.events import Assessed, Response, Scored, answer_notes
from engine.judging.judge_prompt import Question, changed_parts, is_by, questions
from engine.judging.judge_runner import (
    JudgeAnswered,
    PointJudged,
    judge_models,
    judge_points,
    with_pending,
)
from engine.judging.judgement import Consensus, Judgement, agreement_of, changed_since, judged_today
from engine.judging.panel import JudgesAs, OneJudge, Panel, PanelJudge, panel
from engine.judging.verdict import Reason
from engine.models.chat import Resolve
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, OnWeval, OtherJudge, PlacedPoint
from engine.scoring.explanation import Explanation, inversion_text
from engine.scoring.explanation_builder import explain
from engine.text.record import Record, field, replace

Explained: TypeAlias = Callable[[tuple[Assessment, ...]], Explanation]


class Judges(Record):
    """The judges of a run's text points, and how to reach them. `again`: they are asked whatever they said before."""

    panel: Panel
    providers: Resolve
    again: bool = False


async def judge_answer(
    scored: Scored,
    known: KnownVerdicts,
    judges: Judges,
    pending: Collection[int],
    explained: Explained,
    stop: asyncio.Event | None = None,
) -> AsyncGenerator[JudgeAnswered | Assessed | Scored]:
    """Have `judges` judge points of `scored`: verdicts as they arrive, ended by one `Scored`.

    `known` are the verdicts on the answer so far: they count beside new ones. `pending` are the places of the points to
    judge. `explained` turns assessments into an explanation. `stop`, once set, ends every request, and the score is by
    what had arrived; closing the stream or cancelling the task ends them without a final event.
    """
    assessments = list(scored.assessments)
    points = dict(known.consensus)
    asked = {index: known.asked[index] for index in pending}
    answered: dict[int, list[Judgement]] = {}

    def count(index: int, new: Consensus) -> None:
        points[index], assessments[index] = known.judged(index, assessments[index].placed, new)

    def now() -> Scored:
        return Scored(scored.response, tuple(assessments), explained(tuple(assessments)), dict(points))

    cached = None if judges.again or not known.given else known.cached
    judging = judge_points(asked, judges.panel, providers=judges.providers, cached=cached, custom=known.header.models)
    async with aclosing(until(stop or asyncio.Event(), judging)) as arriving:
        async for events in arriving:
            judged = [event for event in events if isinstance(event, PointJudged)]
            for event in events:
                if isinstance(event, JudgeAnswered):
                    answered.setdefault(event.index, []).append(event.judgement)
            for event in judged:
                del answered[event.index]
                count(event.index, event.consensus)
            if judged:
                scored = now()
            for event in events:
                if isinstance(event, JudgeAnswered):
                    yield event
                else:
                    yield Assessed(event.index, assessments[event.index], scored)
    for index, given in answered.items():  # some judges of these points were stopped
        if not assessments[index].assessed:
            count(index, Consensus(with_pending(given, asked[index], judges.panel)))
    if answered:
        scored = now()
    # In a thread: every verdict is compared with every other.
    agreed = await asyncio.to_thread(agreement_of, judged_today(points, known.asked))
    yield replace(scored, verdicts=points, agreement=agreed, judged=True)


def open_points(assessments: Sequence[Assessment]) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the points that judges are asked about."""
    return tuple(index for index, assessment in enumerate(assessments) if is_open(assessment))


def points_to_judge(assessments: Sequence[Assessment]) -> tuple[int, ...]:
    """The places in `Prompt.points()` of open points, and of points whose verdict is carried over."""
    return tuple(
        index for index, each in enumerate(assessments) if is_open(each) or (each.carried_over and each.point.text)
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


StoredJudgements: TypeAlias = Callable[[str, Collection[str]], Sequence[Judgement]]
"""The stored judgements on an answer, by its subject text, and those with one of these keys, oldest first. Blocks."""


class CountedVerdicts(Record):
    """What counts of the judgements on one point. `carried_over` is what has changed since of what the judges saw."""

    consensus: Consensus
    carried_over: tuple[ChangedPart, ...] = ()


class KnownVerdicts(Record, dict=True):
    """The judgements on one answer, oldest first, and the questions that `panel` would be asked about it today.

    `requests` has those of the judges by their keys.
    """

    panel: Panel
    header: Header
    asked: Mapping[int, Question]
    given: tuple[Judgement, ...] = ()
    requests: Mapping[str, tuple[int, PanelJudge]] = field(default_factory=dict[str, tuple[int, PanelJudge]])

    @classmethod
    def on(
        cls,
        prompt: Prompt,
        header: Header,
        response: Response,
        panel: Panel,
        stored: StoredJudgements | None = None,
        recorded: Iterable[Judgement] = (),
        more: Iterable[Judgement] = (),
    ) -> KnownVerdicts:
        """What is `recorded` in a case file and `stored` on an answer to `prompt`, and what a run has (`more`). Blocks.

        Where times are not known, the recorded ones are the oldest.
        """
        asked = questions(prompt, response.thread, header.description)
        requests = _requests(asked, panel, header)
        found = () if stored is None or not asked else stored(response.subject, requests)
        given = (*recorded, *(replace(each, reused=True) for each in found), *more)
        return cls(panel, header, asked, tuple(sorted(given, key=lambda each: each.given)), requests)

    @cached_property
    def points(self) -> Mapping[int, CountedVerdicts]:
        """What counts, by place in `Prompt.points()`."""
        found = {place: self.at(place) for place in self.asked}
        return {place: each for place, each in found.items() if each is not None}

    def at(self, place: int, new: Iterable[Judgement] = ()) -> CountedVerdicts | None:
        """What counts of the point at `place`, with `new` judgements; None where no judge of the panel was asked."""
        question = self.asked[place]
        given = [
            each
            for each in (*self.given, *new)
            if each.criterion == question.criterion and is_by(each.attempts[0].request, self.panel.scale)
        ]
        return _counted(question, self.panel, given)

    def cached(self, key: str) -> Judgement | None:
        """The verdict that counts of the judge that would be sent the request with this `request_key` today."""
        place, judge = self.requests.get(key, (-1, None))
        given = self.points[place].consensus.verdicts if place in self.points else ()
        return next((each for each, _ in given if each.judge == judge and not _changed(each, self.asked[place])), None)

    @property
    def consensus(self) -> dict[int, Consensus]:
        """The verdicts that count, by place in `Prompt.points()`."""
        return {place: each.consensus for place, each in self.points.items()}

    @property
    def today(self) -> dict[int, Consensus]:
        """Those that count of what the judges would be asked today."""
        return {place: each.consensus for place, each in self.points.items() if not each.carried_over}

    def assessed(self, assessments: Sequence[Assessment]) -> tuple[Assessment, ...]:
        """`assessments` with the verdicts that count on open criteria, and those beside a grade as its reflection.

        A verdict belongs to the criterion's text, so it also counts for a point that moved, even to the other block.
        """
        return tuple(
            each if (known := self.points.get(place)) is None else _beside(each, known)
            for place, each in enumerate(assessments)
        )

    def judged(self, place: int, placed: PlacedPoint, new: Consensus) -> tuple[Consensus, Assessment]:
        """What counts of a point that the judges of the panel have just been asked about."""
        is_all = self.panel.rounds > 1 or place not in self.points
        counted = None if is_all else self.at(place, new.judgements)
        counted = CountedVerdicts(new) if counted is None else counted
        return counted.consensus, _assessment(placed, counted)

    def told(self, explanation: Explanation) -> Explanation:
        """`explanation` with whose verdicts count in it, and whose do not."""
        is_judged = any(each.by is AssessedBy.JUDGE for each in explanation.assessments)
        return replace(explanation, others=self.others, as_weval=self.panel.as_weval and is_judged)

    @cached_property
    def others(self) -> tuple[OtherJudge, ...]:
        """The judges whose verdicts on these criteria do not count, as they are not on the panel."""
        criteria = {each.criterion for each in self.asked.values()}
        found: dict[tuple[str, str, str], set[str]] = {}
        for each in self.given:
            if each.verdict is not None and each.criterion in criteria and not _is_on(self.panel, each):
                of = next((one for one in JudgesAs if _is_on(panel(self.header, one), each)), None)
                is_asked = any(_is_alike(each.judge, judge) for judge in self.panel.every_judge)
                how = f"{each.judge.approach}, by another scale" if is_asked else each.judge.approach.value
                found.setdefault((each.judge.model, how, "" if of is None else of.value), set()).add(each.criterion)
        return tuple(OtherJudge(*judge, len(on)) for judge, on in found.items())


def _counted(question: Question, judges: Panel, given: Sequence[Judgement]) -> CountedVerdicts | None:
    """What counts of the judgements `given` on one question, oldest first; judges without one are still to be asked."""
    given = [each for each in given if each.failure is None or each.failure.reason is not Reason.NOT_ASKED]
    new = [each for each in given if not _changed(each, question)]
    old = [each for each in given if each.verdict is not None and _changed(each, question)]
    today = {judge: _newest(judge, judges, new) for judge in judges.every_judge}
    before = {judge: _newest(judge, judges, old) for judge in judges.every_judge}
    chosen = [each for judge in judges.judges if (each := today[judge] or before[judge]) is not None]
    if judges.backup is not None and judges.needs_backup(_verdicts(chosen)):
        backup = today[judges.backup] or before[judges.backup]
        was_backup = any(each.judge == judges.backup for each in given)  # so all others had failed
        if backup is not None and (was_backup or len(chosen) == len(judges.judges)):
            chosen.append(replace(backup, stands_in=True))
    if not _verdicts(chosen):  # asked anew in vain
        chosen = [*filter(None, (before[judge] for judge in judges.judges)), *chosen]
    if not chosen:
        return None
    is_decided = any(each.stands_in for each in chosen)
    consensus = Consensus(tuple(chosen) if is_decided else with_pending(chosen, question, replace(judges, rounds=1)))
    return CountedVerdicts(consensus, changed_since(consensus, question))


def _newest(judge: PanelJudge, judges: Panel, given: Sequence[Judgement]) -> Judgement | None:
    """The newest judgement of a judge of the panel, one with a verdict before others; those under its id, if any."""
    alike = [each for each in given if _is_alike(each.judge, judge)]
    own = [each for each in alike if each.judge == judge or each.judge not in judges.every_judge]
    verdicts = [each for each in own or alike if each.verdict is not None]
    newest = next(reversed(verdicts or own or alike), None)
    return None if newest is None else replace(newest, judge=judge, round=0)


def _verdicts(judgements: Iterable[Judgement]) -> int:
    return sum(each.verdict is not None for each in judgements)


def _changed(judgement: Judgement, question: Question) -> bool:
    return bool(changed_parts(judgement.shown, judgement.attempts[0].request, judgement.judge.approach, question))


def _is_alike(one: PanelJudge, other: PanelJudge) -> bool:
    return (one.address, one.approach) == (other.address, other.approach)


def _is_on(judges: Panel, judgement: Judgement) -> bool:
    """Whether a judgement is of a judge of this panel."""
    is_asked = any(_is_alike(judgement.judge, judge) for judge in judges.every_judge)
    return is_asked and is_by(judgement.attempts[0].request, judges.scale)


def panel_of(given: Iterable[Judgement], header: Header) -> Panel:
    """The panel of a blueprint that gave these judgements, the documented one where that is not known."""
    verdicts = [each for each in given if each.verdict is not None]
    alone = dict.fromkeys(OneJudge(*each.judge.address) for each in verdicts)
    panels = [panel(header, each) for each in (*JudgesAs, *alone)]
    return next((one for one in panels if all(_is_on(one, each) for each in verdicts)), panels[0])


def _requests(asked: Mapping[int, Question], judges: Panel, header: Header) -> dict[str, tuple[int, PanelJudge]]:
    """The requests that the judges would be sent today by their keys: the place of the point, and the judge."""
    from engine.models.provider_registry import resolve  # here, as it brings httpx, which only criteria need

    providers = partial(resolve, custom=header.models, keyless=True)
    models = judge_models(judges, providers, header.models)
    return {
        key: (place, judge)
        for place, question in asked.items()
        for judge in judges.every_judge
        if (key := models[judge.address].key(question, judge.approach, judges.scale))
    }


def _assessment(placed: PlacedPoint, counted: CountedVerdicts) -> Assessment:
    return consensus_assessment(placed, counted.consensus, () if counted.consensus.is_open else counted.carried_over)


def _beside(given: Assessment, counted: CountedVerdicts) -> Assessment:
    if is_open(given):
        return _assessment(given.placed, counted)
    said = filter(None, (counted.consensus.summary, counted.consensus.reflection))
    return replace(given, reflection="\n".join(said))


def as_machines_read(prompt: Prompt, scored: Scored) -> Scored:
    """`scored` with the points open whose verdicts are from before an edit; they stay marked."""
    if not scored.explanation.carried_over:
        return scored
    assessments = tuple(each.for_machines for each in scored.assessments)
    now, before = explain(prompt, assessments), scored.explanation
    now = replace(now, published=before.published, others=before.others, as_weval=before.as_weval)
    return replace(
        scored,
        assessments=assessments,
        explanation=replace(now, notes=(*answer_notes(scored.response, assessments), *now.notes)),
    )
