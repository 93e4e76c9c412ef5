"""What keys do with the session on the blueprint screen, and what its panes ask for."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from textual import on, work
from textual.screen import Screen

from engine.text import Span
from studio.session.analysis import Analysis
from studio.session.document import Snapshot
from studio.session.session import Session
from studio.tui.editor import BlueprintEditor
from studio.tui.panes.problems import ProblemList
from studio.tui.screens.side import CONVERSATION, RESPONSE, RESULT, Side

if TYPE_CHECKING:
    from engine.rules.fixes.application import AppliedFix
    from studio.session.fixes import FixReport, TextChange
    from studio.session.views.conversation_view import ShownTurn
    from studio.tui.panes.conversation_pane import ConversationPane
    from studio.tui.panes.history_pane import HistoryPane
    from studio.tui.panes.response_pane import ResponsePane
    from studio.tui.panes.result_pane import ResultPane


class SessionActions(Screen[None]):
    """The actions of a screen that shows a session, and the messages of its panes."""

    session: Session
    editor: BlueprintEditor
    side: Side

    def __init__(self) -> None:
        super().__init__()
        self.side_filled = asyncio.Event()
        """Set once the panes of the right side are there."""
        self._loaded = 0
        self._fixed: tuple[FixReport, int] | None = None

    def go_to(self, offset: int, revision: int) -> None:
        """Put the cursor where `offset` of the text at `revision` stands now, and the focus into the text."""
        raise NotImplementedError

    def show_tab(self, tab: int) -> None:
        """Open a tab of the right side and put the focus there."""
        raise NotImplementedError

    # --- The text

    def snapshot(self) -> Snapshot:
        """The text as it is now."""
        return Snapshot(self.editor.revision, self.editor.wording, self.editor.text_out())

    def hand_on_text(self) -> None:
        """Let the session know the text, the cursor, and an answer that is being written, to the last letter."""
        if self.editor.revision != self.session.document.snapshot.revision:
            self.session.edit(self.snapshot())
        self.session.move(self.editor.cursor_offset)
        response, runs = self.side.response, self.session.runs
        if response is not None and response.is_writing and runs is not None:
            runs.write(response.written)

    # --- The file

    @work(group="file", exclusive=True)
    async def action_save(self) -> None:
        """Save."""
        self.hand_on_text()
        await self.session.file.save()

    @work(group="file", exclusive=True)
    async def action_save_as(self) -> None:
        """Save under another name."""
        self.hand_on_text()
        await self.session.file.save_as()

    @work(group="file", exclusive=True)
    async def action_reload(self) -> None:
        """Load the file again."""
        self.hand_on_text()
        await self.session.file.reload()

    @work(group="file", exclusive=True)
    async def action_start_screen(self) -> None:
        """Leave for the start screen."""
        if await self.may_leave():
            await self.app.run_action("app.start_screen")

    async def may_leave(self) -> bool:
        """Ask about unsaved changes; whether the screen may be left."""
        self.hand_on_text()
        return await self.session.file.may_leave()

    # --- Problems

    def action_next_problem(self) -> None:
        """To the problem behind the cursor, round the end."""
        self._step_once_known(forwards=True)

    def action_previous_problem(self) -> None:
        """To the problem before the cursor, round the start."""
        self._step_once_known(forwards=False)

    def _step_once_known(self, *, forwards: bool) -> None:
        analysis = self.session.document.analysis
        if analysis is not None and analysis.diagnostics is not None:
            self._step(analysis, forwards=forwards)
        else:
            self._step_when_known(forwards=forwards)

    @work(group="problems")
    async def _step_when_known(self, *, forwards: bool) -> None:
        self._step(await self.session.known(), forwards=forwards)

    def _step(self, analysis: Analysis, *, forwards: bool) -> None:
        carried = (self.editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics or ())
        starts = sorted({start for start in carried if start is not None})
        if not starts:
            self.notify("There are no problems to go to.", timeout=3, markup=False)
            return
        here = self.editor.cursor_offset
        index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
        self.go_to(starts[index % len(starts)], self.editor.revision)

    def action_fix(self) -> None:
        """Fix the problem at the cursor; in the list of problems, the selected one."""
        problems = self.query_one(ProblemList)
        if problems.has_focus:
            problems.action_fix_problem()
        else:
            self._fix_at_cursor()

    @work(group="fix", exclusive=True)
    async def _fix_at_cursor(self) -> None:
        self.hand_on_text()
        await self._change(await self.session.fix_at_cursor())

    @work(group="fix", exclusive=True)
    async def action_fix_all(self) -> None:
        """Fix everything that can only mean one thing."""
        self.hand_on_text()
        await self._change(await self.session.fix_all())

    @work(group="fix", exclusive=True)
    async def action_draft_points(self) -> None:
        """Have points drafted from the ideal of the prompt at the cursor."""
        self.hand_on_text()
        await self._change(await self.session.draft_points())

    @on(ProblemList.FixWanted)
    @work(group="fix", exclusive=True)
    async def _fix_wanted(self, event: ProblemList.FixWanted) -> None:
        self.hand_on_text()
        await self._change(await self.session.fix(event.diagnostic))

    @work(group="fix", exclusive=True)
    async def action_fixes_applied(self) -> None:
        """List what the last fixes changed."""
        if self._fixed is None:
            text = "No fix was applied yet. F4 fixes the problem at the cursor."
            self.notify(text, timeout=3, markup=False)
        else:
            await self._show_report(*self._fixed)

    async def _change(self, change: TextChange | None) -> None:
        """Make the edits of `change`, and say what changed: one place, or a list of several."""
        if change is None:
            return
        if change.revision != self.editor.revision:
            self.notify("The text changed since this was found. Try again in a moment.", timeout=3, markup=False)
            return
        self.editor.apply_edits(change.edits)
        report = change.report
        if report is None:
            return
        self._fixed = report, self.editor.revision
        if report.in_one_line:
            self.notify(report.in_one_line, timeout=6, markup=False)
        else:
            await self._show_report(*self._fixed)

    async def _show_report(self, report: FixReport, revision: int) -> None:
        from studio.tui.dialogs.applied_fixes import AppliedFixes, GoTo, TakeBack

        match await self.app.push_screen_wait(AppliedFixes(report)):
            case GoTo(offset=offset):
                self.go_to(offset, revision)
            case TakeBack(fix=None):
                self._take_back_all(revision)
            case TakeBack(fix=fix) if fix is not None:
                self._take_back(fix, revision)
            case _:
                pass

    def _take_back_all(self, revision: int) -> None:
        if self.editor.revision == revision:
            self.editor.action_undo()
        else:
            self.notify("The text has changed since: Ctrl+Z undoes it step by step.", timeout=3, markup=False)

    def _take_back(self, fix: AppliedFix, revision: int) -> None:
        from studio.session.fixes import undo_edits

        edits = undo_edits(fix, lambda offset: self.editor.carry(offset, revision), self.editor.document.slice)
        if edits is None:
            self.notify("The text there has changed since: Ctrl+Z undoes it step by step.", timeout=3, markup=False)
            return
        self.editor.apply_edits(edits)
        self.notify(f"Taken back: {fix.diagnostic.slug}.", timeout=3, markup=False)

    @work(group="page", exclusive=True)
    async def action_explain(self) -> None:
        """Open the page on the problem at the cursor, or on the check there."""
        from studio.tui.dialogs.page import Page

        self.hand_on_text()
        page = await self.session.page_at_cursor()
        if page is not None:
            self.app.push_screen(Page(page))

    @on(ProblemList.PageWanted)
    def _page_wanted(self, event: ProblemList.PageWanted) -> None:
        from studio.session.reference import page_of_rule
        from studio.tui.dialogs.page import Page

        page = page_of_rule(event.diagnostic)
        if page is not None:
            self.app.push_screen(Page(page))

    # --- Runs

    def action_run(self) -> None:
        """Run the prompt under the cursor, or stop the run."""
        self.hand_on_text()
        self.session.with_runs(lambda runs: runs.run_or_stop())

    def action_run_all(self) -> None:
        """Run every prompt, or stop what runs."""
        self.hand_on_text()
        self.session.with_runs(lambda runs: runs.run_all_or_stop())

    def action_run_fresh(self) -> None:
        """Run the prompt under the cursor with a fresh answer, or stop the run."""
        self.hand_on_text()
        self.session.with_runs(lambda runs: runs.run_or_stop(fresh=True))

    def action_judge(self) -> None:
        """Have the judges judge the answer that is shown, or stop what runs."""
        self.session.with_runs(lambda runs: runs.judge_or_stop())

    @work(group="answers", exclusive=True)
    async def action_answers(self) -> None:
        """Choose where answers come from."""
        runs = await self.session.ready()
        if await runs.choose_answers() is not None and runs.selection.is_writing:
            self.show_tab(RESPONSE)

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
        """Write what was run as one of Weval's result files."""
        self.session.with_runs(lambda runs: runs.export())

    # --- What the panes ask for. Named, not typed: the panes are loaded behind the first frame.

    def on_result_pane_grade_given(self, event: ResultPane.GradeGiven) -> None:
        """Save the grade; the score follows."""
        self.session.with_runs(lambda runs: runs.grade(event.index, event.grade))

    def on_result_pane_candidate_chosen(self, event: ResultPane.CandidateChosen) -> None:
        """Show the result of one candidate."""
        self.session.with_runs(lambda runs: runs.show_candidate(event.key))

    def on_result_pane_prompt_chosen(self, event: ResultPane.PromptChosen) -> None:
        """Show the result of a prompt: the cursor goes there, and the focus stays."""
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
        """Go to where a rule of the policy of tools is written."""
        from studio.session.reference import rule_place

        analysis, prompt = self.session.document.analysis, self.session.document.prompt
        if analysis is None or prompt is None:
            return
        place = rule_place(analysis, prompt, event.rule)
        if place is None:
            self.notify(f"{event.rule.key} is not written in this blueprint any more.", timeout=5, markup=False)
        else:
            self.go_to(place.start, analysis.revision)

    def on_result_pane_answer_wanted(self, event: ResultPane.AnswerWanted) -> None:
        """Show the answer, from where a row rests on it."""
        self.show_tab(RESPONSE)
        self._select(None, event.evidence)

    def on_result_pane_point_selected(self, event: ResultPane.PointSelected) -> None:
        """Light up the evidence of a point."""
        self._select(event.index, event.evidence)

    def _select(self, point: int | None, evidence: tuple[Span, ...]) -> None:
        self.session.with_runs(lambda runs: runs.select(point, evidence))

    @work(group="fix", exclusive=True)
    async def on_result_pane_fix_wanted(self, event: ResultPane.FixWanted) -> None:
        """Fix what an advice describes."""
        self.hand_on_text()
        revision = None if self.session.runs is None else self.session.runs.views.revision_shown()
        here = None if revision is None else self.editor.carry(event.span.start, revision)
        if here is not None:
            await self._change(await self.session.fix_at(here))

    def on_result_pane_words_wanted(self, event: ResultPane.WordsWanted) -> None:
        """Show what judges were sent and what they answered."""
        from studio.tui.dialogs.word_for_word import WordForWord

        self.app.push_screen(WordForWord(event.judgements))

    @work(group="history", exclusive=True)
    async def on_history_pane_run_opened(self, event: HistoryPane.RunOpened) -> None:
        """Show an earlier run, scored by the rubric of today."""
        runs = await self.session.ready()
        if await runs.open_past(event.run):
            self.show_tab(RESULT)

    def on_history_pane_newest_wanted(self) -> None:
        """Show the newest run again."""
        self.session.with_runs(lambda runs: runs.close_opened())

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        """Keep what the author writes."""
        self.session.with_runs(lambda runs: runs.write(event.text))

    @work(group="editing", exclusive=True)
    async def on_response_pane_edit_wanted(self) -> None:
        """Let the author change the answer; where it has several turns, one is to be selected first."""
        runs = await self.session.ready()
        turns = await runs.edits.edit_response()
        if turns > 1:
            self.show_tab(CONVERSATION)
            if self.side.conversation is not None:
                self.side.conversation.select_generated(turns - 1)

    def on_response_pane_original_wanted(self) -> None:
        """Take changes to the answer back."""
        self.session.with_runs(lambda runs: runs.edits.undo())

    on_conversation_pane_original_wanted = on_response_pane_original_wanted

    def on_conversation_pane_edit_wanted(self, event: ConversationPane.EditWanted) -> None:
        """Let the author change a turn."""
        self.session.with_runs(lambda runs: runs.edits.edit(event.turn))

    def on_conversation_pane_generate_wanted(self, event: ConversationPane.GenerateWanted) -> None:
        """Have a turn generated again."""
        self.session.with_runs(lambda runs: runs.edits.regenerate(event.turn))

    def on_conversation_pane_place_wanted(self, event: ConversationPane.PlaceWanted) -> None:
        """Go to where a turn is written."""
        self._go_to_turn(event.turn)

    def _go_to_turn(self, turn: ShownTurn) -> None:
        analysis, runs = self.session.document.analysis, self.session.runs
        run = None if runs is None else runs.selection.run
        revision = run.revision if run is not None else None if analysis is None else analysis.revision
        if turn.span is None or revision is None:
            self.notify("This turn has no place of its own in the blueprint.", timeout=5, markup=False)
        else:
            self.go_to(turn.span.start, revision)
