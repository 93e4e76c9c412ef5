"""Where a line that is wider than the screen is broken: between words, or within a word that is too long."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from studio.tui.editor.line_cells import LineCells, line_cells

_HANG = re.compile(r" *(?:- +)*")
_AFTER = " \t—"
"""Characters after which a line may be broken."""

_JOINTS = "/-_.:,;?&="
"""Characters after which a word that is wider than the screen may be broken."""

_NO_BREAK_BEFORE = frozenset("、。，．！？：；）」』】〉》”’ー…")
"""Characters of scripts without spaces that must not begin a row."""


class Wrapping(NamedTuple):
    """How one line is cut into parts, one for each row of the screen that it takes.

    `breaks` are the columns at which the second part and those after it begin, `indent` the cells by which these are
    set in. A space at which a line is broken stays with the part before it, and may stand in the one cell past the
    width that is kept for the cursor; where the line ends with it, the last part is empty.
    """

    breaks: tuple[int, ...] = ()
    indent: int = 0

    @property
    def rows(self) -> int:
        """How many rows of the screen the line takes."""
        return len(self.breaks) + 1

    def part(self, column: int) -> int:
        """Which part `column` stands in, from 0; a column at a break stands in the part that begins there."""
        return bisect_right(self.breaks, column)

    def bounds(self, part: int, length: int) -> tuple[int, int]:
        """The columns from and up to which part number `part` of a line of `length` columns goes."""
        start = self.breaks[part - 1] if part else 0
        return start, self.breaks[part] if part < len(self.breaks) else length


ONE_ROW = Wrapping()


def wrapping(line: str, width: int) -> Wrapping:
    """How `line` is wrapped at `width` cells (at least 1), the parts after the first under the text of the first."""
    return _long_wrapping(line, width) if len(line) > _LONG else _short_wrapping(line, width)


def _wrapping(line: str, width: int) -> Wrapping:
    cells = line_cells(line)
    if cells.width <= width:
        return ONE_ROW
    hang = _HANG.match(line)
    text = hang.end() if hang else 0
    indent = min(text, width // 2)
    breaks: list[int] = []
    start, room = 0, width
    while cells.width - cells.cell(start) > room:
        start = _break(line, cells, start, room, text)
        breaks.append(start)
        room = width - indent
    return Wrapping(tuple(breaks), indent)


_LONG = 2000
"""Longer lines are cached separately, only a few of them, to bound the memory."""

_short_wrapping = lru_cache(maxsize=2048)(_wrapping)
_long_wrapping = lru_cache(maxsize=16)(_wrapping)


def _break(line: str, cells: LineCells, start: int, room: int, text: int) -> int:
    """The column at which the part that begins at `start` ends, in `room` cells; never within the first `text`."""
    end = cells.column(cells.cell(start) + room)
    if end <= start:
        return cells.whole(start)[1]
    if line[end] == " ":
        return cells.whole(end)[1]
    least = max(start, text)
    after_word = cells.whole(max(line.rfind(mark, least, end) for mark in _AFTER) + 1)[0]
    if cells.cells is not None:
        end_of_wide = _after_wide(line, cells, max(start, after_word), end)
        if end_of_wide > max(after_word, least):
            return end_of_wide
    return after_word if after_word > least else _within_word(line, cells, max(least, start + (end - start) // 2), end)


def _within_word(line: str, cells: LineCells, least: int, end: int) -> int:
    """Where a word that is too long for a row is broken: behind a joint such as a slash, if that is not far back."""
    joint = cells.whole(max(line.rfind(mark, least, end) for mark in _JOINTS) + 1)[0]
    return joint if joint > least else end


def _after_wide(line: str, cells: LineCells, least: int, end: int) -> int:
    """The last column from `end` back to `least` that may begin a row beside a wide character; `least` if none may."""
    for column in range(end, least, -1):
        apart = cells.cell(column) != cells.cell(column - 1)
        wide = cell_len(line[column]) > 1 or cell_len(line[column - 1]) > 1
        if apart and wide and line[column] not in _NO_BREAK_BEFORE:
            return column
    return least
