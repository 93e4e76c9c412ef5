"""Scoring an existing answer again, by the present rubric and the author's grades. Nothing is sent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import AllJudged, Failed, Scored
from engine.evaluation.sources import StoredSource
from engine.store import StoreUnavailable
from studio.session.analysis import Analysis
from studio.session.evaluator import Evaluator
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade

_DESCRIPTION_SECONDS = 0.3
"""A new description must stay the same for this time before all prompts are scored with it."""


class Rescoring:
    """Scores runs again when the rubric, the description or a grade changes."""

    def __init__(self, context: SessionContext, selection: RunSelection, evaluator: Evaluator) -> None:
        self._context = context
        self._selection = selection
        self._evaluator = evaluator
        self._description: str | None = None
        self._grade_order = asyncio.Lock()
        self._newest: dict[tuple[str, str], asyncio.Task[None]] = {}
        """The newest task for each prompt and candidate."""

    def follow(self, analysis: Analysis) -> None:
        """Score the answer that is shown by the present rubric, and all answers if the description changed."""
        self._follow_description(analysis)
        prompt, run = self._selection.prompt, self._selection.run
        if prompt is None or run is None:
            return
        if prompt.span.of(analysis.parsed.text).strip() != run.written.strip():
            self.again(run, prompt, analysis)

    def _follow_description(self, analysis: Analysis) -> None:
        """Judges see the description, so all that they judged is scored again if it changed."""
        description = (analysis.header.description or "").strip()
        before, self._description = self._description, description
        if before is not None and before != description:
            self._context.tasks.start("description", self._rescore_judged(analysis.blueprint), exclusive=True)

    async def _rescore_judged(self, blueprint: Blueprint) -> None:
        await asyncio.sleep(_DESCRIPTION_SECONDS)
        for run in self._selection.all:
            has_verdicts = bool(run.judgements) or isinstance(run.answered, StoredSource)
            if has_verdicts and not run.running and run.response is not None:
                now = await self.rescored(run, blueprint)
                if now is not None and any(each is run for each in self._selection.all):  # nothing newer came meanwhile
                    self._selection.replace(now)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade the point at `index` of `Prompt.points()` of the run that is shown, and score the run again."""
        from engine.scoring.assessment import Criterion

        run, analysis = self._selection.run, self._context.document.analysis
        if run is None or analysis is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        subject = run.response.subject
        async with self._grade_order:  # the grade of the last key counts
            try:
                await asyncio.to_thread(
                    lambda: self._context.resources.store().grade(run.place, subject, criterion, grade)
                )
            except StoreUnavailable as error:
                self._context.database_messages.report(error)
                return
            self._context.database_messages.works()
            self.start(run, analysis.blueprint)

    def again(self, run: Run, prompt: Prompt, analysis: Analysis) -> None:
        """Score a finished run by `prompt` as it is now, with the verdicts that have come since."""
        if run.running or run.response is None or messages_of(prompt) != messages_of(run.prompt):
            return
        written = prompt.span.of(analysis.parsed.text)
        now = replace(run, prompt=prompt, written=written, revision=analysis.revision)
        self.start(now, analysis.blueprint)

    def start(self, run: Run, blueprint: Blueprint) -> None:
        """Show `run` with its present score, as soon as that is known, instead of an older one of the same answer."""
        key = (run.place.prompt, run.candidate.key)
        before = self._newest.get(key)
        if before is not None:
            before.cancel()
        self._newest[key] = self._context.tasks.start("rescoring", self.rescore(run, blueprint))

    async def rescore(self, run: Run, blueprint: Blueprint) -> None:
        """Show `run` with its present score."""
        now = await self.rescored(run, blueprint)
        if now is not None:
            self._selection.replace(now)

    async def rescored(self, run: Run, blueprint: Blueprint) -> Run | None:
        """`run` with its present score; None if it cannot be scored."""
        now: Run | None = None
        async with aclosing(self._evaluator.rescore(run, blueprint)) as events:
            async for event in events:
                if isinstance(event, Scored | AllJudged | Failed):
                    now = run.after(event)
        return now


def messages_of(prompt: Prompt) -> list[tuple[str, str | None]]:
    """The messages of a prompt, as pairs of role and content."""
    return [(message.role, message.content) for message in prompt.messages]
