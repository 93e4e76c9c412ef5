"""What keys do with runs on the blueprint screen, and what the panes of its right side ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen

if TYPE_CHECKING:
    from studio.session.checking import Analysis
    from studio.tui.editor import BlueprintEditor
    from studio.tui.panes.conversation import ConversationPane
    from studio.tui.panes.history import HistoryPane
    from studio.tui.panes.response import ResponsePane
    from studio.tui.panes.result import ResultPane
    from studio.tui.screens.mending import Mending
    from studio.tui.screens.trying import Trying
    from studio.tui.screens.turns import Turns


class TryingActions(Screen[None]):
    """The actions of a screen whose `trying` is loaded behind its first frame.

    A key that comes before what it acts on is known acts as soon as it is, in its order.
    """

    editor: BlueprintEditor
    mending: Mending
    analysis: Analysis | None = None
    trying: Trying | None = None
    turns: Turns | None = None

    def __init__(self) -> None:
        super().__init__()
        self._when_known: list[Callable[[], None]] = []

    def go_to(self, offset: int, revision: int) -> None:
        """Put the cursor where `offset` of the text at `revision` stands now, and the focus into the text."""
        raise NotImplementedError

    def show_tab(self, tab: int) -> None:
        """Open a tab of the right side and put the focus there."""
        raise NotImplementedError

    def do_what_waited(self) -> None:
        """Let keys that came too early act now."""
        actions, self._when_known = self._when_known, []
        for action in actions:
            action()

    def _once_known(self, act: Callable[[Trying, Analysis], object]) -> None:
        if self.trying is None or self.analysis is None:
            self._when_known.append(lambda: self._once_known(act))
        else:
            act(self.trying, self.analysis)

    # --- Keys

    def action_run(self) -> None:
        """Run the prompt under the cursor, or stop the run."""
        self._once_known(lambda trying, analysis: trying.running.run_or_stop(analysis, self.editor.cursor_offset))

    def action_run_all(self) -> None:
        """Run every prompt, or stop what runs."""
        self._once_known(lambda trying, analysis: trying.running.run_all_or_stop(analysis))

    def action_run_fresh(self) -> None:
        """Run the prompt under the cursor with a fresh answer, or stop the run."""
        self._once_known(
            lambda trying, analysis: trying.running.run_or_stop(analysis, self.editor.cursor_offset, fresh=True)
        )

    def action_judge(self) -> None:
        """Have the judges judge the answer that is shown, or stop what runs."""
        self._once_known(lambda trying, analysis: trying.running.judge_or_stop(analysis, trying.shown_run))

    def action_answers(self) -> None:
        """Choose where answers come from."""
        self._once_known(lambda trying, analysis: trying.running.choose(analysis, self.editor.cursor_offset))

    def action_judges(self) -> None:
        """Choose who judges points in words."""
        self._once_known(self._choose_judges)

    @work(group="answers", exclusive=True)
    async def _choose_judges(self, trying: Trying, analysis: Analysis) -> None:
        await trying.choosing.ask_judges(analysis)

    def action_next_variant(self) -> None:
        """Show the result of the next variant."""
        self._once_known(lambda trying, analysis: trying.choosing.show_next(analysis.parsed.blueprint.header))

    def action_plan(self) -> None:
        """Show what a run of the prompt under the cursor would send."""
        self._once_known(lambda trying, analysis: trying.running.look_ahead(analysis, self.editor.cursor_offset))

    def action_plan_all(self) -> None:
        """Show what a run of all prompts would send."""
        self._once_known(lambda trying, analysis: trying.running.look_ahead(analysis, None))

    def action_export_results(self) -> None:
        """Write what was run as one of Weval's result files."""
        self._once_known(lambda trying, _: trying.export())

    # --- What the panes ask for. Named, not typed: the panes are loaded behind the first frame.

    def on_result_pane_grade_given(self, event: ResultPane.GradeGiven) -> None:
        """Keep the grade; the score follows."""
        run = self.trying.shown_run if self.trying is not None else None
        if self.trying is not None and run is not None:
            self.trying.rejudging.grade(run, event.index, event.grade)

    def on_result_pane_candidate_chosen(self, event: ResultPane.CandidateChosen) -> None:
        """Show the result of one candidate."""
        if self.trying is not None and self.analysis is not None:
            self.trying.choosing.show(self.analysis.parsed.blueprint.header, event.key)

    def on_result_pane_prompt_chosen(self, event: ResultPane.PromptChosen) -> None:
        """Show the result of a prompt: the cursor goes there, and the focus stays."""
        if self.analysis is not None and event.number <= len(self.analysis.parsed.blueprint.prompts):
            start = self.analysis.parsed.blueprint.prompts[event.number - 1].span.start
            self.editor.go_to(self.editor.carry(start, self.analysis.revision) or 0)

    def on_result_pane_place_chosen(self, event: ResultPane.PlaceChosen) -> None:
        """Go to the source of a point."""
        revision = self.trying.revision_shown() if self.trying else None
        if revision is not None:
            self.go_to(event.span.start, revision)

    def on_result_pane_rule_chosen(self, event: ResultPane.RuleChosen) -> None:
        """Go to where a rule of the policy of tools is written."""
        from studio.tui.screens.lookup import rule_place

        prompt = None if self.trying is None else self.trying.shown_prompt
        if self.analysis is None or prompt is None:
            return
        place = rule_place(self.analysis, prompt, event.rule)
        if place is None:
            said = f"{event.rule.key} is not written in this blueprint any more."
            self.notify(said, timeout=5, markup=False)
        else:
            self.go_to(place.start, self.analysis.revision)

    def on_result_pane_answer_wanted(self, event: ResultPane.AnswerWanted) -> None:
        """Show the answer, from where a row rests on it."""
        from studio.tui.screens.side import RESPONSE

        self.show_tab(RESPONSE)
        if self.trying is not None:
            self.trying.light_up(None, event.evidence)

    def on_result_pane_point_selected(self, event: ResultPane.PointSelected) -> None:
        """Light up the evidence of a point."""
        if self.trying is not None:
            self.trying.light_up(event.index, event.evidence)

    def on_result_pane_fix_wanted(self, event: ResultPane.FixWanted) -> None:
        """Mend what an advice speaks of."""
        revision = self.trying.revision_shown() if self.trying else None
        here = None if revision is None else self.editor.carry(event.span.start, revision)
        if self.analysis is not None and here is not None:
            self.mending.fix_at(self.analysis, here)

    def on_result_pane_words_wanted(self, event: ResultPane.WordsWanted) -> None:
        """Show what judges were sent and what they answered."""
        from studio.tui.dialogs.word_for_word import WordForWord

        self.app.push_screen(WordForWord(event.judgements))

    def on_history_pane_run_opened(self, event: HistoryPane.RunOpened) -> None:
        """Show an earlier run, held against the rubric of today."""
        if self.trying is not None and self.analysis is not None:
            self.trying.open_past(self.analysis, event.run)

    def on_history_pane_newest_wanted(self) -> None:
        """Show the newest run again."""
        if self.trying is not None:
            self.trying.close_shown()

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        """Keep what the author writes."""
        if self.trying is not None:
            self.trying.written_changed(event.text)

    def on_response_pane_edit_wanted(self) -> None:
        """Let the author change the answer."""
        if self.turns is not None:
            self.turns.edit_response()

    def on_response_pane_original_wanted(self) -> None:
        """Take changes to the answer back."""
        if self.turns is not None:
            self.turns.original()

    def on_conversation_pane_edit_wanted(self, event: ConversationPane.EditWanted) -> None:
        """Let the author change a turn."""
        if self.turns is not None:
            self.turns.edit(event.turn)

    def on_conversation_pane_generate_wanted(self, event: ConversationPane.GenerateWanted) -> None:
        """Have a turn generated again."""
        if self.turns is not None:
            self.turns.generate_again(event.turn)

    def on_conversation_pane_place_wanted(self, event: ConversationPane.PlaceWanted) -> None:
        """Go to where a turn is written."""
        if self.turns is not None:
            self.turns.go_to(event.turn)

    def on_conversation_pane_original_wanted(self) -> None:
        """Take changes to the answer back."""
        if self.turns is not None:
            self.turns.original()
