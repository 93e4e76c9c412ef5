"""Lists of options that take every key while they are not on the screen."""

from __future__ import annotations

from textual.command import CommandList
from textual.widgets import OptionList


class Options(OptionList):
    """A list of options that turns pages only while it has rows on the screen, and keeps what is highlighted in sight.

    Textual looks up the line of the highlighted option, and fails for a list that was never laid out: before its first
    frame, or in a window that leaves it no row.
    """

    def on_resize(self) -> None:
        """Bring what is highlighted into sight again."""
        self.call_after_refresh(self.scroll_to_highlight)

    def action_page_up(self) -> None:
        """Go one page up."""
        if self.scrollable_content_region:
            super().action_page_up()

    def action_page_down(self) -> None:
        """Go one page down."""
        if self.scrollable_content_region:
            super().action_page_down()


class Commands(CommandList, Options, can_focus=False):
    """The list of the palette. Its style is that of its first base."""
