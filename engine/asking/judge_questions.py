"""The questions of a plan's judges: one for each criterion in words that is open and has no cached verdict.

Models that ignore temperature are asked once where they would be sent, and paid for, the same request several times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.asking.amounts import Amount, frame_of, tokens_in, total
from engine.asking.exchanges import CacheLookup, Exchange, Job
from engine.blueprint import Blueprint
from engine.evaluation.sources import ModelSource
from engine.judging.judge_prompt import Question, questions
from engine.judging.judge_runner import JudgementLookup, JudgeModel
from engine.judging.panel import Approach, Panel, PanelJudge
from engine.models.chat import Resolve
from engine.scoring.explanation_text import listed
from engine.text.record import Record
from engine.yaml.nodes import javascript_number


class _Answer(Record):
    """One answer and its criteria.

    `open` has the tokens of each open criterion, by its index in `Prompt.points()`; `criteria` are the tokens of all
    the `number` criteria. `questions` is empty if the answer is not known yet.
    """

    open: Mapping[int, Amount]
    criteria: Amount
    number: int
    turns: int
    shown: Amount
    questions: Mapping[int, Question]


class _OpenQuestions(Record):
    """The questions of one judge about one answer: `open` has the tokens of each criterion."""

    answer: _Answer
    open: Mapping[int, Amount]


@dataclass(slots=True)
class JudgeQuestions:
    """All questions of a panel, and the number of verdicts that are cached.

    A judge is identified by its index in `Panel.every_judge`. `points` counts the points with at least one question.
    """

    panel: Panel
    description: str | None
    questions: dict[int, list[_OpenQuestions]] = field(default_factory=dict[int, "list[_OpenQuestions]"])
    points: int = 0
    cached: int = 0

    @classmethod
    def about(
        cls,
        blueprint: Blueprint,
        wanted: Iterable[tuple[Job, Exchange]],
        panel: Panel,
        providers: Resolve,
        cache: CacheLookup,
    ) -> JudgeQuestions:
        """The questions about those answers of `wanted` that will exist."""
        described = blueprint.header.description
        found = cls(panel, described if described and described.strip() else None)
        ids = {judge.model for judge in panel.every_judge}
        models = {model: JudgeModel.of(model, providers, blueprint.header.models) for model in ids}
        for job, exchanged in wanted:
            if exchanged.has_answer:
                answer = _answer(job, exchanged, described)
                if answer.open:
                    of, thread = job.verdicts, exchanged.thread
                    found._add(answer, models, of(thread) if of and thread is not None else cache.judgement)
        return found

    @property
    def uncached(self) -> int:
        """The number of verdicts that are not cached, without those of the backup judge."""
        return sum(map(self.number, range(len(self.panel.judges))))

    def number(self, judge_index: int) -> int:
        """The number of questions for one judge, in all rounds."""
        return sum(len(each.open) for each in self.questions.get(judge_index, ())) * self.panel.rounds

    def sent(self, judge_index: int) -> Amount:
        """The tokens of all questions for one judge, each sent once."""
        judge = self.panel.every_judge[judge_index]
        once = total(self._tokens(judge, each) for each in self.questions.get(judge_index, ()))
        return once.times(self.panel.rounds)

    def _add(self, answer: _Answer, models: Mapping[str, JudgeModel], cached: JudgementLookup) -> None:
        found = [
            {index for index, question in answer.questions.items() if self._is_cached(question, judge, models, cached)}
            for judge in self.panel.every_judge
        ]
        judges = range(len(self.panel.judges))
        for judge_index in judges:
            self._add_questions(judge_index, answer, set(answer.open) - found[judge_index])
            self.cached += len(found[judge_index])
        verdicts = {index: sum(index in found[judge_index] for judge_index in judges) for index in answer.open}
        self.points += sum(number < len(judges) for number in verdicts.values())
        for backup in range(len(judges), len(found)):
            wanted = {index for index, number in verdicts.items() if self.panel.needs_backup(number)}
            self._add_questions(backup, answer, wanted - found[backup])

    def _add_questions(self, judge_index: int, answer: _Answer, places: set[int]) -> None:
        if places:
            questions = _OpenQuestions(answer, {index: answer.open[index] for index in places})
            self.questions.setdefault(judge_index, []).append(questions)

    def _is_cached(
        self, question: Question, judge: PanelJudge, models: Mapping[str, JudgeModel], cached: JudgementLookup
    ) -> bool:
        key = models[judge.model].key(question, judge.approach, self.panel.scale)
        found = cached(key) if key else None
        return found is not None and found.verdict is not None

    def _tokens(self, judge: PanelJudge, questions: _OpenQuestions) -> Amount:
        """The tokens of the questions about one answer. Each question has the frame and the whole conversation."""
        is_holistic = judge.approach is Approach.HOLISTIC
        frame = frame_of(judge.approach, self.panel.scale, is_holistic and self.description is not None)
        each = [frame.whole, frame.turn.times(questions.answer.turns), questions.answer.shown]
        if is_holistic:
            described = [] if self.description is None else [tokens_in(self.description.strip())]
            each += [*described, questions.answer.criteria, frame.criterion.times(questions.answer.number)]
        return total(each).times(len(questions.open)) + total(questions.open.values())


def _answer(job: Job, exchanged: Exchange, description: str | None) -> _Answer:
    criteria = {
        index: tokens_in(point.text) for index, point in enumerate(job.prompt.points()) if point.text is not None
    }
    found = {} if exchanged.thread is None else questions(job.prompt, exchanged.thread, description)
    return _Answer(
        {index: tokens for index, tokens in criteria.items() if index not in exchanged.settled},
        total(criteria.values()),
        len(criteria),
        exchanged.turns,
        exchanged.shown,
        {index: question for index, question in found.items() if index not in exchanged.settled},
    )


class SameRequests(Record):
    """A model that gets the same requests at two or more `temperatures` (each 0–2), `requests` of them in all."""

    model: str
    temperatures: tuple[float, ...]
    requests: int

    @property
    def sentence(self) -> str:
        """What happens, and what to do."""
        at = listed([javascript_number(each) for each in self.temperatures])
        return (
            f"{self.model} ignores temperature: at {at} it is sent the same requests, and all {self.requests:,} are "
            "paid for. Choose one of the `temperatures`, or a model that takes them."
        )

    @property
    def agreement(self) -> str:
        """The agreement that settings save when the author sends it nevertheless."""
        return f"{self.model} at several temperatures that it ignores"


def by_temperature(wanted: Iterable[tuple[Job, Exchange]]) -> dict[tuple[str, str | None], SameRequests]:
    """The models that are asked at several temperatures, whether they ignore them or not, by id and base URL."""
    found: dict[tuple[str, str | None], dict[float, int]] = {}
    for job, answer in wanted:
        temperature = job.variant.temperature
        if isinstance(job.source, ModelSource) and answer.requests and temperature is not None:
            requests = found.setdefault((job.source.model, job.source.base_url), {})
            requests[temperature] = requests.get(temperature, 0) + answer.requests
    return {
        key: SameRequests(key[0], tuple(sorted(requests)), sum(requests.values()))
        for key, requests in found.items()
        if len(requests) > 1
    }
