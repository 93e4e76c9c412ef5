"""A question about another text, with what it changes."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from engine.text.spans import edits_between
from studio.session.questions import DifferenceQuestion
from studio.tui.dialogs.ask import Ask
from studio.tui.dialogs.diff import DiffLine, drawn, unified


class AskWithDifference(Ask):
    """A question with choices, above the diff from one text to the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "scroll_diff(1)", "Down in the diff", show=False, priority=True),
        Binding("pageup", "scroll_diff(-1)", "Up in the diff", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    AskWithDifference #diff {
        height: auto; max-height: 14; border-top: solid $line; padding: 0 1; scrollbar-size-vertical: 1;
    }
    AskWithDifference #lines { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, question: DifferenceQuestion) -> None:
        super().__init__(question.title, question.text, question.choices)
        self._before = question.before
        self._after = question.after

    def compose_below(self) -> ComposeResult:
        with VerticalScroll(id="diff", can_focus=False):
            yield Static(id="lines", markup=False)

    def on_mount(self) -> None:
        """Compute the diff."""
        self.run_worker(self._show())

    async def _show(self) -> None:
        lines = await asyncio.to_thread(self._lines)
        self.query_one("#lines", Static).update(drawn(lines))

    def _lines(self) -> list[DiffLine]:
        return unified(self._before, edits_between(self._before, self._after))

    def action_scroll_diff(self, pages: int) -> None:
        """Show more of a long diff."""
        diff = self.query_one("#diff", VerticalScroll)
        diff.scroll_relative(y=pages * max(diff.size.height - 1, 1), animate=False)
