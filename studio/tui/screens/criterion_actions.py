"""What keys do with one criterion."""

from __future__ import annotations

from textual import work

from studio.tui.session_screen import SessionScreen
from studio.tui.window import Pane


class CriterionActions(SessionScreen):
    """The actions on one criterion."""

    @work(group="criterion", exclusive=True)
    async def action_all_answers(self) -> None:
        """Show all answers, with what judges say of the selected criterion, or else of the one at the cursor."""
        point = self.session.state.row[0] if self.halves.focused is Pane.CRITERIA else None
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        if await runs.criterion.open(point, self.session.state.cursor):
            self.open_pane(Pane.ANSWERS)

    @work(group="criterion again")
    async def run_criterion(self) -> None:
        """Judge the criterion on all answers, or stop that."""
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        await runs.criterion.again()

    def action_criterion_answers(self) -> None:
        """Choose the answers on which criteria are judged."""
        self.session.with_runs(lambda runs: runs.criterion.choose_answers())

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
