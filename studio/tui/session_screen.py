"""The screen that shows a session, as commands and panes know it: its parts, its text, and the way to each pane."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from textual.screen import Screen
from textual.widget import Widget

from studio.session.host import telling
from studio.session.state import Snapshot
from studio.tui.key_bindings import Placed
from studio.tui.window import Pane

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.study.matrix_view import SecondRun
    from studio.session.analysis import Analysis
    from studio.session.fixes import FixReport, TextChange
    from studio.session.runs import Runs
    from studio.session.session import Session
    from studio.tui.editor import BlueprintEditor
    from studio.tui.panes.outline import Outline
    from studio.tui.panes.problems import Problems
    from studio.tui.screens.halves import Halves, LatePanes

_PREPARES = "prepares "
"""How the groups of work begin that changes the text, or opens a dialog or a pane: what is typed next is meant for what
comes of it."""

_SHOWN_FIRST = (Pane.OUTLINE, Pane.TEXT)
"""The panes that are there from the first frame."""


class SessionScreen(Placed, Screen[None]):
    """A screen that shows a session in an editor and panes. Subclasses set the attributes, and draw."""

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
        self.last_fixes: tuple[FixReport, int] | None = None
        """What the last fixes did, and the revision that they led to."""
        self.has_left_typing = False
        """Whether the cursor was put elsewhere than where the author typed last."""

    @property
    def is_filling(self) -> bool:
        """Whether panes are being mounted."""
        return self.panes.is_filled and not self.filled.is_set()

    def draw_panes(self) -> None:
        """Give the panes of results and answers their views."""
        raise NotImplementedError

    async def show_matrix(self, second: SecondRun | None = None) -> None:
        """Show the matrix of all models, with `second` laid under it; then the result of the cell that was opened."""
        raise NotImplementedError

    def tell(self, message: str, *, seconds: float = 4) -> None:
        """Show a message that needs no answer."""
        self.notify(message, timeout=seconds, markup=False)

    def show_requests(self, judgements: Sequence[Judgement], advice: str) -> None:
        """Show the exact requests to judges and their raw replies; without any, say how to get them."""
        from studio.tui.dialogs.page import WordForWord

        if judgements:
            self.app.push_screen(WordForWord(judgements))
        else:
            self.tell(advice)

    # --- What takes a while

    def begin(self, work: Coroutine[Any, Any, object], name: str = "") -> None:
        """Begin what will change the text, or open a dialog or a pane. What has a name takes the place of its like."""
        self.run_worker(self._obey(work), group=f"{_PREPARES}{name}", exclusive=name != "")

    async def _obey(self, work: Coroutine[Any, Any, object]) -> None:
        with telling(self.session.host):
            await work

    @property
    def is_preparing(self) -> bool:
        """Whether work was begun that will change the text, or open a dialog or a pane, and has not done so."""
        return any(
            worker.group.startswith(_PREPARES) and worker.node is self and not worker.is_finished
            for worker in self.workers
        )

    # --- The text

    def snapshot(self) -> Snapshot:
        """The present text."""
        return Snapshot(self.editor.revision, self.editor.text_out())

    def submit_text(self) -> None:
        """Pass the text, the cursor, and an answer that is being written to the session, up to the last key."""
        if self.editor.revision != self.session.state.text.revision:
            self.session.edit(self.snapshot())
        self.session.move(self.editor.cursor_offset)
        own, runs = self.panes.answer and self.panes.answer.own, self.session.runs
        if own is not None and runs is not None:
            runs.selection.write(own)

    async def checked(self) -> Analysis:
        """The analysis of the newest text."""
        self.submit_text()
        return await self.session.checked()

    async def checked_runs(self) -> Runs:
        """The runs, once the newest text is checked."""
        runs = await self.session.ready()
        await self.checked()
        return runs

    def apply(self, change: TextChange) -> bool:
        """Make a change as one step of undo. False if the text is another by now; the author is told."""
        if self.session.refuses_change():
            return False
        if change.revision != self.editor.revision:
            text = "The text has changed since this was found. Try again in a moment."
            self.tell(text)
            return False
        self.editor.apply_edits(change.edits)
        self.submit_text()
        return True

    def undo(self) -> None:
        """Take back the last change of the text."""
        self.editor.action_undo()
        self.submit_text()

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

    async def leave(self) -> None:
        """Show the start screen, if this one may be left."""
        if await self.may_leave():
            await self.app.run_action("app.start_screen")

    async def may_leave(self) -> bool:
        """Ask about unsaved changes. Returns whether the screen may be left."""
        self.submit_text()
        await self.session.file.saves_ended()
        self.submit_text()
        return await self.session.file.may_leave()

    # --- Going to a pane, or to a place of the text

    def open_pane(self, pane: Pane) -> None:
        """Show a pane, and give it the keys."""
        if pane in _SHOWN_FIRST or self.filled.is_set():
            self._open(pane)
        else:
            self.set_focus(None)  # what is typed until then is not meant for the text
            self.begin(self._open_once_filled(pane))

    async def _open_once_filled(self, pane: Pane) -> None:
        await self.filled.wait()
        self._open(pane)

    def _open(self, pane: Pane) -> None:
        self.close_problems()
        self.halves.give_keys(pane)
        self.draw_panes()
        first = {Pane.OUTLINE: self.outline, Pane.TEXT: self.editor}
        self.set_focus(first.get(pane) or self.panes.target(pane))

    def show_result(self) -> None:
        """Let the criteria be seen for a run that begins: text and cursor stay; from the outline the keys go there."""
        self.halves.put(Pane.CRITERIA, Pane.TEXT)
        if self.halves.focused in (Pane.OUTLINE, Pane.ANSWERS):
            self.open_pane(Pane.CRITERIA)

    def open_problems(self) -> None:
        """Open all problems, a drawer below the panes, which takes the keys."""
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

    def go_to(self, offset: int, revision: int, *, until: int | None = None) -> None:
        """Move the cursor to the present place of `offset` of the text at `revision`, and focus the editor.

        `until` is the end of the text to bring into view, as far as there is room.
        """
        self.show_text_at(offset, revision, until=until)
        self.has_left_typing = True
        self.open_pane(Pane.TEXT)

    def show_text_at(self, offset: int, revision: int, *, until: int | None = None) -> None:
        """The same without focusing the editor: the pane that has the keys keeps them."""
        end = None if until is None else self.editor.carry(until, revision)
        self.editor.go_to(self.editor.carry(offset, revision) or 0, until=end)
        self.session.move(self.editor.cursor_offset)

    def step_to_prompt(self, by: int) -> None:
        """Move the cursor to a neighbouring prompt; the keys stay where they are."""
        analysis, prompt = self.session.state.analysis, self.session.state.prompt
        number = (-1 if prompt is None else prompt.index) + by
        if analysis is not None and 0 <= number < len(analysis.blueprint.prompts):
            span = analysis.blueprint.prompts[number].span
            self.show_text_at(span.start, analysis.revision, until=span.end)


def studio_of(widget: Widget) -> SessionScreen:
    """The screen of an open file that `widget` is on."""
    screen = widget.screen
    assert isinstance(screen, SessionScreen)
    return screen
