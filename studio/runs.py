"""A run of one prompt: what has arrived of it so far."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
    candidate: Candidate
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
    def source(self) -> AnswerSource:
        """Where its answer comes from."""
        return self.candidate.source

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
                now = replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
                return replace(now, judgements={}, agreement=None)
            case Failed():
                return replace(self, failed=event, response=event.partial or self.response, running=False)
            case _:  # one of several judges: its class is named nowhere, as only runs with judges load it
                said = self.judgements.get(event.index, ())
                return self._with(event.index, (*said, event.judgement))

    def _with(self, index: int, judgements: tuple[Judgement, ...]) -> Run:
        return replace(self, judgements={**self.judgements, index: judgements})
