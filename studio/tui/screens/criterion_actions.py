"""What keys do with one criterion, and what its pane requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from studio.tui.session_screen import SessionScreen
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.panes.criterion_pane import CriterionPane


class CriterionActions(SessionScreen):
    """The actions on one criterion. Messages are handled by name: the pane is imported after the first frame."""

    @work(group="criterion", exclusive=True)
    async def action_all_answers(self) -> None:
        """Show all answers, with what judges say of the selected criterion, or else of the one at the cursor."""
        point = self._point_in_result
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        if await runs.criterion.open(point, self.session.state.cursor):
            self.open_pane(Pane.ANSWERS)

    @property
    def _point_in_result(self) -> int | None:
        """The point of the selected row of the result, if that has the focus."""
        result = self.panes.result
        if result is None or not result.has_focus_within or result.row is None:
            return None
        return result.row.point

    @work(group="criterion again")
    async def run_criterion(self) -> None:
        """Judge the criterion on all answers, or stop that."""
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        await runs.criterion.again()

    def on_criterion_pane_answer_selected(self, event: CriterionPane.AnswerSelected) -> None:
        """Look for the evidence in the selected answer."""
        self.session.with_runs(lambda runs: runs.criterion.select(event.key))

    def on_criterion_pane_grade_given(self, event: CriterionPane.GradeGiven) -> None:
        """Save a grade."""
        self.session.with_runs(lambda runs: runs.criterion.grade(event.key, event.grade))

    def action_criterion_answers(self) -> None:
        """Choose the answers on which criteria are judged."""
        self.session.with_runs(lambda runs: runs.criterion.choose_answers())

    def on_criterion_pane_words_wanted(self, event: CriterionPane.WordsWanted) -> None:
        """Show the exact requests to judges and their raw replies."""
        from studio.tui.dialogs.word_for_word import WordForWord

        self.app.push_screen(WordForWord(event.judgements))

    @work(group="earlier wording", exclusive=True)
    async def action_earlier_wording(self) -> None:
        """Write an earlier wording into the text again, as one step of undo."""
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        change = await runs.criterion.take_back()
        if change is None:
            return
        if self.session.refuses_change():
            return
        if change.revision != self.editor.revision:
            self.notify("The text has changed since this was found. Try again in a moment.", timeout=3, markup=False)
        else:
            self.editor.apply_edits(change.edits)
