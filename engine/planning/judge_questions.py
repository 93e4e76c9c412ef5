"""What judges will be asked about the answers of a plan: each open point in words of which no verdict is cached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.blueprint import Blueprint
from engine.judging.judge_prompt import Question, first_request, questions
from engine.judging.judge_runner import place_of
from engine.judging.panel import Approach, Panel, PanelJudge
from engine.planning.amounts import Amount, together
from engine.planning.cached_results import Before
from engine.planning.exchanges import Exchange, Job
from engine.planning.token_counts import frame_of, tokens_in
from engine.providers.chat import ProviderError, Resolve
from engine.providers.request_key import request_key
from engine.yaml_nodes.nodes import Data


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer and what judges are asked about it.

    `open` has the tokens of each criterion that is open, by its place in `Prompt.points()`; `criteria` of all of them
    together, which are `number`. `questions` is empty where the answer is not known.
    """

    open: Mapping[int, Amount]
    criteria: Amount
    number: int
    turns: int
    shown: Amount
    questions: Mapping[int, Question]


@dataclass(frozen=True, slots=True)
class _Left:
    """What one judge has to be asked about one answer: `open` is the tokens of each of those criteria."""

    answer: _Answer
    open: Mapping[int, Amount]


@dataclass(frozen=True, slots=True)
class _AskedAt:
    """A judge's name at its provider, as it stands in requests, and its place for the keys of the cache."""

    name: str
    place: Data


@dataclass(slots=True)
class Asked:
    """All that judges are asked about, and how many of their verdicts are cached.

    A judge is known by its index: its number among the judges of the panel, or the one behind them for the backup.
    """

    panel: Panel
    description: str | None
    left: dict[int, list[_Left]] = field(default_factory=dict[int, "list[_Left]"])
    points: int = 0
    cached: int = 0

    @classmethod
    def about(
        cls,
        blueprint: Blueprint,
        wanted: Iterable[tuple[Job, Exchange]],
        panel: Panel,
        providers: Resolve,
        before: Before,
    ) -> Asked:
        """What `panel` is asked about the answers of `wanted` that will be there."""
        described = blueprint.header.description
        asked = cls(panel, described if described and described.strip() else None)
        models = {judge.model for judge in judges_of(panel)}
        asked_at = {model: _asked_at(model, providers, blueprint.header.models) for model in models}
        for job, exchanged in wanted:
            if exchanged.is_there:
                answer = _answer(job, exchanged, described)
                if answer.open:
                    asked._take(answer, asked_at, before)
        return asked

    @property
    def open(self) -> int:
        """How many verdicts of the judges, the backup apart, are not there yet."""
        return sum(map(self.number, range(len(self.panel.judges))))

    def number(self, judge_index: int) -> int:
        """How many questions a judge is asked."""
        return sum(len(each.open) for each in self.left.get(judge_index, ()))

    def sent(self, judge_index: int) -> Amount:
        """The tokens of a judge's questions, each asked once."""
        judge = judges_of(self.panel)[judge_index]
        return together(self._tokens(judge, each) for each in self.left.get(judge_index, ()))

    def _take(self, answer: _Answer, asked_at: Mapping[str, _AskedAt], before: Before) -> None:
        there = [
            {
                index
                for index, question in answer.questions.items()
                if self._is_cached(question, judge, asked_at, before)
            }
            for judge in judges_of(self.panel)
        ]
        judges = range(len(self.panel.judges))
        for judge_index in judges:
            self._leave(judge_index, answer, set(answer.open) - there[judge_index])
            self.cached += len(there[judge_index])
        verdicts = {index: sum(index in there[judge_index] for judge_index in judges) for index in answer.open}
        self.points += sum(number < len(judges) for number in verdicts.values())
        for backup in range(len(judges), len(there)):
            wanted = {index for index, number in verdicts.items() if self.panel.needs_backup(number)}
            self._leave(backup, answer, wanted - there[backup])

    def _leave(self, judge_index: int, answer: _Answer, places: set[int]) -> None:
        if places:
            left = _Left(answer, {index: answer.open[index] for index in places})
            self.left.setdefault(judge_index, []).append(left)

    def _is_cached(
        self, question: Question, judge: PanelJudge, asked_at: Mapping[str, _AskedAt], before: Before
    ) -> bool:
        at = asked_at[judge.model]
        request = first_request(question, judge.approach, self.panel.scale, at.name)
        found = None if at.place is None else before.judgement(request_key(at.place, request))
        return found is not None and found.verdict is not None

    def _tokens(self, judge: PanelJudge, left: _Left) -> Amount:
        """The tokens of the questions about one answer: the frame and the conversation each time."""
        is_holistic = judge.approach is Approach.HOLISTIC
        frame = frame_of(judge.approach, self.panel.scale, is_holistic and self.description is not None)
        each = [frame.whole, frame.turn.times(left.answer.turns), left.answer.shown]
        if is_holistic:
            described = [] if self.description is None else [tokens_in(self.description.strip())]
            each += [*described, left.answer.criteria, frame.criterion.times(left.answer.number)]
        return together(each).times(len(left.open)) + together(left.open.values())


def _answer(job: Job, exchanged: Exchange, description: str | None) -> _Answer:
    criteria = {
        index: tokens_in(point.text) for index, point in enumerate(job.prompt.points()) if point.text is not None
    }
    found = {} if exchanged.thread is None else questions(job.prompt, exchanged.thread, description)
    return _Answer(
        {index: tokens for index, tokens in criteria.items() if index not in exchanged.settled},
        together(criteria.values()),
        len(criteria),
        exchanged.turns,
        exchanged.shown,
        {index: question for index, question in found.items() if index not in exchanged.settled},
    )


def judges_of(panel: Panel) -> tuple[PanelJudge, ...]:
    """The judges, and the backup behind them where there is anybody whom it could stand in for."""
    return panel.judges if panel.backup is None or not panel.judges else (*panel.judges, panel.backup)


def _asked_at(model: str, providers: Resolve, custom: Iterable[Data]) -> _AskedAt:
    """As `engine.judging.judge_runner` asks it."""
    try:
        name = providers(model, None)[1]
    except ProviderError:
        name = model.partition(":")[2]
    return _AskedAt(name, place_of(model, custom))
