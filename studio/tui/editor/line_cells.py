"""The cells of the characters of a line, and what is drawn for each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import merge

from rich.cells import split_graphemes

from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import pictures_in

TAB = 4
"""Cells from one tab stop to the next."""

_LONG = 1000
"""Lines with more characters are cached separately: drawing them is costly."""

_FEW = 16
"""How many of those are cached: as many as a screen shows."""

_CHUNK = 128
"""How many lines are looked at together."""

_PLAIN = lazy("[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2500-\u25fc]*")


_TAB = lazy("\t")


class LineCells(Record):
    """One line as it is drawn.

    `shown` is what the terminal gets. Where it differs from the line in length or width, `at` holds for each column
    (and for the end of the line) the index in `shown`, and `cells` the cell; characters that share a cell, such as a
    letter and its accent, share both.
    """

    shown: str
    width: int
    at: tuple[int, ...] | None = None
    cells: tuple[int, ...] | None = None

    def cell(self, column: int) -> int:
        """The cell at which `column` is drawn. `0 <= column <= length of the line`."""
        return column if self.cells is None else self.cells[column]

    def index(self, column: int) -> int:
        """The index in `shown` at which `column` is drawn; a column past the end is as far past the end of `shown`."""
        if self.at is None:
            return column
        last = len(self.at) - 1
        return self.at[column] if column <= last else self.at[last] + column - last

    def column(self, cell: int) -> int:
        """The column drawn at `cell`; past the end, the end of the line."""
        if self.cells is None:
            return min(max(cell, 0), self.width)
        if cell >= self.width:
            return len(self.cells) - 1
        column = bisect_right(self.cells, max(cell, 0)) - 1
        while column and self.cells[column - 1] == self.cells[column]:
            column -= 1
        return column

    def whole(self, column: int) -> tuple[int, int]:
        """The range of columns drawn together with `column`; one column at the end of the line."""
        if self.at is None or column >= len(self.at) - 1:
            return column, column + 1
        start, end = column, column + 1
        while start and self.at[start - 1] == self.at[column]:
            start -= 1
        while self.at[end] == self.at[column]:
            end += 1
        return start, end


def _pictures(line: str) -> Iterator[tuple[int, str]]:
    """The index of each character that is drawn as something else, and what is drawn: "" for a tab."""
    tabs = ((match.start(), "") for match in _TAB.finditer(line))
    return merge(pictures_in(line), tabs)


@lru_cache(maxsize=2048)
def _special_cells(line: str) -> LineCells:
    shown: list[str] = []
    at: list[int] = []
    cells: list[int] = []
    index = cell = 0

    def draw(text: str, columns: int, width: int) -> None:
        nonlocal index, cell
        at.extend([index] * columns)
        cells.extend([cell] * columns)
        shown.append(text)
        index += len(text)
        cell += width

    def draw_run(run: str) -> None:
        for start, end, width in split_graphemes(run)[0]:
            draw(run[start:end], end - start, width)

    done = 0
    for special, picture in _pictures(line):
        draw_run(line[done:special])
        done = special + 1
        drawn = picture or " " * (TAB - cell % TAB)
        draw(drawn, 1, len(drawn))
    draw_run(line[done:])
    return LineCells("".join(shown), cell, (*at, index), (*cells, cell))


def line_cells(line: str) -> LineCells:
    """How `line` is drawn: tabs to their stops, control characters as `engine.text.spans.visible` writes them."""
    return _long_line_cells(line) if len(line) > _LONG else _line_cells(line)


def line_widths(lines: Sequence[str]) -> list[int]:
    """The cells of each of `lines`; many plain lines take little time."""
    widths: list[int] = []
    for start in range(0, len(lines), _CHUNK):
        chunk = lines[start : start + _CHUNK]
        if max(map(len, chunk)) <= _LONG and _PLAIN.fullmatch("".join(chunk)):
            widths += map(len, chunk)
        else:
            widths += [line_cells(line).width for line in chunk]
    return widths


def _line_cells(line: str) -> LineCells:
    if _PLAIN.fullmatch(line):
        return LineCells(line, len(line))
    return _special_cells(line)


_long_line_cells = lru_cache(maxsize=_FEW)(_line_cells)
