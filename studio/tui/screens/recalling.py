"""What was kept from earlier: the newest answer in a new session, and every earlier run of the prompt that is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
from engine.conversation import conversation
from engine.evaluation.events import AllJudged, Event, Failed, Response, Scored
from engine.evaluation.sources import AnswerSource, ModelSource, WrittenSource
from engine.store import PromptPlace, StoreUnavailable, rubric_digest
from studio.session.run import Run
from studio.tui.screens.side import HISTORY, RESULT

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header
    from engine.judging.judgement import Judgement
    from engine.store import Store
    from studio.tui.panes.history_view import History
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.evaluating import Evaluating

_FIRST_RUNS = 200
"""So many of the newest runs are shown at once."""
_SECONDS_UNTIL_ALL = 0.1
"""When the others are read, to be shown below them: the first ones are on the screen by then."""
_SECONDS_UNTIL_KEPT = 0.2
"""A run that has just begun is in the database after this time."""
_TEACHING = "No run of this prompt yet. F5 runs it; each run stays here with its answer and its score."


def is_kept(source: AnswerSource) -> bool:
    """Whether answers of this source are there again in a new session: those that cost something to have again."""
    return isinstance(source, ModelSource | WrittenSource)


async def recall(store: Store, run: Run, header: Header) -> Run | None:
    """`run` with the newest answer that is kept for its prompt and candidate, and with what judges said of it.

    None where there is none, or where it answers other messages; a model's, also one to another system prompt than that
    of `header`, the blueprint's, or to other written turns. Raises `engine.store.StoreUnavailable`.
    """
    response = await asyncio.to_thread(store.latest_response, run.place, run.candidate.key)
    if response is None or not response.subject or not answers(response, run.prompt):
        return None
    if isinstance(run.source, ModelSource) and not _same_turns(response, run, header):
        return None
    said = await asyncio.to_thread(store.latest_judgements, run.place, run.candidate.key)
    judgements = _by_place(run.prompt, said)
    return replace(run, response=response, judgements=judgements, running=False, recalled=True)


def _same_turns(response: Response, run: Run, header: Header) -> bool:
    """Whether all that was written in the kept conversation, the system prompt too, is what a model would be sent."""
    system = conversation(run.prompt, header, run.candidate.variant).system
    asked = [] if system is None else [(Role.SYSTEM, system)]
    asked += [(message.role, message.content) for message in run.prompt.messages if message.content is not None]
    return [(turn.role, turn.content) for turn in response.thread if not turn.generated] == asked


def answers(response: Response, prompt: Prompt) -> bool:
    """Whether the written turns of the kept conversation are those of the prompt as it is now."""
    asked = [(message.role, message.content) for message in prompt.messages if message.content is not None]
    said = [(turn.role, turn.content) for turn in response.thread if not turn.generated]
    return [turn for turn in said if turn[0] is Role.USER] == [turn for turn in asked if turn[0] is Role.USER]


def notice_of(run: Run) -> str:
    """What the author should know of where the answer that is shown is from, "" where it was asked for just now."""
    past, response = run.past, run.response
    if past is None:
        return "This answer is kept from earlier. Ctrl+N asks anew." if response is not None and response.reused else ""
    from studio.tui.panes.history import now  # here, as only an earlier run needs them
    from studio.tui.panes.history_view import ago, differs

    scored = "not scored then" if past.headline is None else f"it scored {past.headline} then"
    by = ", by another rubric" if past.headline is not None and differs(past, rubric_digest(run.prompt)) else ""
    said = [f"From {ago(past.began, now())}: {scored}{by}."]
    if response is not None and response.cut:
        said.append(f"The answer: {response.cut}.")
    if response is not None and response.thread and not answers(response, run.prompt):
        said.append("The prompt asked something else.")
    return " ".join([*said, "Esc shows the newest."])


class Past:
    """The History tab of one screen, and the run that is opened from it. Reads the database off the event loop."""

    def __init__(self, screen: BlueprintScreen, evaluating: Evaluating, show_run: Callable[[Run], None]) -> None:
        """`show_run` shows a run in the place of the newest of its prompt."""
        self._screen = screen
        self._evaluating = evaluating
        self._show_run = show_run
        self._place: PromptPlace | None = None
        self._history: History | None = None
        self._prompt: Prompt | None = None
        self._opened: int | None = None
        self._drawn: tuple[object, ...] = ()

    def show_header(self) -> None:
        """The cursor stands in no prompt."""
        self._place = self._prompt = self._history = None
        self._draw()

    def show(self, prompt: Prompt, place: PromptPlace, run: Run | None) -> None:
        """Show the runs of `prompt`, where the tab is open; `run` is the one that is shown beside it."""
        if self._screen.side.open != HISTORY:
            return
        self._prompt = prompt
        self._opened = None if run is None or run.past is None else run.past.number
        if place != self._place:
            self._place = place
            self._read()
        elif self._history is not None:
            self._draw()

    def changed(self, run: Run, event: Event | None) -> None:
        """A run has begun (None) or went on by `event`."""
        if run.place != self._place:
            return
        if self._screen.side.open != HISTORY:
            self._place = None
        elif event is None:
            self._screen.set_timer(_SECONDS_UNTIL_KEPT, self._read)
        elif not run.running:
            self._read()

    def _read(self) -> None:
        self._screen.run_worker(self._read_now(), group="history", exclusive=True)

    async def _read_now(self) -> None:
        from studio.tui.panes.history_view import history

        place = self._place
        if place is None:
            return
        for most in (_FIRST_RUNS, -1):
            try:
                store = self._screen.app.store
                runs = await asyncio.to_thread(store.past_runs, place, most)
                found = await asyncio.to_thread(history, runs)
            except StoreUnavailable as error:
                self._screen.notify(str(error), severity="warning", markup=False)
                return
            if place != self._place:
                return
            self._history = found
            self._draw()
            if len(runs) == runs.total:
                return
            await asyncio.sleep(_SECONDS_UNTIL_ALL)

    def _draw(self) -> None:
        pane, prompt, found = self._screen.side.history, self._prompt, self._history
        if pane is None or not pane.children:  # not there yet, or being taken down
            return
        if prompt is None:
            self._once(("header",), lambda: pane.show_nothing("Header", "Put the cursor into a prompt: F5 runs it."))
        elif found is None or not found.runs:
            self._once((prompt.id,), lambda: pane.show_nothing(prompt.id, _TEACHING))
        else:
            rubric = rubric_digest(prompt)
            self._once(
                (prompt.id, id(found), rubric, self._opened),
                lambda: pane.show(prompt.id, found, rubric=rubric, opened=self._opened),
            )

    def _once(self, what: tuple[object, ...], draw: Callable[[], None]) -> None:
        if self._drawn != what:
            self._drawn = what
            draw()

    def open(self, run: Run, blueprint: Blueprint) -> None:
        """Show the answer of the earlier run `run.past`, held against the rubric of today. Nobody is asked."""
        self._screen.run_worker(self._open(run, blueprint), group="opening", exclusive=True)

    async def _open(self, run: Run, blueprint: Blueprint) -> None:
        past = run.past
        assert past is not None
        try:
            store = self._screen.app.store
            response = await asyncio.to_thread(store.past_response, past.number)
            said = await asyncio.to_thread(store.past_judgements, past.number)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)
            return
        if response is None:
            words = past.words or "It ended before anything was answered."
            self._screen.notify(f"There is no answer in this run. {words}", markup=False)
            return
        if isinstance(run.source, WrittenSource):
            run = replace(run, candidate=replace(run.candidate, source=WrittenSource(response.subject)))
        run = replace(run, response=response, judgements=_by_place(run.prompt, said))
        async with aclosing(self._evaluating.again(run, blueprint)) as events:
            async for event in events:
                if isinstance(event, Scored | AllJudged | Failed):
                    self._show_run(run.after(event))
                    self._screen.show_tab(RESULT)


def _by_place(prompt: Prompt, said: Mapping[str, tuple[Judgement, ...]]) -> dict[int, tuple[Judgement, ...]]:
    """What judges said of criteria, at the places that these have in `prompt`."""
    return {
        index: said[point.text]
        for index, point in enumerate(prompt.points())
        if point.text is not None and point.text in said
    }
