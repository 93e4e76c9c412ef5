"""Holding an answer that is there against the rubric of now, and against the author's grades. Nobody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import AllJudged, Failed, Scored
from engine.evaluation.sources import StoredSource
from engine.store import StoreUnavailable
from studio.session.checking import Analysis
from studio.session.run import Run
from studio.tui.screens.evaluating import Evaluating

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade
    from studio.tui.screens.blueprint import BlueprintScreen

_SECONDS_UNTIL_DESCRIBED = 0.3
"""How long a description stays as it is before all prompts are judged by it."""


class Rejudging:
    """Keeps the score of the answer that is shown true while the rubric and the grades change."""

    def __init__(
        self,
        screen: BlueprintScreen,
        evaluating: Evaluating,
        put: Callable[[Run], None],
        runs: Callable[[], Collection[Run]],
    ) -> None:
        """`put` takes a run with its new score, `runs` gives all that are there."""
        self._screen = screen
        self._evaluating = evaluating
        self._put = put
        self._runs = runs
        self._description: str | None = None

    def follow(self, analysis: Analysis, prompt: Prompt, run: Run) -> None:
        """Judge the answer of `run` again where `prompt` is now written otherwise and asks the same."""
        if run.running or run.response is None:
            return
        written = prompt.span.of(analysis.parsed.text)
        if written.strip() != run.written.strip() and _asked(prompt) == _asked(run.prompt):
            self._start(replace(_on(run, prompt), written=written, revision=analysis.revision), analysis)

    def follow_description(self, analysis: Analysis) -> None:
        """Judge again whatever judges judged that are shown the description, where that is another now."""
        description = (analysis.parsed.blueprint.header.description or "").strip()
        before, self._description = self._description, description
        if before is not None and before != description:
            again = self._judge_all_again(analysis.parsed.blueprint)
            self._screen.run_worker(again, group="describing", exclusive=True)

    async def _judge_all_again(self, blueprint: Blueprint) -> None:
        await asyncio.sleep(_SECONDS_UNTIL_DESCRIBED)
        for run in self._runs():
            has_verdicts = bool(run.judgements) or isinstance(run.answered, StoredSource)
            if has_verdicts and not run.running and run.response is not None:
                now = await self._judged_again(run, blueprint)
                if now is not None and any(each is run for each in self._runs()):  # nothing newer came meanwhile
                    self._put(now)

    def grade(self, run: Run, index: int, grade: Grade | None) -> None:
        """Grade one text point of `run`, which is shown; its score follows at once."""
        self._screen.run_worker(self._grade(run, index, grade), group="grading")

    async def _grade(self, run: Run, index: int, grade: Grade | None) -> None:
        from engine.scoring.assessment import Criterion

        analysis = self._screen.analysis
        if analysis is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        try:
            store = self._screen.app.store
            await asyncio.to_thread(store.grade, run.place, run.response.subject, criterion, grade)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="error", markup=False)
            return
        self._start(run, analysis)

    def _start(self, run: Run, analysis: Analysis) -> None:
        self._screen.run_worker(self.judge_again(run, analysis.parsed.blueprint), group="judging", exclusive=True)

    async def judge_again(self, run: Run, blueprint: Blueprint) -> None:
        """Put `run` with the score that its answer has now."""
        now = await self._judged_again(run, blueprint)
        if now is not None:
            self._put(now)

    async def _judged_again(self, run: Run, blueprint: Blueprint) -> Run | None:
        """`run` with the score that its answer has now."""
        now: Run | None = None
        async with aclosing(self._evaluating.again(run, blueprint)) as events:
            async for event in events:
                if isinstance(event, Scored | AllJudged | Failed):
                    now = run.after(event)
        return now


def _asked(prompt: Prompt) -> list[tuple[str, str | None]]:
    return [(message.role, message.content) for message in prompt.messages]


def _on(run: Run, prompt: Prompt) -> Run:
    """The run with what judges said at the places that their criteria have in `prompt`."""
    said = {
        text: judgements
        for index, judgements in run.judgements.items()
        if (text := run.prompt.points()[index].text) is not None
    }
    places = {
        index: said[point.text]
        for index, point in enumerate(prompt.points())
        if point.text is not None and point.text in said
    }
    return replace(run, prompt=prompt, judgements=places)
