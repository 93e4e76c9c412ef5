"""Running one criterion: its plan, the author's consent, the verdicts as they arrive, and what they say of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.asking.exchanges import Job
from engine.asking.planner import Access, PlannedRuns, UnjudgedAnswer, Wanted, judge_answers, wanted_verdicts
from engine.evaluation.point_assessment import assess, subject_of
from engine.evaluation.prompt_evaluation import Services, service_verdicts
from engine.evaluation.sources import WrittenSource
from engine.judging.judge_runner import JudgeAnswered
from engine.scoring.assessment import Assessment
from engine.store import WordingVerdict
from engine.store.stored_answers import wordings_of
from engine.study.case import Case, prompt_names
from engine.study.case_scoring import CaseCheck
from engine.study.criterion_counts import Freshness, UnitCounts, criterion_counts
from engine.study.wordings import FoundPoint, KnownAnswer, context_of_wording, form_of
from engine.text.record import replace
from studio.session.followed_criterion import FollowedCriterion, TurnReport
from studio.session.run_consent import AuthorApproval, CriterionConsent
from studio.session.state import Part

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Scale
    from engine.store import Store
    from studio.session.session import Session

UNSAVED = itertools.count(-1, -1)
"""The numbers of what is not in the database."""
_TASKS, _KNOWN, _COUNTS = "criterion", "known verdicts", "criterion counts"
REST_SECONDS = 0.3
"""A new text must stay the same for this time before answers are read or counted again."""


class CriterionRunner(Part):
    """Runs one criterion at a time on its answers. A newer run ends the one before; what has arrived stays."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.consent = CriterionConsent(session.host, session.resources.settings)
        self._services = AuthorApproval(session.host, session.resources.settings)

    def followed(self, number: int) -> FollowedCriterion:
        """The criterion with this number as it is now."""
        return next(each for each in self.state.followed if each.number == number)

    def update(self, number: int, **fields: object) -> None:
        """Set fields of a criterion."""
        self.change(
            followed=tuple(replace(each, **fields) if each.number == number else each for each in self.state.followed)
        )

    async def use(self, number: int) -> None:
        """Record that the present wording is used."""
        current = self.followed(number)
        is_taken_back = current.wording is not None and current.lineage.last_used.name != current.written.name
        written, place, found = current.written, current.place, current.found
        unsaved = next(UNSAVED) if current.wording is None else current.wording.number

        def use(store: Store) -> int:
            if found is not None:
                store.note_wordings(place, wordings_of(found.prompt))
            if found is not None and is_taken_back:
                store.renew_wording(place, current.lineage.block, written.name)
            if number < 0:
                return unsaved
            store.move_lineage(number, place)  # its prompt may have another id than before
            return store.use_wording(number, written).number

        saved = await self.session.stored(use, unsaved)
        self.update(number, lineage=self.followed(number).lineage.with_used(written, saved))

    def stop(self) -> None:
        """End the present run."""
        self.session.tasks.cancel(_TASKS)

    async def begin(self, number: int) -> None:
        """Begin a run of a criterion, whose answers are read: by the judges chosen, once the author agrees.

        A check runs at once. Without judges, and without consent, nothing is judged.
        """
        self.session.tasks.cancel(_KNOWN)
        await self.use(number)
        self.update(number, report=None)
        current = self.followed(number)
        if current.found is None or not current.answers.chosen:
            return
        if current.found.point.function is not None:
            await self._begin_check(current)
            return
        asks = self.runs.configuration.panel(current.analysis.blueprint) is not None
        wanted = self.wanted(current, current.answers.chosen) if asks else None
        planned = None if wanted is None else await self.consent.approve(wanted)
        if planned is not None:
            work = partial(self._judge, current, current.answers.chosen, planned)
            self.effect(_TASKS, self._run(number, work), exclusive=True)

    def wanted(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> Wanted | None:
        """The verdicts on `answers` that are not known yet, and their judges; None where nobody judges."""
        panel = self.runs.configuration.judges(current.analysis.header)
        if panel is None or not panel.judges or current.found is None:
            return None
        unjudged = list(_unjudged(current.found, answers))
        return wanted_verdicts(current.analysis.header, unjudged, panel, self.session.cache.judgement)

    async def show_known(self, number: int) -> None:
        """Let the stored verdicts count on the answers of which all are stored."""
        current = self.followed(number)
        answers = () if current.is_running else current.answers.chosen
        known = [each for each in answers if await self._stored(current, [each]) is not None]
        planned = await self._stored(current, known) if known else None
        if planned is not None:
            await self.use(number)
            self.effect(_KNOWN, self._judge(current, known, planned), exclusive=True)

    async def _stored(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> PlannedRuns | None:
        """The plan of the verdicts on `answers` if all of them are stored; else None."""
        wanted = self.wanted(current, answers)
        planned = None if wanted is None else await wanted.plan(None, keyless=True)
        return None if planned is None or planned.plan.shares else planned

    async def _begin_check(self, current: FollowedCriterion) -> None:
        """Run a check at once; one by a service, once the author agrees to its host, else with cached replies."""
        access = None
        if current.is_by_service and current.found is not None:
            await self.session.file.write_journal()
            prompt, answers = current.found.alone, current.answers.chosen
            jobs = [Job(prompt, WrittenSource(each.subject), thread=each.thread) for each in answers]
            planned = await self._services.approve(Wanted(current.analysis.blueprint, jobs))
            access = None if planned is None else planned.access
        number = current.number
        self.effect(_TASKS, self._run(number, partial(self._check, number, access)), exclusive=True)

    async def _run(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` as the only run."""
        this = object()
        self.update(number, running=this)
        try:
            await work()
        finally:
            if self.followed(number).running is this:
                self.update(number, running=None)

    async def _judge(self, approved: FollowedCriterion, answers: Sequence[KnownAnswer], planned: PlannedRuns) -> None:
        """Ask the judges about `answers`, on the criterion as it was when its plan was approved."""
        number, panel = approved.number, planned.wanted.panel
        assert approved.found is not None
        assert panel is not None
        asked = _unjudged(approved.found, answers)
        report = TurnReport(self.followed(number).written.name, len(asked), len(asked) * len(panel.judges))
        self.update(number, report=report)
        await self.session.file.write_journal()
        try:
            async with aclosing(judge_answers(list(asked), planned)) as events:
                async for answer, event in events:
                    if isinstance(event, JudgeAnswered):
                        report = replace(report, came=(*report.came, (asked[answer].key, event.judgement)))
                        self.update(number, report=report)
                        await self._take(approved, report.wording, asked[answer], event.judgement, panel.scale)
        finally:
            self.update(number, report=replace(report, sent=planned.spending.summary))
        self.rescore(self.followed(number))

    async def _take(
        self, approved: FollowedCriterion, name: str, answer: KnownAnswer, judgement: Judgement, scale: Scale
    ) -> None:
        """Show a judgement under the wording with this name, and save it."""
        found, header, verdict = approved.found, approved.analysis.header, judgement.verdict
        if verdict is not None and found is not None:
            context = context_of_wording(judgement.judge.approach, found.question(answer, header))
            form = form_of(judgement.judge, scale, header.models)
            given = WordingVerdict(judgement.judge.label, verdict.extent, verdict.reflection, context, form)
            await self._count(approved.number, name, answer, given)
        if not judgement.reused:
            await asyncio.to_thread(self.session.cache.save_judgement, judgement)

    async def _count(self, number: int, name: str, answer: KnownAnswer, given: WordingVerdict) -> None:
        """Let a verdict on an answer count under the wording with this name, then save it: others arrive meanwhile."""
        current = self.followed(number)
        lineage = current.lineage.with_verdict(name, answer.key, given)
        self.runs.shown.mark(current.place, [answer.subject], read=False)
        self.update(number, lineage=lineage)
        wording = lineage.named(name)
        if wording is not None and wording.number > 0:
            await self.session.stored(lambda store: store.save_wording_verdict(wording.number, answer.key, given), None)

    def rescore(self, current: FollowedCriterion, graded: str | None = None) -> None:
        """Let the results of all candidates have the newest verdicts; those with the answer `graded`, its grade."""
        if current.found is None:
            return
        prompt, selection = current.found.prompt, self.runs.selection
        runs = {each.started: each for each in (selection.of(prompt), *selection.of_prompt(current.place)) if each}
        for run in runs.values():
            if graded is None or (run.response is not None and run.response.subject == graded):
                self.runs.selection.again(run, prompt, current.analysis)

    async def _check(self, number: int, access: Access | None) -> None:
        """Run a check on all answers; one by a service sends what `access` allows."""
        current = self.followed(number)
        if current.found is None:
            return
        name, found, answers = current.written.name, current.found, current.answers.chosen
        services = self.session.cache.services(current.analysis.header, found.alone, access)
        checks = {each.key: await self._checked(found, each, services) for each in answers}
        self.update(number, checks=checks)
        for each in answers:
            assessment = checks[each.key]
            if assessment.error is None and assessment.extent is not None:
                extent = 1 - assessment.extent if found.placed.inverted else assessment.extent
                await self._count(number, name, each, WordingVerdict("", extent, assessment.detail))

    async def _checked(self, found: FoundPoint, answer: KnownAnswer, services: Services | None) -> Assessment:
        """What a check says of an answer; without `services`, one by a service stays open."""
        prompt, model, javascript = found.alone, answer.model or answer.label, self.resources.javascript()
        (assessed,) = await asyncio.to_thread(
            assess, prompt, answer.subject, javascript, thread=answer.thread, model=model
        )
        assessed = replace(assessed, placed=found.placed)
        if services is not None:
            subject = subject_of(prompt, answer.subject, answer.thread, model)
            async with aclosing(service_verdicts([assessed], subject, services)) as verdicts:
                async for _, verdict in verdicts:
                    assessed = verdict
        return assessed

    # --- What it is good for

    def count_soon(self, current: FollowedCriterion) -> None:
        """Count the labelled answers that the criterion fails, as far as that is known, once the text has rested."""
        if current.is_counted and not current.is_running:
            work = partial(self._counts, current)
            self.find(_COUNTS, current.number, current.counted, work, rest=REST_SECONDS)

    def counts(self, current: FollowedCriterion) -> UnitCounts | None:
        """The last counts of the rubric that the criterion stands in; None before there are any."""
        _, (rubric, counts) = self.state.found.get((_COUNTS, current.number), (None, ("", None)))
        return counts if current.is_counted and rubric == current.rubric else None

    async def _counts(self, current: FollowedCriterion) -> tuple[str, UnitCounts] | None:
        found, blueprint, cases = current.found, current.analysis.blueprint, current.answers.cases
        if found is None:
            return None
        check, fresh = self.runs.cases.check(blueprint), self.session.cache.freshness

        def counted() -> UnitCounts:
            return _unit_counts(check, found, cases, fresh(current.place, found.prompt, blueprint.header))

        return current.rubric, await asyncio.to_thread(counted)


def _unjudged(found: FoundPoint, answers: Sequence[KnownAnswer]) -> Mapping[UnjudgedAnswer, KnownAnswer]:
    """The answers as judges are asked about them."""
    places = frozenset((found.index,))
    return {UnjudgedAnswer(found.prompt, each.subject, each.thread, places): each for each in answers}


def _unit_counts(check: CaseCheck, found: FoundPoint, cases: Sequence[Case], is_fresh: Freshness | None) -> UnitCounts:
    """The counts of the unit of a point. Blocks while checks run."""
    name = prompt_names(check.blueprint)[found.prompt.index]
    outcomes = (*check.outcomes(cases), *check.ideals([name]))
    units = criterion_counts(name, found.prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)
