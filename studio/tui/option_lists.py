"""Lists of options that take every key while they are not on the screen."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.command import CommandList
from textual.strip import Strip
from textual.widgets import OptionList


class Options(OptionList):
    """A list of options that turns pages only while it has rows on the screen, and keeps what is highlighted in sight.

    Textual looks up the line of the highlighted option, and fails for a list that was never laid out: before its first
    frame, or in a window that leaves it no row. A bar marks the highlighted option, as in every list.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"options--bar"}
    DEFAULT_CSS = "Options > .options--bar { color: $ink-focus; }"

    def render_line(self, y: int) -> Strip:
        """A line of an option."""
        strip, line = super().render_line(y), self.scroll_offset.y + y
        if self.highlighted is None or line >= len(self._lines) or self._lines[line][0] != self.highlighted:
            return strip
        style = next(iter(strip)).style or Style()
        bar = Segment("▏" if self.can_focus and not self.has_focus else "▌", style + self._bar_style)
        return Strip.join([Strip([bar]), strip.crop(1)])

    @property
    def _bar_style(self) -> Style:
        return self.get_component_rich_style("options--bar", partial=True)

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

    COMPONENT_CLASSES = Options.COMPONENT_CLASSES
    DEFAULT_CSS = "Commands > .options--bar { color: $ink-focus; }"
