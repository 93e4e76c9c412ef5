"""The deletion test of the prompt under the cursor: local checks at once, criteria by judges on wish."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from engine.deletion_test import criterion_trials, deletion_test, probes
from engine.record import replace
from studio.session.cache import Cache
from studio.session.criterion_consent import CriterionConsent
from studio.session.questions import DeletionQuestion
from studio.session.run_configuration import RunConfiguration
from studio.session.session_context import SessionContext
from studio.session.views.deletion_view import DeletionView, deletion_view

if TYPE_CHECKING:
    from engine.judging.consensus import Consensus
    from engine.judging.panel import Panel


class DeletionTests:
    """Deletes each sentence of an ideal in turn."""

    def __init__(self, context: SessionContext, configuration: RunConfiguration, cache: Cache) -> None:
        self._context = context
        self._configuration = configuration
        self._cache = cache
        self._consent = CriterionConsent(context.host, context.resources.settings, DeletionQuestion)

    async def test(self) -> DeletionView | None:
        """The deletion test of the prompt under the cursor. None, with a message, where there is nothing to delete.

        Nothing is sent.
        """
        analysis, prompt = self._context.document.analysis, self._context.document.prompt
        if analysis is None or prompt is None:
            self._notify("Put the cursor into a prompt: its ideal is tested.")
            return None
        if prompt.ideal is None:
            self._notify("This prompt has no ideal: write one to see which of its sentences the rubric notices.")
            return None
        if self._context.before_run is not None:
            await self._context.before_run()
        javascript = self._context.resources.javascript()
        test = await asyncio.to_thread(deletion_test, prompt, analysis.header, javascript)
        return None if test is None else deletion_view(analysis, prompt, test)

    async def judge(self, view: DeletionView, judged: Callable[[int, int], None]) -> DeletionView | None:
        """`view` with its criteria tried by judges, once the author agrees to the plan; None if they do not.

        `judged` is called with how many questions are answered, of how many.
        """
        from studio.session.probe_judging import in_rounds, judge_probes, plan_probes

        panel = self._configuration.panel(view.blueprint)
        if panel is None:
            self._notify("Choose judges first: w in the result.")
            return None
        known = await asyncio.to_thread(self._known, view, panel)
        asked, test = probes(view.prompt, view.blueprint.header, replace(view.test, trials=()), known)
        if not asked:
            self._notify("No criterion can be tried: the list says why.")
            return replace(view, test=test)
        panel = in_rounds(panel)
        planned = await plan_probes(view.blueprint, view.prompt, asked, panel)
        cap = await self._consent.approve(planned.plan)
        if cap is None:
            return None
        planned.limit(cap)
        try:
            replies = await judge_probes(view.blueprint, asked, panel, planned, judged)
        finally:
            self._consent.spend(planned.spending)
        return replace(view, test=criterion_trials(test, view.prompt, asked, replies))

    def _known(self, view: DeletionView, panel: Panel) -> Mapping[int, Consensus]:
        """The stored verdicts of `panel` on the ideal by the present rubric, by place. Blocks."""
        from engine.cases.case import ideal_case
        from engine.cases.case_scoring import known_verdicts

        case, stored = ideal_case(view.prompt.id, view.test.ideal), partial(self._cache.judgements, None)
        return known_verdicts(case, view.prompt, view.blueprint.header, panel, stored).today

    def _notify(self, message: str) -> None:
        self._context.host.notify(message, seconds=4)
