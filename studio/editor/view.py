"""What the text area asks about wrapping, answered for a text whose rows are its lines."""

from __future__ import annotations

from textual.document._document import DocumentBase, Location
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset

from studio.editor.cells import line_cells


class UnwrappedView(WrappedDocument):
    """Rows on the screen are lines of the document, so nothing has to be kept, whatever the size of the document."""

    def __init__(self, document: DocumentBase) -> None:
        self.document = document

    @property
    def wrapped(self) -> bool:
        return False

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Nothing to do: rows are lines."""

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        """Nothing to do: rows are lines."""

    @property
    def lines(self) -> list[list[str]]:
        return [[line] for line in self.document.lines]

    @property
    def height(self) -> int:
        return self.document.line_count

    def offset_to_location(self, offset: Offset) -> Location:
        row = min(max(offset.y, 0), self.document.line_count - 1)
        return row, line_cells(self.document.get_line(row)).column(offset.x)

    def location_to_offset(self, location: Location) -> Offset:
        row = min(max(location[0], 0), self.document.line_count - 1)
        line = self.document.get_line(row)
        return Offset(line_cells(line).cell(min(max(location[1], 0), len(line))), row)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        return line_cells(self.document.get_line(line_index)).column(x_offset)

    def get_sections(self, line_index: int) -> list[str]:
        return [self.document.get_line(line_index)]

    def get_offsets(self, line_index: int) -> list[int]:
        return []

    def get_tab_widths(self, line_index: int) -> list[int]:
        return []
