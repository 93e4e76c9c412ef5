"""The text being edited, exactly as it is in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from textual.geometry import Size

from engine.text.patterns import lazy
from studio.tui.editor.wrapping import line_widths
from studio.tui.textual_internals import Location

_CHUNK = 128
"""Lines in a chunk: about the square root of the lines of a long file."""


class LineStarts:
    """The running total of line sizes, in whatever unit the sizes have.

    Lines lie in chunks that hold the totals from the chunk's own beginning on, so that an edit rewrites the chunks it
    touches and one entry for each other chunk: with n lines, a look-up costs O(log n) and an edit O(√n).
    """

    __slots__ = ("_chunks", "_rows", "_totals")

    def __init__(self, sizes: Iterable[int]) -> None:
        self._chunks = _chunks(list(sizes))
        self._rows: list[int] = []
        self._totals: list[int] = []
        self._add_up(0)

    def start(self, row: int) -> int:
        """The total of the sizes of all lines before `row`; for the number of lines, the total of all."""
        chunk = bisect_right(self._rows, row, 0, len(self._chunks)) - 1
        return self._totals[chunk] + self._chunks[chunk][row - self._rows[chunk]]

    @property
    def total(self) -> int:
        """The total of all sizes."""
        return self._totals[-1]

    def row(self, position: int) -> int:
        """The last line that begins at or before `position`. `0 <= position <= total`."""
        chunk = bisect_right(self._totals, position, 0, len(self._chunks)) - 1
        starts = self._chunks[chunk]
        return self._rows[chunk] + bisect_right(starts, position - self._totals[chunk], 0, len(starts) - 1) - 1

    def replace(self, first: int, after: int, sizes: Sequence[int]) -> None:
        """Put lines of `sizes` (at least one) in the place of the lines from `first` up to, not including, `after`."""
        top = bisect_right(self._rows, first, 0, len(self._chunks)) - 1
        bottom = bisect_right(self._rows, after - 1, top, len(self._chunks)) - 1
        above = _sizes(self._chunks[top])[: first - self._rows[top]]
        below = _sizes(self._chunks[bottom])[after - self._rows[bottom] :]
        lines = [*above, *sizes, *below]
        if len(lines) < _CHUNK // 4 and bottom + 1 < len(self._chunks):
            bottom += 1
            lines += _sizes(self._chunks[bottom])
        self._chunks[top : bottom + 1] = _chunks(lines)
        self._add_up(top)

    def _add_up(self, first: int) -> None:
        """Recompute the first line and the total before each chunk from number `first` on."""
        rows, totals = self._rows[first : first + 1] or [0], self._totals[first : first + 1] or [0]
        chunks = self._chunks[first:]
        self._rows[first:] = accumulate([len(chunk) - 1 for chunk in chunks], initial=rows[0])
        self._totals[first:] = accumulate([chunk[-1] for chunk in chunks], initial=totals[0])


def _chunks(sizes: list[int]) -> list[list[int]]:
    """The sizes as chunks of running totals. A chunk splits at twice its size, so that typing seldom splits one."""
    if len(sizes) <= 2 * _CHUNK:
        return [list(accumulate(sizes, initial=0))]
    return [list(accumulate(sizes[at : at + _CHUNK], initial=0)) for at in range(0, len(sizes), _CHUNK)]


def _sizes(chunk: list[int]) -> list[int]:
    return [after - before for before, after in pairwise(chunk)]


_LINE = lazy(r"([^\r\n]*)(\r\n|\r|\n|\Z)")

_MOST_SPLICES = 16
"""Up to this many edits, applying them to the former text is cheaper than joining all lines."""

_LONG = 50_000
"""A line with more characters that was there before, as after an undo, is the same object again: what is cached for it
is found without comparing so many characters for each row on the screen."""

_FEW = 16
"""How many of those are known: as many as there are cached."""


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
        self._long: deque[str] = deque(maxlen=_FEW)

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
        lines = self._as_before(first, after, lines)
        self.lines[first:after], self._ends[first:after], self.widths[first:after] = lines, ends, line_widths(lines)
        self._starts.replace(first, after, [len(line) + len(end) for line, end in zip(lines, ends, strict=True)])
        self._since.append((start, end, text))
        return Replacement(old[start - base : end - base], offsets, first, after, len(lines))

    def _as_before(self, first: int, after: int, lines: list[str]) -> list[str]:
        """`lines`, which are to replace some others; each long one that was there before is the same object."""
        for line in self.lines[first:after]:
            if len(line) > _LONG:
                self._known(line)
        return [self._known(line) if len(line) > _LONG else line for line in lines]

    def _known(self, line: str) -> str:
        known = next((each for each in self._long if each == line), None)
        if known is None:
            self._long.append(line)
        return known or line

    def _joined(self, first: int, after: int) -> str:
        pairs = zip(self.lines[first:after], self._ends[first:after], strict=True)
        return "".join([part for pair in pairs for part in pair])
