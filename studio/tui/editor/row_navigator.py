"""Cursor movement by rows of the screen. It keeps the cell in which it began."""

from __future__ import annotations

from studio.tui.editor.row_layout import RowLayout
from studio.tui.textual_internals import DocumentNavigator, Location


class RowNavigator(DocumentNavigator):
    """Up and down on the rows of a layout, at the cell `last_x_offset`; home and end on whole lines."""

    def __init__(self, layout: RowLayout) -> None:
        super().__init__(layout)
        self._layout = layout

    def get_location_above(self, location: Location) -> Location:
        """One row up; from the first row, the start of the text."""
        y = self._layout.location_to_offset(location).y
        return self._on_row(y - 1) if y else self._layout.document.start

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
