"""Scoring an existing answer again, by the present rubric and the author's grades. Nothing is sent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.scoring.assessment import Criterion, Grade
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.state import Slot

if TYPE_CHECKING:
    from studio.session.session import Session

_HEADER_SECONDS = 0.3
"""A header must stay the same for this time before all prompts are scored with it."""


class Rescoring(Part):
    """Scores runs again when the rubric, what judges see of the header, the panel or a grade changes."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._judged_by: tuple[object, ...] | None = None
        """What judges saw of the header that was checked last, and who they were."""
        self._grade_order = asyncio.Lock()
        self._newest: dict[Slot, asyncio.Task[None]] = {}
        """The newest task for each slot."""

    def follow(self, analysis: Analysis) -> None:
        """Score the answer that is shown by the present rubric, and all answers if the panel or its view changed."""
        before, self._judged_by = self._judged_by, _judged_by(analysis.header)
        if before not in (None, self._judged_by):
            self.all_again(analysis.blueprint, _HEADER_SECONDS)
        self.follow_rubric(analysis)

    def follow_rubric(self, analysis: Analysis) -> None:
        """Score the answer that is shown by the present rubric."""
        prompt, run = self.state.prompt, self.runs.selection.run
        if prompt is None or run is None:
            return
        if prompt.span.of(analysis.parsed.text).strip() != run.written.strip():
            self.again(run, prompt, analysis)

    def all_again(self, blueprint: Blueprint, after: float = 0.0) -> None:
        """Score all answers with criteria again, after so many seconds."""
        self.effect("description", self._rescore_all(blueprint, after), exclusive=True)

    async def _rescore_all(self, blueprint: Blueprint, after: float) -> None:
        await asyncio.sleep(after)
        for run in self.runs.selection.all:
            has_criteria = any(point.text is not None for point in run.prompt.points())
            if has_criteria and not run.running and run.response is not None:
                now = await self.runs.evaluator.rescored(run, blueprint)
                is_newest = any(each is run for each in self.runs.selection.all)  # nothing newer came meanwhile
                if now is not run and is_newest:
                    self.runs.selection.replace(now)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade the point at `index` of `Prompt.points()` of the run that is shown, and score the run again."""
        run, analysis = self.runs.selection.run, self.state.analysis
        if run is None or analysis is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        subject = run.response.subject
        async with self._grade_order:  # the grade of the last key counts
            if await self.session.save(lambda store: store.grade(run.place, subject, criterion, grade)):
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
        before = self._newest.get(run.slot)
        if before is not None:
            before.cancel()
        self._newest[run.slot] = self.effect("rescoring", self.rescore(run, blueprint))

    async def rescore(self, run: Run, blueprint: Blueprint) -> None:
        """Show `run` with its present score."""
        now = await self.runs.evaluator.rescored(run, blueprint)
        if now is not run:
            self.runs.selection.replace(now)


def _judged_by(header: Header) -> tuple[object, ...]:
    """What judges see of a header, and who they are."""
    fields = header.fields.get("evaluationConfig")
    return (header.description or "").strip(), header.judges, header.use_experimental_scale, fields


def messages_of(prompt: Prompt) -> list[tuple[str, str | None]]:
    """The messages of a prompt, as pairs of role and content."""
    return [(message.role, message.content) for message in prompt.messages]
