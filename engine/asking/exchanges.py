"""Estimates of a run's answers: what models are sent for them, what is cached, and what judges are asked.

Judges are asked about each criterion in words that is open and has no cached verdict. Models that ignore temperature
are asked once where they would be sent, and paid for, the same request several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.asking.amounts import NOTHING, Amount, frame_of, tokens_in, tokens_in_message, total
from engine.blueprint import Blueprint, Header, Prompt
from engine.blueprint.conversation import Conversation, ThreadTurn, Variant, conversation, subject_text
from engine.evaluation.answer_stream import CachedAnswer, answer_key
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import (
    AnswerSource,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    StoredSource,
    WrittenSource,
    control_answer,
)
from engine.judging.judge_prompt import Question, questions
from engine.judging.judge_runner import JudgementLookup, JudgeModel
from engine.judging.judgement import Judgement
from engine.judging.panel import Approach, Panel, PanelJudge
from engine.models.chat import USUAL_MAX_TOKENS, ChatRequest, ProviderError, Resolve, Turn
from engine.models.prices import longest_answer
from engine.models.provider_registry import answering_place
from engine.scoring.assessment import Criterion
from engine.scoring.explanation_text import listed
from engine.scoring.sums import place
from engine.text.record import Record, replace
from engine.yaml.nodes import javascript_number

if TYPE_CHECKING:
    from engine.evaluation.fixtures import FixturePreview


def _nothing(_: str) -> None:
    return None


class CacheLookup(Record):
    """Functions that look up cached results by `engine.models.chat`. Both block and never raise disk errors.

    The key of an answer is that of `engine.evaluation.answer_stream.answer_key`. By default nothing is cached.
    """

    answer: Callable[[str], CachedAnswer | None] = _nothing
    judgement: Callable[[str], Judgement | None] = _nothing


NOTHING_CACHED = CacheLookup()


class KnownAnswers:
    """The answers of one plan that are known before its run: cached or saved ones.

    Methods block, and must be called in the order of the runs.
    """

    def __init__(
        self, cache: CacheLookup = NOTHING_CACHED, providers: Resolve | None = None, blueprint: Blueprint | None = None
    ) -> None:
        """`providers` resolves the models of the run."""
        self._cache = cache
        self._providers = providers
        self._custom = () if blueprint is None else blueprint.header.models
        self._prompts = () if blueprint is None else blueprint.prompts
        self._rehearsal: FixturePreview | None = None

    def reply(self, source: ModelSource, thread: Sequence[ThreadTurn], temperature: float) -> str | None:
        """The cached reply of the model to `thread`; None without one, or if the model is not available here.

        The request is the one that `engine.evaluation.answer_stream` would send.
        """
        if self._providers is None:
            return None
        try:
            provider, name = self._providers(source.model, source.base_url)
            place = answering_place(source.model, source.base_url, self._custom)
        except ProviderError:
            return None
        turns = tuple(Turn(turn.role, turn.content) for turn in thread)
        request = ChatRequest(name, turns, temperature, source.max_tokens or USUAL_MAX_TOKENS)
        found = self._cache.answer(answer_key(place, provider.recipient, request))
        return None if found is None else found.text

    def saved(
        self, prompt: Prompt, talk: Conversation, source: FixtureSource, variant: Variant
    ) -> tuple[ThreadTurn, ...] | None:
        """The conversation with the saved answer in it; None without a usable one."""
        if self._rehearsal is None:
            from engine.evaluation.fixtures import FixturePreview  # here, as it brings pydantic

            self._rehearsal = FixturePreview()
        return self._rehearsal.thread(prompt, talk, source, variant, self._prompts)


USUAL_ANSWER = 400
"""The tokens of a usual answer to a prompt without an ideal."""

_AS_WRITTEN = Variant()


class Job(Record):
    """One answer of a planned run.

    `prefilled` are generated turns that exist already and are not requested. `thread` is the whole conversation, if it
    exists and is only to be judged. `fresh` requests the answer even if it is cached. Judges are not asked about the
    points at the places in `settled` (indexes of `Prompt.points()`), nor about those that the author graded: `grades`
    returns the author's grades of an answer, `verdicts` finds what judges have said of it; both may block.
    """

    prompt: Prompt
    source: AnswerSource
    variant: Variant = _AS_WRITTEN
    prefilled: tuple[str, ...] = ()
    thread: tuple[ThreadTurn, ...] | None = None
    fresh: bool = False
    settled: frozenset[int] = frozenset()
    grades: Callable[[str], Grades] | None = None
    verdicts: Callable[[tuple[ThreadTurn, ...]], JudgementLookup] | None = None


class Exchange(Record):
    """The estimate for one answer.

    `requests` go to the model one after the other, with `sent` and `received` tokens in all; `cached_turns` counts the
    generated turns that are cached and not requested. Judges are shown `turns` turns of `shown` tokens; `thread` has
    those turns if all are known. `has_answer` is whether there will be anything to judge; judges are not asked about
    the points at the places in `settled`.
    """

    requests: int = 0
    sent: Amount = NOTHING
    received: Amount = NOTHING
    turns: int = 0
    shown: Amount = NOTHING
    has_answer: bool = True
    cached_turns: int = 0
    thread: tuple[ThreadTurn, ...] | None = None
    settled: frozenset[int] = frozenset()


NO_ANSWER = Exchange(has_answer=False)


def exchange(job: Job, header: Header, known: KnownAnswers | None = None) -> Exchange:
    """The estimate for one job; `known` are the known answers of its plan. May block."""
    known = known or KnownAnswers()
    answer = _answer(job, conversation(job.prompt, header, job.variant), header, known)
    settled = answer.settled | job.settled
    if answer.thread is not None and job.grades is not None:
        settled |= graded_places(job.prompt, job.grades(subject_text(answer.thread)))
    return replace(answer, settled=settled)


def graded_places(prompt: Prompt, grades: Grades) -> frozenset[int]:
    """The indexes in `Prompt.points()` of the criteria that the author graded."""
    return frozenset(
        index
        for index, placed in enumerate(place(prompt))
        if (text := placed.point.text) is not None and Criterion(placed.rubric.block, text) in grades
    )


def _answer(job: Job, talk: Conversation, header: Header, known: KnownAnswers) -> Exchange:
    if job.thread is not None:
        return _complete(job.thread)
    match job.source:
        case IdealSource():
            return NO_ANSWER if job.prompt.ideal is None else _written(talk, job.prompt.ideal)
        case WrittenSource(text):
            return _written(talk, text) if text.strip() else NO_ANSWER
        case ControlSource(kind):
            return _written(talk, control_answer(kind, job.prompt))
        case ModelSource(model, max_tokens=most):
            longest = longest_answer(model, header.models, most or USUAL_MAX_TOKENS)
            return _requested(talk, job.source, job, longest, None if job.fresh else known)
        case FixtureSource():
            if job.prefilled:
                return _written(talk, *job.prefilled)
            saved = known.saved(job.prompt, talk, job.source, job.variant)
            return NO_ANSWER if saved is None else _complete(saved)
        case StoredSource():
            from engine.evaluation.published import preview_answer  # here: only published answers need it

            published = preview_answer(job.prompt, header, talk, job.source)
            return NO_ANSWER if published is None else replace(_complete(published[0].thread), settled=published[1])


def usual_answer(prompt: Prompt) -> float:
    """The usual number of tokens of an answer to a prompt: that of its ideal, if it has one."""
    return USUAL_ANSWER if prompt.ideal is None else max(1.0, tokens_in(prompt.ideal).usual)


def _written(talk: Conversation, *answers: str) -> Exchange:
    return _complete(talk.answered(answers))


def _complete(thread: tuple[ThreadTurn, ...]) -> Exchange:
    return Exchange(turns=len(thread), shown=total(tokens_in(turn.content) for turn in thread), thread=thread)


def _unknown(longest: int, usual: float) -> Amount:
    return Amount(0, min(usual, longest), longest)


def _requested(talk: Conversation, source: ModelSource, job: Job, longest: int, known: KnownAnswers | None) -> Exchange:
    if not talk.messages and talk.system is None:
        return NO_ANSWER
    if talk.answer is not None:
        return _complete(talk.as_written())
    one = _unknown(longest, usual_answer(job.prompt))
    so_far = tokens_in_message(talk.system) if talk.system is not None else NOTHING
    shown = tokens_in(talk.system) if talk.system is not None else NOTHING
    sent = received = NOTHING
    requests = generated = cached_turns = 0
    thread = [*talk.opening()]
    for message in talk.messages:
        text = message.content
        is_known = requests == 0
        if text is None and generated < len(job.prefilled):
            text = job.prefilled[generated]
        elif text is None and is_known and known is not None:
            text = known.reply(source, thread, talk.temperature)
            cached_turns += text is not None
        generated += message.content is None
        if text is None:
            requests += 1
            sent += so_far
            received += one
            so_far += one + tokens_in_message("")
            shown += one
        else:
            so_far += tokens_in_message(text)
            shown += tokens_in(text)
            thread.append(ThreadTurn(message.role, text, generated=message.content is None, written=message))
    return Exchange(
        requests,
        sent,
        received,
        len(talk.messages) + (talk.system is not None),
        shown,
        cached_turns=cached_turns,
        thread=None if requests else tuple(thread),
    )


class _JudgedAnswer(Record):
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

    answer: _JudgedAnswer
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
                answer = _with_questions(job, exchanged, described)
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

    def _add(self, answer: _JudgedAnswer, models: Mapping[str, JudgeModel], cached: JudgementLookup) -> None:
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

    def _add_questions(self, judge_index: int, answer: _JudgedAnswer, places: set[int]) -> None:
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


def _with_questions(job: Job, exchanged: Exchange, description: str | None) -> _JudgedAnswer:
    criteria = {
        index: tokens_in(point.text) for index, point in enumerate(job.prompt.points()) if point.text is not None
    }
    found = {} if exchanged.thread is None else questions(job.prompt, exchanged.thread, description)
    return _JudgedAnswer(
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
