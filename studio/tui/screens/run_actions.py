"""What keys do with runs, and what the panes of the right side request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from engine.scoring.assessment import Criterion
from engine.scoring.sums import place
from studio.tui.messages import drop_all
from studio.tui.session_screen import SessionScreen
from studio.tui.window import Pane

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.study.matrix_view import Cell, SecondRun
    from engine.study.scored_answer import PointName
    from studio.session.repeats import Repeats
    from studio.session.runs import Runs


class RunActions(SessionScreen):
    """The actions on runs, and the messages of the panes that show them."""

    def action_run(self) -> None:
        """Run what is shown: the prompt under the cursor, or the criterion whose answers are seen; or stop the run."""
        drop_all(self)  # messages stand over the score of the run that begins
        if Pane.ANSWERS in self.halves.panes:
            self.run_criterion()
            return
        self.submit_text()
        self.show_result()
        self.session.with_runs(lambda runs: runs.run_or_stop())

    def action_run_all(self) -> None:
        """Run every prompt, or stop the runs."""
        drop_all(self)
        self.submit_text()
        self.session.with_runs(lambda runs: runs.run_all_or_stop())

    def action_run_fresh(self) -> None:
        """Run the prompt under the cursor with a fresh answer, or stop the run."""
        drop_all(self)
        self.submit_text()
        self.session.with_runs(lambda runs: runs.run_or_stop(fresh=True))

    def action_judge(self) -> None:
        """Have the shown answer judged, or stop the run."""
        self.session.with_runs(lambda runs: runs.judge_or_stop())

    @work(group="answers", exclusive=True)
    async def action_answers(self) -> None:
        """Choose where answers come from."""
        runs = await self.session.ready()
        if await runs.choose_answers() is not None and runs.selection.is_writing:
            self.open_pane(Pane.ANSWER)

    def action_make_case(self) -> None:
        """Make a case of the shown answer."""
        self.session.with_runs(lambda runs: runs.cases.make())

    @work(group="what if", exclusive=True)
    async def action_what_if(self) -> None:
        """Try changes on the shown result."""
        self.submit_text()
        runs = await self.session.ready()
        if await runs.what_if.begin():
            self.panes.show(runs)
            self.open_pane(Pane.CRITERIA)

    @work(group="target", exclusive=True)
    async def action_target(self) -> None:
        """Ask for the score that was expected, and show what it takes."""
        runs = await self.session.ready()
        await runs.expected.ask_or_clear()
        if runs.expected.wanted is not None and self.panes.criteria is not None:
            self.panes.show(runs)
            self.panes.criteria.select("target:summary")

    @work(group="matrix", exclusive=True)
    async def action_grid(self) -> None:
        """Show the matrix of all models; then the result of the cell that was opened there."""
        self.submit_text()
        await self._show_matrix(await self.session.ready())

    @work(group="compare", exclusive=True)
    async def action_compare(self) -> None:
        """Compare the shown result with one that the author chooses."""
        runs = await self.session.ready()
        second = await runs.second.ask()
        if second is not None:
            await self._show_matrix(runs, second)

    async def _show_matrix(self, runs: Runs, second: SecondRun | None = None) -> None:
        from studio.tui.screens.matrix_screen import MatrixScreen

        opened = await self.app.push_screen_wait(MatrixScreen(runs, runs.prompt_name, second))
        if opened is not None:
            self._open_cell(runs, *opened)

    @work(group="history", exclusive=True)
    async def action_history(self) -> None:
        """List the earlier runs of the prompt, and open one or compare the shown result with it."""
        runs = await self.session.ready()
        view = await runs.history.view()
        if view is None:
            return
        from studio.tui.dialogs.history import EarlierRuns

        chosen = await self.app.push_screen_wait(EarlierRuns(view))
        if chosen is None:
            return
        if chosen.is_compared:
            second = await runs.second.with_past(chosen.run)
            if second is not None:
                await self._show_matrix(runs, second)
        elif await runs.open_past(chosen.run):
            self.open_pane(Pane.CRITERIA)

    def _open_cell(self, runs: Runs, cell: Cell, criterion: PointName | None) -> None:
        prompt = runs.show_cell(*cell)
        analysis = self.session.state.analysis
        if prompt is not None and analysis is not None:
            self.editor.go_to(self.editor.carry(prompt.span.start, analysis.revision) or 0)
            self.submit_text()
            self.open_pane(Pane.ANSWER)
            self.open_pane(Pane.CRITERIA)
            if criterion is not None:
                self._select_criterion(runs, criterion)

    def _select_criterion(self, runs: Runs, criterion: PointName) -> None:
        from engine.study.scored_answer import point_names  # here, as nothing of it is on the first frame
        from studio.session.views.result_view import ResultView

        view = runs.views.result()
        names = point_names(each.placed for each in view.assessments) if isinstance(view, ResultView) else ()
        if self.panes.criteria is not None and criterion in names:
            self.panes.show(runs)
            self.panes.criteria.select_criterion(names.index(criterion))

    def action_judges(self) -> None:
        """Choose who judges points in words."""
        self.session.with_runs(lambda runs: runs.choose_judges())

    @work(group="grading", exclusive=True)
    async def action_grade_blind(self) -> None:
        """Open the queue of blind grading."""
        self.submit_text()
        runs = await self.session.ready()
        grading = await runs.blind_grading()
        from studio.tui.screens.grading_screen import GradingScreen

        pair = await self.app.push_screen_wait(GradingScreen(grading))
        analysis = self.session.state.analysis
        if pair is None or analysis is None:
            return
        prompt = await runs.history.open_pair(analysis, pair)
        if prompt is not None:
            self._show_point(runs, prompt, pair.criterion)

    def _show_point(self, runs: Runs, prompt: Prompt, criterion: Criterion) -> None:
        """Show the result of a prompt, with the point of this wording selected."""
        analysis = self.session.state.analysis
        assert analysis is not None
        self.editor.go_to(self.editor.carry(prompt.span.start, analysis.revision) or 0)
        self.submit_text()
        self.open_pane(Pane.CRITERIA)
        points = [Criterion(each.rubric.block, each.point.text or "") for each in place(prompt)]
        if self.panes.criteria is not None and criterion in points:
            self.panes.show(runs)
            self.panes.criteria.select_criterion(points.index(criterion))

    def action_next_variant(self) -> None:
        """Show the result of the next variant."""
        self.session.with_runs(lambda runs: runs.show_next_candidate())

    def action_plan(self) -> None:
        """Show what a run of the prompt under the cursor would send."""
        self.session.with_runs(lambda runs: runs.preview(all_prompts=False))

    def action_plan_all(self) -> None:
        """Show what a run of all prompts would send."""
        self.session.with_runs(lambda runs: runs.preview(all_prompts=True))

    def action_export_results(self) -> None:
        """Write the runs as a Weval result file."""
        self.session.with_runs(lambda runs: runs.export())

    @work(group="repeats", exclusive=True)
    async def action_repeat(self) -> None:
        """Repeat the prompt at the cursor, and show how far its scores vary."""
        repeats = await self._repeats()
        if await repeats.ask():
            await self._show_repeats(repeats)

    @work(group="repeats of all", exclusive=True)
    async def action_repeat_all(self) -> None:
        """Repeat all prompts, and show how far their scores vary and whether models differ by more."""
        repeats = await self._repeats()
        if await repeats.ask_all():
            await self._show_repeats(repeats)

    async def _repeats(self) -> Repeats:
        self.submit_text()
        runs = await self.session.ready()
        await self.session.checked()
        return runs.repeats

    async def _show_repeats(self, repeats: Repeats) -> None:
        from studio.tui.dialogs.page import RepeatsPage

        await self.app.push_screen_wait(RepeatsPage(repeats))

    def action_report(self) -> None:
        """Write a report of the file."""
        self.submit_text()
        self.session.with_runs(lambda runs: runs.report())
