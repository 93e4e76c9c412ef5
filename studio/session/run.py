"""A run of one prompt, as far as it has come."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import Stop
from engine.evaluation.events import (
    Assessed,
    Delta,
    Event,
    Failed,
    JudgingBegan,
    Responded,
    Response,
    Scored,
)
from engine.evaluation.headline import Headline, headline
from engine.evaluation.sources import AnswerSource, Candidate, WrittenSource
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.store import PastRun, PromptPlace
from engine.text.record import Record, field, replace

if TYPE_CHECKING:  # runs without judges load none of it
    from engine.judging.judgement import Agreement, Judgement
    from engine.parsing import Parsed

_COUNT = itertools.count()


class Edited(Record):
    """The author's edits of an answer.

    `turns` are the numbers of the edited turns among the generated ones, `before` is the run before the first edit.
    """

    turns: frozenset[int]
    before: Run


class Run(Record):
    """One run of one prompt, as far as it has come.

    `written` is the prompt's source at `revision`; comparing it with the text shows whether the prompt changed.
    `arrived` is the text of each generated turn so far, `prefilled` the turns before them, and `prefilled_stops` why
    those ended. `response` is set once the answer is complete, or holds the part that arrived before the run ended
    early. `started` identifies the run, `number` each state of it.

    `restored`: the answer was saved earlier; `last` is its run in an earlier session, if known. `fresh`: the model is
    asked even if an answer is cached. `past` is the earlier run that the author opened. `edited` holds the author's
    edits of the answer.

    `judgements` are those so far, by place in `Prompt.points()`, and `waiting` the places without a verdict yet.
    `before` is the score of the run that it took the place of. `judged`: the judges have finished, even if no point was
    open. `agreement` is theirs once they have.
    """

    place: PromptPlace
    prompt: Prompt
    written: str
    candidate: Candidate
    revision: int = 0
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
    last: PastRun | None = None
    edited: Edited | None = None
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    judged: bool = False
    agreement: Agreement | None = None
    before: Headline | None = None
    started: int = field(default_factory=_COUNT.__next__)
    number: int = field(default_factory=_COUNT.__next__)

    @classmethod
    def of(cls, parsed: Parsed, prompt: Prompt, candidate: Candidate, **more: Any) -> Run:
        """A run of a prompt of a text, with `more` of its fields."""
        place = PromptPlace.of(parsed.path, prompt)
        return cls(place, prompt, prompt.span.of(parsed.text), candidate, **more)

    @property
    def slot(self) -> tuple[str, str]:
        """Where it stands among the runs of a file: its prompt and its candidate."""
        return self.place.prompt, self.candidate.key

    @property
    def source(self) -> AnswerSource:
        """Where its answer comes from."""
        return self.candidate.source

    @property
    def answered(self) -> AnswerSource:
        """The source of the present answer: an edited one is the author's own."""
        if self.edited is None:
            return self.source
        return WrittenSource("" if self.response is None else self.response.subject)

    @property
    def key(self) -> str:
        """The key under which its answer and results are saved."""
        return self.candidate.key if self.edited is None else self.answered.key

    @property
    def label(self) -> str:
        """The name of its answer on the screen."""
        return self.candidate.label if self.edited is None else f"{self.candidate.label}, edited by you"

    @property
    def headline(self) -> Headline | None:
        """Its score; None before the points are assessed, and if there are none."""
        shown = None if self.explanation is None else headline(self.explanation, self.response)
        return shown if shown is not None and shown.is_scored else None

    @property
    def is_stopped(self) -> bool:
        """Whether the author ended it before there was a score."""
        return self.failed is not None and self.failed.stopped and self.explanation is None

    @property
    def state(self) -> str:
        """Its state in a word or two; "" if it has a score."""
        if self.running:
            return "runs"
        if self.failed is not None:
            if self.failed.withheld:
                return "withheld"
            return "stopped" if self.failed.stopped else "failed"
        return "" if self.headline is not None else "no criteria"

    def after(self, event: Event) -> Run:
        """The run after one more event."""
        now = replace(self._after(event), number=next(_COUNT))
        if self.last is not None and _subject(now) != _subject(self):
            now = replace(now, last=None, restored=False)  # another answer than that of the run
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
            case Assessed(index, _, scored):
                now = replace(self, assessed=self.assessed + 1)
                if scored is None:
                    return now
                now = replace(now, assessments=scored.assessments, explanation=scored.explanation)
                return replace(now, waiting=self.waiting - {index})._with(index, scored.verdicts[index].judgements)
            case JudgingBegan(Scored(_, assessments, explanation), waiting):
                now = replace(self, assessments=assessments, explanation=explanation)
                return replace(now, waiting=frozenset(waiting), judgements={}, judged=False, agreement=None)
            case Scored(response, assessments, explanation, verdicts, agreement, judged):
                judgements = {index: consensus.judgements for index, consensus in verdicts.items()}
                now = replace(self, response=response, assessments=assessments, explanation=explanation, running=False)
                return replace(now, waiting=frozenset[int](), judgements=judgements, judged=judged, agreement=agreement)
            case Failed():
                return replace(self, failed=event, response=event.partial or self.response, running=False)
            case _:  # a verdict of one judge; its class is not imported here, as only runs with judges load it
                judgements = self.judgements.get(event.index, ())
                return self._with(event.index, (*judgements, event.judgement))

    def _with(self, index: int, judgements: tuple[Judgement, ...]) -> Run:
        return replace(self, judgements={**self.judgements, index: judgements})


def _subject(run: Run) -> str | None:
    return None if run.response is None else run.response.subject


def marked(response: Response, turns: Collection[int]) -> Response:
    """`response` with some generated turns marked as edited: those with these numbers among the generated ones."""
    numbers = itertools.count()
    thread = (replace(turn, edited=next(numbers) in turns) if turn.generated else turn for turn in response.thread)
    return replace(response, thread=tuple(thread))


def has_same_questions(response: Response, prompt: Prompt) -> bool:
    """Whether the user's turns of a saved conversation are those of the present prompt."""
    asked = [each.content for each in prompt.messages if each.role is Role.USER and each.content is not None]
    return asked == [turn.content for turn in response.thread if turn.role is Role.USER and not turn.generated]


def messages_of(prompt: Prompt) -> list[tuple[str, str | None]]:
    """The messages of a prompt, as pairs of role and content."""
    return [(message.role, message.content) for message in prompt.messages]
