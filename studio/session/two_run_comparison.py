"""Two compared runs: what is known of each answer by each rubric, and having judges give what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from studio.session.compared_run import ComparedPair, ComparedRun, side_of
from studio.session.criterion_consent import CriterionConsent
from studio.session.host import Severity
from studio.session.parts import Part
from studio.session.questions import ClosingQuestion

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.blueprint import Header
    from engine.judging.panel import Panel
    from engine.scoring.assessment import Assessment
    from engine.study.two_runs import Combination, TwoRuns, UnjudgedAnswer
    from studio.session.session import Session
    from studio.session.views.compare_view import CompareView


class TwoRunComparison(Part):
    """Makes the comparison of two runs. The judges are those chosen, else those of the blueprint as documented."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._consent = CriterionConsent(session.host, session.resources.settings, ClosingQuestion)

    def view(self, pair: ComparedPair) -> CompareView:
        """The comparison. Nothing is sent. Blocks while checks run and cached verdicts are looked up."""
        from engine.study.two_runs import TwoRuns, verdicts_text
        from studio.session.views.compare_view import CompareView

        found = TwoRuns(side_of(pair.old), side_of(pair.new)).completed(partial(self._assessed, pair), fills_own=True)
        notes = (*pair.old.notes, *filter(None, (verdicts_text(found),)))
        answers = pair.old.response.subject, pair.new.response.subject
        return CompareView(
            pair.title, pair.old.label, pair.new.label, found, answers, bool(_unjudged(pair, found)), notes, pair
        )

    async def judge(self, view: CompareView, judged: Callable[[int, int], None]) -> CompareView | None:
        """`view` with the missing verdicts that judges gave, once the author agrees to the plan; None if they do not.

        `judged` is called with how many questions are answered, of how many.
        """
        from studio.session.comparison_judging import judge_answers, plan_judging

        assert view.pair is not None
        for run, answers in _unjudged(view.pair, view.runs):
            panel = self._panel(run.header)
            if not panel.judges:
                why = f"There is no judge to ask: {'; '.join(panel.left_out)}."
                self.host.notify(why, Severity.WARNING)
                return None
            planned = await plan_judging(run.header, answers, panel, self.session.cache)
            cap = await self._consent.approve(planned.plan)
            if cap is None:
                break
            planned.limit(cap)
            try:
                await judge_answers(run.header, answers, panel, planned, self.session.cache, judged)
            finally:
                self._consent.spend(planned.spending)
        return await asyncio.to_thread(self.view, view.pair)

    def _assessed(self, pair: ComparedPair, of: Combination, places: Collection[int]) -> Sequence[Assessment]:
        """The answer of one of the runs by the rubric of one of them, without a request. Blocks while checks run."""
        from engine.study.two_runs import assessed

        rubric = pair.new if of.has_new_rubric else pair.old
        response = (pair.new if of.has_new_answer else pair.old).response
        stored, javascript = partial(self.session.cache.judgements, None), self.resources.javascript()
        grades = self.session.cache.grades(pair.place, response.subject)
        panel = self._panel(rubric.header)
        return assessed(rubric.prompt, rubric.header, panel, response, places, javascript, stored, grades)

    def _panel(self, header: Header) -> Panel:
        return self.runs.configuration.counted_panel(header)


def _unjudged(pair: ComparedPair, runs: TwoRuns) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
    """What judges could be asked, with the run whose rubric it is by."""
    from engine.study.two_runs import unjudged_answers

    prompts, responses = (pair.old.prompt, pair.new.prompt), (pair.old.response, pair.new.response)
    both = zip((pair.old, pair.new), unjudged_answers([(runs, prompts, responses)]), strict=True)
    return [(run, answers) for run, answers in both if answers]
