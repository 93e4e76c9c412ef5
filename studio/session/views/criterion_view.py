"""The view of one criterion on chosen answers: its wordings, and the verdicts now and before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from engine.evidence.passages import closest_sentence, quotes_found
from engine.judging.judgement import Judgement, named_classes
from engine.judging.panel import Panel
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import point_label, whole_text
from engine.store import WordingVerdict
from engine.study import wordings
from engine.study.case import Case, CaseGrade, is_failed
from engine.study.criterion_counts import UnitCounts, counts_text, seen_text
from engine.study.wordings import Flip, JudgedTwice, KnownAnswer
from engine.text.record import Record
from engine.text.spans import Span, count
from studio.session.followed_criterion import FollowedCriterion, TurnReport
from studio.session.state import EMPTY, State

_Verdicts: TypeAlias = Mapping[str, Sequence[WordingVerdict]]
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


class GivenGrade(Record):
    """The author's grade of an answer, before inversion. `counts`: it is of the present wording."""

    grade: Grade
    counts: bool

    @property
    def figure(self) -> str:
        """Its number from 1 to 5, with a `?` until it is confirmed for the present wording."""
        return f"{list(Grade).index(self.grade) + 1}{'' if self.counts else '?'}"


class JudgeLine(Record):
    """What one judge says of an answer: its name, its verdict in words, and its reflection. All may be untrusted."""

    judge: str
    verdict: str
    reflection: str


class CriterionRow(Record):
    """One answer, with what each judge says of it now and before.

    `label` is what its case says, `test` for a test answer, "" without a case. `is_done`: it was graded or skipped in
    the present blind grading.
    """

    answer: KnownAnswer
    label: str
    grade: GivenGrade | None
    judged: tuple[JudgedTwice, ...]
    inverted: bool
    is_done: bool = False

    @property
    def key(self) -> str:
        """The digest of the answer."""
        return self.answer.key

    @property
    def is_graded(self) -> bool:
        """Whether the author graded it in this wording."""
        return self.grade is not None and self.grade.counts

    def _counted(self, verdicts: Iterable[WordingVerdict | None]) -> tuple[float | None, ...]:
        return tuple(None if each is None else counted(each.extent, inverted=self.inverted) for each in verdicts)

    @property
    def now(self) -> tuple[float | None, ...]:
        """The extents that count now (0–1, after inversion), by judge; None for no verdict."""
        return self._counted(each.now for each in self.judged)

    @property
    def before(self) -> tuple[float | None, ...]:
        """Those under the wording before."""
        return self._counted(each.before for each in self.judged)

    @property
    def mean(self) -> float | None:
        """What judges say of it now, on average; None without a verdict."""
        return _mean(self.now)

    @property
    def mean_before(self) -> float | None:
        """What judges said of it under the wording before, on average."""
        return _mean(self.before)

    @property
    def fails(self) -> bool:
        """Whether it fails the criterion, by the judges."""
        return self.mean is not None and is_failed(self.mean)

    @property
    def flip(self) -> Flip | None:
        """How it crossed from failed to met, or back."""
        return wordings.flip_of(self.judged, inverted=self.inverted)

    @property
    def is_carried(self) -> bool:
        """Whether a verdict of now is carried over, or its judge would be asked otherwise today."""
        return any(each.is_carried or each.is_outdated for each in self.judged)


class SelectedAnswer(Record):
    """A selected or marked answer, with the passages that judges quote, or else the closest sentence.

    `note` says what to know of the verdicts and of the author's grade; `needs_care`: that is more than the grade.
    `verdict` is what judges and the author say of it, in figures, such as `judges 25`.
    """

    answer: KnownAnswer
    lines: tuple[JudgeLine, ...]
    note: str
    evidence: tuple[Span, ...]
    is_closest: bool
    judgements: tuple[Judgement, ...]
    needs_care: bool
    verdict: str = ""


class CriterionView(Record):
    """A criterion in its present wording. `wording` says which one it is, `state` what happened to it. The `name` is ""
    where a prompt has no criterion: then there are the answers alone.

    `foot` says what the criterion is good for. The `marked` answers are read beside each other. `is_blind`: names and
    verdicts are hidden; `agreement` says how far judges and author agree once they are shown.
    """

    prompt: str
    name: str
    is_check: bool
    is_inverted: bool
    wording: str
    state: str
    rows: tuple[CriterionRow, ...]
    selected: SelectedAnswer | None
    foot: tuple[str, ...]
    has_judges: bool
    has_earlier: bool
    is_running: bool
    marked: tuple[SelectedAnswer, ...] = ()
    is_blind: bool = False
    agreement: str = ""

    @property
    def can_grade(self) -> bool:
        """Whether the author grades it: it is no check, and there is one."""
        return bool(self.name) and not self.is_check


def criterion_view(
    current: FollowedCriterion,
    panel: Panel,
    counts: UnitCounts | None,
    state: State,
    so_far: str,
) -> CriterionView:
    """The view of `current`, with what is chosen in `state`. `panel` are the judges of the file.

    `counts` are of the labelled answers, `so_far` is what judging criteria has cost since the file was opened.
    """
    has_judges, selected, marked = state.choice.judges_as is not None, state.answer_selected, state.marked
    forms = wordings.forms_today(panel, current.analysis.header) if has_judges else EMPTY
    wording, before = current.wording, current.before
    now: _Verdicts = {} if wording is None else wording.verdicts
    earlier: _Verdicts = {} if before is None else before.verdicts
    answers, found = current.answers.chosen, current.found
    keys = {each.key for each in answers}
    known = wordings.judges_in(*({key: given for key, given in each.items() if key in keys} for each in (now, earlier)))
    named = [judge.label for judge in panel.judges if judge.label in known or has_judges]
    judges = ("",) if current.written.is_check else (*named, *(each for each in known if each and each not in named))
    is_inverted = current.lineage.block.inverted
    contexts = None if found is None else wordings.contexts_today(answers, found, current.analysis.header)
    rows = [
        CriterionRow(
            each,
            "test" if each.test else {None: "", True: "bad", False: "good"}[each.is_bad],
            given_grade(current, each),
            wordings.judged_twice(each.key, judges, now, earlier, contexts, forms),
            is_inverted,
        )
        for each in answers
    ]
    read = {row.key: _selected_answer(row, judges, current) for row in rows if row.key in (selected, *marked)}
    return CriterionView(
        "" if found is None else found.prompt.id,
        point_label(found.point) if current.written.is_check and found is not None else current.written.name,
        current.written.is_check,
        is_inverted,
        wording_text(current),
        state_text(current, so_far, has_judges=has_judges),
        tuple(rows),
        read.get(selected),
        () if counts is None else tuple(_foot_lines(current, counts)),
        has_judges,
        len(current.lineage.wordings) > (wording is not None),
        current.is_running,
        tuple(read[key] for key in marked if key in read),
    )


def wording_text(current: FollowedCriterion) -> str:
    """Which wording it is: `3rd wording`; `4th wording, not run yet`."""
    if not current.written.name:
        return "there is no criterion yet"
    places = [each.name for each in current.lineage.wordings]
    if current.wording is None:
        return f"{ordinal(len(places) + 1)} wording, not run yet"
    return f"{ordinal(places.index(current.written.name) + 1)} wording"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    return f"{number}{'th' if number % 100 in (11, 12, 13) else _ORDINALS.get(number % 10, 'th')}"


def state_text(current: FollowedCriterion, so_far: str, *, has_judges: bool) -> str:
    """What the last turn did, or what to do next."""
    report = current.report
    if not current.written.name and current.found is None:
        return "read the answers, mark two, label good and bad ones"
    if current.found is None:
        return "It is not in the text at present."
    if current.is_running and report is not None:
        return f"{min(report.done, report.total)} of {report.total} verdicts … F5 stops it; what has arrived stays."
    if not current.written.name.strip():
        return "It has no words yet."
    if current.wording is None and (has_judges or current.written.is_check):
        return "F5 runs it on the same answers."
    if current.written.is_check:
        checked, left = _on("checked", len(current.answers.chosen)), 0
        if current.is_by_service:
            left = sum(not each.assessed for each in current.checks.values())
        return f"{checked} · {count(left, 'is', 'are')} open: F5 asks the service, once you agree" if left else checked
    if report is not None and report.wording == current.written.name:
        stopped = "stopped" if report.done < report.total else ""
        return " · ".join(filter(None, (stopped, _judged_on(report), _turn_text(report, so_far))))
    if has_judges and current.wording is not None:
        judged = sum(bool(current.wording.verdicts.get(each.key)) for each in current.answers.chosen)
        return _on("judged", judged) if judged else "F5 asks the judges."
    return "1 to 5 grade it: no judges are chosen."


def _on(done: str, number: int) -> str:
    return f"{done} on {count(number, 'answer')}"


def _judged_on(report: TurnReport) -> str:
    """`judged on 3 answers`, on how many of them, or that nothing was judged."""
    if not report.judged and report.answers:
        return "no judge could judge it" if report.done >= report.total > 0 else "not judged yet"
    some = "" if len(report.judged) == report.answers else f"{len(report.judged)} of "
    return f"judged on {some}{count(report.answers, 'answer')}"


def _turn_text(report: TurnReport, so_far: str) -> str:
    """`6 requests, $0.004, 2 cached · 14 requests, $0.012 so far of $0.50`."""
    cached = sum(each.reused for _, each in report.came)
    failed = sum(each.verdict is None for _, each in report.came)
    parts = (report.sent, f"{cached} cached" if cached else "", f"{failed} without a verdict" if failed else "")
    turn = ", ".join(filter(None, parts))
    is_first = bool(report.sent) and so_far == f"{report.sent} so far"
    return " · ".join(filter(None, (turn, "" if is_first else so_far)))


def judge_names(judges: Sequence[str]) -> tuple[str, ...]:
    """The models of judges by their last part; by id and model where two would have the same name."""
    short = [_model(each) for each in judges]
    return tuple(name if short.count(name) == 1 else judge for name, judge in zip(short, judges, strict=True))


def _model(judge: str) -> str:
    id, bracket, model = judge.partition("(")
    bare = model.rstrip(")").partition(":")[2].rpartition("/")[2]
    return bare or id if bracket else id


def counted(extent: float, *, inverted: bool) -> float:
    """An extent as it enters the score."""
    return 1 - extent if inverted else extent


def given_grade(current: FollowedCriterion, answer: KnownAnswer) -> GivenGrade | None:
    """The author's grade of an answer: under the present wording, else under the newest earlier one that has one."""
    if current.written.is_check:
        return None
    mine = current.grades.get(answer.key, {})
    earlier = sorted(current.lineage.wordings, key=lambda each: -each.used)
    for name in dict.fromkeys((current.written.name, *(each.name for each in earlier))):
        criterion = Criterion(current.lineage.block, name)
        in_case = [each.grade for each in _grades_in(answer.case, criterion) if each.by in (None, current.author)]
        grade = mine.get(criterion) or next(reversed(in_case), None)
        if grade is not None:
            return GivenGrade(grade, name == current.written.name)
    return None


def _grades_in(case: Case | None, criterion: Criterion) -> list[CaseGrade]:
    """The grades of a criterion in a case file."""
    grades = () if case is None else case.grades
    return [
        each for each in grades if each.point.text == criterion.text and each.point.block in (None, criterion.block)
    ]


def _selected_answer(row: CriterionRow, judges: Sequence[str], current: FollowedCriterion) -> SelectedAnswer:
    judgements = current.judgements(row.answer.key)
    check = current.checks.get(row.answer.key) if current.written.is_check else None
    evidence = quotes_found((each.now.reflection for each in row.judged if each.now is not None), row.answer.subject)
    if check is not None:
        evidence = check.evidence
    care = tuple(_care_notes(row))
    closest = None if evidence or check is not None else closest_sentence(current.written.name, row.answer.subject)
    return SelectedAnswer(
        row.answer,
        tuple(_lines(row, judges, judgements, current)),
        " ".join((*care, *_notes(row, current, judgements))),
        evidence if closest is None else (closest,),
        closest is not None,
        judgements,
        bool(care),
        _verdict(row, current),
    )


def _verdict(row: CriterionRow, current: FollowedCriterion) -> str:
    """`judges 25, you 5`; what the author's grade of an earlier wording is has a `?`."""
    who = "the check" if current.written.is_check else "judges"
    said = "" if row.mean is None else f"{who} {whole_text(row.mean)}"
    return ", ".join(filter(None, (said, "" if row.grade is None else f"you {row.grade.figure}")))


def _mean(extents: Sequence[float | None]) -> float | None:
    known = [each for each in extents if each is not None]
    return sum(known) / len(known) if known else None


def _lines(
    row: CriterionRow, judges: Sequence[str], judgements: Sequence[Judgement], current: FollowedCriterion
) -> Iterator[JudgeLine]:
    failures = {each.judge.label: (each.failure, each.last.reply) for each in judgements if each.failure is not None}
    names = judge_names(judges)
    for name, judge, each in zip(names, judges, row.judged, strict=True):
        now, was = each.now, each.before
        given = " → ".join(_hundredths(each.extent, current) for each in (was, now) if each is not None)
        if each.is_unlike and now is not None:
            given = _hundredths(now.extent, current)
        failure, reply = failures.get(judge, (None, ""))
        if current.written.is_check:
            check = current.checks.get(row.answer.key)
            yield JudgeLine("check", given, "" if check is None else check.detail)
        elif failure is not None:
            stays = f"{given}{'' if now is not None else ' before'}" if given else ""
            words = reply if failure.named else failure.advice
            yield JudgeLine(name, ", ".join(filter(None, (stays, failure.message))), words)
        elif now is not None:
            yield JudgeLine(name, given, now.reflection)
        elif was is not None:
            yield JudgeLine(name, f"{given} before", was.reflection)


def _hundredths(extent: float, current: FollowedCriterion) -> str:
    return whole_text(counted(extent, inverted=current.lineage.block.inverted))


def _care_notes(row: CriterionRow) -> Iterator[str]:
    """What keeps the verdicts, or the grade, from being taken as they stand."""
    is_carried = any(each.is_carried for each in row.judged)
    both = [(each.before, each.now) for each in row.judged if each.is_compared]
    if is_carried:
        yield "A verdict is from before an edit of other criteria, the description or the question. F5 asks again."
    if any(each.is_outdated for each in row.judged):
        yield "A judge would be asked otherwise today (scale, prompt, approach or model): F5 asks again."
    if any(each.is_unlike for each in row.judged):
        yield "Before, a judge was asked otherwise, or it is not known how: no flip is counted."
    elif not is_carried and any(was and now and was.context != now.context for was, now in both):
        yield "Between the two wordings, other criteria or the description changed too."
    if row.grade is not None and not row.grade.counts:
        yield f"You graded an earlier wording {row.grade.grade.label}: y confirms that for this one."


def _notes(row: CriterionRow, current: FollowedCriterion, judgements: Sequence[Judgement]) -> Iterator[str]:
    """What else to know of an answer."""
    if row.answer.test is not None:
        label = {True: ", labelled bad", False: ", labelled good", None: ""}[row.answer.is_bad]
        yield f"A test answer ({row.answer.test}){label}: it is listed here, and counted nowhere."
    if (row.grade is None or not row.grade.counts) and (named := named_classes(judgements)):
        yield named
    for each in _grades_in(row.answer.case, current.criterion):
        if each.by not in (None, current.author):
            yield f"{each.by} graded it {each.grade.label}, in the case file."


def _foot_lines(current: FollowedCriterion, counts: UnitCounts) -> Iterator[str]:
    """What the criterion is good for: `catches 2 of 3 bad · fails 0 of 3 good, all seen while wording`."""
    whole = " as one of the paths: the best counts" if counts.unit.paths else ""
    seen = seen_text(counts.catches, counts.fails_good)
    yield f"{counts_text(counts)}{whole}{f', {seen}' if seen else ''}"
    tests = sum(each.test is not None for each in current.answers.chosen)
    if tests:
        yield count(tests, "test answer is counted nowhere", "test answers are counted nowhere")
    if counts.untested:
        yield "untested: no answer commits its fault yet, by your word"
