"""Drawn lines broken into the rows of a screen of some width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len

from studio.tui.editor.wrapping import Wrapping, wrapping
from studio.tui.panes.rendering.drawing import Drawn

_LEAST = 8
"""Cells that a line keeps for its text, however much stands before it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: columns `start` up to `end` of a line's body, set in by `indent` cells beside what stands `before`."""

    line: Drawn
    before: str
    start: int
    end: int
    indent: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines at one width. `tops` has the first row of each line, and at its end the number of all rows."""

    lines: Sequence[Drawn]
    wraps: Sequence[Wrapping]
    tops: Sequence[int]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.tops[-1]

    def row(self, y: int) -> Row:
        """Row `y`, from 0."""
        index = bisect_right(self.tops, y) - 1
        line, wrap = self.lines[index], self.wraps[index]
        part = y - self.tops[index]
        start, end = wrap.bounds(part, len(line.body))
        return Row(line, line.again if part else line.lead, start, end, wrap.indent if part else 0)

    def index_of(self, offset: int) -> int:
        """Which line holds the code point at `offset` of the text."""
        return max(bisect_right(self.lines, offset, key=lambda line: line.start) - 1, 0)

    def text(self) -> list[str]:
        """Every row as it reads."""
        rows = map(self.row, range(self.height))
        return [row.before + " " * row.indent + row.line.body[row.start : row.end] for row in rows]


def laid_out(lines: Iterable[Drawn], width: int) -> Layout:
    """`lines` at `width` cells."""
    found = list(lines)
    wraps = [wrapping(line.body, max(width - cell_len(line.lead), _LEAST)) for line in found]
    return Layout(found, wraps, (0, *accumulate(wrap.rows for wrap in wraps)))
