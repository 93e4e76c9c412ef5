"""A run of one prompt: what has arrived of it so far."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
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
from engine.evaluation.headline import Headline, headline
from engine.evaluation.sources import AnswerSource, WrittenSource
from engine.providers.chat import Stop
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.store import PromptPlace

if TYPE_CHECKING:  # runs without judges load none of it
    from engine.judging.agreement import Agreement
    from engine.judging.judgement import Judgement
    from engine.store import PastRun

_COUNT = itertools.count()


@dataclass(frozen=True, slots=True)
class Edited:
    """What the author changed: `turns` counts the changed ones among the generated turns, `before` is the run as it was
    before the first change."""

    turns: frozenset[int]
    before: Run


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one prompt as far as it has come.

    `written` is the prompt's source at `revision`, by which a later change is noticed. `arrived` is the text of each
    generated turn so far, `prefilled` those that stood before, and `prefilled_stops` why they ended; `response` is set
    once it is whole, or holds what had arrived when the run ended early. `started` distinguishes runs, `number` their
    states.
    `restored`: the answer was saved earlier. `fresh`: a model is asked again, whatever is cached. `past` is
    the earlier run whose answer it is, where the author opened one. `edited` is what the author changed in the answer.
    `judgements` are those so far, by place in `Prompt.points()`; `waiting` the places that they still have to
    speak of; `judged` that all have spoken, also where no point was open; `agreement` how far they agree then.
    """

    place: PromptPlace
    prompt: Prompt
    written: str
    revision: int
    candidate: Candidate
    prefilled: tuple[str, ...] = ()
    prefilled_stops: tuple[Stop | None, ...] = ()
    arrived: tuple[str, ...] = ()
    response: Response | None = None
    assessed: int = 0
    assessments: tuple[Assessment, ...] = ()
    explanation: Explanation | None = None
    failed: Failed | None = None
    running: bool = True
    restored: bool = False
    fresh: bool = False
    past: PastRun | None = None
    edited: Edited | None = None
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    judged: bool = False
    agreement: Agreement | None = None
    started: int = field(default_factory=_COUNT.__next__)
    number: int = field(default_factory=_COUNT.__next__)

    @property
    def source(self) -> AnswerSource:
        """Who is asked for its answer."""
        return self.candidate.source

    @property
    def answered(self) -> AnswerSource:
        """Where the answer comes from as it is now: an edited one is the author's own."""
        if self.edited is None:
            return self.source
        return WrittenSource("" if self.response is None else self.response.subject)

    @property
    def key(self) -> str:
        """The key under which its answer and its results are kept."""
        return self.candidate.key if self.edited is None else self.answered.key

    @property
    def label(self) -> str:
        """Whose answer it is, as the screen calls it."""
        return self.candidate.label if self.edited is None else f"{self.candidate.label}, edited by you"

    @property
    def headline(self) -> Headline | None:
        """Its score as it may be shown; None before its points are known, and where there are none."""
        shown = None if self.explanation is None else headline(self.explanation, self.response)
        return shown if shown is not None and shown.is_scored else None

    @property
    def state(self) -> str:
        """Where it stands, in a word or two; "" where its score says it."""
        if self.running:
            return "runs"
        if self.failed is not None:
            if self.failed.withheld:
                return "withheld"
            return "stopped" if self.failed.stopped else "failed"
        return "" if self.headline is not None else "no points"

    def after(self, event: Event) -> Run:
        """The run after one more event."""
        now = replace(self._after(event), number=next(_COUNT))
        if self.edited is None or now.response is None or now.response is self.response:
            return now
        return replace(now, response=marked(now.response, self.edited.turns))

    def _after(self, event: Event) -> Run:
        match event:
            case Delta(turn, text):
                before = self.arrived or self.prefilled
                growing = before[turn] if turn < len(before) else ""
                return replace(self, arrived=(*before[:turn], growing + text))
            case Responded(response):
                return replace(self, response=response)
            case Assessed():
                return replace(self, assessed=self.assessed + 1)
            case JudgingBegan(Scored(_, assessments, explanation), waiting):
                now = replace(self, assessments=assessments, explanation=explanation)
                return replace(now, waiting=frozenset(waiting), judgements={}, judged=False, agreement=None)
            case PointAssessed(index, consensus, assessments, explanation):
                now = replace(self, assessed=self.assessed + 1, assessments=assessments, explanation=explanation)
                return replace(now, waiting=self.waiting - {index})._with(index, consensus.judgements)
            case AllJudged(Scored(response, assessments, explanation), points, agreement):
                judgements = {index: consensus.judgements for index, consensus in points.items()}
                now = replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
                return replace(now, waiting=frozenset(), judgements=judgements, judged=True, agreement=agreement)
            case Scored(response, assessments, explanation):
                now = replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
                return replace(now, judgements={}, judged=False, agreement=None)
            case Failed():
                return replace(self, failed=event, response=event.partial or self.response, running=False)
            case _:  # one of several judges: its class is named nowhere, as only runs with judges load it
                judgements = self.judgements.get(event.index, ())
                return self._with(event.index, (*judgements, event.judgement))

    def _with(self, index: int, judgements: tuple[Judgement, ...]) -> Run:
        return replace(self, judgements={**self.judgements, index: judgements})


def marked(response: Response, turns: Collection[int]) -> Response:
    """`response` with those of its generated turns marked as edited, by their number among them."""
    numbers = itertools.count()
    return replace(
        response,
        thread=tuple(
            replace(turn, edited=next(numbers) in turns) if turn.generated else turn for turn in response.thread
        ),
    )


def asks_the_same(response: Response, prompt: Prompt) -> bool:
    """Whether the user's turns of a saved conversation are those of the prompt as it is now."""
    written = [(message.role, message.content) for message in prompt.messages if message.content is not None]
    turns = [(turn.role, turn.content) for turn in response.thread if not turn.generated]
    return [turn for turn in turns if turn[0] is Role.USER] == [turn for turn in written if turn[0] is Role.USER]
