"""Answers, runs, grades, and replies of judges and services, saved in SQLite as they arrive. Secrets never enter.

One module per kind of record; `Store` is all of them over one file. `recorded` saves one run while it runs: its start,
the answer so far, each judgement, its score and its end.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt
from engine.evaluation.events import (
    Assessed,
    Delta,
    Event,
    Failed,
    JudgingBegan,
    Responded,
    Scored,
)
from engine.evaluation.sources import Candidate
from engine.store.database import PromptPlace, StoreUnavailable
from engine.store.grades import (
    HUMAN,
    UNKNOWN_FORM,
    Grades,
    JudgeForm,
    Lineage,
    Wording,
    WordingVerdict,
    WrittenWording,
)
from engine.store.run_records import PastRun, PastRuns, RunRecords, RunState, rubric_digest, rubric_text
from engine.store.stored_answers import wordings_of

if TYPE_CHECKING:  # only runs with judges load it
    from engine.judging.judgement import Judgement


__all__ = [
    "HUMAN",
    "UNKNOWN_FORM",
    "JudgeForm",
    "Lineage",
    "PastRun",
    "PastRuns",
    "PromptPlace",
    "RunState",
    "Store",
    "StoreUnavailable",
    "Wording",
    "WordingVerdict",
    "WrittenWording",
    "recorded",
    "rubric_digest",
]

SECONDS_BETWEEN_SAVES = 1.0
"""The upper bound of what is lost of a streaming answer if the program dies."""


class Store(RunRecords, Grades):
    """One database file. Safe to use from several threads; every change is on disk when the call returns."""


async def recorded(
    events: AsyncGenerator[Event],
    store: RunRecords,
    place: PromptPlace,
    prompt: Prompt,
    candidate: Candidate,
    *,
    header: Header | None = None,
    stop: asyncio.Event | None = None,
    on_error: Callable[[StoreUnavailable], None],
) -> AsyncGenerator[Event]:
    """Yield the same events, each after it is saved.

    The rubric of `prompt` is saved with the run, with what judges see of `header`. `stop` is the event that ends the
    run early; the run is then saved as stopped. The first database error goes to `on_error`, from any thread, and ends
    the recording but not the run. A stream that is closed early is saved as stopped too.
    """
    recording = _Recording(store, place, candidate, stop or asyncio.Event())
    write = _Writer(on_error)
    async with aclosing(events):
        try:
            await asyncio.to_thread(write, lambda: recording.begin(prompt, header))
            async for event in events:
                if recording.needs_saving(event):
                    await asyncio.to_thread(write, lambda event=event: recording.save(event))
                yield event
        finally:
            if not recording.ended:
                # shielded: a second cancellation must not leave a run that seems to go on
                await asyncio.shield(asyncio.to_thread(write, recording.abandon))


@dataclass(slots=True)
class _Writer:
    """Runs one write after the other: one whose caller was cancelled still ends before the next one begins."""

    on_error: Callable[[StoreUnavailable], None]
    works: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, write: Callable[[], None]) -> None:
        with self.lock:
            if self.works:
                try:
                    write()
                except StoreUnavailable as error:
                    self.works = False
                    self.on_error(error)


@dataclass(slots=True)
class _Recording:
    store: RunRecords
    place: PromptPlace
    candidate: Candidate
    stop: asyncio.Event
    number: int | None = None
    turns: dict[int, list[str]] = field(default_factory=dict[int, "list[str]"])
    saved_at: float = field(default_factory=time.monotonic)
    judgements: set[Judgement] = field(default_factory=set["Judgement"])
    ended: bool = False

    def begin(self, prompt: Prompt, header: Header | None) -> None:
        content = rubric_text(header, prompt)
        self.store.note_wordings(self.place, wordings_of(prompt))
        self.number = self.store.begin_run(self.place, self.candidate, rubric_digest(prompt), content)

    def needs_saving(self, event: Event) -> bool:
        """Whether there is anything to save now. Pieces of the answer are collected, and saved every second."""
        if not isinstance(event, Delta):
            return not isinstance(event, Assessed)  # the last event has the score
        self.turns.setdefault(event.turn, []).append(event.text)
        return time.monotonic() - self.saved_at >= SECONDS_BETWEEN_SAVES

    def save(self, event: Event) -> None:
        """Save the content of an event."""
        if self.number is None:
            return
        match event:
            case Delta():
                self.store.save_partial_answer(self.number, self._arrived())
                self.saved_at = time.monotonic()
            case Responded(response):
                self.store.save_run_answer(self.number, self.place, self.candidate, response)
                self.turns.clear()
            case JudgingBegan(scored):
                self.store.save_run_score(self.number, scored.explanation, scored.response)
            case Scored(response, _, explanation, verdicts):
                for place in sorted(verdicts):  # also cached judgements, which this run did not request
                    self._save_judgements(self.number, verdicts[place].judgements)
                state = RunState.STOPPED if self.stop.is_set() else RunState.SCORED
                self.store.end_run(self.number, state, explanation=explanation, response=response)
                self.ended = True
            case Failed(title, detail, advice, partial, stop=stop):
                if partial is not None and partial.subject:
                    self.store.save_run_answer(self.number, self.place, self.candidate, partial)
                message = " ".join(filter(None, (title, detail, advice)))
                state = RunState.STOPPED if self.stop.is_set() else RunState.FAILED
                self.store.end_run(self.number, state, error_message=message, stop=stop)
                self.ended = True
            case _:
                judgement = getattr(event, "judgement", None)  # only runs with judges load the class of this event
                self._save_judgements(self.number, () if judgement is None else (judgement,))

    def abandon(self) -> None:
        """Save that the run was ended from outside, unless its last event is saved already."""
        if self.number is not None and not self.ended:
            if self.turns:
                self.store.save_partial_answer(self.number, self._arrived())
            self.store.end_run(self.number, RunState.STOPPED)
        self.ended = True

    def _save_judgements(self, number: int, judgements: Iterable[Judgement]) -> None:
        """Save the judgements of this run, each once."""
        for judgement in judgements:
            if judgement not in self.judgements:
                self.store.save_run_judgement(number, judgement)
                self.judgements.add(judgement)

    def _arrived(self) -> str:
        return "\n\n".join(filter(None, map("".join, self.turns.values())))
