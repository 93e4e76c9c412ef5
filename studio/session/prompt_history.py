"""The earlier runs of the prompt that is shown."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from engine.evaluation.events import Event
from engine.evaluation.sources import WrittenSource
from engine.store import PastRun, PromptPlace, Store
from engine.text.record import replace
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.views.history_view import History, history

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.store.run_records import PairId
    from studio.session.analysis import Analysis
    from studio.session.session import Session

_FIRST_RUNS = 200
"""How many of the newest runs are read and shown first."""
_SECONDS_UNTIL_ALL = 0.1
"""The other runs are read after this time: the first ones are on the screen by then."""
_SECONDS_UNTIL_SAVED = 0.2
"""A run that has just started is in the database after this time."""


class PromptHistory(Part):
    """Reads the earlier runs of the prompt that is shown, while its history is visible."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._is_visible = False
        self._place: PromptPlace | None = None

    def watch(self, *, is_visible: bool) -> None:
        """Set whether the history is visible; then read that of another prompt if another one is shown now."""
        self._is_visible = is_visible
        if not is_visible or (place := self.state.place) == self._place:
            return
        self._place = place
        self.change(history=None)
        if place is not None:
            self._read(0)

    def follow_run(self, run: Run, event: Event | None) -> None:
        """Read the history again if it changes with `run`, which has started (None) or continued with `event`."""
        if run.place != self._place:
            return
        if not self._is_visible:
            self._place = None
        elif event is None:
            self._read(_SECONDS_UNTIL_SAVED)
        elif not run.running:
            self._read(0)

    async def open(self, run: Run, blueprint: Blueprint) -> bool:
        """Show the answer of the earlier run `run.past`, scored by the present rubric; whether it has an answer."""
        past, host = run.past, self.host
        assert past is not None
        response = await self.session.stored(lambda store: store.past_response(past.number), otherwise=False)
        if isinstance(response, bool):
            return False
        if response is None:
            why = past.error_message or "It ended before anything was answered."
            host.notify(f"There is no answer in this run. {why}")
            return False
        if isinstance(run.source, WrittenSource):
            run = replace(run, candidate=replace(run.candidate, source=WrittenSource(response.subject)))
        found = replace(run, response=response)
        now = await self.runs.evaluator.rescored(found, blueprint)
        if now is not found:
            self.runs.selection.open(now)
        return now is not found

    async def open_pair(self, analysis: Analysis, pair: PairId) -> Prompt | None:
        """Show the newest run with the answer of a judged pair, and return its prompt; None without such a run."""
        prompts = {analysis.place(each).prompt: each for each in analysis.blueprint.prompts}
        prompt = prompts.get(pair.prompt)
        past = None
        if prompt is not None:
            place = analysis.place(prompt)
            past = await self.session.stored(lambda store: store.run_with_answer(place, pair.subject), None)
        if prompt is None or past is None:
            self.host.notify("This answer is no longer stored.", seconds=4)
            return None
        run = past_run(self.runs.new_run(analysis, prompt, past.candidate), past)
        return prompt if await self.open(run, analysis.blueprint) else None

    def _read(self, after: float) -> None:
        self.effect("history", self._read_runs(after), exclusive=True)

    async def _read_runs(self, after: float) -> None:
        await asyncio.sleep(after)
        place = self._place
        if place is None:
            return
        for limit in (_FIRST_RUNS, -1):
            read = await self.session.stored(partial(_history, place, limit), None)
            if read is None or place != self._place:
                return
            found, is_all = read
            self.change(history=found)
            if is_all:
                return
            await asyncio.sleep(_SECONDS_UNTIL_ALL)


def _history(place: PromptPlace, limit: int, store: Store) -> tuple[History, bool]:
    """The newest runs of a prompt, at most `limit` (all if negative), and whether these are all. Blocks."""
    runs = store.past_runs(place, limit)
    return history(runs), len(runs) == runs.total


def past_run(run: Run, past: PastRun) -> Run:
    """`run`, which has not started, as the earlier run `past`. Its answer is not read yet."""
    return replace(run, running=False, restored=True, past=past)
