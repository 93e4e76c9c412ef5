"""The earlier runs of the prompt that is shown."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias

from engine.evaluation.events import Event
from engine.evaluation.sources import WrittenSource
from engine.store import PromptPlace, StoreUnavailable
from engine.text.record import replace
from studio.session.changes import Change
from studio.session.rescoring import Rescoring
from studio.session.resources import Resources
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.sources import Candidate
    from engine.store import PastRun
    from engine.store.run_records import PairId
    from studio.session.analysis import Analysis
    from studio.session.views.history_view import History

    NewRun: TypeAlias = Callable[[Analysis, Prompt, Candidate], Run]
    """Makes a run that has not started."""

_FIRST_RUNS = 200
"""How many of the newest runs are read and shown first."""
_SECONDS_UNTIL_ALL = 0.1
"""The other runs are read after this time: the first ones are on the screen by then."""
_SECONDS_UNTIL_SAVED = 0.2
"""A run that has just started is in the database after this time."""


class PromptHistory:
    """Reads the earlier runs of the prompt that is shown, while its history is visible."""

    def __init__(self, context: SessionContext, selection: RunSelection, rescoring: Rescoring) -> None:
        self._context = context
        self._selection = selection
        self._rescoring = rescoring
        self._is_visible = False
        self._place: PromptPlace | None = None
        self.found: History | None = None
        """The runs of the prompt that is shown; None until they are read."""

    def watch(self, *, is_visible: bool) -> None:
        """Set whether the history is visible."""
        self._is_visible = is_visible
        self.follow()

    def follow(self) -> None:
        """Read the history of another prompt if another one is shown now."""
        place = self._selection.place
        if not self._is_visible or place == self._place:
            return
        self._place, self.found = place, None
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
        past, host = run.past, self._context.host
        assert past is not None
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            response = await asyncio.to_thread(store.past_response, past.number)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return False
        if response is None:
            why = past.error_message or "It ended before anything was answered."
            host.notify(f"There is no answer in this run. {why}")
            return False
        if isinstance(run.source, WrittenSource):
            run = replace(run, candidate=replace(run.candidate, source=WrittenSource(response.subject)))
        now = await self._rescoring.rescored(replace(run, response=response), blueprint)
        if now is not None:
            self._selection.open(now)
        return now is not None

    async def open_pair(self, analysis: Analysis, pair: PairId, new_run: NewRun) -> Prompt | None:
        """Show the newest run with the answer of a judged pair, and return its prompt; None without such a run."""
        prompts = {analysis.place(each).prompt: each for each in analysis.blueprint.prompts}
        prompt = prompts.get(pair.prompt)
        past = None if prompt is None else await self._answered(analysis.place(prompt), pair.subject)
        if prompt is None or past is None:
            self._context.host.notify("This answer is no longer stored.", seconds=4)
            return None
        run = past_run(new_run(analysis, prompt, past.candidate), past)
        return prompt if await self.open(run, analysis.blueprint) else None

    async def _answered(self, place: PromptPlace, subject: str) -> PastRun | None:
        """The newest run of a prompt whose answer has this digest; None without one."""
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            return await asyncio.to_thread(store.run_with_answer, place, subject)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return None

    def _read(self, after: float) -> None:
        self._context.tasks.start("history", self._read_runs(after), exclusive=True)

    async def _read_runs(self, after: float) -> None:
        await asyncio.sleep(after)
        place = self._place
        if place is None:
            return
        for limit in (_FIRST_RUNS, -1):
            try:
                found, is_all = await asyncio.to_thread(_history, self._context.resources, place, limit)
            except StoreUnavailable as error:
                self._context.database_messages.report(error)
                return
            if place != self._place:
                return
            self.found = found
            self._context.changes.publish(Change.HISTORY)
            if is_all:
                return
            await asyncio.sleep(_SECONDS_UNTIL_ALL)


def _history(resources: Resources, place: PromptPlace, limit: int) -> tuple[History, bool]:
    """The newest runs of a prompt, at most `limit` (all if negative), and whether these are all. Blocks."""
    from studio.session.views.history_view import history

    runs = resources.store().past_runs(place, limit)
    return history(runs), len(runs) == runs.total


def past_run(run: Run, past: PastRun) -> Run:
    """`run`, which has not started, as the earlier run `past`. Its answer is not read yet."""
    return replace(run, running=False, restored=True, past=past)
