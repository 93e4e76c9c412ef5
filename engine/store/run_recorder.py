"""One run, kept as it goes: that it began, its answer as far as it came, each judgement, its score, how it ended."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import (
    AllJudged,
    Assessed,
    Delta,
    Event,
    Failed,
    JudgingBegan,
    PointAssessed,
    Responded,
    Scored,
)
from engine.store.database import StoreUnavailable
from engine.store.prompt_place import PromptPlace
from engine.store.run_history import RunState, rubric_digest
from engine.store.runs import Runs

if TYPE_CHECKING:  # only runs with judges load it
    from engine.judging.judgement import Judgement

SECONDS_UNKEPT = 1.0
"""How much of an answer that streams in may be lost where the program dies."""


async def recorded(
    events: AsyncGenerator[Event],
    store: Runs,
    place: PromptPlace,
    prompt: Prompt,
    candidate: Candidate,
    *,
    stop: asyncio.Event | None = None,
    trouble: Callable[[StoreUnavailable], None],
) -> AsyncGenerator[Event]:
    """The same events, each yielded once it is saved.

    `stop` is the event that ends the run early: it then counts as stopped. Database errors go to `trouble` once,
    from any thread, and end the recording, not the run. A stream that is closed before its end was stopped.
    """
    recording = _Recording(store, place, candidate, stop or asyncio.Event())
    keep = _Saving(trouble)
    async with aclosing(events):
        try:
            await asyncio.to_thread(keep, lambda: recording.begin(prompt))
            async for event in events:
                if recording.wants(event):
                    await asyncio.to_thread(keep, lambda event=event: recording.hear(event))
                yield event
        finally:
            if not recording.ended:
                # shielded: whoever cancels once more must not leave a run that seems to go on
                await asyncio.shield(asyncio.to_thread(keep, recording.abandon))


@dataclass(slots=True)
class _Saving:
    """Keeps one thing after the other, in threads: one that is not waited for any more ends before the next begins."""

    trouble: Callable[[StoreUnavailable], None]
    works: bool = True
    turn: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, keep: Callable[[], None]) -> None:
        with self.turn:
            if self.works:
                try:
                    keep()
                except StoreUnavailable as error:
                    self.works = False
                    self.trouble(error)


@dataclass(slots=True)
class _Recording:
    store: Runs
    place: PromptPlace
    candidate: Candidate
    stop: asyncio.Event
    number: int | None = None
    turns: dict[int, list[str]] = field(default_factory=dict[int, "list[str]"])
    kept_at: float = field(default_factory=time.monotonic)
    judgements: set[Judgement] = field(default_factory=set["Judgement"])
    ended: bool = False

    def begin(self, prompt: Prompt) -> None:
        self.number = self.store.begin_run(self.place, self.candidate, rubric_digest(prompt))

    def wants(self, event: Event) -> bool:
        """Whether there is anything to keep now; a piece of the answer is noted, and kept every second."""
        if not isinstance(event, Delta):
            return not isinstance(event, Assessed | PointAssessed)  # the last event has the score
        self.turns.setdefault(event.turn, []).append(event.text)
        return time.monotonic() - self.kept_at >= SECONDS_UNKEPT

    def hear(self, event: Event) -> None:
        """Keep what an event says."""
        if self.number is None:
            return
        match event:
            case Delta():
                self.store.run_arrives(self.number, self._arrived())
                self.kept_at = time.monotonic()
            case Responded(response):
                self.store.run_answered(self.number, self.place, self.candidate, response)
                self.turns.clear()
            case JudgingBegan(scored):
                self.store.run_stands(self.number, scored.explanation, scored.response)
            case AllJudged(scored, points):
                for place in sorted(points):  # those from before among them, which were not asked for in this run
                    self._have(self.number, points[place].judgements)
                self._scored(self.number, scored)
            case Scored():
                self._scored(self.number, event)
            case Failed(title, detail, advice, partial, stop=stop):
                if partial is not None and partial.subject:
                    self.store.run_answered(self.number, self.place, self.candidate, partial)
                words = " ".join(filter(None, (title, detail, advice)))
                state = RunState.STOPPED if self.stop.is_set() else RunState.FAILED
                self.store.end_run(self.number, state, words=words, stop=stop)
                self.ended = True
            case _:
                self._judged(self.number, event)

    def _scored(self, number: int, scored: Scored) -> None:
        state = RunState.STOPPED if self.stop.is_set() else RunState.SCORED
        self.store.end_run(number, state, explanation=scored.explanation, response=scored.response)
        self.ended = True

    def abandon(self) -> None:
        """The run was ended from outside, unless its last event is on disk by now."""
        if self.number is not None and not self.ended:
            if self.turns:
                self.store.run_arrives(self.number, self._arrived())
            self.store.end_run(self.number, RunState.STOPPED)
        self.ended = True

    def _judged(self, number: int, event: Event) -> None:
        from engine.judging.judge_runner import JudgeAnswered  # here, as only runs with judges load it

        if isinstance(event, JudgeAnswered):
            self._have(number, (event.judgement,))

    def _have(self, number: int, judgements: Iterable[Judgement]) -> None:
        """Save the judgements of this run, each once."""
        for judgement in judgements:
            if judgement.verdict is not None and judgement not in self.judgements:
                self.store.run_judged(number, judgement)
                self.judgements.add(judgement)

    def _arrived(self) -> str:
        return "\n\n".join(filter(None, map("".join, self.turns.values())))
