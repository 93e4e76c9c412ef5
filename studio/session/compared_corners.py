"""The four corners of two compared runs: what is known of them, and having judges close what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from studio.session.cache import Cache
from studio.session.compared_run import ComparedPair, ComparedRun, side_of
from studio.session.criterion_consent import CriterionConsent
from studio.session.host import Severity
from studio.session.questions import ClosingQuestion
from studio.session.run_configuration import RunConfiguration
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.blueprint import Header
    from engine.comparison.closing_plan import OpenCorner
    from engine.comparison.corner_check import CornerCheck
    from engine.comparison.corners import FourCorners
    from engine.judging.panel import Panel
    from studio.session.views.compare_view import CompareView


class ComparedCorners:
    """Makes the comparison of two runs. The judges are those chosen, else those of the blueprint as documented."""

    def __init__(self, context: SessionContext, configuration: RunConfiguration, cache: Cache) -> None:
        self._context = context
        self._configuration = configuration
        self._cache = cache
        self._consent = CriterionConsent(context.host, context.resources.settings, ClosingQuestion)

    def view(self, pair: ComparedPair) -> CompareView:
        """The comparison. Nothing is sent. Blocks while checks run and cached verdicts are looked up."""
        from engine.comparison.closing_plan import closing_plan, price_text
        from engine.comparison.comparison_text import verdicts_text
        from engine.models.prices import own_prices
        from engine.planning import CacheLookup
        from studio.session.views.compare_view import CompareView

        corners = self._corners(pair)
        cached = CacheLookup(judgement=self._cache.judgement)
        plans = [
            closing_plan(run.header, self._panel(run.header), found, own=own_prices(), cache=cached)
            for run, found in _open(pair, corners)
        ]
        answers = pair.old.response.subject, pair.new.response.subject
        price, notes = price_text(plans), (*pair.old.notes, *filter(None, (verdicts_text(corners),)))
        return CompareView(pair.title, pair.old.label, pair.new.label, corners, answers, price, notes, pair)

    async def close(self, view: CompareView, judged: Callable[[int, int], None]) -> CompareView | None:
        """`view` with the missing verdicts that judges gave, once the author agrees to the plan; None if they do not.

        `judged` is called with how many questions are answered, of how many.
        """
        from studio.session.corner_judging import judge_corners, plan_corners

        assert view.pair is not None
        for run, corners in _open(view.pair, view.corners):
            panel = self._panel(run.header)
            if not panel.judges:
                why = f"There is no judge to ask: {'; '.join(panel.left_out)}."
                self._context.host.notify(why, Severity.WARNING)
                return None
            planned = await plan_corners(run.header, corners, panel, self._cache)
            cap = await self._consent.approve(planned.plan)
            if cap is None:
                break
            planned.limit(cap)
            try:
                await judge_corners(run.header, corners, panel, planned, self._cache, judged)
            finally:
                self._consent.spend(planned.spending)
        return await asyncio.to_thread(self.view, view.pair)

    def _corners(self, pair: ComparedPair) -> FourCorners:
        from engine.comparison.corners import FourCorners

        old, new = pair.old, pair.new
        corners = FourCorners(side_of(old), side_of(new))
        on_own_old, on_own_new = corners.own_places
        if on_own_old or on_own_new:
            filled_old = self._check(old.header).assessments(old.prompt, old.response, on_own_old)
            filled_new = self._check(new.header).assessments(new.prompt, new.response, on_own_new)
            corners = FourCorners(corners.old.filled(filled_old), corners.new.filled(filled_new))
        if any(each.new_answer is not each.new_rubric for each in corners.missing):
            on_old, on_new = corners.missing_places
            subjects = new.response.subject, old.response.subject
            by_old, by_new = (self._cache.grades(pair.place, subject) for subject in subjects)
            mixed = (
                self._check(old.header).assessments(old.prompt, new.response, on_old, by_old),
                self._check(new.header).assessments(new.prompt, old.response, on_new, by_new),
            )
            corners = FourCorners(corners.old, corners.new, mixed)
        return corners

    def _panel(self, header: Header) -> Panel:
        return self._configuration.counted_panel(header)

    def _check(self, header: Header) -> CornerCheck:
        from engine.comparison.corner_check import CornerCheck

        javascript = self._context.resources.javascript
        return CornerCheck(header, self._panel(header), javascript, partial(self._cache.judgements, None))


def _open(pair: ComparedPair, corners: FourCorners) -> list[tuple[ComparedRun, list[OpenCorner]]]:
    """The corners with missing verdicts that judges can give, with the run whose rubric they are by."""
    from engine.comparison.closing_plan import open_corners

    found: dict[bool, list[OpenCorner]] = {}
    prompts, responses = (pair.old.prompt, pair.new.prompt), (pair.old.response, pair.new.response)
    for is_new, corner in open_corners(corners, prompts, responses):
        found.setdefault(is_new, []).append(corner)
    runs: Mapping[bool, ComparedRun] = {False: pair.old, True: pair.new}
    return [(runs[is_new], each) for is_new, each in found.items()]
