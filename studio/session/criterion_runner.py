"""Running one criterion: its plan, the author's consent, the verdicts as they arrive, and what they say of it."""

from __future__ import annotations

import asyncio
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
from engine.store import JudgeForm, Lineage, WordingVerdict
from engine.study.case import Case, prompt_names
from engine.study.case_scoring import CaseCheck
from engine.study.criterion_counts import Freshness, UnitCounts, criterion_counts
from engine.study.wordings import FoundPoint, KnownAnswer, context_of_wording, form_of, forms_today
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.followed_criterion import FollowedCriterion, TurnReport
from studio.session.parts import Part
from studio.session.run_consent import AuthorApproval, CriterionConsent

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from studio.session.session import Session

_TASKS, _KNOWN = "criterion", "known verdicts"
REST_SECONDS = 0.3
"""A new text must stay the same for this time before answers are read or counted again."""


class CriterionRunner(Part):
    """Runs one criterion at a time on its answers. A newer run ends the one before; what has arrived stays."""

    def __init__(
        self,
        session: Session,
        consent: CriterionConsent,
        judged: Callable[[FollowedCriterion], None],
    ) -> None:
        """`judged` is called once the judges have been asked about all answers."""
        super().__init__(session)
        self._consent = consent
        self._services = AuthorApproval(session.host, session.resources.settings)
        self._judged = judged
        self._running: tuple[asyncio.Task[None], int] | None = None

    def followed(self, number: int) -> FollowedCriterion:
        """The criterion with this number as it is now."""
        return next(each for each in self.state.followed if each.number == number)

    def update(self, number: int, **fields: object) -> None:
        """Set fields of a criterion."""
        self.change(
            followed=tuple(replace(each, **fields) if each.number == number else each for each in self.state.followed)
        )

    def stop(self) -> None:
        """End the present run."""
        self.session.tasks.cancel(_TASKS)

    def forms(self, analysis: Analysis) -> Mapping[str, JudgeForm]:
        """How the judges are asked, by label; {} while the author judges alone."""
        if self.state.choice.judges_as is None:
            return {}
        return forms_today(self.runs.evaluator.counted_panel(analysis.header), analysis.header)

    async def begin(self, number: int) -> None:
        """Begin a run of a criterion, whose answers are read: by the judges chosen, once the author agrees.

        A check runs at once. Without judges, and without consent, nothing is judged.
        """
        self.update(number, report=None)
        current = self.followed(number)
        if current.found is None or not current.answers.chosen:
            return
        if current.found.point.function is not None:
            await self._begin_check(current)
            return
        answers = current.answers.chosen
        asks = self.runs.configuration.panel(current.analysis.blueprint) is not None
        wanted = self.wanted(current, answers) if asks else None
        planned = None if wanted is None else await self._consent.approve(wanted)
        self._start(
            number, partial(self.count, number) if planned is None else partial(self._judge, current, answers, planned)
        )

    def wanted(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> Wanted | None:
        """The verdicts on `answers` that are not known yet, and their judges; None where nobody judges."""
        panel = self.runs.configuration.judges(current.analysis.header)
        if panel is None or not panel.judges or current.found is None:
            return None
        unjudged = list(_unjudged(current.found, answers))
        return wanted_verdicts(current.analysis.header, unjudged, panel, self.session.cache.judgement)

    async def known(self, number: int) -> Sequence[KnownAnswer]:
        """The answers on which all verdicts of the judges are stored."""
        current = self.followed(number)
        return [each for each in current.answers.chosen if await self._stored(current, [each]) is not None]

    async def _stored(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> PlannedRuns | None:
        """The plan of the verdicts on `answers` if all of them are stored; else None."""
        wanted = self.wanted(current, answers)
        planned = None if wanted is None else await wanted.plan(None, keyless=True)
        return None if planned is None or planned.plan.shares else planned

    async def show(self, number: int, known: Sequence[KnownAnswer]) -> None:
        """Let the stored verdicts on the `known` answers count."""
        current = self.followed(number)
        if (planned := await self._stored(current, known)) is not None:
            self.effect(_KNOWN, self._judge(current, known, planned), exclusive=True)

    async def _begin_check(self, current: FollowedCriterion) -> None:
        """Run a check at once; one by a service, once the author agrees to its host, else with cached replies."""
        access = None
        if current.is_by_service and current.found is not None:
            await self.session.file.write_journal()
            prompt, answers = current.found.alone, current.answers.chosen
            jobs = [Job(prompt, WrittenSource(each.subject), thread=each.thread) for each in answers]
            planned = await self._services.approve(Wanted(current.analysis.blueprint, jobs))
            access = None if planned is None else planned.access
        self._start(current.number, partial(self._check, current.number, access))

    def _start(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` as the only run."""
        task = self.effect(_TASKS, self._run(work), exclusive=True)
        if self._running is not None:
            self.update(self._running[1], is_running=False)
        self._running = task, number
        self.update(number, is_running=True)
        task.add_done_callback(self._ended)  # one that is cancelled before it begins ends without `_run`

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        finally:
            self._ended(asyncio.current_task())

    def _ended(self, task: asyncio.Task[None] | None) -> None:
        if self._running is not None and self._running[0] is task:
            self.update(self._running[1], is_running=False)
            self._running = None

    async def _judge(self, approved: FollowedCriterion, answers: Sequence[KnownAnswer], planned: PlannedRuns) -> None:
        """Ask the judges about `answers`, on the criterion as it was when its plan was approved."""
        number, name, panel = approved.number, self.followed(approved.number).written.name, planned.wanted.panel
        assert approved.found is not None
        assert panel is not None
        asked = _unjudged(approved.found, answers)
        self.update(number, report=TurnReport(name, len(asked), len(asked) * len(panel.judges)))
        await self.session.file.write_journal()
        try:
            async with aclosing(judge_answers(list(asked), planned)) as events:
                async for answer, event in events:
                    if isinstance(event, JudgeAnswered):
                        await self._take(approved, name, asked[answer], event.judgement, panel)
        finally:
            report = self.followed(number).report
            self.update(number, report=report and replace(report, sent=planned.spending.summary))
        self._judged(self.followed(number))
        await self.count(number)

    async def _take(
        self, approved: FollowedCriterion, name: str, answer: KnownAnswer, judgement: Judgement, panel: Panel
    ) -> None:
        """Show one judgement of a turn under the wording with this name, then save it: others arrive meanwhile."""
        number, key, header = approved.number, answer.key, approved.analysis.header
        current = self.followed(number)
        others = [each for each in current.judgements.get((name, key), ()) if each.judge != judgement.judge]
        verdict, report, lineage = judgement.verdict, current.report, current.lineage
        if report is not None:
            cached, failed = report.cached + judgement.reused, report.failed + (verdict is None)
            came = report.judged if verdict is None else report.judged | {key}
            report = replace(report, done=report.done + 1, cached=cached, failed=failed, judged=came)
        given = None
        if verdict is not None and approved.found is not None:
            self.runs.shown.mark(current.place, [answer.subject], read=False)
            context = context_of_wording(judgement.judge.approach, approved.found.question(answer, header))
            form = form_of(judgement.judge, panel.scale, header.models)
            given = WordingVerdict(judgement.judge.label, verdict.extent, verdict.reflection, context, form)
            lineage = lineage.with_verdict(name, key, given)
        judgements = {**current.judgements, (name, key): (*others, judgement)}
        self.update(number, judgements=judgements, report=report, lineage=lineage)
        if given is not None:
            await self._save(lineage, name, key, given)
        if not judgement.reused:
            await asyncio.to_thread(self.session.cache.save_judgement, judgement)

    async def _save(self, lineage: Lineage, name: str, key: str, given: WordingVerdict) -> None:
        """Save a verdict under the wording with this name on the answer with this digest."""
        wording = lineage.named(name)
        if wording is not None and wording.number > 0:
            await self.session.stored(lambda store: store.save_wording_verdict(wording.number, key, given), None)

    async def _check(self, number: int, access: Access | None) -> None:
        """Run a check on all answers; one by a service sends what `access` allows."""
        current = self.followed(number)
        if current.found is None:
            return
        name, found, answers = current.written.name, current.found, current.answers.chosen
        services = self.session.cache.services(current.analysis.header, found.alone, access)
        checks = {each.key: await self._checked(found, each, services) for each in answers}
        self.update(number, checks=checks)
        self.runs.shown.mark(current.place, [each.subject for each in answers], read=False)
        for key, assessment in checks.items():
            if assessment.error is None and assessment.extent is not None:
                extent = 1 - assessment.extent if found.placed.inverted else assessment.extent
                given = WordingVerdict("", extent, assessment.detail)
                lineage = self.followed(number).lineage.with_verdict(name, key, given)
                self.update(number, lineage=lineage)
                await self._save(lineage, name, key, given)
        await self.count(number)

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

    def recount(self, number: int) -> None:
        """Count anew once the text has rested."""
        self.effect("criterion counts", self._recount(number), exclusive=True)

    async def _recount(self, number: int) -> None:
        await asyncio.sleep(REST_SECONDS)
        current = self.followed(number)
        if current.needs_counting and not current.is_running:
            await self.count(number)

    async def count(self, number: int) -> None:
        """Count the labelled answers that the criterion fails, as far as that is known."""
        current = self.followed(number)
        found, rubric = current.found, current.rubric
        if found is None:
            return
        blueprint, cases = current.analysis.blueprint, current.answers.cases
        judges = self.runs.evaluator.counted_panel(blueprint.header)
        check = self.session.cache.case_check(self.state.path, blueprint, self.resources.javascript(), judges)
        fresh = await self.runs.shown.freshness(current.place, found.prompt, blueprint.header)
        counts = await asyncio.to_thread(_unit_counts, check, found, cases, fresh)
        self.update(number, counts=counts, counted=rubric)


def _unjudged(found: FoundPoint, answers: Sequence[KnownAnswer]) -> Mapping[UnjudgedAnswer, KnownAnswer]:
    """The answers as judges are asked about them."""
    places = frozenset((found.index,))
    return {UnjudgedAnswer(found.prompt, each.subject, each.thread, places): each for each in answers}


def _unit_counts(
    check: CaseCheck, found: FoundPoint, cases: Sequence[Case], is_fresh: Freshness | None
) -> UnitCounts | None:
    """The counts of the unit of a point; None if nothing is labelled. Blocks while checks run."""
    if not any(case.is_bad is not None for case in cases):
        return None
    name = prompt_names(check.blueprint)[found.prompt.index]
    outcomes = (*check.outcomes(cases), *check.ideals([name]))
    units = criterion_counts(name, found.prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)
