"""The layout of lines on rows of the screen."""

from __future__ import annotations

from typing import NamedTuple

from textual.geometry import Offset

from studio.tui.editor.source_document import LineStarts, Replacement, SourceDocument
from studio.tui.editor.wrapping import ONE_ROW, Wrapping, line_cells, wrapping
from studio.tui.textual_internals import DocumentNavigator, Location, WrappedDocument


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
        width = self.width
        if width is None:
            return [1] * (after - first)
        lines, widths = self.document.lines, self.document.widths
        return [
            1 if widths[row] <= width else len(wrapping(lines[row], width).breaks) + 1 for row in range(first, after)
        ]

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
