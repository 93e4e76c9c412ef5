"""Opening the answers to a prompt side by side, and the text of the editor as that screen changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from studio.tui.session_screen import SessionScreen

if TYPE_CHECKING:
    from studio.session.analysis import Analysis
    from studio.session.fixes import TextChange


class AnswersActions(SessionScreen):
    """The action that opens the answers."""

    @work(group="side by side", exclusive=True)
    async def action_side_by_side(self) -> None:
        """Show the answers to the prompt under the cursor."""
        self.submit_text()
        runs = await self.session.ready()
        if await runs.side_by_side.open(await self.session.checked()):
            from studio.tui.screens.answers_screen import AnswersScreen

            await self.app.push_screen(AnswersScreen(runs.side_by_side, EditorText(self)))


class EditorText:
    """The text in the editor of a screen, which may be covered by another screen."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    async def checked(self) -> Analysis:
        """The analysis of the newest text."""
        self._screen.submit_text()
        return await self._screen.session.checked()

    def refuses_change(self) -> bool:
        """Whether the file is read-only; the author is told."""
        return self._screen.session.refuses_change()

    def apply(self, change: TextChange) -> bool:
        """Make a change as one step of undo. False if the text is another by now; the author is told."""
        if self.refuses_change():
            return False
        if change.revision != self._screen.editor.revision:
            text = "The text has changed since this was found. Try again in a moment."
            self._screen.notify(text, timeout=3, markup=False)
            return False
        self._screen.editor.apply_edits(change.edits)
        self._screen.submit_text()
        return True

    def undo(self) -> None:
        """Take back the last change of the text."""
        self._screen.editor.action_undo()
        self._screen.submit_text()
