"""Restoring the answers of an earlier session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, IdealSource, ModelSource, StoredSource, WrittenSource
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.parts import Part
from studio.session.run import Run, has_same_questions
from studio.session.state import Slot

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.evaluation.sources import Candidate
    from engine.store import PastRun, Store
    from studio.session.session import Session


def is_restorable(source: AnswerSource) -> bool:
    """Whether answers of this source are saved for later sessions: those that take money or work to get again."""
    return isinstance(source, ModelSource | WrittenSource)


def restored_run(store: Store, run: Run, header: Header) -> Run | None:
    """`run` with the newest answer saved for its prompt and candidate. Blocks.

    None if there is none, or if it answers other messages. An answer of a model must also be to the system prompt of
    `header` and to the same written turns. Raises `engine.store.StoreUnavailable`.
    """
    response = store.latest_response(run.place, run.candidate.key)
    if response is None or not response.subject or not has_same_questions(response, run.prompt):
        return None
    if isinstance(run.source, ModelSource) and not _has_same_turns(response, run, header):
        return None
    return replace(run, response=response, running=False, restored=True)


def last_run(store: Store, run: Run, last: PastRun) -> Run | None:
    """`run` with the answer of `last`, its run in an earlier session. Blocks.

    None if there is no answer, if it answers other messages, or if the ideal is another one now. Raises
    `engine.store.StoreUnavailable`.
    """
    response = store.past_response(last.number)
    if response is None or not has_same_questions(response, run.prompt):
        return None
    if isinstance(run.source, IdealSource) and response.subject != run.prompt.ideal:
        return None
    return replace(run, response=response, running=False, restored=True, last=last)


class RestoredAnswers(Part):
    """Restores saved answers, each once, and scores them by the present rubric."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._looked_up: set[Slot] = set()

    def request(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        """Show the saved answer to `prompt` by `candidate`, unless there is a run of them."""
        if self._is_new(analysis, prompt, candidate):
            self.effect("saved answers", self._restore(analysis, prompt, candidate))

    async def restore_all(self, analysis: Analysis, candidates: Sequence[Candidate], *, others: bool = False) -> None:
        """Show the answers of the last runs to all prompts, one after the other; `candidates` are those chosen now.

        `others`: those of all other candidates too.
        """
        last = await self.runs.last.candidates()
        by_key = {each.key: each for each in (*(last if others else ()), *candidates)}
        for prompt in analysis.blueprint.prompts:
            for candidate in by_key.values():
                has_run = self.runs.last.of(analysis.place(prompt), candidate.key) is not None
                if has_run and self._is_new(analysis, prompt, candidate):
                    await self._restore(analysis, prompt, candidate)

    def _is_new(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> bool:
        """Whether a saved answer was not looked up yet, and there is no run in its place."""
        place = analysis.place(prompt)
        key = (place.prompt, candidate.key)
        has_run = self.runs.selection.newest(place, candidate.key) is not None
        if isinstance(candidate.source, StoredSource) or has_run or key in self._looked_up:
            return False
        self._looked_up.add(key)
        return True

    async def _restore(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        place = analysis.place(prompt)
        last = await self.runs.last.known_of(place, candidate.key)
        new = self.runs.new_run(analysis, prompt, candidate)

        def read(store: Store) -> Run | None:
            if is_restorable(candidate.source):
                run = restored_run(store, new, analysis.header)
                return None if run is None else replace(run, last=last)
            return None if last is None else last_run(store, new, last)

        run = await self.session.stored(read, None)
        if run is None or run.response is None or self.runs.selection.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self.runs.selection.restore_written({place.prompt: run.response.subject})
            if self.runs.selection.written(place) == run.response.subject:
                run = replace(run, candidate=self.runs.new_run(analysis, prompt, candidate).candidate)
        await self.runs.rescoring.rescore(run, analysis.blueprint)


def _has_same_turns(response: Response, run: Run, header: Header) -> bool:
    """Whether the written turns of a saved conversation, system prompt included, are those of the run's prompt now."""
    system = conversation(run.prompt, header, run.candidate.variant).system
    wanted = [] if system is None else [(Role.SYSTEM, system)]
    wanted += [(message.role, message.content) for message in run.prompt.messages if message.content is not None]
    return [(turn.role, turn.content) for turn in response.thread if not turn.generated] == wanted
