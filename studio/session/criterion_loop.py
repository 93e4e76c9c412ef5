"""One criterion at a time: judged on chosen answers, reworded, judged again; and its earlier wordings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Block
from engine.functions import point_text
from engine.scoring.assessment import Grade
from engine.store import Lineage, WrittenWording
from engine.study.wordings import FoundPoint, KnownAnswer, edit_back, point_among, points_in, written_wording
from engine.text.record import replace
from engine.text.spans import one_line
from studio.session import criterion_runner
from studio.session.analysis import Analysis
from studio.session.blind_grading import in_sitting
from studio.session.criterion_runner import UNSAVED, CriterionRunner
from studio.session.fixes import TextChange
from studio.session.followed_criterion import (
    NEW_LINEAGE,
    FollowedCriterion,
    chosen_wording,
    continued_lineage,
    read_answers,
)
from studio.session.host import Choice, MarkQuestion, Severity
from studio.session.state import Part, State, selector
from studio.session.views.criterion_view import CriterionView, criterion_view

if TYPE_CHECKING:
    from engine.asking.planner import Wanted
    from studio.session.session import Session

NOT_THERE = "This criterion is not in the text at present."
NO_WORDS = "This criterion has no words yet: write what an answer should say."
NO_POINT = "Put the cursor on a criterion: Ctrl+K shows all answers with what judges say of it."
_NONE = WrittenWording("", "", "", 0)
"""Where a prompt has no criterion."""
_LONGEST = 70
"""Characters of an answer in a list."""


class CriterionLoop(Part):
    """The criteria of one file that are followed. Commands work on the one of the prompt under the cursor."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._runner = CriterionRunner(session)

    # --- What is shown

    @property
    def current(self) -> FollowedCriterion | None:
        """The criterion of the prompt under the cursor that was run last."""
        prompt, place = self.state.prompt, self.state.place
        for each in reversed(self.state.followed):
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
            self._runner.counts(current),
            self.state,
            self._runner.consent.so_far,
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
            self._runner.count_soon(current)
        if now.runs is not before.runs or now.opened is not before.opened or now.row is not before.row:
            self._mark_shown()

    def _follow_text(self, analysis: Analysis) -> None:
        self.change(followed=tuple(each.follow(analysis) for each in self.state.followed))
        current = self.current
        if current is not None and current.needs_answers:
            self.effect("criterion answers", self.read(criterion_runner.REST_SECONDS), exclusive=True)

    # --- Running

    async def open(self, index: int | None, offset: int) -> bool:
        """Show all answers with what judges say of a point; whether there is one. Nothing is sent: a check is run, and
        verdicts count on the answers of which all are known.

        It is the one at `index` of the `Prompt.points()` under the cursor, else the one at `offset` of the text. A
        prompt without points has its answers alone.
        """
        analysis, prompt = self.analysis, self.state.prompt
        self._follow_text(analysis)
        found = point_among(points_in(*analysis.blueprint.prompts), analysis.parsed.text, offset)
        if index is not None:
            points = () if prompt is None else points_in(prompt)
            found = points[index] if index < len(points) else None
        if found is None and prompt is not None and not prompt.points():
            lineage = Lineage(next(UNSAVED), Block.SHOULD, ())
            place = analysis.place(prompt)
            await self._show(FollowedCriterion(place, lineage, analysis, None, None, _NONE))
            return True
        if found is None:
            self.host.notify(NO_POINT, seconds=4)
            return False
        return await self._open(analysis, found)

    def wanted(self) -> Wanted | None:
        """The verdicts that the criterion that is shown lacks; None where nobody judges."""
        return None if self.current is None else self._runner.wanted(self.current, self.current.answers.chosen)

    async def again(self) -> None:
        """Judge the criterion that is shown again, in its present wording; while it is judged, stop that."""
        self._follow_text(self.analysis)
        current = self.current
        if current is None:
            self.host.notify(NO_POINT, seconds=4)
        elif current.found is None:
            self.host.notify(NOT_THERE if current.written.name else NO_POINT, seconds=4)
        elif current.is_running and (current.is_by_service or not current.written.is_check):
            self._runner.stop()
        elif not current.written.name.strip():
            self.host.notify(NO_WORDS, seconds=4)
        else:
            await self._read(current.number)
            await self._runner.begin(current.number)

    async def _open(self, analysis: Analysis, found: FoundPoint) -> bool:
        if not point_text(found.point).strip():
            self.host.notify(NO_WORDS, seconds=4)
            return False
        current = next((each for each in self.state.followed if each.found == found), None)
        current = current or await self._new(analysis, found)
        if current is None:
            return False
        await self._show(current)
        if not current.written.is_check:
            await self._runner.show_known(current.number)
        elif not current.is_by_service:
            await self._runner.begin(current.number)
        return True

    async def _show(self, current: FollowedCriterion) -> None:
        """Show the answers to a criterion."""
        followed = (each for each in self.state.followed if each.written is not _NONE)
        self.change(followed=(*(each for each in followed if each.number != current.number), current))
        if self.runs.blind.sitting is None:
            self.change(sitting=None)
        await self._read(current.number)

    async def _new(self, analysis: Analysis, found: FoundPoint) -> FollowedCriterion | None:
        """Follow a point: with its lineage of an earlier session, or a new one; None if the author cancels."""
        place = analysis.place(found.prompt)
        written = written_wording(analysis.parsed.text, found.point)
        others = [each.number for each in self.state.followed if each.found is not None]
        saved = await self.session.stored(lambda store: store.lineages(place), ())
        lineage = await continued_lineage(self.host, saved, others, found, written.name)
        if lineage is None:
            return None
        if lineage.number == NEW_LINEAGE:
            block = found.placed.rubric.block
            number = await self.session.stored(lambda store: store.begin_lineage(place, block), next(UNSAVED))
            lineage = Lineage(number, block, ())
        return FollowedCriterion(place, lineage, analysis, found, found.point.span, written)

    # --- Answers and grades

    async def _read(self, number: int) -> None:
        """Read the answers to the prompt, and the author's grades of them; one is selected."""
        current = self._runner.followed(number)
        prompt, asked = current.prompt, current.conversation
        if prompt is None:
            return
        shown, cache = self.runs.selection.of(prompt), self.session.cache
        answers, grades = await asyncio.to_thread(read_answers, current, prompt, self.state.path, shown, cache)
        answers = replace(answers, decided={**answers.decided, **self.runs.blind.judged(current)})
        author = await self.runs.cases.author()
        self._runner.update(number, answers=answers, grades=grades, asked=asked, author=author)
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
            await self.runs.cases.grade(answer.case, criterion, grade)
        await self._runner.use(current.number)
        await self._read(current.number)
        self._runner.rescore(current, answer.subject)

    async def choose_answers(self) -> None:
        """Ask on which answers criteria of this prompt are judged."""
        current = self.current
        if current is None:
            self.host.notify(NO_POINT, seconds=4)
            return
        await self._read(current.number)
        current = self._runner.followed(current.number)
        every, marked = current.answers.every, frozenset(each.key for each in current.answers.chosen)
        choices = [Choice(each.key, each.label, one_line(each.subject, longest=_LONGEST)) for each in every]
        if not choices:
            self.host.notify("There is no answer to choose yet: F5 runs this prompt.", seconds=4)
            return
        self.runs.shown.mark(current.place, [each.subject for each in every], read=False)
        text = "Criteria of this prompt are judged on these answers."
        wanted = await self.host.ask(MarkQuestion("On which answers?", text, choices, marked))
        if wanted is None:
            return
        changed = {each.key: each.key in wanted for each in every if (each.key in wanted) != (each.key in marked)}
        place = current.place
        await self.session.stored(lambda store: store.choose_answers(place, changed), None)
        answers = self._runner.followed(current.number).answers
        decided = {**answers.decided, **changed}
        self._runner.update(current.number, answers=replace(answers, decided=decided))

    # --- Earlier wordings

    async def take_back(self) -> TextChange | None:
        """Ask for an earlier wording: the edit that writes it into the text again, None for none."""
        current = self.current
        if current is None or current.found is None:
            self.host.notify(NO_POINT if current is None else NOT_THERE, seconds=4)
            return None
        wording = await chosen_wording(self.host, current)
        if wording is None:
            return None
        parsed = current.analysis.parsed
        edit = await asyncio.to_thread(edit_back, parsed, current.found, wording.written)
        if edit is None:
            self.host.notify("This wording cannot be written here as it was.", Severity.WARNING)
            return None
        return TextChange(current.analysis.revision, (edit,))
