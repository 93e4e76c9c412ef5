"""Moving between the panes, and from prompt to prompt."""

from __future__ import annotations

from collections.abc import Callable

from textual import on, work

from studio.tui.panes.strip import PaneStrip
from studio.tui.session_screen import SessionScreen
from studio.tui.window import Pane

_SHOWN_FIRST = (Pane.OUTLINE, Pane.TEXT)
"""The panes that are there from the first frame."""


class PaneNavigation(SessionScreen):
    """The actions that give the keys to panes."""

    def open_pane(self, pane: Pane) -> None:
        """Show a pane, and give it the keys."""
        if pane in _SHOWN_FIRST or self.filled.is_set():
            self._open(pane)
        else:
            self.set_focus(None)  # what is typed until then is not meant for the text
            self._open_once_filled(pane)

    @work(group="panes")
    async def _open_once_filled(self, pane: Pane) -> None:
        await self.filled.wait()
        self._open(pane)

    def _open(self, pane: Pane) -> None:
        self.close_problems()
        self.halves.give_keys(pane)
        self.draw_panes()
        match pane:
            case Pane.OUTLINE:
                self.set_focus(self.outline)
            case Pane.TEXT:
                self.set_focus(self.editor)
            case _:
                self.set_focus(self.panes.target(pane))

    def show_result(self) -> None:
        """Let the criteria be seen for a run that begins: text and cursor stay; from the outline the keys go there."""
        self.halves.put(Pane.CRITERIA, Pane.TEXT)
        if self.halves.focused in (Pane.OUTLINE, Pane.ANSWERS):
            self.open_pane(Pane.CRITERIA)

    def action_editor(self) -> None:
        """Close what is open, one thing at a time; then go to the text."""
        closing: tuple[Callable[[], bool], ...] = (
            self.close_problems,
            self._drop_what_if,
            self.halves.end_zoom,
            self._close_run,
        )
        if not any(close() for close in closing):
            self.open_pane(Pane.TEXT)

    def _drop_what_if(self) -> bool:
        runs = self.session.runs
        if runs is None or self.session.state.tried is None or self.halves.focused is not Pane.CRITERIA:
            return False
        runs.what_if.drop()
        return True

    def _close_run(self) -> bool:
        runs = self.session.runs
        return runs is not None and self.halves.focused is not Pane.TEXT and runs.selection.close()

    def action_outline(self) -> None:
        """Go to the outline; from there, back to the text."""
        self.open_pane(Pane.TEXT if self.outline.has_focus else Pane.OUTLINE)

    def action_result(self) -> None:
        """Go to the criteria; from there, to the answer."""
        self.open_pane(Pane.ANSWER if self.halves.focused is Pane.CRITERIA else Pane.CRITERIA)

    def action_next_pane(self) -> None:
        """Go to the next pane, in the order of the strip."""
        panes = list(Pane)
        self.open_pane(panes[(panes.index(self.halves.focused) + 1) % len(panes)])

    def action_zoom(self) -> None:
        """Give the pane with the keys the whole width, or show all panes again."""
        self.halves.zoom()

    def action_previous_prompt(self) -> None:
        """Go to the prompt before."""
        self.step_to_prompt(-1)

    def action_next_prompt(self) -> None:
        """Go to the prompt after."""
        self.step_to_prompt(1)

    def step_to_prompt(self, by: int) -> None:
        """Move the cursor to a neighbouring prompt; the keys stay where they are."""
        analysis, prompt = self.session.state.analysis, self.session.state.prompt
        if analysis is None or not analysis.blueprint.prompts or not by:
            return
        number = (-1 if prompt is None else prompt.index) + by
        prompts = analysis.blueprint.prompts
        if 0 <= number < len(prompts):
            span = prompts[number].span
            self.show_text_at(span.start, analysis.revision, until=span.end)

    @on(PaneStrip.PaneClicked)
    def _pane_clicked(self, event: PaneStrip.PaneClicked) -> None:
        self.open_pane(event.pane)

    @on(PaneStrip.StepClicked)
    def _step_clicked(self, event: PaneStrip.StepClicked) -> None:
        self.step_to_prompt(event.by)

    # --- The problems, a drawer below the panes

    def action_problems(self) -> None:
        """Open all problems, which take the keys, or close them."""
        if not self.close_problems():
            self.open_problems()

    def open_problems(self) -> None:
        """Open all problems, which take the keys."""
        self.problems.open(self.session.state.cursor)
        self.set_focus(self.problems)
        self.call_after_refresh(self.editor.scroll_cursor_visible)

    def close_problems(self) -> bool:
        """Close the problems; whether they were open. Their keys go back to the pane below."""
        if not self.problems.display:
            return False
        had_focus = self.problems.has_focus
        self.problems.display = False
        if had_focus:
            self._open(self.halves.focused)
        return True
