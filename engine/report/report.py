"""A report as data: what was asked, the answers with their evidence, points, costs, cases, who judged, what was spent.

All texts are as they were written, and untrusted: the renderers make them inert. The fields and their order are those
of the JSON (docs/machine-readable.md, "studio report"). Money is told where a price is known, else tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from engine.asking.run_plan import dollars_text
from engine.blueprint import Block, Header, Role
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Failed, Scored, answer_notes
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.result_json import Entry, bounds_json
from engine.evidence.passages import quotes_found
from engine.judging.judge_prompt import changed_parts, circularity, questions
from engine.judging.judgement import Consensus
from engine.models.chat import Usage
from engine.models.prices import Price, cost
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation import (
    Explanation,
    StepKind,
    changed_text,
    extent_text,
    path_label,
    point_label,
    tenths,
    whole,
)
from engine.study.case import CaseOutcome
from engine.study.criterion_counts import Ranking
from engine.study.matrix import PointName, point_names
from engine.text.record import Record
from engine.text.spans import Span, count, in_quotes
from engine.yaml.nodes import Data

ANSWERS, VERDICTS = "answer", "verdict"
SPENDING_NOTE = "What answers and verdicts cost when they were given, by the prices that are known now."


class Prices(Record):
    """The known prices: of models that answered, by the keys of their entries, and of judges, by model id.

    None where the price of a model is not known. A key that is missing is of a source that costs nothing.
    """

    answers: Mapping[str, Price | None]
    judge: Callable[[str], Price | None]


class Spent(Record, rename="camel"):
    """What one model cost: `number` of its answers or verdicts (`part`), of which the server did not count `uncounted`.

    `dollars` is None if its price is not known.
    """

    name: str
    part: str
    number: int
    uncounted: int
    input_tokens: int
    output_tokens: int
    dollars: float | None

    @property
    def text(self) -> str:
        """`12 answers, $0.0043`; `3 answers, 1,200 tokens in and 300 out`."""
        parts = [count(self.number, self.part)]
        if self.uncounted < self.number:
            tokens = f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out"
            parts.append(tokens if self.dollars is None else dollars_text(self.dollars))
        if self.uncounted:
            parts.append(f"{self.uncounted} without a count of tokens")
        return ", ".join(parts)


def spent(entries: Sequence[Entry], prices: Prices) -> tuple[Spent, ...]:
    """What each model cost that answered or judged, in the order of the entries. A verdict counts once."""
    answers: dict[str, list[Usage]] = {}
    verdicts: dict[str, list[Usage]] = {}
    models: dict[str, str] = {}
    seen: set[tuple[str, int]] = set()
    for entry in entries:
        if isinstance(entry.outcome, Failed):
            continue
        if entry.key in prices.answers:
            answers.setdefault(entry.key, []).append(entry.outcome.response.usage)
        for judgement in (each for consensus in entry.outcome.verdicts.values() for each in consensus.judgements):
            identity = judgement.key, judgement.round
            if not judgement.recipient or (judgement.key and identity in seen):
                continue
            seen.add(identity)
            models.setdefault(judgement.judge.label, judgement.judge.model)
            usages = verdicts.setdefault(judgement.judge.label, [])
            usages.append(_sum(attempt.usage for attempt in judgement.attempts))
    found = [_spent(key, ANSWERS, usages, prices.answers[key]) for key, usages in answers.items()]
    found += [_spent(name, VERDICTS, usages, prices.judge(models[name])) for name, usages in verdicts.items()]
    return tuple(found)


def spent_in_all(found: Iterable[Spent]) -> str:
    """`$0.0163 in all, and 1,500 tokens without a known price.`"""
    every = list(found)
    tokens = sum(each.input_tokens + each.output_tokens for each in every if each.dollars is None)
    known = [each.dollars for each in every if each.dollars is not None]
    parts = [f"{dollars_text(sum(known))} in all"] if known else []
    if tokens:
        parts.append(f"{tokens:,} tokens without a known price")
    return f"{', and '.join(parts)}." if parts else "No server counted tokens."


def _sum(usages: Iterable[Usage]) -> Usage:
    """The tokens of all requests; unknown if one of them was not counted."""
    every = list(usages)
    if any(each.input_tokens is None or each.output_tokens is None for each in every):
        return Usage()
    return Usage(sum(each.input_tokens or 0 for each in every), sum(each.output_tokens or 0 for each in every))


def _spent(name: str, part: str, usages: Sequence[Usage], price: Price | None) -> Spent:
    counted = [each for each in usages if each.input_tokens is not None and each.output_tokens is not None]
    total = _sum(counted)
    return Spent(
        name,
        part,
        len(usages),
        len(usages) - len(counted),
        total.input_tokens or 0,
        total.output_tokens or 0,
        None if price is None else cost(total, price),
    )


VERSION = 1
_NOT_WRITTEN = frozenset({"detail_has_verdicts", "is_failed"})
"""The fields of a point's result that no other program needs."""


class ReportedPoint(Record, rename="camel"):
    """One point of a rubric. `number` counts from 1 within its prompt; `path` is None for a required point."""

    number: int
    text: str
    block: Block
    path: str | None
    weight: float
    is_check: bool
    citation: str | None = None


class ReportedVerdict(Record, rename="camel"):
    """What one judge said of a point: the verdict, or why there is none, and its reflection."""

    judge: str
    verdict: str
    reflection: str


class PointResult(Record, rename="camel"):
    """One point of one answer, by its number.

    `extent` (after inversion) is 0–1, `cost` and the certain `gain` are points of 100, all None if it is not assessed.
    `detail` says how it was assessed, with the `verdicts` if `detail_has_verdicts`. `is_failed`: no judge could.
    """

    number: int
    extent: float | None
    cost: float | None
    gain: float | None
    detail: str
    evidence: tuple[Span, ...] = ()
    carried_over: str | None = None
    verdicts: tuple[ReportedVerdict, ...] = ()
    detail_has_verdicts: bool = False
    is_failed: bool = False

    @property
    def extent_figure(self) -> str:
        """The extent from 0 to 100; `open` if it is not assessed, `failed` if no judge could judge it."""
        return "failed" if self.is_failed else "open" if self.extent is None else f"{whole(self.extent)}"


class ReportedTurn(Record, rename="camel"):
    """One turn of what was asked; `content` is None where an answer is generated."""

    role: Role
    content: str | None


class AnswerReport(Record, rename="camel"):
    """One answer: its text, and its score with the arithmetic; or why there is none (`failure`).

    `key` names where it came from. `steps` are the lines of the arithmetic.
    """

    key: str
    text: str
    score: Headline | None
    failure: str | None = None
    points: tuple[PointResult, ...] = ()
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def figure(self) -> str:
        """The score as text: `37.5`, `20–100`, or `failed`."""
        return "failed" if self.score is None else self.score.figure


class PromptReport(Record, rename="camel"):
    """One prompt: what was asked, its rubric, and the answers, in the order of the keys of the report."""

    prompt: str
    description: str
    weight: float
    system: str | None
    asked: tuple[ReportedTurn, ...]
    points: tuple[ReportedPoint, ...]
    answers: tuple[AnswerReport, ...]

    def answer(self, key: str) -> AnswerReport | None:
        """The answer with this key; None if there is none."""
        return next((each for each in self.answers if each.key == key), None)


class KeyTotal(Record, rename="camel"):
    """The score of all prompts under one key. `score` is None if nothing was scored."""

    key: str
    score: Headline | None
    scored: int
    failed: int


class ReportedCase(Record, rename="camel"):
    """One labelled answer: what was expected of it, and how it came out. `test`: the test answer that it is."""

    name: str
    prompt: str
    label: str
    expected: str
    state: str
    why: str
    reason: str
    by: str
    test: str | None = None


class CaseReport(Record, rename="camel"):
    """The cases of the blueprint. `ranking` is the line on pairs of a good and a bad answer, "" without pairs."""

    counts: Mapping[str, int]
    ranking: str
    cases: tuple[ReportedCase, ...]


class Assessor(Record, rename="camel"):
    """Who judged or graded, and how often. `about` says what else is known: the model, the approach, the recipient."""

    name: str
    about: str
    verdicts: int
    failures: int = 0
    carried_over: int = 0

    @property
    def text(self) -> str:
        """`holistic, by openrouter.ai: 12 verdicts, 1 failed, 2 before this edit`."""
        parts = [count(self.verdicts, "verdict")]
        if self.failures:
            parts.append(f"{self.failures} without a verdict")
        if self.carried_over:
            parts.append(f"{self.carried_over} before this edit")
        return f"{self.about}: {', '.join(parts)}"


class Report(Record, rename="camel"):
    """A whole report. `made` is when; `source` is the file that it is about. `spent` is () if that is not known."""

    title: str
    description: str
    source: str
    made: datetime
    notes: tuple[str, ...]
    prompts: tuple[PromptReport, ...]
    totals: tuple[KeyTotal, ...]
    judges: tuple[Assessor, ...]
    graders: tuple[Assessor, ...]
    spent: tuple[Spent, ...]
    cases: CaseReport | None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all answers: the columns of the grid."""
        return tuple(total.key for total in self.totals)


def report_json(report: Report) -> dict[str, Data]:
    """The report, ready for `engine.evaluation.result_json.dumps`."""
    return {"version": VERSION, **_record_json(report)}


def _record_json(record: Record) -> dict[str, Data]:
    names = zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True)
    return {name: _json(getattr(record, field)) for name, field in names if field not in _NOT_WRITTEN}


def _json(value: Any) -> Data:
    match value:
        case Headline():
            return {"bounds": bounds_json(value.bounds), "text": str(value)}
        case Span():
            return [value.start, value.end]
        case Record():
            return _record_json(value)
        case tuple():
            return [_json(each) for each in cast("tuple[object, ...]", value)]
        case datetime():
            return value.isoformat()
        case _:
            return value


# --- Results → a report


_HUMAN = "graded by hand"


class ReportSource(Record):
    """What a report is made of. `name` is the file that it is about; `made` is when.

    `outcomes` and `ranking` are those of the cases, None without cases. `notes` say what is missing.
    Without `prices`, the report does not say what answers and verdicts cost. `author` is the name of who graded on this
    machine, "" for none. `drafted` are digests of criteria that were drafted from an ideal.
    """

    header: Header
    name: str
    made: datetime
    entries: Sequence[Entry]
    outcomes: Sequence[CaseOutcome] | None = None
    ranking: Ranking | None = None
    notes: tuple[str, ...] = ()
    prices: Prices | None = None
    author: str = ""
    drafted: Collection[str] = ()


def build_report(source: ReportSource) -> Report:
    """The report: prompts and keys in the order of the entries."""
    by_prompt: dict[str, list[Entry]] = {}
    for entry in source.entries:
        by_prompt.setdefault(entry.prompt_key, []).append(entry)
    keys = tuple(dict.fromkeys(entry.key for entry in source.entries))
    prompts = tuple(_prompt(name, entries, source) for name, entries in by_prompt.items())
    return Report(
        source.header.title or source.name,
        source.header.description or "",
        source.name,
        source.made,
        source.notes,
        prompts,
        tuple(_total(key, prompts) for key in keys),
        tuple(_judges(source)),
        tuple(_graders(source)),
        () if source.prices is None else spent(source.entries, source.prices),
        _cases(source),
    )


def _prompt(name: str, entries: Sequence[Entry], source: ReportSource) -> PromptReport:
    prompt = entries[0].prompt
    points: dict[PointName, ReportedPoint] = {}
    circular = circularity(prompt, source.drafted)
    answers = tuple(_answer(entry, points, circular) for entry in entries)
    asked = conversation(prompt, source.header)
    turns = [ReportedTurn(message.role, message.content) for message in asked.messages]
    if turns and turns[-1].content is None:
        turns.pop()  # the answers stand there
    description, rubric = prompt.description or "", tuple(points.values())
    return PromptReport(name, description, prompt.weight, asked.system, tuple(turns), rubric, answers)


def _answer(entry: Entry, known: dict[PointName, ReportedPoint], circular: str) -> AnswerReport:
    """The answer of an entry. Its points get their numbers from `known`, which new ones are added to.

    `circular` says that the ideal is no evidence on the rubric, "" where it is.
    """
    match entry.outcome:
        case Failed() as failed:
            why = " ".join(part for part in (failed.title, failed.detail, failed.advice) if part)
            text = "" if failed.partial is None else failed.partial.subject
            return AnswerReport(entry.key, text, None, why or None)
        case Scored(response, assessments, explanation):
            points = tuple(_points(entry.outcome, known))
            notes = (*answer_notes(response, assessments), *explanation.notes)
            notes = (*notes, *filter(None, (explanation.against_ideal, circular)))
            score, steps = headline(explanation, response), tuple(_steps(explanation))
            return AnswerReport(entry.key, response.subject, score, None, points, steps, notes)


def _points(scored: Scored, known: dict[PointName, ReportedPoint]) -> Iterator[PointResult]:
    assessments, explanation = scored.assessments, scored.explanation
    paths = {path.path_id: path_label(number) for number, path in enumerate(explanation.paths, 1)}
    scores = {id(point.assessment): point for group in explanation.groups() for point in group.points}
    names = point_names(each.placed for each in assessments)
    for place, (name, assessment) in enumerate(zip(names, assessments, strict=True)):
        if name not in known:
            path = paths.get(assessment.placed.path_id or "")
            known[name] = _reported_point(len(known) + 1, path, assessment)
        score = scores[id(assessment)]
        verdicts = tuple(_verdicts(scored.verdicts.get(place), assessment))
        quoted = quotes_found((verdict.reflection for verdict in verdicts), scored.response.subject)
        yield PointResult(
            known[name].number,
            assessment.extent,
            _points_of_100(score.cost),
            _points_of_100(score.gain),
            assessment.detail or assessment.error or ("" if assessment.assessed else assessment.unjudged_text),
            assessment.evidence or quoted,
            changed_text(assessment.carried_over) if assessment.carried_over else None,
            verdicts,
            assessment.by is not AssessedBy.HUMAN or bool(assessment.published),
            assessment.failed,
        )


def _points_of_100(score: float | None) -> float | None:
    """A cost or a gain as it is printed."""
    return None if score is None else tenths(score) / 10


def _reported_point(number: int, path: str | None, assessment: Assessment) -> ReportedPoint:
    point = assessment.point
    return ReportedPoint(
        number,
        point.text if point.text is not None else point_label(point),
        assessment.placed.rubric.block,
        path,
        point.multiplier,
        point.function is not None,
        point.citation,
    )


def _verdicts(judged: Consensus | None, assessment: Assessment) -> Iterator[ReportedVerdict]:
    if judged is not None:
        for judgement, verdict in sorted(judged.verdicts, key=lambda each: each[0].judge.label):
            yield ReportedVerdict(judgement.judge.label, verdict.label, verdict.reflection)
        for judgement in judged.judgements:
            if judgement.failure is not None and (judgement.failure.named or not judgement.opens_point):
                reply = judgement.last.reply if judgement.failure.named else ""
                yield ReportedVerdict(judgement.judge.label, judgement.failure.message, reply)
    for stored in assessment.published:
        extent = "no verdict" if stored.extent is None else extent_text(stored.extent)
        yield ReportedVerdict(stored.judge, extent, stored.reflection)
    if judged is None and not assessment.published and assessment.reflection:
        yield ReportedVerdict("", "", assessment.reflection)


def _steps(explanation: Explanation) -> Iterator[str]:
    for step in explanation.steps:
        if step.kind is StepKind.STORED:
            yield f"{step.label} {step.figure}"
        else:
            yield f"{step.label}: {step.working} = {step.figure}"
    yield from explanation.weval.reasons


def _total(key: str, prompts: Iterable[PromptReport]) -> KeyTotal:
    answers = [(prompt.weight, answer) for prompt in prompts if (answer := prompt.answer(key)) is not None]
    scored = [(weight, each.score) for weight, each in answers if each.score is not None]
    return KeyTotal(key, overall(scored), sum(each.is_scored for _, each in scored), len(answers) - len(scored))


def _judges(source: ReportSource) -> Iterator[Assessor]:
    """The judges whose verdicts are in the results, by name."""
    found: dict[str, list[tuple[str, bool, bool]]] = {}
    for name, judging in _judgings(source):
        found.setdefault(name, []).append(judging)
    for name, judgings in sorted(found.items()):
        given = [is_carried_over for _, is_given, is_carried_over in judgings if is_given]
        yield Assessor(name, judgings[0][0], len(given), len(judgings) - len(given), sum(given))


def _judgings(source: ReportSource) -> Iterator[tuple[str, tuple[str, bool, bool]]]:
    """Each judge on each point: its name, what else is known of it, whether there is a verdict, and a carried one."""
    for entry in source.entries:
        if not isinstance(entry.outcome, Scored):
            continue
        for assessment in entry.outcome.assessments:
            for stored in assessment.published:
                is_given = stored.extent is not None
                yield stored.judge, ("from the result file", is_given, bool(assessment.carried_over))
        today = questions(entry.prompt, entry.outcome.response.thread, source.header.description)
        for place, consensus in entry.outcome.verdicts.items():
            for each in consensus.judgements:
                changed = changed_parts(each.shown, each.attempts[0].request, each.judge.approach, today[place])
                about = f"{each.judge.approach}{f', by {each.recipient}' if each.recipient else ''}"
                yield each.judge.label, (about, each.verdict is not None, bool(changed))


def _graders(source: ReportSource) -> Iterator[Assessor]:
    """The people who graded: on this machine, and by name in the cases."""
    by_hand = sum(
        assessment.by is AssessedBy.HUMAN
        for entry in source.entries
        if isinstance(entry.outcome, Scored)
        for assessment in entry.outcome.assessments
    )
    if by_hand:
        yield Assessor(source.author or "the author", _HUMAN, by_hand)
    named = Counter(grade.by or "unnamed" for outcome in source.outcomes or () for grade in outcome.case.grades)
    for name, grades in named.items():
        yield Assessor(name, "grades in cases", grades)


def _cases(source: ReportSource) -> CaseReport | None:
    if source.outcomes is None:
        return None
    counts = Counter(outcome.state.value for outcome in source.outcomes)
    ranking = "" if source.ranking is None or not source.ranking.pairs else str(source.ranking)
    return CaseReport(counts, ranking, tuple(map(_case, source.outcomes)))


def _case(outcome: CaseOutcome) -> ReportedCase:
    case = outcome.case
    expected = [] if case.score is None else [str(case.score)]
    if case.fails is not None:
        expected.append(f"fails {in_quotes(case.fails.text)}")
    return ReportedCase(
        case.name,
        case.prompt,
        "" if case.label is None else case.label.value,
        ", ".join(expected),
        outcome.state.value,
        outcome.why,
        case.reason or "",
        case.by or "",
        outcome.test,
    )
