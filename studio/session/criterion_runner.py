"""Running one criterion: its plan, the author's consent, the verdicts as they arrive, and what they say of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from engine.store import JudgeForm, WordingVerdict
from engine.study.wordings import context_of_wording, form_of, forms_today
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.cache import Cache
from studio.session.criterion_consent import CriterionConsent
from studio.session.criterion_lineages import LineageBook, with_verdict
from studio.session.followed_criterion import FollowedCriterion, TurnReport
from studio.session.run_configuration import RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from studio.session.allowed_services import ServiceAccess
    from studio.session.criterion_turn import Turn
    from studio.session.planned_runs import PlannedRuns

_TASKS = "criterion"
REST_SECONDS = 0.3
"""A new text must stay the same for this time before answers are read or counted again."""


class CriterionRunner:
    """Runs one criterion at a time on its answers. A newer run ends the one before; what has arrived stays."""

    def __init__(
        self,
        context: SessionContext,
        configuration: RunConfiguration,
        cache: Cache,
        book: LineageBook,
        consent: CriterionConsent,
        before_run: Callable[[], Awaitable[None]],
        changed: Callable[[], None],
        shown: ShownRecord,
        judged: Callable[[FollowedCriterion], None],
    ) -> None:
        """`before_run` is awaited before anything is sent, `changed` is called after each change of a criterion.

        `judged` is called once the judges have been asked about all answers.
        """
        self._context = context
        self._configuration = configuration
        self._cache = cache
        self._book = book
        self._consent = consent
        self._services = AuthorApproval(context.host, context.resources.settings)
        self._before_run = before_run
        self._changed = changed
        self._shown = shown
        self._judged = judged
        self._running: tuple[asyncio.Task[None], FollowedCriterion] | None = None

    def stop(self) -> None:
        """End the present run."""
        self._context.tasks.cancel(_TASKS)

    def panel(self, analysis: Analysis) -> Panel:
        """The judges of the file; those of the documents while the author judges alone."""
        return self._configuration.counted_panel(analysis.header)

    def forms(self, analysis: Analysis) -> Mapping[str, JudgeForm]:
        """How the judges are asked, by label; {} while the author judges alone."""
        if self._configuration.judges_as is None:
            return {}
        return forms_today(self.panel(analysis), analysis.header)

    async def begin(self, current: FollowedCriterion) -> None:
        """Begin a run of `current`, whose answers are read: by the judges chosen, once the author agrees.

        A check runs at once. Without judges, and without consent, nothing is judged.
        """
        current.report = None
        if current.found is None or not current.answers.chosen:
            return
        if current.found.point.function is not None:
            await self._begin_check(current)
            return
        panel = self._configuration.panel(current.analysis.blueprint)
        turn = None if panel is None else await self._approved(current, panel)
        self._start(current, partial(self.count, current) if turn is None else partial(self._judge, current, *turn))

    async def _begin_check(self, current: FollowedCriterion) -> None:
        """Run a check at once; one by a service, once the author agrees to its host, else with cached replies."""
        access = None
        if current.is_by_service and current.found is not None:
            from studio.session.criterion_services import access_for

            await self._before_run()
            blueprint, answers = current.analysis.blueprint, current.answers.chosen
            access = await access_for(blueprint, current.place, current.found, answers, self._services)
        self._start(current, partial(self._check, current, access))

    async def _approved(self, current: FollowedCriterion, panel: Panel) -> tuple[Turn, PlannedRuns] | None:
        """The turn by `panel`, with its plan; None if the author does not agree to it."""
        from studio.session.criterion_turn import Turn

        assert current.found is not None
        turn = Turn(current.analysis.blueprint, current.found, current.answers.chosen, panel)
        planned = await turn.plan(self._cache.judgement)
        cap = await self._consent.approve(planned.plan)
        if cap is None:
            return None
        planned.limit(cap)
        return turn, planned

    def _start(self, current: FollowedCriterion, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` as the only run."""
        task = self._context.tasks.start(_TASKS, self._run(work), exclusive=True)
        if self._running is not None:
            self._running[1].is_running = False
        self._running, current.is_running = (task, current), True
        task.add_done_callback(self._ended)  # one that is cancelled before it begins ends without `_run`

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        finally:
            self._ended(asyncio.current_task())

    def _ended(self, task: asyncio.Task[None] | None) -> None:
        if self._running is not None and self._running[0] is task:
            self._running[1].is_running = False
            self._running = None
            self._changed()

    async def _judge(self, current: FollowedCriterion, turn: Turn, planned: PlannedRuns) -> None:
        name = current.written.name
        current.report = TurnReport(name, len(turn.answers), len(turn.answers) * len(turn.panel.judges))
        await self._before_run()

        async def judged(key: str, judgement: Judgement) -> None:
            await self._take(current, turn, name, key, judgement)

        try:
            await turn.judge(planned, self._cache.judgement, judged)
        finally:
            self._consent.spend(planned.spending)
            current.report = replace(current.report, sent=planned.spending.summary)
        self._judged(current)
        await self.count(current)

    async def _take(self, current: FollowedCriterion, turn: Turn, name: str, key: str, judgement: Judgement) -> None:
        """Show one judgement of a turn under the wording with this name, then save it: others arrive meanwhile."""
        others = [each for each in current.judgements.get((name, key), ()) if each.judge != judgement.judge]
        current.judgements[name, key] = (*others, judgement)
        verdict = judgement.verdict
        report = current.report
        if verdict is not None:
            self._shown.mark(current.place, [each.subject for each in turn.answers if each.key == key], read=False)
        if report is not None:
            cached, failed = report.cached + judgement.reused, report.failed + (verdict is None)
            came = report.judged if verdict is None else report.judged | {key}
            current.report = replace(report, done=report.done + 1, cached=cached, failed=failed, judged=came)
        if verdict is not None:
            context = context_of_wording(judgement.judge.approach, turn.question(key))
            form = form_of(judgement.judge, turn.panel.scale, turn.blueprint.header.models)
            given = WordingVerdict(judgement.judge.label, verdict.extent, verdict.reflection, context, form)
            current.lineage = with_verdict(current.lineage, name, key, given)
            self._changed()
            await self._book.save_verdict(current.lineage, name, key, given)
        self._changed()
        if not judgement.reused:
            await asyncio.to_thread(self._cache.save_judgement, judgement)

    async def _check(self, current: FollowedCriterion, access: ServiceAccess | None) -> None:
        """Run a check on all answers; one by a service sends what `access` allows."""
        from studio.session.criterion_turn import checked

        if current.found is None:
            return
        name, found, answers = current.written.name, current.found, current.answers.chosen
        checks = await checked(found, answers, self._context.resources.javascript())
        if current.is_by_service:
            from studio.session.criterion_services import with_replies

            checks = await with_replies(checks, current.analysis.blueprint, found, answers, self._cache, access)
        current.checks = checks
        self._shown.mark(current.place, [each.subject for each in answers], read=False)
        for key, assessment in current.checks.items():
            if assessment.error is None and assessment.extent is not None:
                extent = 1 - assessment.extent if found.placed.inverted else assessment.extent
                given = WordingVerdict("", extent, assessment.detail)
                current.lineage = with_verdict(current.lineage, name, key, given)
                await self._book.save_verdict(current.lineage, name, key, given)
        self._changed()
        await self.count(current)

    def recount(self, current: FollowedCriterion) -> None:
        """Count anew once the text has rested."""
        self._context.tasks.start("criterion counts", self._recount(current), exclusive=True)

    async def _recount(self, current: FollowedCriterion) -> None:
        await asyncio.sleep(REST_SECONDS)
        if current.needs_counting and not current.is_running:
            await self.count(current)

    async def count(self, current: FollowedCriterion) -> None:
        """Count the labelled answers that the criterion fails, as far as that is known."""
        found, rubric = current.found, current.rubric
        if found is None:
            return
        from studio.session.criterion_counts import unit_counts

        check = self._cache.case_check(
            self._context.document.path,
            current.analysis.blueprint,
            self._context.resources.javascript(),
            self.panel(current.analysis),
        )
        fresh = await self._shown.freshness(current.place, found.prompt, current.analysis.header)
        counts = await asyncio.to_thread(unit_counts, check, found, current.answers.cases, fresh)
        current.counts, current.counted = counts, rubric
        self._changed()
