"""Moving between the text and the panes, on wide and on narrow screens."""

from __future__ import annotations

from collections.abc import Callable

from textual import on, work

from studio.tui.screens.session_screen import SessionScreen
from studio.tui.screens.side import RESULT, TABS, Side


class PaneNavigation(SessionScreen):
    """The actions that move the focus between the editor and the panes. CSS classes say which panes are shown."""

    def action_editor(self) -> None:
        """Go back: from what if to the result, from a zoomed pane to all, from an earlier run to the newest, or to the
        text."""
        runs, criterion = self.session.runs, self.side.criterion
        if self.side.is_trying and self.side.has_focus_within and runs is not None:
            runs.what_if.drop()
            return
        if criterion is not None and criterion.has_focus_within and criterion.stop_reading():
            return
        if self.end_zoom() or (self.side.has_focus_within and runs is not None and runs.selection.close()):
            return
        self.to_text()

    def to_text(self) -> None:
        """Focus the text, closing the panes that cover it."""
        self.remove_class("-show-outline", "-show-problems")
        if self.has_class("-narrow"):
            self.remove_class("-show-result")
        self.layout_changed()
        self.set_focus(self.editor)

    def action_outline(self) -> None:
        """Go to the outline; from there, back to the text."""
        self.end_zoom()
        if self.outline.has_focus:
            self.to_text()
            return
        self.remove_class("-show-problems")
        self.add_class("-show-outline")
        self.layout_changed()
        self.set_focus(self.outline)

    def action_problems(self) -> None:
        """Go to the problems; from there, back to the text."""
        self.end_zoom()
        if self.problems.list.has_focus:
            self.to_text()
            return
        self.remove_class("-show-outline")
        self.add_class("-show-problems")
        self.layout_changed()
        self.set_focus(self.problems.list)
        self.call_after_refresh(self.editor.scroll_cursor_visible)

    def action_result(self) -> None:
        """Go to the result. On a narrow screen it replaces the editor, then shares its height, then closes."""
        if not self.end_zoom() or not self.side.has_focus_within:
            if not self.side_filled.is_set():
                self.set_focus(None)  # what is typed until then is not meant for the text
            self._once_filled(self._to_result)

    def _to_result(self) -> None:
        self.remove_class("-show-outline", "-show-problems")
        if self.side.open != RESULT:
            self.show_tab(RESULT)
        elif self.has_class("-show-result"):
            self.remove_class("-show-result")
            self.add_class("-share-result")
            self.set_focus(self.editor)
            self.call_after_refresh(lambda: self.editor.go_to(self.editor.cursor_offset))
        elif self.has_class("-share-result"):
            self.remove_class("-share-result")
            self.set_focus(self.editor)
        else:
            if self.has_class("-narrow"):
                self.add_class("-show-result")
            self.side.focus_open()
        self.layout_changed()

    def action_next_tab(self) -> None:
        """Open the next tab. If the tabs are off the screen, show the open one first."""
        self._once_filled(self._to_next_tab)

    def _to_next_tab(self) -> None:
        is_seen = self.has_class("-show-result") or self.has_class("-share-result")
        if self.has_class("-narrow") and not is_seen:
            self.remove_class("-show-outline", "-show-problems")
            self.add_class("-show-result")
            self.side.focus_open()
        else:
            self.side.show_tab((self.side.open + 1) % len(TABS))
        self.layout_changed()
        self.draw_side()

    def _once_filled(self, act: Callable[[], None]) -> None:
        """Act once the panes of the right side are mounted: at once if they are, so that keys keep their order."""
        if self.side_filled.is_set():
            act()
        else:
            self._act_when_filled(act)

    @work(group="tabs")
    async def _act_when_filled(self, act: Callable[[], None]) -> None:
        await self.side_filled.wait()
        act()

    def show_tab(self, tab: int) -> None:
        """Open a tab of the right side and focus it."""
        if self.has_class("-narrow") and not self.has_class("-share-result"):
            self.add_class("-show-result")
        self.side.show_tab(tab)
        self.layout_changed()
        self.draw_side()
        self.side.focus_open()

    @on(Side.TabOpened)
    def _tab_opened(self) -> None:
        self.draw_side()
