"""What keys do with runs, and what the panes of the right side request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from engine.text import Span
from studio.tui.screens.session_screen import SessionScreen
from studio.tui.screens.side import CONVERSATION, RESPONSE, RESULT

if TYPE_CHECKING:
    from studio.session.views.conversation_view import ShownTurn
    from studio.tui.panes.conversation_pane import ConversationPane
    from studio.tui.panes.history_pane import HistoryPane
    from studio.tui.panes.response_pane import ResponsePane
    from studio.tui.panes.result_pane import ResultPane


class RunActions(SessionScreen):
    """The actions on runs, and the messages of the panes that show them."""

    def action_run(self) -> None:
        """Run the prompt under the cursor, or stop the run."""
        self.submit_text()
        self.session.with_runs(lambda runs: runs.run_or_stop())

    def action_run_all(self) -> None:
        """Run every prompt, or stop the runs."""
        self.submit_text()
        self.session.with_runs(lambda runs: runs.run_all_or_stop())

    def action_run_fresh(self) -> None:
        """Run the prompt under the cursor with a fresh answer, or stop the run."""
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
            self.show_tab(RESPONSE)

    def action_make_case(self) -> None:
        """Make a case of the shown answer."""
        self.session.with_runs(lambda runs: runs.cases.make())

    def action_judges(self) -> None:
        """Choose who judges points in words."""
        self.session.with_runs(lambda runs: runs.choose_judges())

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

    # --- Messages of the panes. Handled by name, not by type: the panes are imported after the first frame.

    def on_result_pane_grade_given(self, event: ResultPane.GradeGiven) -> None:
        """Save the grade and update the score."""
        self.session.with_runs(lambda runs: runs.grade(event.index, event.grade))

    def on_result_pane_candidate_chosen(self, event: ResultPane.CandidateChosen) -> None:
        """Show the result of one candidate."""
        self.session.with_runs(lambda runs: runs.show_candidate(event.key))

    def on_result_pane_prompt_chosen(self, event: ResultPane.PromptChosen) -> None:
        """Show the result of a prompt: move the cursor there, and keep the focus."""
        analysis = self.session.document.analysis
        if analysis is not None and event.number <= len(analysis.blueprint.prompts):
            start = analysis.blueprint.prompts[event.number - 1].span.start
            self.editor.go_to(self.editor.carry(start, analysis.revision) or 0)

    def on_result_pane_place_chosen(self, event: ResultPane.PlaceChosen) -> None:
        """Go to the source of a point."""
        revision = None if self.session.runs is None else self.session.runs.views.revision_shown()
        if revision is not None:
            self.go_to(event.span.start, revision)

    def on_result_pane_rule_chosen(self, event: ResultPane.RuleChosen) -> None:
        """Go to a rule of the tool policy."""
        from studio.session.reference import rule_place

        analysis, prompt = self.session.document.analysis, self.session.document.prompt
        if analysis is None or prompt is None:
            return
        place = rule_place(analysis, prompt, event.rule)
        if place is None:
            self.notify(f"{event.rule.key} is no longer in this blueprint.", timeout=5, markup=False)
        else:
            self.go_to(place.start, analysis.revision)

    def on_result_pane_answer_wanted(self, event: ResultPane.AnswerWanted) -> None:
        """Show the answer with the evidence of a row."""
        self.show_tab(RESPONSE)
        self._select(None, event.evidence)

    def on_result_pane_point_selected(self, event: ResultPane.PointSelected) -> None:
        """Highlight the evidence of a point in the answer."""
        self._select(event.index, event.evidence)

    def _select(self, point: int | None, evidence: tuple[Span, ...]) -> None:
        self.session.with_runs(lambda runs: runs.select(point, evidence))

    def on_result_pane_words_wanted(self, event: ResultPane.WordsWanted) -> None:
        """Show the exact requests to judges and their raw replies."""
        from studio.tui.dialogs.word_for_word import WordForWord

        self.app.push_screen(WordForWord(event.judgements))

    @work(group="history", exclusive=True)
    async def on_history_pane_run_opened(self, event: HistoryPane.RunOpened) -> None:
        """Show an earlier run, scored by the present rubric."""
        runs = await self.session.ready()
        if await runs.open_past(event.run):
            self.show_tab(RESULT)

    def on_history_pane_newest_wanted(self) -> None:
        """Show the newest run again."""
        self.session.with_runs(lambda runs: runs.close_opened())

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        """Store the answer that the author is writing."""
        self.session.with_runs(lambda runs: runs.write(event.text))

    @work(group="editing", exclusive=True)
    async def on_response_pane_edit_wanted(self) -> None:
        """Open the answer in an editor. If it has several turns, open the conversation to select one."""
        runs = await self.session.ready()
        turns = await runs.edits.edit_response()
        if turns > 1:
            self.show_tab(CONVERSATION)
            if self.side.conversation is not None:
                self.side.conversation.select_generated(turns - 1)

    def on_response_pane_original_wanted(self) -> None:
        """Revert the changes to the answer."""
        self.session.with_runs(lambda runs: runs.edits.undo())

    on_conversation_pane_original_wanted = on_response_pane_original_wanted

    def on_conversation_pane_edit_wanted(self, event: ConversationPane.EditWanted) -> None:
        """Open a turn in an editor."""
        self.session.with_runs(lambda runs: runs.edits.edit(event.turn))

    def on_conversation_pane_generate_wanted(self, event: ConversationPane.GenerateWanted) -> None:
        """Generate a turn again."""
        self.session.with_runs(lambda runs: runs.edits.regenerate(event.turn))

    def on_conversation_pane_place_wanted(self, event: ConversationPane.PlaceWanted) -> None:
        """Go to the line of a turn."""
        self._go_to_turn(event.turn)

    def _go_to_turn(self, turn: ShownTurn) -> None:
        analysis, runs = self.session.document.analysis, self.session.runs
        run = None if runs is None else runs.selection.run
        revision = run.revision if run is not None else None if analysis is None else analysis.revision
        if turn.span is None or revision is None:
            self.notify("This turn has no line of its own in the blueprint.", timeout=5, markup=False)
        else:
            self.go_to(turn.span.start, revision)
