"""Estimates: amounts of requests, tokens, dollars and seconds, and what each answer of a run and its judges come to.

An amount is a range, and the usual value within it. Tokens are counted in the exact texts that models and judges are
sent. Counts of texts are cached, so that a new plan after an edit costs no more than the edit. For a question to a
judge, the frame is counted once for each approach, and the texts within it separately; the counts add up to that of the
question.

Judges are asked about each criterion in words that is open and has no cached verdict. Models that ignore temperature
are asked once where they would be sent, and paid for, the same request several times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec.structs import astuple

from engine.blueprint import Blueprint, Header, Prompt, Role
from engine.blueprint.conversation import Conversation, ThreadTurn, Variant, conversation, subject_text
from engine.evaluation.answer_stream import CachedAnswer, GivenSource, answer_key, given_answer
from engine.evaluation.events import Failed, Response
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import REQUESTS, AnswerSource, FixtureSource, ModelSource, StoredSource
from engine.judging.judge_prompt import MAX_TOKENS, MAX_TOKENS_AGAIN, Question, first_request, next_request, questions
from engine.judging.judge_runner import (
    Draft,
    JudgementLookup,
    JudgeModels,
    draft_request,
    judge_models,
    next_draft_request,
)
from engine.judging.judgement import Judgement
from engine.judging.panel import Approach, Panel, PanelJudge, Scale
from engine.judging.verdict import NoVerdict, Reason
from engine.models.chat import USUAL_MAX_TOKENS, ChatRequest, ProviderError, Resolve, Turn
from engine.models.prices import Price, TokenRange, longest_answer, tokens_of, tokens_of_messages
from engine.models.provider_registry import answering_place
from engine.scoring.assessment import Criterion
from engine.scoring.explanation import listed
from engine.scoring.sums import place
from engine.text.record import Record, replace
from engine.yaml.nodes import javascript_number


class Requests(Record):
    """A number of requests: `least` if every reply can be read, `most` if judges or services are asked again."""

    least: int = 0
    most: int = 0

    def __add__(self, other: Requests) -> Requests:
        """The sum of both."""
        return Requests(self.least + other.least, self.most + other.most)


class Amount(Record):
    """An estimated number: its lower bound, its usual value and its upper bound."""

    least: float = 0.0
    usual: float = 0.0
    most: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        """The sum of both."""
        return Amount(self.least + other.least, self.usual + other.usual, self.most + other.most)

    def times(self, number: float) -> Amount:
        """This amount, so many times."""
        return Amount(self.least * number, self.usual * number, self.most * number)


NOTHING = Amount()


def counted(tokens: TokenRange) -> Amount:
    """The tokens of a known text. The usual value is a third of the way up, where measured counts lie."""
    return Amount(tokens.low, tokens.low + (tokens.high - tokens.low) / 3, tokens.high)


def highest(amounts: Iterable[Amount]) -> Amount:
    """The highest of all bounds, and of all usual values."""
    return Amount(*map(max, zip(*map(astuple, (NOTHING, *amounts)), strict=True)))


def priced(tokens_in: Amount, tokens_out: Amount, price: Price) -> Amount:
    """The cost of these tokens in dollars."""
    both = zip(astuple(tokens_in), astuple(tokens_out), strict=True)
    return Amount(*((into * price.input + out * price.output) / 1_000_000 for into, out in both))


USUAL_VERDICT = 80
"""Tokens of a reflection of two sentences and a classification."""
USUAL_DRAFT = 300
"""Tokens of the points that a model drafts: some ten short sentences."""
_SIGN = re.compile("<conversation-([0-9a-f]{8})")
_SHORT_SIGN, _LONG_SIGN = "abcdefab", "01234567"
"""The sign is eight hex digits; tokenisers split these two into few and many tokens."""


@lru_cache(maxsize=16_384)
def tokens_in(text: str) -> Amount:
    """The tokens of one text."""
    return counted(tokens_of(text))


@lru_cache(maxsize=16_384)
def tokens_in_message(text: str) -> Amount:
    """The tokens of one message with its overhead."""
    return counted(tokens_of_messages([text]))


class Frame(Record):
    """The tokens of a question to a judge besides the texts in it: in all, for each turn, and for each criterion that
    is shown for context."""

    whole: Amount
    turn: Amount
    criterion: Amount


@lru_cache(maxsize=64)
def frame_of(approach: Approach, scale: Scale, described: bool) -> Frame:
    """The frame of an approach; `described` is whether the blueprint has a description."""
    turn = ThreadTurn(Role.ASSISTANT, "", generated=True)
    nothing = Question("", (), (), "A" if described else None)
    whole = _request_range(nothing, approach, scale)
    with_turn = _request_range(Question("", (turn,), (), nothing.description), approach, scale)
    with_two = _request_range(Question("", (), ("", ""), nothing.description), approach, scale)
    with_one = _request_range(Question("", (), ("",), nothing.description), approach, scale)
    return Frame(counted(whole), _difference(with_turn, whole), _difference(with_two, with_one))


@lru_cache(maxsize=64)
def retry_tokens(approach: Approach, scale: Scale, longest: int) -> float:
    """The upper bound of further tokens that a judge is sent when asked again: its reply (`longest`) and the request
    to answer in form."""
    first = first_request(Question("", ()), approach, scale, "")
    return _added_tokens(first, next_request(first, "A", NoVerdict(Reason.OFF_FORM, "")), longest)


def _added_tokens(first: ChatRequest, again: ChatRequest, longest: int) -> float:
    return longest + tokens_of_messages(turn.content for turn in again.turns[len(first.turns) :]).high


def draft_tokens(draft: Draft, longest: Callable[[int], int]) -> tuple[Amount, Amount]:
    """The tokens that a model is sent for a draft, and those of its replies, up to two; `longest` as below."""
    first = draft_request(draft, "")
    sent, most = counted(tokens_of_messages(turn.content for turn in first.turns)), longest(first.max_tokens)
    again = _added_tokens(first, next_draft_request(first, "A"), most)
    return replace(sent, most=2 * sent.most + again), Amount(0, min(USUAL_DRAFT, most), 2 * most)


def verdict_tokens(points: int, longest: Callable[[int], int]) -> Amount:
    """The tokens of a judge's replies to `points` questions, up to two replies to each. `longest` maps the requested
    limit of tokens to the limit that applies."""
    return Amount(0, USUAL_VERDICT * points, (longest(MAX_TOKENS) + longest(MAX_TOKENS_AGAIN)) * points)


def _request_range(question: Question, approach: Approach, scale: Scale) -> TokenRange:
    texts = [turn.content for turn in first_request(question, approach, scale, "").turns]
    found = _SIGN.search(texts[-1])
    if found is None:
        raise AssertionError("a question to a judge has a sign")
    sign = found[1]
    low = tokens_of_messages(text.replace(sign, _SHORT_SIGN) for text in texts)
    high = tokens_of_messages(text.replace(sign, _LONG_SIGN) for text in texts)
    return TokenRange(low.low, high.high)


def _difference(more: TokenRange, less: TokenRange) -> Amount:
    """The difference of two counts, widened for the rounding of both."""
    return counted(TokenRange(max(0, more.low - less.low - 1), more.high - less.high + 1))


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

    def __init__(self, cache: CacheLookup, providers: Resolve, blueprint: Blueprint) -> None:
        """`providers` resolves the models of the run."""
        self._cache = cache
        self._providers = providers
        self._custom = blueprint.header.models
        self._prompts = blueprint.prompts
        self._requests = {key: [*asked] for key, asked in REQUESTS.copy().items()}

    def reply(self, source: ModelSource, thread: Sequence[ThreadTurn], temperature: float) -> str | None:
        """The cached reply of the model to `thread`; None without one, or if the model is not available here.

        The request is the one that `engine.evaluation.answer_stream` would send.
        """
        try:
            provider, name = self._providers(source.model, source.base_url)
            place = answering_place(source.model, source.base_url, self._custom)
        except ProviderError:
            return None
        turns = tuple(Turn(turn.role, turn.content) for turn in thread)
        request = ChatRequest(name, turns, temperature, source.max_tokens or USUAL_MAX_TOKENS)
        found = self._cache.answer(answer_key(place, provider.recipient, request))
        return None if found is None else found.text

    def given(self, job: Job, talk: Conversation, source: GivenSource) -> Response | Failed:
        """The answer of a source that asks no model, without counting as a request for a saved answer."""
        return given_answer(job.prompt, talk, source, job.variant, self._prompts, self._requests)()


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


def exchange(job: Job, header: Header, known: KnownAnswers) -> Exchange:
    """The estimate for one job; `known` are the known answers of its plan. May block."""
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
    if isinstance(job.source, ModelSource):
        longest = longest_answer(job.source.model, header.models, job.source.max_tokens or USUAL_MAX_TOKENS)
        return _requested(talk, job.source, job, longest, None if job.fresh else known)
    if isinstance(job.source, FixtureSource) and job.prefilled:
        return _complete(talk.answered(job.prefilled))
    given = known.given(job, talk, job.source)
    if isinstance(given, Failed):
        return NO_ANSWER
    if not isinstance(job.source, StoredSource):
        return _complete(given.thread)
    from engine.evaluation.published import settled_points  # here: only published answers need it

    return replace(_complete(given.thread), settled=settled_points(job.prompt, header, job.source, given))


def _complete(thread: tuple[ThreadTurn, ...]) -> Exchange:
    return Exchange(turns=len(thread), shown=sum((tokens_in(turn.content) for turn in thread), NOTHING), thread=thread)


def _requested(talk: Conversation, source: ModelSource, job: Job, longest: int, known: KnownAnswers | None) -> Exchange:
    if not talk.messages and talk.system is None:
        return NO_ANSWER
    if talk.answer is not None:
        return _complete(talk.as_written())
    ideal = job.prompt.ideal
    usual = USUAL_ANSWER if ideal is None else max(1.0, tokens_in(ideal).usual)
    one = Amount(0, min(usual, longest), longest)
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


@dataclass(slots=True)
class JudgeQuestions:
    """All questions of a panel, and the number of verdicts that are cached.

    A judge is identified by its index in `Panel.every_judge`: `numbers` has the number of its questions in one round,
    `tokens` what they come to. `points` counts the points with at least one question.
    """

    panel: Panel
    description: str | None
    numbers: Counter[int] = field(default_factory=Counter[int])
    tokens: dict[int, Amount] = field(default_factory=dict[int, Amount])
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
        models = judge_models(panel, providers, blueprint.header.models)
        for job, answer in wanted:
            if answer.has_answer:
                of, thread = job.verdicts, answer.thread
                found._add(job.prompt, answer, models, of(thread) if of and thread is not None else cache.judgement)
        return found

    @property
    def uncached(self) -> int:
        """The number of verdicts that are not cached, without those of the backup judge."""
        return sum(map(self.number, range(len(self.panel.judges))))

    def number(self, judge_index: int) -> int:
        """The number of questions for one judge, in all rounds."""
        return self.numbers[judge_index] * self.panel.rounds

    def sent(self, judge_index: int) -> Amount:
        """The tokens of all questions for one judge, each sent once."""
        return self.tokens.get(judge_index, NOTHING).times(self.panel.rounds)

    def _add(self, prompt: Prompt, answer: Exchange, models: JudgeModels, cached: JudgementLookup) -> None:
        texts = {index: point.text for index, point in enumerate(prompt.points()) if point.text is not None}
        criteria = {index: tokens_in(text) for index, text in texts.items()}
        asked = criteria.keys() - answer.settled
        known = {} if answer.thread is None or not asked else questions(prompt, answer.thread, self.description)
        found = [
            {index for index in asked & known.keys() if self._is_cached(known[index], judge, models, cached)}
            for judge in self.panel.every_judge
        ]
        judges = range(len(self.panel.judges))
        verdicts = {index: sum(index in found[judge_index] for judge_index in judges) for index in asked}
        self.cached += sum(verdicts.values())
        self.points += sum(number < len(judges) for number in verdicts.values())
        for judge_index, judge in enumerate(self.panel.every_judge):
            is_backup = judge_index not in judges
            wanted = {index for index in asked if not is_backup or self.panel.needs_backup(verdicts[index])}
            if places := wanted - found[judge_index]:
                each = self._frame(judge, answer, criteria.values()).times(len(places))
                each += sum((criteria[index] for index in sorted(places)), NOTHING)
                self.numbers[judge_index] += len(places)
                self.tokens[judge_index] = self.tokens.get(judge_index, NOTHING) + each

    def _is_cached(self, question: Question, judge: PanelJudge, models: JudgeModels, cached: JudgementLookup) -> bool:
        key = models[judge.address].key(question, judge.approach, self.panel.scale)
        found = cached(key) if key else None
        return found is not None and found.verdict is not None

    def _frame(self, judge: PanelJudge, answer: Exchange, criteria: Collection[Amount]) -> Amount:
        """The tokens of one question about an answer without its criterion: the frame and the whole conversation."""
        is_holistic = judge.approach is Approach.HOLISTIC
        frame = frame_of(judge.approach, self.panel.scale, is_holistic and self.description is not None)
        each = frame.whole + frame.turn.times(answer.turns) + answer.shown
        if not is_holistic:
            return each
        described = NOTHING if self.description is None else tokens_in(self.description.strip())
        return each + described + sum(criteria, NOTHING) + frame.criterion.times(len(criteria))


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
