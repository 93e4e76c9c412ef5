"""Running prompts: what has arrived of each run, at most one that goes on, and a way to stop it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import (
    AllJudged,
    Assessed,
    Delta,
    Event,
    Failed,
    JudgingBegan,
    PointAssessed,
    Responded,
    Response,
    Scored,
)
from engine.evaluation.sources import AnswerSource
from engine.scoring.aggregation import to_fixed
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.store import PromptPlace

if TYPE_CHECKING:  # runs without judges load none of it
    from engine.judging.agreement import Agreement
    from engine.judging.judgement import Judgement

_COUNT = itertools.count()


@dataclass(frozen=True, slots=True)
class Figure:
    """A score of 0–100 as a whole number; `so_far` tells that points are not judged yet, so that it may still move."""

    score: int
    so_far: bool

    def __str__(self) -> str:
        return f"{self.score}{'?' if self.so_far else ''}"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one prompt as far as it has come.

    `written` is the prompt's source at `revision`, by which a later change is noticed. `arrived` is the text of the
    answer so far; `response` is set once it is whole, or holds what had arrived when the run ended early. `started`
    tells runs apart, `number` tells the states of all runs apart. `recalled`: the answer was kept from earlier.
    `judgements` is what judges said so far, by place in `Prompt.points()`; `waiting` the places that they still have to
    speak of; `agreement` how far they agree, once all have spoken.
    """

    place: PromptPlace
    prompt: Prompt
    written: str
    revision: int
    source: AnswerSource
    arrived: tuple[str, ...] = ()
    response: Response | None = None
    assessed: int = 0
    assessments: tuple[Assessment, ...] = ()
    explanation: Explanation | None = None
    failed: Failed | None = None
    running: bool = True
    recalled: bool = False
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    agreement: Agreement | None = None
    started: int = field(default_factory=_COUNT.__next__)
    number: int = field(default_factory=_COUNT.__next__)

    @property
    def figure(self) -> Figure | None:
        """The score as a whole number, rounded as Weval rounds what it stores; None where nothing is scored."""
        if self.explanation is None or self.explanation.score is None:
            return None
        score = round(float(to_fixed(self.explanation.score, 2)) * 100)
        return Figure(score, so_far=not self.explanation.bounds.closed)

    def after(self, event: Event) -> Run:
        """The run after one more event."""
        return replace(self._after(event), number=next(_COUNT))

    def _after(self, event: Event) -> Run:
        match event:
            case Delta(text=text):
                return replace(self, arrived=(*self.arrived, text))
            case Responded(response):
                return replace(self, response=response)
            case Assessed():
                return replace(self, assessed=self.assessed + 1)
            case JudgingBegan(Scored(_, assessments, explanation), waiting):
                now = replace(self, assessments=assessments, explanation=explanation)
                return replace(now, waiting=frozenset(waiting), judgements={}, agreement=None)
            case PointAssessed(index, consensus, assessments, explanation):
                now = replace(self, assessed=self.assessed + 1, assessments=assessments, explanation=explanation)
                return replace(now, waiting=self.waiting - {index})._with(index, consensus.judgements)
            case AllJudged(Scored(response, assessments, explanation), points, agreement):
                said = {index: consensus.judgements for index, consensus in points.items()}
                now = replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
                return replace(now, waiting=frozenset(), judgements=said, agreement=agreement)
            case Scored(response, assessments, explanation):
                return replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
            case Failed():
                return replace(self, failed=event, response=event.partial or self.response, running=False)
            case _:  # one of several judges: its class is named nowhere, as only runs with judges load it
                said = self.judgements.get(event.index, ())
                return self._with(event.index, (*said, event.judgement))

    def _with(self, index: int, judgements: tuple[Judgement, ...]) -> Run:
        return replace(self, judgements={**self.judgements, index: judgements})


class Evaluate(Protocol):
    """`engine.evaluation.evaluate` with the services bound."""

    def __call__(
        self, prompt: Prompt, blueprint: Blueprint, source: AnswerSource, *, stop: asyncio.Event
    ) -> AsyncIterator[Event]:
        """The stream of events of one run."""
        ...


@dataclass(slots=True)
class _Going:
    key: str
    task: asyncio.Task[None]
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class Runs:
    """The runs of one open file: the newest of each prompt, and at most one that goes on."""

    def __init__(self, changed: Callable[[Run, Event | None], None]) -> None:
        """`changed` is called on the event loop with the run after each event, and the event (None at its start)."""
        self._changed = changed
        self._newest: dict[str, Run] = {}
        self._going: _Going | None = None

    @property
    def any(self) -> bool:
        """Whether any prompt was run."""
        return bool(self._newest)

    @property
    def running(self) -> Run | None:
        """The run that goes on."""
        return None if self._going is None else self._newest[self._going.key]

    def newest(self, place: PromptPlace) -> Run | None:
        """The newest run of a prompt."""
        return self._newest.get(place.prompt)

    def put(self, run: Run, event: Event | None = None) -> None:
        """Let `run` be the newest of its prompt."""
        self._newest[run.place.prompt] = run
        self._changed(run, event)

    def start(self, run: Run, blueprint: Blueprint, evaluate: Evaluate) -> None:
        """Begin `run`, unless another one goes on."""
        if self._going is not None:
            return
        stop = asyncio.Event()
        task = asyncio.create_task(self._follow(run, blueprint, evaluate, stop))
        self._going = _Going(run.place.prompt, task, stop)
        self.put(run)

    def stop(self) -> bool:
        """Ask the run that goes on to end; whether there was one. What had arrived stays."""
        if self._going is None:
            return False
        self._going.stop.set()
        return True

    def abandon(self) -> None:
        """End the run that goes on at once, with nobody left to tell."""
        if self._going is not None:
            self._going.task.cancel()
            self._going = None

    async def _follow(self, run: Run, blueprint: Blueprint, evaluate: Evaluate, stop: asyncio.Event) -> None:
        try:
            async for event in evaluate(run.prompt, blueprint, run.source, stop=stop):
                run = run.after(event)
                if not run.running:
                    self._going = None
                self.put(run, event)
        finally:
            if run.running:
                self._going = None
