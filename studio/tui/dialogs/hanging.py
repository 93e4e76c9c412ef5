"""Lines of text that keep their indent where they are wrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.visual import Visual

if TYPE_CHECKING:
    from textual.css.styles import RulesMap
    from textual.strip import Strip
    from textual.style import Style
    from textual.visual import RenderOptions

_LEAST = 8
"""Cells of text beside an indent, however narrow the list is."""


class Hanging(Visual):
    """Lines of content, each with its indent in cells."""

    def __init__(self, *lines: tuple[int, Content]) -> None:
        self._lines = lines
        self._wrapped: tuple[int, Content] | None = None

    def __str__(self) -> str:
        return "\n".join(" " * indent + line.plain for indent, line in self._lines)

    def wrapped(self, width: int) -> Content:
        """The text in lines of at most `width` cells."""
        if self._wrapped is None or self._wrapped[0] != width:
            rows = [
                Content.assemble(" " * indent, row)
                for indent, line in self._lines
                for row in line.wrap(max(width - indent, _LEAST))
            ]
            self._wrapped = width, Content("\n").join(rows)
        return self._wrapped[1]

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        """Draw the lines."""
        return self.wrapped(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """The width in which no line is wrapped."""
        return max((indent + line.cell_length for indent, line in self._lines), default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        """The number of lines in this width."""
        return self.wrapped(width).get_height(rules, width)
