"""Lines of text that keep their indent where they are wrapped."""

from __future__ import annotations

from collections.abc import Iterator
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
_LEAST_BESIDE = 20
"""Cells of text beside a name; where there are fewer, the text begins below it."""
_BELOW = 4


class Hanging(Visual):
    """Lines of content, each with its indent in cells, or with a name that stands before it in a column of its own."""

    def __init__(self, *lines: tuple[int | Content, Content]) -> None:
        self._lines = [
            (Content(" " * before) if isinstance(before, int) else before, content) for before, content in lines
        ]
        self._wrapped: tuple[int, Content] | None = None

    def __str__(self) -> str:
        return "\n".join(f"{before.plain}{line.plain}" for before, line in self._lines)

    def wrapped(self, width: int) -> Content:
        """The text in lines of at most `width` cells."""
        if self._wrapped is None or self._wrapped[0] != width:
            rows = (row for before, line in self._lines for row in _rows(before, line, width))
            self._wrapped = width, Content("\n").join(rows)
        return self._wrapped[1]

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        """Draw the lines."""
        return self.wrapped(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """The width in which no line is wrapped."""
        return max((before.cell_length + line.cell_length for before, line in self._lines), default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        """The number of lines in this width."""
        return self.wrapped(width).get_height(rules, width)


def _rows(before: Content, line: Content, width: int) -> Iterator[Content]:
    """A line in rows of at most `width` cells."""
    indent = before.cell_length
    if before.plain.strip() and width - indent < _LEAST_BESIDE:
        yield before.rstrip()
        before, indent = Content(" " * _BELOW), _BELOW
    for number, row in enumerate(line.wrap(max(width - indent, _LEAST))):
        yield Content.assemble(" " * indent if number else before, row)
