"""What was run earlier: the newest saved answer in a new session, and every run of the prompt that is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
from engine.conversation import conversation
from engine.evaluation.events import Event, Response
from engine.evaluation.sources import AnswerSource, ModelSource, WrittenSource
from engine.store import PromptPlace, StoreUnavailable
from studio.session.analysis import Analysis
from studio.session.changes import Change, ChangeStream
from studio.session.host import Host, Severity
from studio.session.rescoring import Rescoring
from studio.session.resources import Resources
from studio.session.run import Run, asks_the_same
from studio.session.run_selection import RunSelection
from studio.session.session_tasks import Tasks

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header
    from engine.evaluation.candidates import Candidate
    from engine.judging.judgement import Judgement
    from engine.store import PastRun, Store
    from studio.session.views.history_view import History

_FIRST_RUNS = 200
"""So many of the newest runs are shown at once."""
_SECONDS_UNTIL_ALL = 0.1
"""When the others are read, to be shown below them: the first ones are on the screen by then."""
_SECONDS_UNTIL_SAVED = 0.2
"""A run that has just begun is in the database after this time."""


def is_saved(source: AnswerSource) -> bool:
    """Whether answers of this source are there again in a new session: those that cost something to have again."""
    return isinstance(source, ModelSource | WrittenSource)


async def saved_answer(store: Store, run: Run, header: Header) -> Run | None:
    """`run` with the newest answer saved for its prompt and candidate, and with its verdicts.

    None where there is none, or where it answers other messages; a model's, also one to another system prompt than
    that of `header`, or to other written turns. Raises `engine.store.StoreUnavailable`.
    """
    response = await asyncio.to_thread(store.latest_response, run.place, run.candidate.key)
    if response is None or not response.subject or not asks_the_same(response, run.prompt):
        return None
    if isinstance(run.source, ModelSource) and not _same_turns(response, run, header):
        return None
    verdicts = await asyncio.to_thread(store.latest_judgements, run.place, run.candidate.key)
    judgements = _by_place(run.prompt, verdicts)
    return replace(run, response=response, judgements=judgements, running=False, restored=True)


class SavedAnswers:
    """Brings back the answers of an earlier session, each once, scored by today's rubric."""

    def __init__(
        self,
        selection: RunSelection,
        rescoring: Rescoring,
        resources: Resources,
        tasks: Tasks,
        host: Host,
        run_of: Callable[[Analysis, Prompt, Candidate], Run],
    ) -> None:
        """`run_of` makes a run that is about to begin."""
        self._selection = selection
        self._rescoring = rescoring
        self._resources = resources
        self._tasks = tasks
        self._host = host
        self._run_of = run_of
        self._looked_up: set[tuple[str, str]] = set()

    def want(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        """Show the answer that was saved of this prompt and candidate, unless there is a run of it."""
        place = analysis.place(prompt)
        key = (place.prompt, candidate.key)
        is_there = self._selection.newest(place, candidate.key) is not None
        if is_saved(candidate.source) and not is_there and key not in self._looked_up:
            self._looked_up.add(key)
            self._tasks.start("saved answers", self._bring_back(analysis, prompt, candidate))

    async def _bring_back(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> None:
        place = analysis.place(prompt)
        try:
            store = await asyncio.to_thread(self._resources.store)
            run = await saved_answer(store, self._run_of(analysis, prompt, candidate), analysis.header)
        except StoreUnavailable as error:
            self._host.notify(str(error), Severity.WARNING)
            return
        if run is None or run.response is None or self._selection.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self._selection.write_once(place, run.response.subject)
            run = replace(run, candidate=self._run_of(analysis, prompt, candidate).candidate)
        await self._rescoring.rescore(run, analysis.blueprint)


class RunHistory:
    """The earlier runs of the prompt that is shown, read while somebody looks at them."""

    def __init__(
        self,
        selection: RunSelection,
        rescoring: Rescoring,
        resources: Resources,
        tasks: Tasks,
        host: Host,
        changes: ChangeStream,
    ) -> None:
        self._selection = selection
        self._rescoring = rescoring
        self._resources = resources
        self._tasks = tasks
        self._host = host
        self._changes = changes
        self._is_watched = False
        self._place: PromptPlace | None = None
        self.found: History | None = None
        """The runs of the prompt that is shown; None until they are read."""

    def watch(self, *, is_watched: bool) -> None:
        """Whether anybody looks at the history."""
        self._is_watched = is_watched
        self.follow()

    def follow(self) -> None:
        """Another prompt may be shown."""
        place = self._selection.place
        if not self._is_watched or place == self._place:
            return
        self._place, self.found = place, None
        if place is not None:
            self._read(0)

    def run_went_on(self, run: Run, event: Event | None) -> None:
        """A run has begun (None) or went on by `event`."""
        if run.place != self._place:
            return
        if not self._is_watched:
            self._place = None
        elif event is None:
            self._read(_SECONDS_UNTIL_SAVED)
        elif not run.running:
            self._read(0)

    async def open(self, run: Run, blueprint: Blueprint) -> bool:
        """Show the answer of the earlier run `run.past`, scored by the rubric of today; whether it has an answer."""
        past = run.past
        assert past is not None
        try:
            store = await asyncio.to_thread(self._resources.store)
            response = await asyncio.to_thread(store.past_response, past.number)
            verdicts = await asyncio.to_thread(store.past_judgements, past.number)
        except StoreUnavailable as error:
            self._host.notify(str(error), Severity.WARNING)
            return False
        if response is None:
            why = past.error_message or "It ended before anything was answered."
            self._host.notify(f"There is no answer in this run. {why}")
            return False
        if isinstance(run.source, WrittenSource):
            run = replace(run, candidate=replace(run.candidate, source=WrittenSource(response.subject)))
        run = replace(run, response=response, judgements=_by_place(run.prompt, verdicts))
        now = await self._rescoring.rescored(run, blueprint)
        if now is not None:
            self._selection.open(now)
        return now is not None

    def _read(self, after: float) -> None:
        self._tasks.start("history", self._read_runs(after), exclusive=True)

    async def _read_runs(self, after: float) -> None:
        await asyncio.sleep(after)
        place = self._place
        if place is None:
            return
        for most in (_FIRST_RUNS, -1):
            try:
                found, is_all = await asyncio.to_thread(_history, self._resources, place, most)
            except StoreUnavailable as error:
                self._host.notify(str(error), Severity.WARNING)
                return
            if place != self._place:
                return
            self.found = found
            self._changes.publish(Change.HISTORY)
            if is_all:
                return
            await asyncio.sleep(_SECONDS_UNTIL_ALL)


def _history(resources: Resources, place: PromptPlace, most: int) -> tuple[History, bool]:
    """The newest runs of a prompt, and whether that is all of them. Blocks."""
    from studio.session.views.history_view import history

    runs = resources.store().past_runs(place, most)
    return history(runs), len(runs) == runs.total


def past_run(run: Run, past: PastRun) -> Run:
    """`run`, which is about to begin, as the earlier run `past`, whose answer is still to be read."""
    return replace(run, running=False, restored=True, past=past)


def _same_turns(response: Response, run: Run, header: Header) -> bool:
    """Whether all that was written in the saved conversation, the system prompt too, is what a model would be sent."""
    system = conversation(run.prompt, header, run.candidate.variant).system
    wanted = [] if system is None else [(Role.SYSTEM, system)]
    wanted += [(message.role, message.content) for message in run.prompt.messages if message.content is not None]
    return [(turn.role, turn.content) for turn in response.thread if not turn.generated] == wanted


def _by_place(prompt: Prompt, verdicts: Mapping[str, tuple[Judgement, ...]]) -> dict[int, tuple[Judgement, ...]]:
    """Verdicts on criteria, at the places that these have in `prompt`."""
    return {
        index: verdicts[point.text]
        for index, point in enumerate(prompt.points())
        if point.text is not None and point.text in verdicts
    }
