"""The view of the criteria of one prompt: its result as far as it has come, and how to get one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Failed
from engine.evaluation.tool_use import ToolUse, tool_use
from engine.evidence.passages import closest_sentence, quotes_found
from engine.judging.verdict import Verdict
from engine.models.prices import OwnPrices
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place as placed
from engine.store import PastRun, rubric_digest
from engine.study.criterion_counts import MetBy
from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, field
from engine.text.spans import Span, count
from studio.session.analysis import Analysis
from studio.session.run import Run, has_same_questions
from studio.session.views import figures
from studio.session.views.answer_cost import judges_cost
from studio.session.views.case_view import PromptCases
from studio.session.views.criterion_view import counted, judge_names
from studio.session.views.figures import ago
from studio.session.views.history_view import differs

if TYPE_CHECKING:
    from engine.evaluation.headline import Headline
    from engine.evaluation.sources import Candidate
    from engine.evidence.prompt_evidence import CheckEvidence
    from engine.judging.judgement import Agreement, Judgement
    from studio.session.what_if import Hypothesis


class CandidateScore(Record):
    """The score of one of several candidates; `state` says why a headline is missing."""

    key: str
    label: str
    headline: Headline | None
    state: str
    shown: bool


class TextScores(Record):
    """The scores of criteria (0–1) as they count, by the offsets of their ends in the text at `revision`."""

    revision: int
    scores: tuple[tuple[int, float], ...] = ()


class Evidence(Record):
    """Places in an answer. `is_closest`: the sentence closest to a criterion, which is not evidence."""

    spans: tuple[Span, ...] = ()
    is_closest: bool = False


class JudgeWord(Record):
    """What one judge says of a criterion: its verdict as it counts (0–1, None without one), and its reason.

    `failure` says why it has no verdict, `on_weval` what Weval reads in the same reply, "" where that is the same. All
    may be untrusted.
    """

    judge: str
    extent: float | None
    reason: str
    failure: str = ""
    on_weval: str = ""


class ResultView(Record):
    """The result of one prompt with one answer source, as far as it has come.

    `answers` names the source ("the ideal"). Without a run, `teaching` says how to get one. `is_scored`: the answer has
    a score. `running` says what the run is doing; None if it is not running. `started` is the number of the run, and
    `newest` that of the newest run of the prompt, 0 without one. `stale`: the prompt or its rubric changed since.
    `assessments` are in the order of `Prompt.points()`, open before the answer is checked. `fixable` are the places in
    the blueprint with a fix. `is_unread`: part of the prompt, or of the file, cannot be read now.

    `judgements` are those so far, by place in `Prompt.points()`, and `waiting` the places without a verdict yet.
    `agreement` is that of the judges, `judges_cost` their cost, "" if it is zero or unknown.

    `beside` are all candidates if there are several. `tools` is the tool use of the answer, None if no tools are
    involved. `headline` is that of the run; without it, the one of the explanation is used. `wanted` is the score (0–1)
    that the author expected. `answer` is the text that is judged, "" until it is complete; `evidence` is what its
    checks found, by place, once it is collected. `met_by` says how many other models meet each point; `circular`, how
    many points were drafted from the ideal, "" for none. `tried` are the changes that the author tries. `judge_price`
    is what it costs to have judged what is open, "" before that is known; None where nothing is, or nobody judges.
    """

    prompt: Prompt
    answers: str
    explanation: Explanation
    assessments: tuple[Assessment, ...] = ()
    is_scored: bool = True
    teaching: str = ""
    failed: Failed | None = None
    running: str | None = None
    started: int = 0
    newest: int = 0
    stale: bool = False
    is_unread: bool = False
    fixable: tuple[Span, ...] = ()
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    agreement: Agreement | None = None
    judges_cost: str = ""
    beside: tuple[CandidateScore, ...] = ()
    notice: str = ""
    tools: ToolUse | None = None
    headline: Headline | None = None
    cases: PromptCases | None = None
    wanted: float | None = None
    answer: str = ""
    evidence: Mapping[int, CheckEvidence] = field(default_factory=dict[int, "CheckEvidence"])
    met_by: tuple[MetBy, ...] = ()
    circular: str = ""
    tried: Hypothesis | None = None
    judge_price: str | None = None

    def words(self, place: int) -> tuple[JudgeWord, ...]:
        """What each judge says of the criterion at `place`."""
        return judge_words(self.assessments[place], self.judgements.get(place, ()))

    def lit(self, place: int) -> Evidence:
        """The places in the answer that the verdict on the point at `place` is based on, else the closest sentence."""
        checked, judgements = self.evidence.get(place), self.judgements.get(place, ())
        found = () if checked is None else checked.spans
        found = found or self.assessments[place].evidence or quoted_by_judges(judgements, self.answer)
        if found:
            return Evidence(found)
        near = () if checked is None else tuple(miss.span for miss in checked.misses)
        near = near or closest_to_point(self.prompt, place, self.answer)
        return Evidence(near, bool(near))


def judge_words(assessment: Assessment, judgements: Sequence[Judgement]) -> tuple[JudgeWord, ...]:
    """What each judge says of a criterion; of a published result, what its judges said."""
    labels = [each.judge.label for each in judgements] or [each.judge for each in assessment.published]
    different = list(dict.fromkeys(labels))
    names = dict(zip(different, judge_names(different), strict=True))
    inverted = assessment.placed.inverted
    if judgements:
        return tuple(_word(names[each.judge.label], each, inverted=inverted) for each in judgements)
    return tuple(
        JudgeWord(
            names[each.judge],
            None if each.extent is None else counted(each.extent, inverted=inverted),
            each.reflection,
        )
        for each in assessment.published
    )


def _word(name: str, judgement: Judgement, *, inverted: bool) -> JudgeWord:
    reading, there = judgement.last.reading, judgement.last.reading.on_weval
    weval = ""
    if there is not None:
        wants = "it wants both tags, plain and closed" if there.extent is None else "it takes the first class"
        weval = f"Weval reads {there} in this reply: {wants}"
    if isinstance(reading, Verdict):
        return JudgeWord(name, counted(reading.extent, inverted=inverted), reading.reflection, "", weval)
    return JudgeWord(name, None, judgement.last.reply if reading.named else reading.advice, reading.message, weval)


def blank_view(prompt: Prompt) -> ResultView:
    """The criteria of a prompt that was not run."""
    assessments = _unjudged(prompt)
    return ResultView(prompt, "", explain(prompt, assessments), assessments, is_scored=False)


def _unjudged(prompt: Prompt) -> tuple[Assessment, ...]:
    return tuple(map(Assessment, placed(prompt)))


def result_view(
    analysis: Analysis,
    prompt: Prompt,
    run: Run,
    beside: Sequence[tuple[Candidate, Run | None]],
    own_prices: OwnPrices,
    newest: int,
    wanted: float | None,
    cases: PromptCases | None,
    evidence: Mapping[int, CheckEvidence],
    met: tuple[MetBy, ...],
    circular: str,
    tried: Hypothesis | None,
    judge_price: str | None,
) -> ResultView:
    """The result of `run`, a run of `prompt`. `beside` are all candidates, each with its newest run."""
    response, header = run.response, analysis.header
    assessments = run.assessments or _unjudged(run.prompt)
    return ResultView(
        run.prompt,
        answers_label(run),
        run.explanation or explain(run.prompt, assessments),
        assessments,
        is_scored=run.explanation is not None,
        failed=run.failed,
        running=progress_text(run) if run.running else None,
        started=run.started,
        newest=newest,
        stale=is_stale(analysis, prompt, run),
        is_unread=prompt.is_cut_off,
        fixable=tuple([each.span for each in fixable(analysis, prompt)]),
        judgements=run.judgements,
        waiting=run.waiting,
        agreement=run.agreement,
        judges_cost=judges_cost(run, header, own_prices),
        beside=tuple(_score_of(candidate, other, run) for candidate, other in beside),
        notice=notice_of(run),
        tools=None if response is None else tool_use(run.prompt, header, response.subject, run.assessments),
        headline=run.headline,
        wanted=wanted,
        cases=cases,
        answer=response.subject if response is not None and run.assessments else "",
        evidence=evidence,
        met_by=met,
        circular=circular,
        tried=tried,
        judge_price=judge_price,
    )


def quoted_by_judges(judgements: Sequence[Judgement], answer: str) -> tuple[Span, ...]:
    """The places in `answer` of what judges quote in their reflections."""
    if not judgements:
        return ()
    readings = (judgement.last.reading for judgement in judgements)
    return quotes_found([each.reflection for each in readings if isinstance(each, Verdict)], answer)


def closest_to_point(prompt: Prompt, place: int, answer: str) -> tuple[Span, ...]:
    """The place in `answer` of the sentence that is closest to a point in words, by its place in `Prompt.points()`."""
    points = list(prompt.points())
    text = points[place].text if place < len(points) else None
    found = None if text is None else closest_sentence(text, answer)
    return () if found is None else (found,)


def is_stale(analysis: Analysis, prompt: Prompt, run: Run) -> bool:
    """Whether `prompt` or its rubric changed since `run`."""
    return prompt.span.of(analysis.parsed.text).strip() != run.written.strip()


def fixable(analysis: Analysis, prompt: Prompt) -> list[Diagnostic]:
    """The problems within `prompt` that have a fix."""
    found = analysis.diagnostics or ()
    first = bisect_left(found, prompt.span.start, key=lambda each: each.span.start)
    last = bisect_right(found, prompt.span.end, key=lambda each: each.span.start)
    return [each for each in found[first:last] if each.fixes]


def answers_label(run: Run) -> str:
    """The name of the answer of a run on the screen."""
    if run.last is not None:
        return f"{run.label}, {ago(run.last.began, figures.now())}"
    return run.label + (", saved earlier" if run.restored else "")


def progress_text(run: Run) -> str:
    """What a run is doing, and the key that stops it."""
    if run.response is not None:
        if run.waiting:
            criteria = count(len(run.waiting), "criterion", "criteria")
            return f"Judges have {criteria} to go … F5 stops it; their verdicts stay."
        return "Checking the criteria … F5 stops it."
    return f"Waiting for {run.candidate.label} … F5 stops it; what has arrived stays."


def notice_of(run: Run) -> str:
    """A notice on an answer that is cached or from an earlier run; "" for a new one."""
    past, response = run.past, run.response
    if past is None and run.last is not None:
        return _last_text(run.last, rubric_digest(run.prompt))
    if past is None and run.is_stopped and run.before is not None:
        return f"The last score stays: {run.before}."
    if past is None:
        return "This answer is cached. Ctrl+N requests a new one." if response is not None and response.reused else ""
    sentences = [f"From {ago(past.began, figures.now())}: {_scored_then(past, rubric_digest(run.prompt))}."]
    if response is not None and response.cut:
        sentences.append(f"The answer: {response.cut}.")
    if response is not None and response.thread and not has_same_questions(response, run.prompt):
        sentences.append("The prompt asked something else.")
    return " ".join([*sentences, "Esc shows the newest."])


def _scored_then(past: PastRun, rubric: str) -> str:
    scored = "not scored then" if past.headline is None else f"{past.headline.said('it scored')} then"
    return scored + (", by another rubric" if past.headline is not None and differs(past, rubric) else "")


def _last_text(last: PastRun, rubric: str) -> str:
    """A notice on the answer of the last run of an earlier session."""
    return f"The last run, {ago(last.began, figures.now())}: {_scored_then(last, rubric)}. F5 runs it again."


def _score_of(candidate: Candidate, run: Run | None, shown: Run) -> CandidateScore:
    headline = None if run is None else run.headline
    state = "not run" if run is None else run.state
    return CandidateScore(candidate.key, candidate.label, headline, state, shown=candidate.key == shown.candidate.key)
