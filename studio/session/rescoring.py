"""Scoring an existing answer again, by the present rubric and the author's grades. Nothing is sent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import AllJudged, Failed, Scored
from engine.store import StoreUnavailable
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.evaluator import Evaluator
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade

_HEADER_SECONDS = 0.3
"""A header must stay the same for this time before all prompts are scored with it."""


class Rescoring:
    """Scores runs again when the rubric, what judges see of the header, the panel or a grade changes."""

    def __init__(self, context: SessionContext, selection: RunSelection, evaluator: Evaluator) -> None:
        self._context = context
        self._selection = selection
        self._evaluator = evaluator
        self._header: tuple[object, ...] | None = None
        self._grade_order = asyncio.Lock()
        self._newest: dict[tuple[str, str], asyncio.Task[None]] = {}
        """The newest task for each prompt and candidate."""

    def follow(self, analysis: Analysis) -> None:
        """Score the answer that is shown by the present rubric, and all answers if the panel or its view changed."""
        self._follow_header(analysis)
        prompt, run = self._selection.prompt, self._selection.run
        if prompt is None or run is None:
            return
        if prompt.span.of(analysis.parsed.text).strip() != run.written.strip():
            self.again(run, prompt, analysis)

    def _follow_header(self, analysis: Analysis) -> None:
        """Judges see the description, and are those of the header: all answers are scored again if these change."""
        of = analysis.header
        judges = of.judges, of.use_experimental_scale, of.fields.get("evaluationConfig")
        before, self._header = self._header, ((of.description or "").strip(), *judges)
        if before not in (None, self._header):
            self.all_again(analysis.blueprint, _HEADER_SECONDS)

    def all_again(self, blueprint: Blueprint, after: float = 0.0) -> None:
        """Score all answers with criteria again, after so many seconds."""
        self._context.tasks.start("description", self._rescore_all(blueprint, after), exclusive=True)

    async def _rescore_all(self, blueprint: Blueprint, after: float) -> None:
        await asyncio.sleep(after)
        for run in self._selection.all:
            has_criteria = any(point.text is not None for point in run.prompt.points())
            if has_criteria and not run.running and run.response is not None:
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
