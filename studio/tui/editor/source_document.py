"""The text being edited, exactly as it is in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from textual.geometry import Offset, Size

from engine.text.patterns import lazy
from studio.tui.editor.wrapping import ONE_ROW, Wrapping, line_cells, line_widths, wrapping
from studio.tui.textual_internals import DocumentNavigator, Location, WrappedDocument


class LineStarts:
    """The running total of line sizes, in whatever unit the sizes have.

    The totals behind that of line `_line` lack `_step`, which the edits up to there have added. An edit moves that
    border to where it is: it costs as much as there are lines between it and the one before it, and nothing where an
    author types on.
    """

    __slots__ = ("_line", "_starts", "_step")

    def __init__(self, sizes: Iterable[int]) -> None:
        self._starts = list(accumulate(sizes, initial=0))
        self._line = self._step = 0

    def start(self, row: int) -> int:
        """The total of the sizes of all lines before `row`; for the number of lines, the total of all."""
        return self._starts[row] + (self._step if row > self._line else 0)

    @property
    def total(self) -> int:
        """The total of all sizes."""
        return self.start(len(self._starts) - 1)

    def row(self, position: int) -> int:
        """The last line that begins at or before `position`. `0 <= position <= total`."""
        lines, border = len(self._starts) - 1, self._line + 1
        found = bisect_right(self._starts, position - self._step, border, max(lines, border))
        if found == border:
            found = bisect_right(self._starts, position, 0, min(lines, border))
        return found - 1

    def replace(self, first: int, after: int, sizes: Sequence[int]) -> None:
        """Put lines of `sizes` (at least one) in the place of the lines from `first` up to, not including, `after`."""
        near, far = sorted((self._line, after))
        by = self._step if after > self._line else -self._step
        if by:
            self._starts[near + 1 : far + 1] = [start + by for start in self._starts[near + 1 : far + 1]]
        starts = list(accumulate(sizes, initial=self._starts[first]))
        self._step += starts[-1] - self._starts[after]
        self._starts[first : after + 1] = starts
        self._line = first + len(sizes)


_LINE = lazy(r"([^\r\n]*)(\r\n|\r|\n|\Z)")

_MOST_SPLICES = 16
"""Up to this many edits, applying them to the former text is cheaper than joining all lines."""

_LONG = 50_000
"""A line with more characters that was there before, as after an undo, is the same object again: what is cached for it
is found without comparing so many characters for each row on the screen."""

_known = lru_cache(maxsize=16)(str)
"""A long line as the object that was there before. As many are known as there are cached."""


def _as_before(lines: Iterable[str]) -> list[str]:
    return [_known(line) if len(line) > _LONG else line for line in lines]


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """The lines of `text` and the end of each: LF, CRLF, CR, and nothing for the last."""
    if "\r" not in text:
        split = text.split("\n")
        return split, [*["\n"] * (len(split) - 1), ""]
    lines: list[str] = []
    ends: list[str] = []
    for match in _LINE.finditer(text):
        line, end = match.groups()
        lines.append(line)
        ends.append(end)
        if not end:
            break
    return lines, ends


class Replacement(NamedTuple):
    """One replacement: lines `first` up to `after`, which began at `offsets`, became `rows` lines."""

    removed: str
    offsets: Sequence[int]
    first: int
    after: int
    rows: int


class SourceDocument:
    """Lines with their own line ends, so that the text is written as it was read, except for the edits.

    A line ends at LF, CRLF or CR and nowhere else. Offsets are code points of the text, `0 <= offset <= length`;
    a location is a row and a column in code points, and cannot stand within a CRLF. The text area reads of it what it
    reads of Textual's documents.
    """

    def __init__(self, text: str) -> None:
        self.lines, self._ends = split_lines(text)
        self._starts = LineStarts(len(line) + len(end) for line, end in zip(self.lines, self._ends, strict=True))
        self.widths = line_widths(self.lines)
        """Cells of each line."""
        self._text = text
        self._since: list[tuple[int, int, str]] = []

    @property
    def text(self) -> str:
        """The whole text; brought up to date once after an edit."""
        if len(self._since) > _MOST_SPLICES:
            self._text = "".join([part for pair in zip(self.lines, self._ends, strict=True) for part in pair])
        else:
            for start, end, put in self._since:
                self._text = "".join((self._text[:start], put, self._text[end:]))
        self._since.clear()
        return self._text

    @property
    def length(self) -> int:
        """How many code points the text has."""
        return self._starts.total

    @property
    def line_count(self) -> int:
        return len(self.lines)

    def newline_at(self, row: int) -> str:
        """The line end for `row`: its own, or for the last line that of the line before it."""
        end = self._ends[row] or (self._ends[row - 1] if row else "")
        return end or "\n"

    @property
    def end(self) -> Location:
        return (len(self.lines) - 1, len(self.lines[-1]))

    def __getitem__(self, row: int) -> str:
        return self.lines[row]

    def get_size(self, indent_width: int) -> Size:
        """Cells of the widest line, and the number of lines."""
        return Size(max(self.widths), len(self.lines))

    def line_offset(self, row: int) -> int:
        """The offset at which `row` begins."""
        return self._starts.start(row)

    def offset_at(self, location: Location) -> int:
        """The offset of `location`, which is clamped to the text."""
        row, column = location
        if row >= len(self.lines):
            return self.length
        if row < 0:
            return 0
        return self._starts.start(row) + min(max(column, 0), len(self.lines[row]))

    def location_of(self, offset: int) -> Location:
        """The location of `offset`, which is clamped to the text; within a line's end it is the end of that line."""
        offset = min(max(offset, 0), self.length)
        row = self._starts.row(offset)
        return row, min(offset - self._starts.start(row), len(self.lines[row]))

    def get_text_range(self, start: Location, end: Location) -> str:
        top, bottom = sorted((start, end))
        return self.slice(self.offset_at(top), self.offset_at(bottom))

    def slice(self, start: int, end: int) -> str:
        """The text between two offsets."""
        if start >= end:
            return ""
        first, last = self._starts.row(start), self._starts.row(end)
        base = self._starts.start(first)
        return self._joined(first, last + 1)[start - base : end - base]

    def replace(self, start: int, end: int, text: str) -> Replacement:
        """Replace the text between two offsets by `text`. `0 <= start <= end <= length`."""
        first, after = self._starts.row(start), self._starts.row(end) + 1
        if first and self._ends[first - 1] == "\r":  # a line feed typed after it would join it into one line end
            first -= 1
        offsets = [self._starts.start(row) for row in range(first, after)]
        base = offsets[0]
        old = self._joined(first, after)
        new = old[: start - base] + text + old[end - base :]
        lines, ends = split_lines(new)
        if after < len(self.lines):  # the rows that follow are the rest
            lines.pop()
            ends.pop()
        lines = _as_before([*self.lines[first:after], *lines])[after - first :]
        self.lines[first:after], self._ends[first:after], self.widths[first:after] = lines, ends, line_widths(lines)
        self._starts.replace(first, after, [len(line) + len(end) for line, end in zip(lines, ends, strict=True)])
        self._since.append((start, end, text))
        return Replacement(old[start - base : end - base], offsets, first, after, len(lines))

    def _joined(self, first: int, after: int) -> str:
        pairs = zip(self.lines[first:after], self._ends[first:after], strict=True)
        return "".join([part for pair in pairs for part in pair])


class Part(NamedTuple):
    """The part of line `row` on one row of the screen: columns `start` up to `end`, from cell `indent` on.

    `number` counts the parts of a line from 0; `last` is set for the last one.
    """

    row: int
    number: int
    start: int
    end: int
    indent: int
    last: bool


class RowLayout(WrappedDocument):
    """A document laid out on rows of at most `width` cells; None leaves each line on one row.

    `y` is a row of the screen counted from the beginning of the text, `0 <= y < height`; `x` a cell within it. The
    document is never changed. Only the number of rows of each line is stored; where it is cut is computed on demand.
    """

    document: SourceDocument

    def __init__(self, document: SourceDocument, width: int | None = None) -> None:
        self.document = document  # pyright: ignore[reportIncompatibleVariableOverride]
        self.width = width
        self._heights = LineStarts(self._rows_of(0, document.line_count))

    def set_width(self, width: int | None) -> bool:
        """Lay the text out at `width`. Returns False if it has that width already."""
        if width == self.width:
            return False
        self.width = width
        self._heights = LineStarts(self._rows_of(0, self.document.line_count))
        return True

    def follow(self, lines: Replacement) -> None:
        """Take over the lines with which the document replaced `lines`."""
        self._heights.replace(lines.first, lines.after, self._rows_of(lines.first, lines.first + lines.rows))

    def _rows_of(self, first: int, after: int) -> list[int]:
        """How many rows of the screen each of some lines takes."""
        return [self.wrapping(row).rows for row in range(first, after)]

    def wrapping(self, row: int) -> Wrapping:
        """How line `row` is cut."""
        if self.width is None or self.document.widths[row] <= self.width:
            return ONE_ROW
        return wrapping(self.document[row], self.width)

    @property
    def height(self) -> int:
        """How many rows of the screen the text takes."""
        return self._heights.total

    def y_of(self, row: int) -> int:
        """The row of the screen on which line `row` begins."""
        return self._heights.start(row)

    def part_at(self, y: int) -> Part:
        """The part on row `y` of the screen, which is clamped to the text."""
        y = min(max(y, 0), self.height - 1)
        row = self._heights.row(y)
        return self._part(row, y - self._heights.start(row))

    def part_of(self, location: Location) -> Part:
        """The part that contains `location`."""
        row = min(max(location[0], 0), self.document.line_count - 1)
        return self._part(row, self.wrapping(row).part(location[1]))

    def _part(self, row: int, number: int) -> Part:
        cut = self.wrapping(row)
        start, end = cut.bounds(number, len(self.document[row]))
        return Part(row, number, start, end, cut.indent if number else 0, number == len(cut.breaks))

    def end_of(self, part: Part) -> int:
        """The last column of the cursor within `part`."""
        if part.last:
            return part.end
        return line_cells(self.document[part.row]).whole(part.end - 1)[0]

    def column_in(self, part: Part, x: int) -> int:
        """The column drawn at cell `x` of `part`, or the nearest one."""
        cells = line_cells(self.document[part.row])
        column = cells.column(cells.cell(part.start) + max(0, x - part.indent))
        return min(max(column, part.start), self.end_of(part))

    def covers(self, part: Part, x: int) -> bool:
        """Whether text of `part` is drawn at cell `x`."""
        cells = line_cells(self.document[part.row])
        return part.indent <= x < part.indent + cells.cell(part.end) - cells.cell(part.start)

    # --- What the text area reads of a `WrappedDocument`

    @property
    def wrapped(self) -> bool:
        return self.width is not None

    def offset_to_location(self, offset: Offset) -> Location:
        part = self.part_at(offset.y)
        return part.row, self.column_in(part, offset.x)

    def location_to_offset(self, location: Location) -> Offset:
        part = self.part_of(location)
        cells = line_cells(self.document[part.row])
        column = min(max(location[1], 0), len(self.document[part.row]))
        x = part.indent + cells.cell(column) - cells.cell(part.start)
        return Offset(x, self.y_of(part.row) + part.number)


class RowNavigator(DocumentNavigator):
    """Up and down on the rows of a layout, at the cell `last_x_offset`; home and end on whole lines."""

    def __init__(self, layout: RowLayout) -> None:
        super().__init__(layout)
        self._layout = layout

    def get_location_above(self, location: Location) -> Location:
        """One row up; from the first row, the start of the text."""
        y = self._layout.location_to_offset(location).y
        return self._on_row(y - 1) if y else (0, 0)

    def get_location_below(self, location: Location) -> Location:
        """One row down; from the last row, the end of the text."""
        y = self._layout.location_to_offset(location).y
        return self._on_row(y + 1) if y + 1 < self._layout.height else self._layout.document.end

    def get_location_at_y_offset(self, location: Location, vertical_offset: int) -> Location:
        """Some rows down, or up where negative, but no further than the text goes."""
        return self._on_row(self._layout.location_to_offset(location).y + vertical_offset)

    def _on_row(self, y: int) -> Location:
        part = self._layout.part_at(y)
        return part.row, self._layout.column_in(part, self.last_x_offset)

    def get_location_end(self, location: Location) -> Location:
        """The end of the line, however many rows it takes."""
        return location[0], len(self._layout.document[location[0]])

    def get_location_home(self, location: Location, smart_home: bool = False) -> Location:
        """The start of the line, however many rows it takes; with `smart_home`, that of its text first."""
        line = self._layout.document[location[0]]
        text = len(line) - len(line.lstrip())
        return location[0], text if smart_home and line.strip() and location[1] != text else 0
