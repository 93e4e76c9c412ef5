"""One criterion at a time: judged on chosen answers, reworded, judged again; and its earlier wordings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine.functions import point_text
from engine.scoring.assessment import Grade
from engine.store import StoreUnavailable
from engine.study.wordings import FoundPoint, LoopAnswer, edit_back, point_at, points_of, written_wording
from engine.text.record import replace
from studio.session import criterion_runner
from studio.session.analysis import Analysis
from studio.session.cache import Cache
from studio.session.case_file_edits import CaseFileEdits
from studio.session.changes import Change
from studio.session.criterion_answers import LoopAnswers, read_answers
from studio.session.criterion_consent import CriterionConsent
from studio.session.criterion_lineages import LineageBook, with_used
from studio.session.criterion_runner import CriterionRunner
from studio.session.earlier_wordings import NEW_LINEAGE, chosen_wording, continued_lineage, shortened
from studio.session.fixes import TextChange
from studio.session.followed_criterion import FollowedCriterion
from studio.session.host import Choice, Severity
from studio.session.questions import MarkQuestion
from studio.session.rescoring import Rescoring
from studio.session.run_configuration import RunConfiguration
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord
from studio.session.views.criterion_view import CriterionView, NoCriterion, criterion_view
from studio.session.views.latest import Latest

NOT_THERE = "This criterion is not in the text at present."
NO_WORDS = "This criterion has no words yet: write what an answer should say."
NO_POINT = "Put the cursor on a point of a rubric: Ctrl+K runs this criterion."


class CriterionLoop:
    """The criteria of one file that are followed. Commands work on the one of the prompt under the cursor."""

    def __init__(
        self,
        context: SessionContext,
        selection: RunSelection,
        configuration: RunConfiguration,
        rescoring: Rescoring,
        cache: Cache,
        before_run: Callable[[], Awaitable[None]],
        shown: ShownRecord,
        file: CaseFileEdits,
    ) -> None:
        self._context = context
        self._document = context.document
        self._selection = selection
        self._configuration = configuration
        self._rescoring = rescoring
        self._cache = cache
        self._shown = shown
        self._file = file
        self._book = LineageBook(context.resources.store, context.database_messages.report)
        self.consent = CriterionConsent(context.host, context.resources.settings)
        self._runner = CriterionRunner(
            context, configuration, cache, self._book, self.consent, before_run, self._changed, shown, self._turn_ended
        )
        self._followed: list[FollowedCriterion] = []
        self._selected = ""
        self._version = 0
        self._view = Latest[NoCriterion | CriterionView]()

    # --- What is shown

    @property
    def current(self) -> FollowedCriterion | None:
        """The criterion of the prompt under the cursor that was run last."""
        prompt, place = self._document.prompt, self._selection.place
        if prompt is None or place is None:
            return None
        for each in reversed(self._followed):
            is_here = each.place == place if each.found is None else each.found.prompt.index == prompt.index
            if is_here:
                return each
        return None

    def view(self) -> NoCriterion | CriterionView:
        """The criterion of the prompt under the cursor."""
        current = self.current
        if current is None:
            prompt = self._document.prompt
            return self._view.same(NoCriterion("" if prompt is None else prompt.id))
        version = (id(current), self._version, self._selected, self._configuration.judges_as)
        return self._view.of(version, lambda: self._make_view(current))

    def _make_view(self, current: FollowedCriterion) -> CriterionView:
        return criterion_view(
            current,
            self._runner.panel(current.analysis),
            self._runner.forms(current.analysis),
            self._selected,
            self.consent.so_far,
            has_judges=self._configuration.judges_as is not None,
        )

    def select(self, key: str) -> None:
        """Select an answer by its digest: it counts as shown."""
        if key != self._selected:
            self._selected = key
            self._mark_shown()
            self._changed()

    def _mark_shown(self) -> None:
        current = self.current
        answer = None if current is None else self._answer(current)
        if current is not None and answer is not None:
            self._shown.mark(current.place, [answer.subject])

    def _answer(self, current: FollowedCriterion) -> LoopAnswer | None:
        return next((each for each in current.answers.every if each.key == self._selected), None)

    def follow(self, changed: frozenset[Change]) -> None:
        """Follow the criteria through a newer text."""
        analysis = self._document.analysis
        if not self._followed or analysis is None:
            return
        if Change.ANALYSIS in changed:
            self._follow_text(analysis)
        if Change.RUNS in changed:
            self._version += 1
            self._mark_shown()

    def _follow_text(self, analysis: Analysis) -> None:
        for each in self._followed:
            self._version += each.follow(analysis)
        current = self.current
        if current is None:
            return
        if current.needs_counting:
            self._runner.recount(current)
        if current.needs_answers:
            self._context.tasks.start("criterion answers", self._read_again(current), exclusive=True)

    def _turn_ended(self, current: FollowedCriterion) -> None:
        """Let the results of all candidates have the verdicts of the turn."""
        if current.found is None:
            return
        prompt = current.found.prompt
        runs = {
            each.started: each
            for each in (self._selection.of(prompt), *self._selection.of_prompt(current.place))
            if each
        }
        for run in runs.values():
            self._rescoring.again(run, prompt, current.analysis)

    def _changed(self) -> None:
        self._version += 1
        self._context.changes.publish(Change.CRITERION)

    # --- Running

    async def run_at(self, offset: int) -> bool:
        """Judge the point at `offset` of the text, which is analysed; whether there is one."""
        analysis = self._analysis
        self._follow_text(analysis)
        found = point_at(analysis.blueprint, analysis.parsed.text, offset)
        if found is None:
            self._context.host.notify(NO_POINT, seconds=4)
            return False
        return await self._run_found(analysis, found)

    async def run_point(self, index: int) -> bool:
        """Judge a point of the prompt under the cursor, by its index in `Prompt.points()`; whether there is one."""
        analysis, prompt = self._analysis, self._document.prompt
        self._follow_text(analysis)
        found = next(
            (each for each in points_of(analysis.blueprint) if each.prompt is prompt and each.index == index), None
        )
        return found is not None and await self._run_found(analysis, found)

    async def again(self) -> None:
        """Judge the criterion that is shown again, in its present wording; while it is judged, stop that."""
        self._follow_text(self._analysis)
        current = self.current
        if current is None:
            self._context.host.notify(NO_POINT, seconds=4)
        elif current.is_running:
            self._runner.stop()
        elif current.found is None:
            self._context.host.notify(NOT_THERE, seconds=4)
        elif not current.written.name.strip():
            self._context.host.notify(NO_WORDS, seconds=4)
        else:
            await self._begin(current)

    async def _run_found(self, analysis: Analysis, found: FoundPoint) -> bool:
        if not point_text(found.point).strip():
            self._context.host.notify(NO_WORDS, seconds=4)
            return False
        current = next((each for each in self._followed if each.found == found), None)
        if current is None:
            current = await self._new(analysis, found)
            if current is None:
                return False
        else:
            self._followed.remove(current)
        self._followed.append(current)
        await self._begin(current)
        return True

    async def _new(self, analysis: Analysis, found: FoundPoint) -> FollowedCriterion | None:
        """Follow a point: with its lineage of an earlier session, or a new one; None if the author cancels."""
        place = analysis.place(found.prompt)
        written = written_wording(analysis.parsed.text, found.point)
        others = {each.lineage.number: each.found for each in self._followed if each.found is not None}
        saved = await self._book.of_prompt(place)
        lineage = await continued_lineage(self._context.host, saved, others, found, written.name)
        if lineage is None:
            return None
        if lineage.number == NEW_LINEAGE:
            lineage = await self._book.begin(place, found.placed.rubric.block)
        self._followed = [each for each in self._followed if each.lineage.number != lineage.number]
        answers = LoopAnswers((), {}, ())
        return FollowedCriterion(place, lineage, analysis, found, found.point.span, written, answers)

    async def _begin(self, current: FollowedCriterion) -> None:
        """Read the answers, record the wording, and judge, once the author agrees."""
        await self._read(current)
        await self._use(current)
        self._show_read(current)
        if current.answers.problem:
            self._context.host.notify(current.answers.problem, Severity.WARNING)
        await self._runner.begin(current)

    async def _use(self, current: FollowedCriterion) -> None:
        """Record that the present wording is used."""
        is_taken_back = current.wording is not None and current.lineage.last_used.name != current.written.name
        if current.found is not None:
            again = (current.lineage.block, current.written.name) if is_taken_back else None
            await self._shown.note_wordings(current.place, current.found.prompt, again)
        saved = await self._book.use(current.lineage, current.written, current.place)
        current.lineage = with_used(current.lineage, current.written, saved)

    # --- Answers and grades

    async def _read(self, current: FollowedCriterion) -> None:
        """Read the answers to the prompt, and the author's grades of them."""
        if current.found is None:
            return
        store, report = self._context.resources.store, self._context.database_messages.report
        current.asked = current.conversation
        current.answers = await asyncio.to_thread(
            read_answers,
            self._document.path,
            current.analysis.blueprint,
            current.found.prompt,
            current.place,
            self._selection.of(current.found.prompt),
            store,
            report,
        )
        current.author = await self._file.author()
        await self._read_grades(current)

    async def _read_again(self, current: FollowedCriterion) -> None:
        """Read the answers anew once the text has rested: the ideal or the conversation is another one."""
        await asyncio.sleep(criterion_runner.REST_SECONDS)
        await self._read(current)
        if current is self.current:
            self._show_read(current)

    def _show_read(self, current: FollowedCriterion) -> None:
        """Show the answers that were read, one of them selected."""
        if not any(each.key == self._selected for each in current.answers.chosen):
            self._selected = next((each.key for each in current.answers.chosen), "")
        self._mark_shown()
        self._changed()

    async def grades_changed(self) -> None:
        """Show a grade that the author gave elsewhere."""
        current = self.current
        if current is not None:
            await self._read_grades(current)
            self._changed()
            await self._runner.count(current)

    async def _read_grades(self, current: FollowedCriterion) -> None:
        answers = current.answers.every
        found = await asyncio.to_thread(
            lambda: [self._cache.own_grades(current.place, each.subject) for each in answers]
        )
        current.grades = {each.key: grades for each, grades in zip(answers, found, strict=True)}

    async def grade(self, key: str, grade: Grade | None) -> None:
        """Grade the criterion, in its present wording, on an answer; None takes the grade back."""
        current = self.current
        answer = None if current is None else next((each for each in current.answers.every if each.key == key), None)
        if current is None or answer is None or current.written.is_check:
            return
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            await asyncio.to_thread(store.grade, current.place, answer.subject, current.criterion, grade)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return
        self._context.database_messages.works()
        if answer.case is not None:
            await self._file.grade(answer.case, current.criterion, grade)
        await self._use(current)
        await self._read(current)
        self._changed()
        self._rescore(current, answer)
        await self._runner.count(current)

    def _rescore(self, current: FollowedCriterion, answer: LoopAnswer) -> None:
        """Score the run that is shown again if it has this answer."""
        run = None if current.found is None else self._selection.of(current.found.prompt)
        if run is not None and not run.running and run.response is not None and run.response.subject == answer.subject:
            self._rescoring.start(run, current.analysis.blueprint)

    async def choose_answers(self) -> None:
        """Ask on which answers criteria of this prompt are judged."""
        current = self.current
        if current is None:
            self._context.host.notify(NO_POINT, seconds=4)
            return
        await self._read(current)
        every, marked = current.answers.every, frozenset(each.key for each in current.answers.chosen)
        choices = [Choice(each.key, each.label, shortened(each.subject)) for each in every]
        if not choices:
            self._context.host.notify("There is no answer to choose yet: F5 runs this prompt.", seconds=4)
            return
        self._shown.mark(current.place, [each.subject for each in every], read=False)
        text = "Criteria of this prompt are judged on these answers."
        wanted = await self._context.host.ask(MarkQuestion("On which answers?", text, choices, marked))
        if wanted is None:
            return
        changed = {each.key: each.key in wanted for each in every if (each.key in wanted) != (each.key in marked)}
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            await asyncio.to_thread(store.choose_answers, current.place, changed)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
        current.answers = replace(current.answers, decided={**current.answers.decided, **changed})
        self._changed()

    # --- Earlier wordings

    async def take_back(self) -> TextChange | None:
        """Ask for an earlier wording: the edit that writes it into the text again, None for none."""
        current = self.current
        if current is None or current.found is None:
            self._context.host.notify(NO_POINT if current is None else NOT_THERE, seconds=4)
            return None
        earlier = [each for each in reversed(current.lineage.wordings) if each.name != current.written.name]
        if not earlier:
            self._context.host.notify("There is no earlier wording yet: change the text, and run it again.", seconds=4)
            return None
        forms = self._runner.forms(current.analysis)
        wording = await chosen_wording(self._context.host, current, earlier, forms)
        if wording is None:
            return None
        parsed = current.analysis.parsed
        edit = await asyncio.to_thread(edit_back, parsed, current.found, wording.written)
        if edit is None:
            self._context.host.notify("This wording cannot be written here as it was.", Severity.WARNING)
            return None
        return TextChange(current.analysis.revision, (edit,))

    @property
    def _analysis(self) -> Analysis:
        assert self._document.analysis is not None
        return self._document.analysis
