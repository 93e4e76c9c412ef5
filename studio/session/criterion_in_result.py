"""The verdicts on one criterion in the results of its prompt: those of a turn, and those of a wording taken back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from engine.digests import text_digest
from studio.session.analysis import Analysis
from studio.session.cache import Cache
from studio.session.followed_criterion import FollowedCriterion
from studio.session.rescoring import Rescoring
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.criterion_loop.point_range import FoundPoint
    from engine.evaluation.events import Response
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel


class CriterionInResult:
    """Gives results the verdicts on their answers that the criterion loop has."""

    def __init__(
        self,
        context: SessionContext,
        selection: RunSelection,
        rescoring: Rescoring,
        cache: Cache,
        panel: Callable[[Analysis], Panel],
    ) -> None:
        """`panel` has the judges of a text."""
        self._context = context
        self._selection = selection
        self._rescoring = rescoring
        self._cache = cache
        self._panel = panel

    def turn_ended(self, current: FollowedCriterion) -> None:
        """Let the results of all candidates have the verdicts of the turn that has ended."""
        shown = self._run(current)
        if shown is not None:
            current.in_result = current.written.name, shown.started
        runs = {each.started: each for each in (shown, *self._selection.of_prompt(current.place)) if each is not None}
        for run in runs.values():
            self._judged(current, run, self._of_session(current, run), only_missing=False)

    def follow(self, current: FollowedCriterion) -> None:
        """Let the result have the verdicts of a wording that the text has again. Later runs decide for themselves."""
        run = self._run(current)
        if run is None or run.response is None:
            return
        is_other_wording = current.in_result[0] != current.written.name
        if is_other_wording:
            current.in_result = current.written.name, run.started
        if current.in_result != (current.written.name, run.started):
            return
        given = self._of_session(current, run)
        if given:
            self._judged(current, run, given, only_missing=True)
        elif is_other_wording and current.wording is not None and not current.written.is_check:
            self._context.tasks.start("taken back", self._take_from_cache(current, run.response))

    def _run(self, current: FollowedCriterion) -> Run | None:
        return None if current.found is None else self._selection.of(current.found.prompt)

    def _of_session(self, current: FollowedCriterion, run: Run) -> tuple[Judgement, ...]:
        """The judgements of this session by the judges of the text; () without a verdict among them."""
        if run.response is None:
            return ()
        panel = self._panel(current.analysis)
        every = current.judgements.get((current.written.name, text_digest(run.response.subject)), ())
        given = tuple(each for each in every if each.judge in (*panel.judges, panel.backup))
        return given if any(each.verdict is not None for each in given) else ()

    async def _take_from_cache(self, current: FollowedCriterion, response: Response) -> None:
        """Find the verdicts on the very questions that judges would be asked today, as labelled answers do."""
        found, analysis, name = current.found, current.analysis, current.written.name
        if found is None:
            return
        given = await asyncio.to_thread(partial(_cached, analysis, found, response, self._panel(analysis), self._cache))
        if given and current.written.name == name:
            current.judgements[name, text_digest(response.subject)] = given
            run = self._run(current)  # it may have been scored by the new text meanwhile
            if run is not None and run.response is not None and run.response.subject == response.subject:
                self._judged(current, run, given, only_missing=True)

    def _judged(
        self, current: FollowedCriterion, run: Run, given: tuple[Judgement, ...], *, only_missing: bool
    ) -> None:
        if given and current.found is not None:
            verdicts = {current.written.name: given}
            self._rescoring.judged(run, current.found.prompt, current.analysis, verdicts, only_missing=only_missing)


def _cached(
    analysis: Analysis, found: FoundPoint, response: Response, panel: Panel, cache: Cache
) -> tuple[Judgement, ...]:
    """The cached judgements on a criterion of an answer; () for none. Blocks."""
    from engine.cases.case_verdicts import cached_verdicts
    from engine.judging.judge_prompt import questions
    from engine.providers import resolve

    blueprint = analysis.blueprint
    question = questions(found.prompt, response.thread, blueprint.header.description)[found.index]
    providers = partial(resolve, custom=blueprint.header.models, keyless=True)
    verdicts = cached_verdicts([question], panel, blueprint, providers, cache.judgement)
    return next((each.judgements for each in verdicts.values()), ())
