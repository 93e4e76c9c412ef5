"""The earlier runs of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.evaluation.sources import WrittenSource
from engine.store import PastRun, Store, rubric_digest
from engine.text.record import replace
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.views.history_view import HistoryView, history_view

if TYPE_CHECKING:
    from engine.blueprint import Blueprint

MOST = 500
"""How many of the newest runs are listed."""


class PromptHistory(Part):
    """Reads and opens the earlier runs of prompts."""

    async def view(self) -> HistoryView | None:
        """The newest runs of the prompt that is shown; None if there are none, which the author is told."""
        prompt, place, run = self.state.prompt, self.state.place, self.runs.selection.run
        if prompt is None or place is None:
            self.host.notify("Put the cursor into a prompt: its runs are listed here.")
            return None
        opened = None if run is None or run.past is None else run.past.number

        def read(store: Store) -> HistoryView:
            return history_view(store.past_runs(place, MOST), prompt.id, rubric_digest(prompt), opened)

        found = await self.session.stored(read, None)
        if found is not None and not found.runs:
            self.host.notify("No run of this prompt yet. F5 runs it; each run stays here with its answer and score.")
            return None
        return found

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


def past_run(run: Run, past: PastRun) -> Run:
    """`run`, which has not started, as the earlier run `past`. Its answer is not read yet."""
    return replace(run, running=False, restored=True, past=past)
