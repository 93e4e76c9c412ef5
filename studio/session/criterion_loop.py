"""One criterion at a time: judged on chosen answers, reworded, judged again; its earlier wordings, and what it catches.

The author consents to each plan. What has arrived of a run stays when that is stopped.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.asking.exchanges import Job
from engine.asking.planner import Access, PlannedRuns, UnjudgedAnswer, Wanted, judge_answers, wanted_verdicts
from engine.blueprint import Block
from engine.evaluation.point_assessment import assess, subject_of
from engine.evaluation.prompt_evaluation import Services, service_verdicts
from engine.evaluation.sources import WrittenSource
from engine.functions import point_text
from engine.judging.judge_runner import JudgeAnswered
from engine.scoring.assessment import Assessment, Grade
from engine.store import Lineage, WordingVerdict, WrittenWording
from engine.store.stored_answers import wordings_of
from engine.study.case import Case, prompt_names
from engine.study.case_scoring import CaseCheck
from engine.study.criterion_counts import Freshness, UnitCounts, criterion_counts
from engine.study.wordings import (
    FoundPoint,
    KnownAnswer,
    context_of_wording,
    edit_back,
    form_of,
    point_among,
    points_in,
    written_wording,
)
from engine.text.record import replace
from engine.text.spans import one_line
from studio.session.analysis import Analysis
from studio.session.blind_grading import in_sitting
from studio.session.fixes import TextChange
from studio.session.followed_criterion import (
    FollowedCriterion,
    TurnReport,
    chosen_wording,
    continued_lineage,
    read_answers,
)
from studio.session.host import Choice, MarkQuestion, NotDone, Severity, answer_to, telling
from studio.session.run_consent import AuthorApproval, CriterionConsent
from studio.session.state import Part, State, selector
from studio.session.views.criterion_view import CriterionView, criterion_view

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Scale
    from engine.store import Store
    from studio.session.session import Session

NOT_THERE = "This criterion is not in the text at present."
NO_WORDS = "This criterion has no words yet: write what an answer should say."
NO_POINT = "Put the cursor on a criterion: Ctrl+K shows all answers with what judges say of it."
_NONE = WrittenWording("", "", "", 0)
"""Where a prompt has no criterion."""
_UNSAVED = itertools.count(-1, -1)
"""The numbers of what is not in the database."""
_TASKS, _KNOWN, _COUNTS = "criterion", "known verdicts", "criterion counts"
REST_SECONDS = 0.3
"""A new text must stay the same for this time before answers are read or counted again."""
_LONGEST = 70
"""Characters of an answer in a list."""


class CriterionLoop(Part):
    """The criteria of one file that are followed. Commands work on the one of the prompt under the cursor.

    One criterion runs at a time: a newer run ends the one before.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._consent = CriterionConsent(session.host, session.resources.settings)
        self._services = AuthorApproval(session.host, session.resources.settings)

    # --- What is shown

    @property
    def current(self) -> FollowedCriterion | None:
        """The criterion of the prompt under the cursor that was run last."""
        prompt, place = self.state.prompt, self.state.place
        for each in reversed(tuple(self.state.followed.values())):
            is_here = each.place == place if each.found is None else prompt and each.found.prompt.index == prompt.index
            if is_here:
                return each
        return None

    @selector(lambda of: of.revealed(), lambda of: of.state.sitting)
    def view(self) -> CriterionView | None:
        """The criterion of the prompt under the cursor, with no name and no verdict while it is graded blind."""
        view, sitting, current = self.revealed(), self.state.sitting, self.current
        if view is None or sitting is None or current is None:
            return view
        return in_sitting(sitting, view, current)

    @selector(
        lambda of: of.current,
        lambda of: of.state.prompt,
        lambda of: of.state.answer_selected,
        lambda of: of.state.marked,
        lambda of: of.state.choice,
        lambda of: of.state.runs,
        lambda of: of.state.found,
    )
    def revealed(self) -> CriterionView | None:
        """The criterion of the prompt under the cursor, with all that is known."""
        current = self.current
        if current is None:
            return None
        return criterion_view(
            current,
            self.runs.evaluator.counted_panel(current.analysis.header),
            self._counts(current),
            self.state,
            self._consent.so_far,
        )

    def select(self, key: str) -> None:
        """Select an answer by its digest: it counts as shown."""
        if key != self.state.answer_selected:
            self.change(answer_selected=key)
            self._mark_shown()

    def mark(self, key: str) -> None:
        """Mark an answer to be read beside another one, or take the mark back. Of three, the first loses it."""
        current, marked = self.current, self.state.marked
        if current is not None:
            others = [each for each in marked if each != key and current.answer(each) is not None]
            self.change(marked=tuple(others) if key in marked else (*others, key)[-2:])
            self._mark_shown()

    def unmark(self) -> bool:
        """Take all marks back; whether there were any."""
        had = bool(self.state.marked)
        if had:
            self.change(marked=())
        return had

    def read_answer(self) -> KnownAnswer | None:
        """The selected answer."""
        return None if self.current is None else self.current.answer(self.state.answer_selected)

    def _mark_shown(self) -> None:
        current = self.current
        if current is not None:
            found = map(current.answer, {self.state.answer_selected, *self.state.marked})
            self.runs.shown.mark(current.place, [each.subject for each in found if each is not None])

    def follow(self, before: State, now: State) -> None:
        """Follow the criteria through a newer text."""
        if now.analysis is not None and now.analysis is not before.analysis:
            self._follow_text(now.analysis)
        if (current := self.current) is not None:
            self._count_soon(current)
        if now.runs is not before.runs or now.opened is not before.opened or now.row is not before.row:
            self._mark_shown()

    def _follow_text(self, analysis: Analysis) -> None:
        self.change(followed={number: each.follow(analysis) for number, each in self.state.followed.items()})
        current = self.current
        if current is not None and current.needs_answers:
            self.effect("criterion answers", self.read(REST_SECONDS), exclusive=True)

    def _update(self, number: int, **fields: object) -> None:
        """Set fields of a criterion."""
        followed = self.state.followed.items()
        self.change(followed={at: replace(each, **fields) if at == number else each for at, each in followed})

    # --- Commands

    async def open(self, index: int | None, offset: int) -> None:
        """Show all answers with what judges say of a point. Nothing is sent: a check is run, and verdicts count on the
        answers of which all are known. Raises `NotDone` if there is none.

        It is the one at `index` of the `Prompt.points()` under the cursor, else the one at `offset` of the text. A
        prompt without points has its answers alone.
        """
        analysis, prompt = self.analysis, self.state.prompt
        self._follow_text(analysis)
        found = point_among(points_in(*analysis.blueprint.prompts), analysis.parsed.text, offset)
        if index is not None:
            points = () if prompt is None else points_in(prompt)
            found = points[index] if index < len(points) else None
        if found is not None:
            await self._open(analysis, found)
        elif prompt is not None and not prompt.points():
            lineage = Lineage(next(_UNSAVED), Block.SHOULD, ())
            await self._show(FollowedCriterion(analysis.place(prompt), lineage, analysis, None, None, _NONE))
        else:
            raise NotDone(NO_POINT)

    async def _open(self, analysis: Analysis, found: FoundPoint) -> None:
        if not point_text(found.point).strip():
            raise NotDone(NO_WORDS)
        current = next((each for each in self.state.followed.values() if each.found == found), None)
        current = current or await self._new(analysis, found)
        await self._show(current)
        if not current.written.is_check:
            await self._show_known(current.number)
        elif not current.is_by_service:
            await self._begin(current.number)

    async def _show(self, current: FollowedCriterion) -> None:
        """Show the answers to a criterion."""
        followed = self.state.followed.items()
        others = {at: each for at, each in followed if each.written is not _NONE and at != current.number}
        self.change(followed={**others, current.number: current})
        if self.runs.blind.sitting is None:
            self.change(sitting=None)
        await self._read(current.number)

    async def _new(self, analysis: Analysis, found: FoundPoint) -> FollowedCriterion:
        """Follow a point: with its lineage of an earlier session, or a new one. Raises `NotDone`."""
        place, block = analysis.place(found.prompt), found.placed.rubric.block
        written = written_wording(analysis.parsed.text, found.point)
        others = [number for number, each in self.state.followed.items() if each.found is not None]
        saved = await self.session.stored(lambda store: store.lineages(place), ())
        lineage = await continued_lineage(self.host, saved, others, found, written.name)
        if lineage is None:
            number = await self.session.stored(lambda store: store.begin_lineage(place, block), next(_UNSAVED))
            lineage = Lineage(number, block, ())
        return FollowedCriterion(place, lineage, analysis, found, found.point.span, written)

    async def again(self) -> None:
        """Judge the criterion that is shown again, in its present wording; while it is judged, stop that."""
        self._follow_text(self.analysis)
        current, _ = self._in_text()
        if current.is_running and (current.is_by_service or not current.written.is_check):
            self.session.tasks.cancel(_TASKS)
        elif not current.written.name.strip():
            raise NotDone(NO_WORDS)
        else:
            await self._read(current.number)
            await self._begin(current.number)

    def _in_text(self) -> tuple[FollowedCriterion, FoundPoint]:
        """The criterion that is shown, and where it stands. Raises `NotDone` if there is none."""
        current = self.current
        if current is None or current.found is None:
            raise NotDone(NO_POINT if current is None or not current.written.name else NOT_THERE)
        return current, current.found

    async def take_back(self) -> TextChange:
        """Ask for an earlier wording: the edit that writes it into the text again. Raises `NotDone`."""
        current, found = self._in_text()
        wording = await chosen_wording(self.host, current)
        edit = await asyncio.to_thread(edit_back, current.analysis.parsed, found, wording.written)
        if edit is None:
            raise NotDone("This wording cannot be written here as it was.", Severity.WARNING, seconds=5)
        return TextChange(current.analysis.revision, (edit,))

    # --- Answers and grades

    async def _read(self, number: int) -> None:
        """Read the answers to the prompt, and the author's grades of them; one is selected."""
        current = self.state.followed[number]
        prompt, asked = current.prompt, current.conversation
        if prompt is None:
            return
        shown, cache = self.runs.selection.of(prompt), self.session.cache
        answers, grades = await asyncio.to_thread(read_answers, current, prompt, self.state.path, shown, cache)
        answers = replace(answers, decided={**answers.decided, **self.runs.blind.judged(current)})
        author = await self.runs.cases.author()
        self._update(number, answers=answers, grades=grades, asked=asked, author=author)
        chosen = () if self.current is None else self.current.answers.chosen
        if not any(each.key == self.state.answer_selected for each in chosen):
            self.change(answer_selected=next((each.key for each in chosen), ""))
        self._mark_shown()

    async def read(self, after: float = 0.0) -> None:
        """Read the answers to the criterion that is shown again, and the grades of them, after so many seconds."""
        await asyncio.sleep(after)
        if self.current is not None:
            await self._read(self.current.number)

    async def grade(self, key: str, grade: Grade | None) -> None:
        """Grade the criterion, in its present wording, on an answer; None takes the grade back."""
        current = self.current
        answer = None if current is None else current.answer(key)
        if current is None or answer is None or not current.can_grade:
            return
        place, criterion = current.place, current.criterion
        self.runs.blind.note(current, key, grade)
        if not await self.session.save(lambda store: store.grade(place, answer.subject, criterion, grade)):
            return
        if answer.case is not None:
            with telling(self.host):
                await self.runs.cases.grade(answer.case, criterion, grade)
        await self._use(current.number)
        await self._read(current.number)
        self._rescore(current, answer.subject)

    async def choose_answers(self) -> None:
        """Ask on which answers criteria of this prompt are judged."""
        if (current := self.current) is None:
            raise NotDone(NO_POINT)
        await self._read(current.number)
        current = self.state.followed[current.number]
        every, marked = current.answers.every, frozenset(each.key for each in current.answers.chosen)
        choices = [Choice(each.key, each.label, one_line(each.subject, longest=_LONGEST)) for each in every]
        if not choices:
            raise NotDone("There is no answer to choose yet: F5 runs this prompt.")
        self.runs.shown.mark(current.place, [each.subject for each in every], read=False)
        text = "Criteria of this prompt are judged on these answers."
        wanted = await answer_to(self.host, MarkQuestion("On which answers?", text, choices, marked))
        changed = {each.key: each.key in wanted for each in every if (each.key in wanted) != (each.key in marked)}
        place = current.place
        await self.session.stored(lambda store: store.choose_answers(place, changed), None)
        answers = self.state.followed[current.number].answers
        decided = {**answers.decided, **changed}
        self._update(current.number, answers=replace(answers, decided=decided))

    # --- Running

    async def _use(self, number: int) -> None:
        """Record that the present wording is used."""
        current = self.state.followed[number]
        is_taken_back = current.wording is not None and current.lineage.last_used.name != current.written.name
        written, place, found = current.written, current.place, current.found
        unsaved = next(_UNSAVED) if current.wording is None else current.wording.number

        def use(store: Store) -> int:
            if found is not None:
                store.note_wordings(place, wordings_of(found.prompt))
            if found is not None and is_taken_back:
                store.renew_wording(place, current.lineage.block, written.name)
            if number < 0:
                return unsaved
            store.move_lineage(number, place)  # its prompt may have another id than before
            return store.use_wording(number, written).number

        saved = await self.session.stored(use, unsaved)
        self._update(number, lineage=self.state.followed[number].lineage.with_used(written, saved))

    async def _begin(self, number: int) -> None:
        """Begin a run of a criterion, whose answers are read: by the judges chosen, once the author agrees.

        A check runs at once. Without judges, and without consent, nothing is judged.
        """
        self.session.tasks.cancel(_KNOWN)
        await self._use(number)
        self._update(number, report=None)
        current = self.state.followed[number]
        if current.found is None or not current.answers.chosen:
            return
        if current.found.point.function is not None:
            work = partial(self._check, number, await self._access(current, current.found))
        else:
            asks = self.runs.configuration.panel(current.analysis.blueprint) is not None
            wanted = self.wanted(current, current.answers.chosen) if asks else None
            planned = None if wanted is None else await self._consent.approve(wanted)
            if planned is None:
                return
            work = partial(self._judge, current, current.answers.chosen, planned)
        self.effect(_TASKS, self._run(number, work), exclusive=True)

    async def _access(self, current: FollowedCriterion, found: FoundPoint) -> Access | None:
        """What a check by a service may send, once the author agrees to its host; None for cached replies alone."""
        if not current.is_by_service:
            return None
        await self.session.file.write_journal()
        jobs = [Job(found.alone, WrittenSource(each.subject), thread=each.thread) for each in current.answers.chosen]
        planned = await self._services.approve(Wanted(current.analysis.blueprint, jobs))
        return planned and planned.access

    def wanted(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> Wanted | None:
        """The verdicts on `answers` that a criterion lacks, and their judges; None where nobody judges."""
        panel = self.runs.configuration.judges(current.analysis.header)
        if panel is None or not panel.judges or current.found is None:
            return None
        unjudged = list(_unjudged(current.found, answers))
        return wanted_verdicts(current.analysis.header, unjudged, panel, self.session.cache.judgement)

    async def _show_known(self, number: int) -> None:
        """Let the stored verdicts count on the answers of which all are stored."""
        current = self.state.followed[number]
        answers = () if current.is_running else current.answers.chosen
        known = [each for each in answers if await self._stored(current, [each]) is not None]
        planned = await self._stored(current, known) if known else None
        if planned is not None:
            await self._use(number)
            self.effect(_KNOWN, self._judge(current, known, planned), exclusive=True)

    async def _stored(self, current: FollowedCriterion, answers: Sequence[KnownAnswer]) -> PlannedRuns | None:
        """The plan of the verdicts on `answers` if all of them are stored; else None."""
        wanted = self.wanted(current, answers)
        planned = None if wanted is None else await wanted.plan(None, keyless=True)
        return None if planned is None or planned.plan.shares else planned

    async def _run(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` as the only run."""
        this = object()
        self._update(number, running=this)
        try:
            await work()
        finally:
            if self.state.followed[number].running is this:
                self._update(number, running=None)

    async def _judge(self, approved: FollowedCriterion, answers: Sequence[KnownAnswer], planned: PlannedRuns) -> None:
        """Ask the judges about `answers`, on the criterion as it was when its plan was approved."""
        number, panel = approved.number, planned.wanted.panel
        assert approved.found is not None
        assert panel is not None
        asked = _unjudged(approved.found, answers)
        report = TurnReport(self.state.followed[number].written.name, len(asked), len(asked) * len(panel.judges))
        self._update(number, report=report)
        await self.session.file.write_journal()
        try:
            async with aclosing(judge_answers(list(asked), planned)) as events:
                async for answer, event in events:
                    if isinstance(event, JudgeAnswered):
                        report = replace(report, came=(*report.came, (asked[answer].key, event.judgement)))
                        self._update(number, report=report)
                        await self._take(approved, report.wording, asked[answer], event.judgement, panel.scale)
        finally:
            self._update(number, report=replace(report, sent=planned.spending.summary))
        self._rescore(self.state.followed[number])

    async def _take(
        self, approved: FollowedCriterion, name: str, answer: KnownAnswer, judgement: Judgement, scale: Scale
    ) -> None:
        """Show a judgement under the wording with this name, and save it."""
        found, header, verdict = approved.found, approved.analysis.header, judgement.verdict
        if verdict is not None and found is not None:
            context = context_of_wording(judgement.judge.approach, found.question(answer, header))
            form = form_of(judgement.judge, scale, header.models)
            given = WordingVerdict(judgement.judge.label, verdict.extent, verdict.reflection, context, form)
            await self._count(approved.number, name, answer, given)
        if not judgement.reused:
            await asyncio.to_thread(self.session.cache.save_judgement, judgement)

    async def _count(self, number: int, name: str, answer: KnownAnswer, given: WordingVerdict) -> None:
        """Let a verdict on an answer count under the wording with this name, then save it: others arrive meanwhile."""
        current = self.state.followed[number]
        lineage = current.lineage.with_verdict(name, answer.key, given)
        self.runs.shown.mark(current.place, [answer.subject], read=False)
        self._update(number, lineage=lineage)
        wording = lineage.named(name)
        if wording is not None and wording.number > 0:
            await self.session.stored(lambda store: store.save_wording_verdict(wording.number, answer.key, given), None)

    def _rescore(self, current: FollowedCriterion, graded: str | None = None) -> None:
        """Let the results of all candidates have the newest verdicts; those with the answer `graded`, its grade."""
        if current.found is None:
            return
        prompt, selection = current.found.prompt, self.runs.selection
        runs = {each.started: each for each in (selection.of(prompt), *selection.of_prompt(current.place)) if each}
        for run in runs.values():
            if graded is None or (run.response is not None and run.response.subject == graded):
                self.runs.selection.again(run, prompt, current.analysis)

    async def _check(self, number: int, access: Access | None) -> None:
        """Run a check on all answers; one by a service sends what `access` allows."""
        current = self.state.followed[number]
        if current.found is None:
            return
        name, found, answers = current.written.name, current.found, current.answers.chosen
        services = self.session.cache.services(current.analysis.header, found.alone, access)
        checks = {each.key: await self._checked(found, each, services) for each in answers}
        self._update(number, checks=checks)
        for each in answers:
            assessment = checks[each.key]
            if assessment.error is None and assessment.extent is not None:
                extent = 1 - assessment.extent if found.placed.inverted else assessment.extent
                await self._count(number, name, each, WordingVerdict("", extent, assessment.detail))

    async def _checked(self, found: FoundPoint, answer: KnownAnswer, services: Services | None) -> Assessment:
        """What a check says of an answer; without `services`, one by a service stays open."""
        prompt, model, javascript = found.alone, answer.model or answer.label, self.resources.javascript()
        (assessed,) = await asyncio.to_thread(
            assess, prompt, answer.subject, javascript, thread=answer.thread, model=model
        )
        assessed = replace(assessed, placed=found.placed)
        if services is not None:
            subject = subject_of(prompt, answer.subject, answer.thread, model)
            async with aclosing(service_verdicts([assessed], subject, services)) as verdicts:
                async for _, verdict in verdicts:
                    assessed = verdict
        return assessed

    # --- What it is good for

    def _count_soon(self, current: FollowedCriterion) -> None:
        """Count the labelled answers that the criterion fails, as far as that is known, once the text has rested."""
        if current.is_counted and not current.is_running:
            work = partial(self._find_counts, current)
            self.find(_COUNTS, current.number, current.counted, work, rest=REST_SECONDS)

    def _counts(self, current: FollowedCriterion) -> UnitCounts | None:
        """The last counts of the rubric that the criterion stands in; None before there are any."""
        _, (rubric, counts) = self.state.found.get((_COUNTS, current.number), (None, ("", None)))
        return counts if current.is_counted and rubric == current.rubric else None

    async def _find_counts(self, current: FollowedCriterion) -> tuple[str, UnitCounts] | None:
        found, blueprint, cases = current.found, current.analysis.blueprint, current.answers.cases
        if found is None:
            return None
        check, fresh = self.runs.cases.check(blueprint), self.session.cache.freshness

        def counted() -> UnitCounts:
            return _unit_counts(check, found, cases, fresh(current.place, found.prompt, blueprint.header))

        return current.rubric, await asyncio.to_thread(counted)


def _unjudged(found: FoundPoint, answers: Sequence[KnownAnswer]) -> Mapping[UnjudgedAnswer, KnownAnswer]:
    """The answers as judges are asked about them."""
    places = frozenset((found.index,))
    return {UnjudgedAnswer(found.prompt, each.subject, each.thread, places): each for each in answers}


def _unit_counts(check: CaseCheck, found: FoundPoint, cases: Sequence[Case], is_fresh: Freshness | None) -> UnitCounts:
    """The counts of the unit of a point. Blocks while checks run."""
    name = prompt_names(check.blueprint)[found.prompt.index]
    outcomes = (*check.outcomes(cases), *check.ideals([name]))
    units = criterion_counts(name, found.prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)
