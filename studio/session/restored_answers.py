"""Restoring the answers of an earlier session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
from engine.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, ModelSource, WrittenSource
from engine.store import StoreUnavailable
from studio.session.analysis import Analysis
from studio.session.rescoring import Rescoring
from studio.session.run import Run, has_same_questions, judgements_by_place
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.evaluation.candidates import Candidate
    from engine.store import Store


def is_restorable(source: AnswerSource) -> bool:
    """Whether answers of this source are saved for later sessions: those that take money or work to get again."""
    return isinstance(source, ModelSource | WrittenSource)


async def restored_run(store: Store, run: Run, header: Header) -> Run | None:
    """`run` with the newest answer saved for its prompt and candidate, and with its verdicts.

    None if there is none, or if it answers other messages. An answer of a model must also be to the system prompt of
    `header` and to the same written turns. Raises `engine.store.StoreUnavailable`.
    """
    response = await asyncio.to_thread(store.latest_response, run.place, run.candidate.key)
    if response is None or not response.subject or not has_same_questions(response, run.prompt):
        return None
    if isinstance(run.source, ModelSource) and not _has_same_turns(response, run, header):
        return None
    verdicts = await asyncio.to_thread(store.latest_judgements, run.place, run.candidate.key)
    judgements = judgements_by_place(run.prompt, verdicts)
    return replace(run, response=response, judgements=judgements, running=False, restored=True)


class RestoredAnswers:
    """Restores saved answers, each once, and scores them by the present rubric."""

    def __init__(
        self,
        context: SessionContext,
        selection: RunSelection,
        rescoring: Rescoring,
        new_run: Callable[[Analysis, Prompt, Candidate], Run],
    ) -> None:
        """`new_run` makes a run that has not started."""
        self._context = context
        self._selection = selection
        self._rescoring = rescoring
        self._new_run = new_run
        self._looked_up: set[tuple[str, str]] = set()

    def request(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        """Show the saved answer to `prompt` by `candidate`, unless there is a run of them."""
        place = analysis.place(prompt)
        key = (place.prompt, candidate.key)
        has_run = self._selection.newest(place, candidate.key) is not None
        if is_restorable(candidate.source) and not has_run and key not in self._looked_up:
            self._looked_up.add(key)
            self._context.tasks.start("saved answers", self._restore(analysis, prompt, candidate))

    async def _restore(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        place = analysis.place(prompt)
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            run = await restored_run(store, self._new_run(analysis, prompt, candidate), analysis.header)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return
        if run is None or run.response is None or self._selection.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self._selection.restore_written({place.prompt: run.response.subject})
            if self._selection.written(place) == run.response.subject:
                run = replace(run, candidate=self._new_run(analysis, prompt, candidate).candidate)
        await self._rescoring.rescore(run, analysis.blueprint)


def _has_same_turns(response: Response, run: Run, header: Header) -> bool:
    """Whether the written turns of a saved conversation, system prompt included, are those of the run's prompt now."""
    system = conversation(run.prompt, header, run.candidate.variant).system
    wanted = [] if system is None else [(Role.SYSTEM, system)]
    wanted += [(message.role, message.content) for message in run.prompt.messages if message.content is not None]
    return [(turn.role, turn.content) for turn in response.thread if not turn.generated] == wanted
