"""The base of a screen that shows a session: its parts, and the actions on the file."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen
from textual.widget import Widget

from studio.session.state import Snapshot

if TYPE_CHECKING:
    from studio.session.fixes import TextChange
    from studio.session.session import Session
    from studio.tui.editor import BlueprintEditor
    from studio.tui.panes.outline import Outline
    from studio.tui.panes.problems import Problems
    from studio.tui.screens.halves import Halves
    from studio.tui.screens.late_panes import LatePanes
    from studio.tui.window import Pane

_PREPARED = frozenset(
    (
        "fix",
        "fix all",
        "applied fixes",
        "draft",
        "page",
        "answers",
        "editing",
        "criterion",
        "criterion again",
        "earlier wording",
        "grading",
        "side by side",
        "target",
        "what if",
        "apply what if",
        "history",
        "panes",
    )
)
"""The groups of work that changes the text, or opens a dialog or a pane: what is typed next is meant for what comes of
it."""


class SessionScreen(Screen[None]):
    """A screen that shows a session in an editor and panes. Subclasses set the attributes."""

    session: Session
    editor: BlueprintEditor
    halves: Halves
    panes: LatePanes
    outline: Outline
    problems: Problems

    def __init__(self) -> None:
        super().__init__()
        self.filled = asyncio.Event()
        """Set once all panes are mounted."""

    @property
    def is_filling(self) -> bool:
        """Whether panes are being mounted."""
        return self.panes.is_filled and not self.filled.is_set()

    @property
    def is_preparing(self) -> bool:
        """Whether an action was begun that will change the text, or open a dialog or a pane, and has not done so."""
        return any(
            worker.group in _PREPARED and worker.node is self and not worker.is_finished for worker in self.workers
        )

    def draw_panes(self) -> None:
        """Give the panes of results and answers their views."""
        raise NotImplementedError

    def go_to(self, offset: int, revision: int, *, until: int | None = None) -> None:
        """Move the cursor to the present place of `offset` of the text at `revision`, and focus the editor.

        `until` is the end of the text to bring into view, as far as there is room.
        """
        raise NotImplementedError

    def show_text_at(self, offset: int, revision: int, *, until: int | None = None) -> None:
        """The same without focusing the editor: the pane that has the keys keeps them."""
        end = None if until is None else self.editor.carry(until, revision)
        self.editor.go_to(self.editor.carry(offset, revision) or 0, until=end)
        self.session.move(self.editor.cursor_offset)

    def open_pane(self, pane: Pane) -> None:
        """Show a pane, and give it the keys."""
        raise NotImplementedError

    def fix(self, find: Callable[[], Awaitable[TextChange | None]]) -> object:
        """Make the change that fixes one problem, or all of its rule."""
        raise NotImplementedError

    def close_problems(self) -> bool:
        """Close the list of problems; whether it was open."""
        raise NotImplementedError

    def show_result(self) -> None:
        """Let the criteria be seen, and text and cursor stay."""
        raise NotImplementedError

    def run_criterion(self) -> object:
        """Judge the criterion whose answers are shown, or stop that."""
        raise NotImplementedError

    def snapshot(self) -> Snapshot:
        """The present text."""
        return Snapshot(self.editor.revision, self.editor.wording, self.editor.text_out())

    def submit_text(self) -> None:
        """Pass the text, the cursor, and an answer that is being written to the session, up to the last key."""
        if self.editor.revision != self.session.state.text.revision:
            self.session.edit(self.snapshot())
        self.session.move(self.editor.cursor_offset)
        own, runs = self.panes.answer and self.panes.answer.own, self.session.runs
        if own is not None and runs is not None:
            runs.selection.write(own)

    async def write_journal(self) -> None:
        """Write the journal, and save the author's own answers, up to the last key."""
        self.submit_text()
        await self.session.write_unsaved()

    def journal_soon(self) -> None:
        """Write the journal, up to the last key, without waiting for it; nothing if there is no session yet."""
        if not hasattr(self, "session"):
            return
        self.session.edit(self.snapshot())
        self.session.file.journal_soon()

    @work(group="file")
    async def action_recover(self) -> None:
        """Offer the earlier texts of this file that were not saved."""
        self.submit_text()
        await self.session.file.recover()

    @work(group="file")
    async def action_save(self) -> None:
        """Save the file."""
        self.submit_text()
        await self.session.file.save()

    @work(group="file")
    async def action_save_as(self) -> None:
        """Save the file under another name."""
        self.submit_text()
        await self.session.file.save_as()

    @work(group="file")
    async def action_reload(self) -> None:
        """Reload the file from disk."""
        self.submit_text()
        await self.session.file.reload()

    @work(group="file")
    async def action_start_screen(self) -> None:
        """Show the start screen, if this one may be left."""
        if await self.may_leave():
            await self.app.run_action("app.start_screen")

    async def may_leave(self) -> bool:
        """Ask about unsaved changes. Returns whether the screen may be left."""
        self.submit_text()
        await self.session.file.saves_ended()
        self.submit_text()
        return await self.session.file.may_leave()


def studio_of(widget: Widget) -> SessionScreen:
    """The screen of an open file that `widget` is on."""
    screen = widget.screen
    assert isinstance(screen, SessionScreen)
    return screen
