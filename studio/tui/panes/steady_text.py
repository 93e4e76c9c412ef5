"""A text that changes often while something runs."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class SteadyText(Static):
    """Draws only a changed text, and lays out the screen, the costly part, only for a changed height."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._drawn = Content()
        self._least = 0

    def set_text(self, content: Content) -> None:
        """Show `content`."""
        before, self._drawn = self._drawn, content
        if not before.is_same(content):
            width, height = self.content_size  # 0 while it is out of sight
            least = self._least - self.gutter.height
            stays = width > 0 and height == max(content.get_height({}, width), least)
            self.update(content, layout=not stays)

    def set_least_height(self, lines: int) -> None:
        """Set the minimum height."""
        if lines != self._least:
            self._least = lines
            self.styles.min_height = lines
