"""The cells of the characters of a line, and where a line wider than the screen is broken: between words, or in one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import merge
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import common_prefix, common_suffix, pictures_in

TAB = 4
"""Cells from one tab stop to the next."""

_LONG_LINE = 1000
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
    return _long_line_cells(line) if len(line) > _LONG_LINE else _line_cells(line)


def line_widths(lines: Sequence[str]) -> list[int]:
    """The cells of each of `lines`; many plain lines take little time."""
    widths: list[int] = []
    for start in range(0, len(lines), _CHUNK):
        chunk = lines[start : start + _CHUNK]
        if max(map(len, chunk)) <= _LONG_LINE and _PLAIN.fullmatch("".join(chunk)):
            widths += map(len, chunk)
        else:
            widths += [line_cells(line).width for line in chunk]
    return widths


def _line_cells(line: str) -> LineCells:
    if _PLAIN.fullmatch(line):
        return LineCells(line, len(line))
    return _special_cells(line)


_long_line_cells = lru_cache(maxsize=_FEW)(_line_cells)


_HANG = lazy(r" *(?:- +)*")
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


def wrapped(line: str, width: int) -> Wrapping:
    """The same, computed anew."""
    cells = line_cells(line)
    if cells.width <= width:
        return ONE_ROW
    breaks = list(_breaks(line, cells, width, 0))
    return Wrapping(tuple(breaks), _indents(line, width)[1])


def _indents(line: str, width: int) -> tuple[int, int]:
    """The column at which the text of `line` begins, and how far its later parts are set in."""
    hang = _HANG.match(line)
    text = hang.end() if hang else 0
    return text, min(text, width // 2)


def _breaks(line: str, cells: LineCells, width: int, start: int) -> Iterator[int]:
    """The breaks after the part that begins at column `start`."""
    text, indent = _indents(line, width)
    room = width - indent if start else width
    while cells.width - cells.cell(start) > room:
        start = _break(line, cells, start, room, text)
        yield start
        room = width - indent


_LONG = 2000
"""Longer lines are cached separately, only a few of them, to bound the memory."""

_EDITED = 50_000
"""From so many columns on, a line is compared with the one before it: an edit changes few of its breaks."""

_TRIED = 500
"""So many breaks behind an edit are compared. In a line of equal words, both lines may never be broken alike."""

_short_wrapping = lru_cache(maxsize=2048)(wrapped)


_last: dict[int, tuple[str, Wrapping]] = {}
"""The last long line, by the width at which it was wrapped, and how."""


@lru_cache(maxsize=16)
def _long_wrapping(line: str, width: int) -> Wrapping:
    """How `line` is wrapped: if it is much like the last one at this width, from how that is."""
    if len(line) < _EDITED:
        return wrapped(line, width)
    last = _last.get(width)
    cut = None if last is None else _edited(*last, line, width)
    if cut is None:
        cut = wrapped(line, width)
    _last.clear()
    _last[width] = line, cut
    return cut


def _edited(old: str, cut: Wrapping, line: str, width: int) -> Wrapping | None:
    """How `line` is wrapped, from how the line `old` is that was edited to it; None where that says nothing.

    A break depends on the columns from the break before it up to one row behind that. So the breaks in front of the
    edit stay, and from the first place where both lines are broken alike, all others do.
    """
    cells = line_cells(line)
    if cells.cells is not None or line_cells(old).cells is not None or cells.width <= width or not cut.breaks:
        return None
    if _indents(old, width) != _indents(line, width):
        return None
    same, longer = common_prefix(old, line), len(line) - len(old)
    behind = len(line) - common_suffix(old, line, min(len(old), len(line)) - same)
    kept = cut.breaks[: max(0, bisect_left(cut.breaks, same - width) if same > width else 0)]
    breaks = list(kept)
    for tried, column in enumerate(_breaks(line, cells, width, kept[-1] if kept else 0)):
        if tried > _TRIED:
            return None
        if column >= behind:
            at = bisect_left(cut.breaks, column - longer)
            if at < len(cut.breaks) and cut.breaks[at] == column - longer:
                breaks += [each + longer for each in cut.breaks[at:]]
                break
        breaks.append(column)
    return Wrapping(tuple(breaks), cut.indent)


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
