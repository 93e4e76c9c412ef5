"""The score of a case's answer by the present rubric, with the verdicts that case files record; the best impostor;
and the answers that another version scores otherwise.

Nothing is sent.

A recorded verdict is of an answer, a criterion, all else that the judge saw, and the judge. So it counts alike in every
clone of the repository, and nothing has to be asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Block, Blueprint, Header, Prompt
from engine.evaluation.events import Response, Scored
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.pairing import messages_of
from engine.evaluation.point_assessment import Grades, assess
from engine.evaluation.sources import ControlKind, IdealSource, control_answer
from engine.evaluation.verdicts import KnownVerdicts, as_machines_read
from engine.judging.judge_prompt import Question, context_of, first_request, questions
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import Panel, PanelJudge, Scale
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict, refuses
from engine.models.chat import ChatRequest
from engine.scoring.assessment import Bounds, Criterion, Grade
from engine.scoring.explanation import range_text, whole
from engine.scoring.explanation_builder import explain
from engine.store import Store, rubric_digest
from engine.store.database import UNNAMED, PromptPlace
from engine.study.case import (
    DERIVED,
    Case,
    CaseGrade,
    CaseOutcome,
    CaseVerdict,
    NamedPoint,
    VerdictDigests,
    criteria_of,
    has_ideal,
    ideal_case,
    orphaned,
    outcome_of,
    prompt_names,
    response_of,
)
from engine.study.case_reader import read_cases
from engine.study.criterion_counts import Ranking, ranking_of
from engine.study.file_places import read_case_text
from engine.study.wordings import turns_of
from engine.text.record import Record, replace, short_data_digest
from engine.text.spans import NOWHERE
from engine.text.text_limits import TRIED_CHARACTERS

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner


Recorded: TypeAlias = Mapping[str, Sequence[CaseVerdict]]
"""The verdicts of a case file by the digest of their answer."""


def recorded_in(blueprint: Path) -> Recorded:
    """Every verdict in the case file of a blueprint; {} without one, or if it cannot be read. Blocks."""
    file = read_cases(read_case_text(blueprint)[0])[0]
    found: dict[str, list[CaseVerdict]] = {}
    for verdict in chain(*(case.verdicts for case in file.cases), *file.ideals.values()):
        found.setdefault(verdict.digests.answer, []).append(verdict)
    return found


def recorded_grades(place: PromptPlace, subject: str) -> Grades:
    """The grades that a case file gives the answer `subject` to the prompt at `place`. Blocks.

    Of two prompts without an id, what cases say of the same answer is the same.
    """
    cases = [
        case
        for case in read_cases(read_case_text(Path(place.blueprint))[0])[0].cases
        if case.grades and "\n\n".join(case.turns) == subject and _is_of(case, place.prompt)
    ]
    return {
        Criterion(block, grade.point.text): grade.grade
        for case in cases
        for grade in case.grades
        for block in Block
        if grade.point.block in (None, block)
    }


def _is_of(case: Case, prompt: str) -> bool:
    return case.prompt == prompt or (prompt.startswith(UNNAMED) and case.prompt.startswith(DERIVED))


def recorded_verdicts(recorded: Recorded, questions: Iterable[Question], panel: Panel) -> Iterator[Judgement]:
    """Those `recorded` on this answer, of the judges in `panel`; also those from before an edit."""
    for question in questions:
        for judge in panel.every_judge:
            digests = digests_of(question, judge, panel.scale)
            for verdict in recorded.get(digests.answer, ()):
                if (
                    replace(verdict.digests, context=digests.context) == digests
                    and verdict.criterion == question.criterion
                ):
                    yield _judgement(verdict, judge, question, panel.scale, is_today=verdict.digests == digests)


def verdicts_to_record(
    questions: Mapping[int, Question], points: Mapping[int, Consensus], scale: Scale
) -> tuple[CaseVerdict, ...]:
    """The verdicts of a run in the form of a case file. `questions` and `points` are by place in `Prompt.points()`."""
    return tuple(
        CaseVerdict(
            criterion=judgement.criterion,
            judge=judgement.judge.id,
            model=judgement.judge.model,
            approach=judgement.judge.approach.value,
            extent=None if judgement.verdict is None else judgement.verdict.extent,
            reflection="" if judgement.verdict is None else judgement.verdict.reflection,
            digests=digests_of(questions[index], judgement.judge, scale),
            span=NOWHERE,
            failed="" if judgement.failure is None else judgement.failure.message,
            reply=judgement.last.reply if judgement.failure or judgement.last.reading.on_weval else "",
            given=judgement.given,
        )
        for index, consensus in sorted(points.items())
        for judgement in consensus.judgements
        if judgement.failure is None or judgement.failure.reason is not Reason.NOT_ASKED
    )


def digests_of(question: Question, judge: PanelJudge, scale: Scale) -> VerdictDigests:
    """What a verdict of `judge` on `question` is about."""
    context = context_of(judge.approach, question)
    answer = [turn.content for turn in question.thread if turn.generated]
    return VerdictDigests(
        answer=short_data_digest(answer or [turn.content for turn in question.thread[-1:]]),
        criterion=short_data_digest(question.criterion),
        context=short_data_digest([context.transcript, context.criteria, context.description]),
        judge=short_data_digest([judge.model, judge.approach.value, scale.name]),
    )


def _judgement(
    verdict: CaseVerdict, judge: PanelJudge, question: Question, scale: Scale, *, is_today: bool
) -> Judgement:
    """The recorded verdict as a judgement; its request from before an edit was not recorded."""
    request = first_request(question, judge.approach, scale, judge.model.partition(":")[2])
    if not is_today:
        request = ChatRequest(request.model, ())
    attempt = Attempt(request, verdict.reply, _reading(verdict, scale))
    shown = context_of(judge.approach, question) if is_today else None
    return Judgement(judge, question.criterion, (attempt,), reused=True, shown=shown, given=verdict.given)


def _reading(verdict: CaseVerdict, scale: Scale) -> Reading:
    read = read_verdict(verdict.reply, scale) if verdict.reply else None
    if verdict.extent is None:
        is_same = isinstance(read, NoVerdict) and read.message == verdict.failed
        return read if read is not None and is_same else NoVerdict(Reason.FAILED, verdict.failed)
    step = next((each for each in scale.steps if each.extent == verdict.extent), None)
    return Verdict(verdict.extent, step, verdict.reflection, None if read is None else read.on_weval)


# --- The score of one answer


_MODEL = "case"
"""The name under which scripts see the model of an answer whose model is not known."""


def questions_of(case: Case, prompt: Prompt, header: Header) -> dict[int, Question]:
    """What judges are asked about the answer of a case, by place in `Prompt.points()`."""
    return questions(prompt, response_of(case, prompt, header).thread, header.description)


def grades_of(case: Case, prompt: Prompt) -> Mapping[Criterion, Grade]:
    """The grades that count: of criteria whose wording is the same, the last one where several grade the same."""
    return {
        criterion: grade.grade
        for grade in case.grades
        for criterion in criteria_of(prompt)
        if criterion.text == grade.point.text and grade.point.block in (None, criterion.block)
    }


def scored_case(
    case: Case,
    prompt: Prompt,
    header: Header,
    javascript: TaskRunner,
    known: KnownVerdicts | None = None,
    grades: Grades | None = None,
) -> Scored:
    """The answer of a case by the rubric of its prompt. Blocks while checks run.

    Checks run, `grades` of people come first, by default those of the case. Checks by a service stay open.
    """
    response = response_of(case, prompt, header)
    assessments = assess(
        prompt,
        response.subject,
        javascript,
        thread=response.thread,
        model=case.model or _MODEL,
        grades=grades_of(case, prompt) if grades is None else grades,
    )
    if known is not None:
        assessments = known.assessed(assessments)
    explanation = explain(prompt, assessments)
    return Scored(response, assessments, explanation if known is None else known.told(explanation))


# --- All cases of a file


class CaseCheck(Record, dict=True):
    """Scores cases by the rubrics of one blueprint. Its methods block while checks run.

    `panel` are the judges whose verdicts count. `judgements` finds the stored ones on an answer to a prompt, its
    subject text, and those with one of these keys (`engine.evaluation.verdicts.StoredJudgements`); `grades` finds the
    author's grades of it. `recorded` reads the verdicts in the case file. `for_people`: verdicts from
    before an edit count.
    """

    blueprint: Blueprint
    javascript: TaskRunner
    panel: Panel
    judgements: Callable[[Prompt, str, Collection[str]], Sequence[Judgement]] | None = None
    grades: Callable[[Prompt, str], Grades] | None = None
    recorded: Callable[[], Recorded] = dict
    for_people: bool = False

    @cached_property
    def prompts(self) -> dict[str, Prompt]:
        """The prompts by the names that cases use."""
        names = prompt_names(self.blueprint)
        return {names[prompt.index]: prompt for prompt in self.blueprint.prompts}

    @cached_property
    def _recorded(self) -> Recorded:
        return self.recorded()

    def outcomes(self, cases: Iterable[Case]) -> tuple[CaseOutcome, ...]:
        """The outcome of each case, in order."""
        return tuple(map(self.outcome, cases))

    def outcome(self, case: Case) -> CaseOutcome:
        """The outcome of one case."""
        prompt = self.prompts.get(case.prompt)
        if prompt is None:
            return orphaned(case)
        grades = self.graded(case, prompt)
        known = self.known(case, prompt)
        scored = scored_case(case, prompt, self.blueprint.header, self.javascript, known, grades)
        return outcome_of(case, prompt, scored if self.for_people else as_machines_read(prompt, scored))

    def ideal(self, name: str) -> Case | None:
        """The ideal of the prompt with this name as a case, a good answer; None without one."""
        prompt = self.prompts.get(name)
        if prompt is None or prompt.ideal is None:
            return None
        return ideal_case(name, prompt.ideal)

    def ideals(self, prompts: Iterable[str]) -> tuple[CaseOutcome, ...]:
        """The outcomes of the ideals of those of the named prompts that have one."""
        return self.outcomes(each for each in map(self.ideal, prompts) if each is not None)

    def graded(self, case: Case, prompt: Prompt) -> Grades:
        """The grades of the answer of a case: those of its file, and before these the author's."""
        mine: Grades = (
            {} if self.grades is None else self.grades(prompt, response_of(case, prompt, self.blueprint.header).subject)
        )
        return {**grades_of(case, prompt), **mine}

    def known(self, case: Case, prompt: Prompt) -> KnownVerdicts:
        """The verdicts on the answer of a case, stored ones and those of the file."""
        header = self.blueprint.header
        stored = None if self.judgements is None else partial(self.judgements, prompt)
        asked = questions_of(case, prompt, header).values()
        found = recorded_verdicts(self._recorded, asked, self.panel)
        return KnownVerdicts.on(prompt, header, response_of(case, prompt, header), self.panel, stored, found)


# --- The best impostor: of the answers that a rubric must not reward, the one that comes nearest to the ideal.
# Impostors are an empty answer, a refusal, the prompt repeated, the criteria pasted, and the ideals of other prompts. A
# criterion in words counts where a grade or a verdict on this very answer is stored.


NEAR = 0.2
"""An impostor that scores at most so much less than the ideal (0–1) is named."""
MOST_IDEALS = 50
"""Of so many other prompts the ideals are tried, those next to the prompt."""
_NOISE = 1e-9
"""What the rounding of binary fractions can add to a difference of scores."""
_LABELS = {
    ControlKind.EMPTY: "an empty answer",
    ControlKind.REFUSAL: "a refusal",
    ControlKind.ECHO: "the prompt repeated",
    ControlKind.STUFFING: "the criteria pasted",
}
ANOTHER_IDEAL = "another prompt's ideal"


class BesideIdeal(Record):
    """The bounds of the ideal's score, and the name and bounds of the impostor that scores most by what is known."""

    ideal: Bounds
    label: str
    best: Bounds

    @property
    def is_near(self) -> bool:
        """Whether the impostor comes within `NEAR` of the ideal, whatever the verdicts that are missing would be.

        So the highest score of the ideal is held against the lowest of the impostor: of a criterion that nobody judged
        for an impostor, it is taken to fail. An impostor that could come near is not named.
        """
        return self.ideal.high - self.best.low <= NEAR + _NOISE

    @property
    def figures(self) -> str:
        """`ideal 92 · another prompt's ideal 71`, or `at least 71` where verdicts are missing; "" if it is not near."""
        if not self.is_near:
            return ""
        low, high = whole(self.best.low), whole(self.best.high)
        ideal = range_text(whole(self.ideal.low), whole(self.ideal.high))
        return f"ideal {ideal} · {self.label} {'' if low == high else 'at least '}{low}"


def impostors(prompt: Prompt, prompts: Iterable[Prompt], cases: Iterable[Case] = ()) -> Iterator[tuple[str, str]]:
    """The names and texts of the impostors of a prompt with an ideal, each text once.

    What may be a right answer is none: the ideal, and what a case of the prompt calls good; a refusal, where the ideal
    refuses; the ideal of a prompt that asks the same or has the same rubric.
    """
    ideal, known = prompt.ideal or "", tuple(cases)
    seen = {ideal.strip()}
    for label, text in (*_controls(prompt, ideal), *_other_ideals(prompt, prompts)):
        if text.strip() not in seen and not has_ideal(known, text):
            seen.add(text.strip())
            yield label, text


def _controls(prompt: Prompt, ideal: str) -> Iterator[tuple[str, str]]:
    for kind, label in _LABELS.items():
        if kind is not ControlKind.REFUSAL or not refuses(ideal):
            yield label, control_answer(kind, prompt)


def _other_ideals(prompt: Prompt, prompts: Iterable[Prompt]) -> Iterator[tuple[str, str]]:
    others = [each for each in prompts if each.ideal and messages_of(each) != messages_of(prompt)]
    rubric = rubric_digest(prompt)
    nearest = sorted(others, key=lambda each: abs(each.index - prompt.index))[:MOST_IDEALS]
    return ((ANOTHER_IDEAL, each.ideal or "") for each in nearest if rubric_digest(each) != rubric)


def beside_ideal(check: CaseCheck, name: str, cases: Iterable[Case] = ()) -> BesideIdeal | None:
    """The ideal of the prompt that cases call `name`, and its best impostor. Blocks while checks run.

    `cases` are those of the prompt. None without an ideal, an impostor or a criterion. Long answers may be left out.
    """
    ideal = check.ideal(name)
    known = None if ideal is None else check.outcome(ideal).bounds
    if known is None:
        return None
    prompt = check.prompts[name]
    left = TRIED_CHARACTERS
    found: list[tuple[str, Bounds]] = []
    for label, text in impostors(prompt, check.blueprint.prompts, cases):
        left -= len(text) * len(prompt.points())
        bounds = check.outcome(Case(0, NOWHERE, name, NOWHERE, (text,))).bounds if left > 0 else None
        if bounds is not None:
            found.append((label, bounds))
    best = max(found, key=lambda each: (each[1].low, each[1].high), default=None)
    return None if best is None else BesideIdeal(known, *best)


# --- The answers that score differently by two versions: ideals, those of cases and of the database


MOST_RUNS = 20
"""How many runs of a prompt are looked at, the newest first."""


GradeLookup: TypeAlias = Callable[[PromptPlace, str], Grades]
"""The grades of an answer, the subject text, to a prompt."""


def stored_answers(
    store: Store, path: Path, pairs: Iterable[tuple[Prompt, Prompt]], grades: GradeLookup
) -> dict[int, list[tuple[str, Case]]]:
    """The whole answers of the newest runs of prompts of the file at `path`, each old and new, with labels. Blocks.

    By the index of the prompt in the new version. Answers from before its id changed count too; ideals do not: they are
    scored by themselves. Raises `StoreUnavailable`.
    """
    found: dict[int, list[tuple[str, Case]]] = {}
    for old, new in pairs:
        answers = {case.turns: (label, case) for label, case in _answers(store, path, (new, old), grades)}
        found[new.index] = list(answers.values())
    return found


def _answers(store: Store, path: Path, prompts: tuple[Prompt, ...], grades: GradeLookup) -> Iterator[tuple[str, Case]]:
    """Each answer of the runs, the oldest first, so that the newest one counts where several are the same."""
    for place in dict.fromkeys(PromptPlace.of(path, prompt) for prompt in prompts):
        for run in reversed(store.past_runs(place, MOST_RUNS)):
            if not run.answered or isinstance(run.candidate.source, IdealSource):
                continue
            response = store.past_response(run.number)
            if response is not None and response.complete:
                yield run.candidate.label, _as_case(response, place, grades)


def _as_case(response: Response, place: PromptPlace, lookup: GradeLookup) -> Case:
    grades = tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in lookup(place, response.subject).items()
    )
    turns = turns_of(response.thread, response.subject)
    return Case(0, NOWHERE, place.prompt, NOWHERE, turns, model=response.model, grades=grades)


class ScoreChange(Record):
    """An answer that scores differently, or a case with another outcome.

    `label` names the answer; `old_index` and `new_index` its prompt in both versions, None where a version lacks it.
    """

    label: str
    old_index: int | None
    new_index: int | None
    before: CaseOutcome
    after: CaseOutcome


class CaseChanges(Record):
    """The cases whose outcome changed, of `total`, and the ranking of good and bad answers before and after."""

    changes: tuple[ScoreChange, ...]
    total: int
    before: Ranking
    after: Ranking


class ScoreComparison(Record, dict=True):
    """Scores answers by the rubrics of two versions. `pairs` are the prompts in both, by their indices.

    Its methods block while checks run.
    """

    pairs: Sequence[tuple[int, int]]
    old: CaseCheck
    new: CaseCheck

    @cached_property
    def _names(self) -> tuple[Mapping[int, str], Mapping[int, str]]:
        return prompt_names(self.old.blueprint), prompt_names(self.new.blueprint)

    @cached_property
    def _ideals(self) -> list[dict[str, CaseOutcome]]:
        """The outcomes of the ideals of both versions, by the names of their prompts."""
        versions = self.old, self.new
        return [{each.case.prompt: each for each in check.ideals(check.prompts)} for check in versions]

    def ideals(self) -> tuple[ScoreChange, ...]:
        """The ideals that score differently: the old one by the old rubric, the new one by the new rubric."""
        (old, new), (names, new_names) = self._ideals, self._names
        both = ((old.get(names[one]), new.get(new_names[other])) for one, other in self.pairs)
        return self._moved(("the ideal", one, other) for one, other in both if one is not None and other is not None)

    def totals(self) -> tuple[Headline | None, Headline | None]:
        """The scores of both versions with their ideals, None without one; none for both where they are the same."""
        before, after = (
            overall((check.prompts[name].weight, found) for name, each in ideals.items() if (found := _headline(each)))
            for check, ideals in zip((self.old, self.new), self._ideals, strict=True)
        )
        return (None, None) if _figures(before) == _figures(after) else (before, after)

    def cases(self, cases: Sequence[Case]) -> CaseChanges:
        """The cases that come out differently. A case may name its prompt by its old or its new name."""
        outcomes = [(self.old.outcome(self._as_then(case)), self.new.outcome(case)) for case in cases]
        named = {case.prompt for case in cases}
        old, new = (
            ranking_of([*(each[at] for each in outcomes), *(ideals[name] for name in ideals if name in named)])
            for at, ideals in enumerate(self._ideals)
        )
        changes = self._moved((after.case.name, before, after) for before, after in outcomes)
        return CaseChanges(changes, len(cases), old, new)

    def stored(self, answers: Mapping[int, Sequence[tuple[str, Case]]]) -> tuple[ScoreChange, ...]:
        """The stored answers that score differently: by the index of their prompt in the new version, with labels."""
        names, new_names = self._names
        return self._moved(
            (
                label,
                self.old.outcome(replace(case, prompt=names[one])),
                self.new.outcome(replace(case, prompt=new_names[other])),
            )
            for one, other in self.pairs
            for label, case in answers.get(other, ())
        )

    def _moved(self, answers: Iterable[tuple[str, CaseOutcome, CaseOutcome]]) -> tuple[ScoreChange, ...]:
        return tuple(
            ScoreChange(label, _index(self.old, before), _index(self.new, after), before, after)
            for label, before, after in answers
            if before.state is not after.state or _figures(_headline(before)) != _figures(_headline(after))
        )

    def _as_then(self, case: Case) -> Case:
        """`case` under the name that its prompt had in the old version."""
        names, new_names = self._names
        partners = {new_names[other]: names[one] for one, other in self.pairs}
        return case if case.prompt in self.old.prompts else replace(case, prompt=partners.get(case.prompt, case.prompt))


def _index(check: CaseCheck, outcome: CaseOutcome) -> int | None:
    prompt = check.prompts.get(outcome.case.prompt)
    return None if prompt is None else prompt.index


def _headline(outcome: CaseOutcome) -> Headline | None:
    return None if outcome.bounds is None or outcome.scored is None else headline(outcome.scored.explanation)


def _figures(found: Headline | None) -> tuple[float, ...]:
    """Score and bounds, without what the rounding of binary fractions can add."""
    if found is None:
        return ()
    return tuple(round(each, 9) for each in (found.bounds.low, found.bounds.high, found.score or 0.0, found.is_open))
