"""Running one prompt: what has arrived of each run, one run at a time, and the consent that a recipient needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import Assessed, Delta, Event, Failed, Responded, Response, Scored
from engine.evaluation.sources import AnswerSource
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.store import PromptPlace


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one prompt as far as it has come.

    `arrived` is the text of the answer so far; `response` is set once it is whole. `cancelled` tells that the author
    stopped it: what had arrived is still here.
    """

    place: PromptPlace
    prompt: Prompt
    source: AnswerSource
    revision: int
    arrived: str = ""
    response: Response | None = None
    assessments: dict[int, Assessment] = field(default_factory=dict)
    explanation: Explanation | None = None
    failed: Failed | None = None
    running: bool = True
    cancelled: bool = False

    @property
    def stored(self) -> int | None:
        """The score as Weval would store it, 0–100; None where nothing is scored."""
        if self.explanation is None or self.explanation.score is None:
            return None
        stored = self.explanation.weval.stored
        return None if stored is None else round(stored * 100)

    def after(self, event: Event) -> Run:
        """The run after one more event."""
        match event:
            case Delta(text=text):
                return replace(self, arrived=self.arrived + text)
            case Responded(response):
                return replace(self, response=response, arrived=response.subject)
            case Assessed(index, assessment):
                return replace(self, assessments=self.assessments | {index: assessment})
            case Scored(response, assessments, explanation):
                return replace(
                    self,
                    response=response,
                    arrived=response.subject,
                    assessments=dict(enumerate(assessments)),
                    explanation=explanation,
                    running=False,
                )
            case Failed():
                partial = event.partial
                arrived = self.arrived if partial is None else partial.subject
                return replace(self, failed=event, response=partial or self.response, arrived=arrived, running=False)


Evaluate = Callable[[Prompt, Blueprint, AnswerSource], AsyncIterator[Event]]
"""`engine.evaluation.evaluate` with everything but the three bound."""


class Runs:
    """The runs of one open file: the last one of each prompt, and at most one that is running."""

    def __init__(self, changed: Callable[[Run], None]) -> None:
        """`changed` is called on the event loop after every event of a run."""
        self._changed = changed
        self._last: dict[str, Run] = {}
        self._task: asyncio.Task[None] | None = None
        self._running: str | None = None

    @property
    def running(self) -> Run | None:
        """The run that is going on."""
        return None if self._running is None else self._last[self._running]

    def last(self, place: PromptPlace) -> Run | None:
        """The newest run of a prompt."""
        return self._last.get(place.prompt)

    def put(self, run: Run) -> None:
        """Replace the newest run of its prompt, such as after a grade."""
        self._last[run.place.prompt] = run
        self._changed(run)

    def start(self, run: Run, blueprint: Blueprint, evaluate: Evaluate) -> None:
        """Begin `run`. One that is going on is stopped first."""
        self.cancel()
        self._running = run.place.prompt
        self.put(run)
        self._task = asyncio.create_task(self._follow(run, blueprint, evaluate))

    def cancel(self) -> bool:
        """Stop the run that is going on; whether there was one. What had arrived stays."""
        run = self.running
        if run is None or self._task is None:
            return False
        self._task.cancel()
        self._task = self._running = None
        self.put(replace(run, running=False, cancelled=True))
        return True

    async def _follow(self, run: Run, blueprint: Blueprint, evaluate: Evaluate) -> None:
        async for event in evaluate(run.prompt, blueprint, run.source):
            run = run.after(event)
            if not run.running:
                self._task = self._running = None
            self.put(run)
