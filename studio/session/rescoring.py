"""Scoring an answer that is there by the rubric of now, and by the author's grades. Nobody is asked."""

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
from studio.session.document import Document
from studio.session.evaluator import Evaluator
from studio.session.host import Host, Severity
from studio.session.resources import Resources
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_tasks import Tasks

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade

_SECONDS_UNTIL_DESCRIBED = 0.3
"""How long a description stays as it is before all prompts are scored by it."""


class Rescoring:
    """Keeps scores true while the rubric, the description and the grades change."""

    def __init__(
        self,
        document: Document,
        selection: RunSelection,
        evaluator: Evaluator,
        resources: Resources,
        tasks: Tasks,
        host: Host,
    ) -> None:
        self._document = document
        self._selection = selection
        self._evaluator = evaluator
        self._resources = resources
        self._tasks = tasks
        self._host = host
        self._description: str | None = None
        self._grading = asyncio.Lock()

    def follow(self, analysis: Analysis) -> None:
        """The text may be another: score the answer that is shown by it, and all of them by another description."""
        self._follow_description(analysis)
        prompt, run = self._selection.prompt, self._selection.run
        if prompt is None or run is None or run.running or run.response is None:
            return
        written = prompt.span.of(analysis.parsed.text)
        if written.strip() != run.written.strip() and messages_of(prompt) == messages_of(run.prompt):
            now = replace(_with_prompt(run, prompt), written=written, revision=analysis.revision)
            self.start(now, analysis.blueprint)

    def _follow_description(self, analysis: Analysis) -> None:
        """Judges are shown the description: what they judged is scored anew where that is another."""
        description = (analysis.header.description or "").strip()
        before, self._description = self._description, description
        if before is not None and before != description:
            self._tasks.start("describing", self._rescore_judged(analysis.blueprint), exclusive=True)

    async def _rescore_judged(self, blueprint: Blueprint) -> None:
        await asyncio.sleep(_SECONDS_UNTIL_DESCRIBED)
        for run in self._selection.all:
            has_verdicts = bool(run.judgements) or isinstance(run.answered, StoredSource)
            if has_verdicts and not run.running and run.response is not None:
                now = await self.rescored(run, blueprint)
                if now is not None and any(each is run for each in self._selection.all):  # nothing newer came meanwhile
                    self._selection.replace(now)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade the point at `index` of `Prompt.points()` of the run that is shown; its score follows at once."""
        from engine.scoring.assessment import Criterion

        run, analysis = self._selection.run, self._document.analysis
        if run is None or analysis is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        subject = run.response.subject
        async with self._grading:  # one behind the other: the last key counts
            try:
                await asyncio.to_thread(lambda: self._resources.store().grade(run.place, subject, criterion, grade))
            except StoreUnavailable as error:
                self._host.notify(str(error), Severity.ERROR)
                return
            self.start(run, analysis.blueprint)

    def start(self, run: Run, blueprint: Blueprint) -> None:
        """Put `run` with the score that its answer has now, as soon as that is known."""
        self._tasks.start("rescoring", self.rescore(run, blueprint), exclusive=True)

    async def rescore(self, run: Run, blueprint: Blueprint) -> None:
        """Put `run` with the score that its answer has now."""
        now = await self.rescored(run, blueprint)
        if now is not None:
            self._selection.replace(now)

    async def rescored(self, run: Run, blueprint: Blueprint) -> Run | None:
        """`run` with the score that its answer has now; None where there is none."""
        now: Run | None = None
        async with aclosing(self._evaluator.rescore(run, blueprint)) as events:
            async for event in events:
                if isinstance(event, Scored | AllJudged | Failed):
                    now = run.after(event)
        return now


def messages_of(prompt: Prompt) -> list[tuple[str, str | None]]:
    """What a prompt asks: its messages, whatever its rubric."""
    return [(message.role, message.content) for message in prompt.messages]


def _with_prompt(run: Run, prompt: Prompt) -> Run:
    """The run with its verdicts at the places that their criteria have in `prompt`."""
    verdicts = {
        text: judgements
        for index, judgements in run.judgements.items()
        if (text := run.prompt.points()[index].text) is not None
    }
    places = {
        index: verdicts[point.text]
        for index, point in enumerate(prompt.points())
        if point.text is not None and point.text in verdicts
    }
    return replace(run, prompt=prompt, judgements=places)
