"""Results → a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from engine.blueprint import Header
from engine.blueprint.conversation import conversation
from engine.evaluation.answer_notes import answer_notes
from engine.evaluation.events import Failed, Scored
from engine.evaluation.headline import headline, overall
from engine.evaluation.result_json import Entry
from engine.evidence.criterion_evidence import quotes_found
from engine.functions import point_text
from engine.judging.judge_prompt import changed_parts, questions
from engine.report.report import (
    AnswerReport,
    Assessor,
    CaseReport,
    KeyTotal,
    PointResult,
    Prices,
    PromptReport,
    Report,
    ReportedCase,
    ReportedPoint,
    ReportedTurn,
    ReportedVerdict,
    spent,
)
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation import Explanation, StepKind
from engine.scoring.explanation_text import changed_text, extent_text, path_label, point_label, tenths
from engine.study.case_outcome import CaseOutcome
from engine.study.criterion_counts import Ranking
from engine.study.good_answers import circularity
from engine.text.record import Record
from engine.text.spans import in_quotes

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
    points: dict[tuple[str, str, str], ReportedPoint] = {}
    circular = circularity(prompt, source.drafted)
    answers = tuple(_answer(entry, points, circular) for entry in entries)
    asked = conversation(prompt, source.header)
    turns = [ReportedTurn(message.role, message.content) for message in asked.messages]
    if turns and turns[-1].content is None:
        turns.pop()  # the answers stand there
    return PromptReport(
        name,
        prompt.description or "",
        prompt.weight,
        asked.system,
        tuple(turns),
        tuple(points.values()),
        answers,
    )


def _answer(entry: Entry, known: dict[tuple[str, str, str], ReportedPoint], circular: str) -> AnswerReport:
    """The answer of an entry. Its points get their numbers from `known`, which new ones are added to.

    `circular` says that the ideal is no evidence on the rubric, "" where it is.
    """
    match entry.outcome:
        case Failed() as failed:
            why = " ".join(part for part in (failed.title, failed.detail, failed.advice) if part)
            text = "" if failed.partial is None else failed.partial.subject
            return AnswerReport(entry.key, text, None, why or None)
        case Scored(response, assessments, explanation):
            points = tuple(_points(entry, entry.outcome, known))
            notes = (*answer_notes(response, assessments), *explanation.notes)
            notes = (*notes, *filter(None, (explanation.against_ideal, circular)))
            score, steps = headline(explanation, response), tuple(_steps(explanation))
            return AnswerReport(entry.key, response.subject, score, None, points, steps, notes)


def _points(entry: Entry, scored: Scored, known: dict[tuple[str, str, str], ReportedPoint]) -> Iterator[PointResult]:
    assessments, explanation = scored.assessments, scored.explanation
    paths = {path.path_id: path_label(number) for number, path in enumerate(explanation.paths, 1)}
    scores = {id(point.assessment): point for group in explanation.groups() for point in group.points}
    repeated = Counter[tuple[str, str, str]]()
    for place, assessment in enumerate(assessments):
        path = "" if assessment.placed.path_id is None else paths.get(assessment.placed.path_id, "")
        name = (assessment.placed.rubric.block.value, path, point_text(assessment.point))
        repeated[name] += 1
        identity = (name[0], name[1], f"{name[2]}\0{repeated[name]}")
        if identity not in known:
            known[identity] = _reported_point(len(known) + 1, path, assessment)
        score = scores[id(assessment)]
        verdicts = tuple(_verdicts(entry, place, assessment))
        quoted = quotes_found((verdict.reflection for verdict in verdicts), scored.response.subject)
        yield PointResult(
            known[identity].number,
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


def _reported_point(number: int, path: str, assessment: Assessment) -> ReportedPoint:
    point = assessment.point
    return ReportedPoint(
        number,
        point.text if point.text is not None else point_label(point),
        assessment.placed.rubric.block,
        path or None,
        point.multiplier,
        point.function is not None,
        point.citation,
    )


def _verdicts(entry: Entry, place: int, assessment: Assessment) -> Iterator[ReportedVerdict]:
    judged = None if entry.judged is None else entry.judged.points.get(place)
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
        if entry.judged is not None:
            today = questions(entry.prompt, entry.outcome.response.thread, source.header.description)
            for place, consensus in entry.judged.points.items():
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
    for name, count in named.items():
        yield Assessor(name, "grades in cases", count)


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
        outcome.why or outcome.score,
        case.reason or "",
        case.by or "",
        outcome.test,
    )
