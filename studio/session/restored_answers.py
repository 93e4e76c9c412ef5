"""The runs of earlier sessions: what each prompt scored then, and the answers that are shown again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt, Role
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, IdealSource, ModelSource, StoredSource, WrittenSource
from engine.store import PastRun, PromptPlace, Store, rubric_digest
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.host import NotDone
from studio.session.run import Run, has_same_questions
from studio.session.state import LastRuns, Part, Slot
from studio.session.views.history_view import HistoryView, history_view
from studio.session.views.overview_view import LastScore

if TYPE_CHECKING:
    from engine.parsing import Parsed
    from studio.session.session import Session


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
    return _with(run, response)


def _last_run(store: Store, run: Run, last: PastRun) -> Run | None:
    """`run` with the answer of `last`, its run in an earlier session. Blocks.

    None if there is no answer, if it answers other messages, or if the ideal is another one now. Raises
    `engine.store.StoreUnavailable`.
    """
    response = store.past_response(last.number)
    if response is None or not has_same_questions(response, run.prompt):
        return None
    if isinstance(run.source, IdealSource) and response.subject != run.prompt.ideal:
        return None
    return _with(run, response)


def _with(run: Run, response: Response) -> Run:
    """`run` with an answer that was saved earlier."""
    candidate = run.candidate
    if isinstance(candidate.source, WrittenSource):
        candidate = replace(candidate, source=WrittenSource(response.subject))
    return replace(run, candidate=candidate, response=response, running=False, restored=True)


def _has_same_turns(response: Response, run: Run, header: Header) -> bool:
    """Whether the written turns of a saved conversation, system prompt included, are those of the run's prompt now."""
    system = conversation(run.prompt, header, run.candidate.variant).system
    wanted = [] if system is None else [(Role.SYSTEM, system)]
    wanted += [(message.role, message.content) for message in run.prompt.messages if message.content is not None]
    return [(turn.role, turn.content) for turn in response.thread if not turn.generated] == wanted


MOST_LISTED = 500
"""How many of the newest runs of a prompt are listed."""


class EarlierRuns(Part):
    """The earlier runs of prompts, which the author can list and open. The newest of each prompt and candidate, as they
    were when the file was opened, are restored, each once, and scored by the present rubric.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._digests: dict[str, str] = {}
        self._looked_up: set[Slot] = set()

    async def read(self) -> None:
        """Read the runs."""
        path = str(self.state.path.absolute())

        def read(store: Store) -> LastRuns:
            return LastRuns(store.last_scored_runs(path), store.last_failed_runs(path), is_read=True)

        self.change(last=await self.session.stored(read, LastRuns(is_read=True)))

    def score(self, analysis: Analysis, prompt: Prompt, key: str) -> LastScore | None:
        """What the last run scored; None without one."""
        past = self.state.last.scored.get((analysis.place(prompt).prompt, key))
        if past is None or past.headline is None:
            return None
        written = prompt.span.of(analysis.parsed.text)
        digest = self._digests.get(written)
        if digest is None:
            digest = self._digests[written] = rubric_digest(prompt)
        return LastScore(past.headline, past.began, is_comparable=past.rubric in ("", digest))

    # --- All runs of a prompt

    async def view(self) -> HistoryView:
        """The newest runs of the prompt that is shown. Raises `NotDone` if there are none."""
        prompt, place, run = self.state.prompt, self.state.place, self.runs.selection.run
        if prompt is None or place is None:
            raise NotDone("Put the cursor into a prompt: its runs are listed here.", seconds=5)
        opened = None if run is None or run.past is None else run.past.number

        def read(store: Store) -> HistoryView:
            return history_view(store.past_runs(place, MOST_LISTED), prompt.id, rubric_digest(prompt), opened)

        found = await self.session.stored(read, None)
        if found is None or not found.runs:
            none = "No run of this prompt yet. F5 runs it; each run stays here with its answer and score."
            raise NotDone("" if found is None else none, seconds=5)
        return found

    async def open(self, past: PastRun) -> None:
        """Show an earlier run of the prompt that is shown, scored by the present rubric. Raises `NotDone`."""
        prompt, analysis = self.state.prompt, self.analysis
        response = await self.session.stored(lambda store: store.past_response(past.number), otherwise=False)
        if prompt is None or isinstance(response, bool):
            raise NotDone
        if response is None:
            why = past.error_message or "It ended before anything was answered."
            raise NotDone(f"There is no answer in this run. {why}", seconds=5)
        found = replace(_with(self.runs.new_run(analysis, prompt, past.candidate), response), past=past)
        now = await self.runs.evaluator.rescored(found, analysis.blueprint)
        if now is found:
            raise NotDone
        self.runs.selection.open(now)

    # --- Answers that are shown again

    def request(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        """Show the saved answer to `prompt` by `candidate`, unless there is a run of them."""
        if self._is_new(analysis, prompt, candidate):
            self.effect("saved answers", self._restore(analysis, prompt, candidate))

    async def restore_all(self, analysis: Analysis, candidates: Sequence[Candidate], *, others: bool = False) -> None:
        """Show the answers of the last runs to all prompts, one after the other; `candidates` are those chosen now.

        `others`: those of all other candidates too.
        """
        await self.session.until(lambda state: state.last.is_read)
        scored = self.state.last.scored
        last = (past.candidate for past in scored.values() if others)
        by_key = {each.key: each for each in (*last, *candidates)}
        for prompt in analysis.blueprint.prompts:
            for candidate in by_key.values():
                has_run = (analysis.place(prompt).prompt, candidate.key) in scored
                if has_run and self._is_new(analysis, prompt, candidate):
                    await self._restore(analysis, prompt, candidate)

    def _is_new(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> bool:
        """Whether a saved answer was not looked up yet, and there is no run in its place."""
        slot = (analysis.place(prompt).prompt, candidate.key)
        is_new = slot not in self.state.runs and slot not in self._looked_up
        if is_new and not isinstance(candidate.source, StoredSource):
            self._looked_up.add(slot)
            return True
        return False

    async def _restore(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        await self.session.until(lambda state: state.last.is_read)
        place = analysis.place(prompt)
        new = self.runs.new_run(analysis, prompt, candidate)
        last = self.state.last.scored.get(new.slot)

        def read(store: Store) -> Run | None:
            if isinstance(candidate.source, ModelSource | WrittenSource):  # they take money or work to get again
                return restored_run(store, new, analysis.header)
            return None if last is None else _last_run(store, new, last)

        run = await self.session.stored(read, None)
        if run is None or run.response is None or self.runs.selection.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self.runs.selection.restore_written({place.prompt: run.response.subject})
        await self.runs.selection.rescore(replace(run, last=last), analysis.blueprint)


MOST_RUNS = 100
"""How many runs of a prompt are looked through, the newest first."""


def stored_runs(parsed: Parsed, prompt: Prompt, store: Store) -> Iterator[Run]:
    """The newest stored answer of each source but the ideal to the questions of `prompt`, not yet scored. Blocks."""
    seen = set[str]()
    for past in store.past_runs(PromptPlace.of(parsed.path, prompt), MOST_RUNS):
        candidate = past.candidate
        if not past.answered or candidate.key in seen or isinstance(candidate.source, IdealSource):
            continue
        response = store.past_response(past.number)
        if response is None or not has_same_questions(response, prompt):
            continue
        seen.add(candidate.key)
        yield _with(Run.of(parsed, prompt, candidate), response)


_NAME = "stored models"
_REST_SECONDS = 0.4
"""How long the rubric rests before stored answers are scored by it."""


class StoredModels(Part):
    """Reads the newest stored answer of each model, once for each rubric of a prompt. Nothing is sent."""

    def of(self, prompt: Prompt) -> tuple[Run, ...]:
        """The scored answers, as far as they are known; () before they are read."""
        return self.beside(_NAME, prompt.index, _key(prompt)) or ()

    def follow(self, analysis: Analysis, prompt: Prompt) -> None:
        """Read the answers to `prompt` once its rubric rests."""
        self.find(_NAME, prompt.index, _key(prompt), partial(self._read, analysis, prompt), rest=_REST_SECONDS)

    async def _read(self, analysis: Analysis, prompt: Prompt) -> tuple[Run, ...] | None:
        def read(store: Store) -> list[Run]:
            runs = stored_runs(analysis.parsed, prompt, store)
            return [run for run in runs if isinstance(run.source, ModelSource)]

        runs = await self.session.stored(read, None)
        rescored = self.runs.evaluator.rescored
        return None if runs is None else tuple([await rescored(run, analysis.blueprint) for run in runs])


def _key(prompt: Prompt) -> str:
    return f"{prompt.index} {prompt.id} {rubric_digest(prompt)}"
