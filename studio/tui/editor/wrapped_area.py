"""A source area with wrapped lines, in which the cursor moves by rows of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size, Spacing

from engine.text.spans import Span, TextEdit
from studio.tui.editor.source_area import SourceArea
from studio.tui.textual_internals import Location, Selection

_CONTEXT = 3
"""Rows kept visible above and below a place that the editor goes to."""


class _Place(NamedTuple):
    """A location in the text and the row of the area on which it is drawn."""

    location: Location
    row: int
    is_cursor: bool


class WrappedArea(SourceArea):
    """A source area that wraps long lines between words unless `soft_wrap` is off."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+pageup", "cursor_page_up(True)", "Select a page up", show=False),
        Binding("shift+pagedown", "cursor_page_down(True)", "Select a page down", show=False),
    ]

    # --- Wrapping

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or let them run past the right edge."""
        self.soft_wrap = not self.soft_wrap

    def _watch_soft_wrap(self) -> None:
        self._rewrap_and_refresh_virtual_size()

    def _watch_show_vertical_scrollbar(self) -> None:
        self._rewrap_and_refresh_virtual_size()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        place = self._place()
        resized = super()._size_updated(size, virtual_size, container_size, layout)
        if resized:
            self._rewrap(place)
        return resized

    def _rewrap_and_refresh_virtual_size(self) -> None:
        self._rewrap(self._place())

    def _rewrap(self, place: _Place) -> None:
        """Lay the text out for the present width, and keep `place` on its row. A cursor in sight stays in sight."""
        if not self.row_layout.set_width(self._width_now()):
            self._refresh_size()
            if place.is_cursor:
                self.scroll_cursor_visible()
            return
        self._refresh_size()
        self.laid_out()
        self.refresh()
        row = min(place.row, max(0, self.size.height - 1))
        x = 0 if self.row_layout.wrapped else None
        self.scroll_to(x, self.row_layout.location_to_offset(place.location).y - row, animate=False)
        if place.is_cursor:
            self.scroll_cursor_visible()
        else:
            self._recompute_cursor_offset()
        self.record_cursor_width()

    def _place(self) -> _Place:
        """The place that keeps its row: the cursor if it is on the screen, otherwise the start of the top row."""
        top = self.scroll_offset.y
        y = self.row_layout.location_to_offset(self.cursor_location).y
        if top <= y < top + self.outer_size.height:  # while it is resized, `size` is the new one already
            return _Place(self.cursor_location, y - top, True)
        part = self.row_layout.part_at(top)
        return _Place((part.row, part.start), 0, False)

    def laid_out(self) -> None:
        """Called when the text was laid out for another width."""

    # --- Moving

    def replace_text(self, text: str, edits: Sequence[TextEdit] = ()) -> None:
        """As ever; the cursor's line, or if that is not on the screen the top one, stays on its row."""
        place, revision = self._place(), self.revision
        offset = self.offset_at(place.location)
        super().replace_text(text, edits)
        kept = self.carry(offset, revision)
        if kept is not None:
            y = self.row_layout.location_to_offset(self.location_of(kept)).y
            self.scroll_to(y=y - place.row, animate=False, force=True, immediate=True)

    def go_to(self, offset: int, *, until: int | None = None) -> None:
        """Move the cursor to `offset`, and scroll as little as needed to show it with some rows around it.

        With `until`, also show the text up to that offset, as far as there is room.
        """
        self.move_cursor(self.location_of(offset))
        x, y = self._cursor_offset
        if until is not None:
            last = self.row_layout.location_to_offset(self.location_of(until)).y
            top = min(last - self.size.height + 1, max(0, y - _CONTEXT))
            self.scroll_to(y=max(top, self.scroll_offset.y), animate=False, force=True, immediate=True)
        self.scroll_to_region(
            Region(x, y, 3, 1),
            spacing=Spacing(top=_CONTEXT, bottom=_CONTEXT, right=self.gutter_width),
            animate=False,
            force=True,
        )

    def select_span(self, span: Span) -> None:
        """Select the text of `span`, the cursor at its end."""
        self.selection = Selection(self.location_of(span.start), self.location_of(span.end))
        self.record_cursor_width()

    def action_cursor_page_up(self, select: bool = False) -> None:
        """A page up."""
        self._page(-1, select)

    def action_cursor_page_down(self, select: bool = False) -> None:
        """A page down."""
        self._page(1, select)

    def _page(self, pages: int, select: bool) -> None:
        rows = pages * self.content_size.height
        target = self.navigator.get_location_at_y_offset(self.cursor_location, rows)
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False)
        self.move_cursor(target, select=select, record_width=False)

    # --- The mouse

    def location_under(self, at: Offset) -> Location | None:
        """The location of the character drawn at `at`, in cells from the area's corner; None without one."""
        y = at.y + self.scroll_offset.y
        if y >= self.row_layout.height:
            return None
        part = self.row_layout.part_at(y)
        x = at.x - self.gutter_width + self.scroll_offset.x
        return (part.row, self.row_layout.column_in(part, x)) if self.row_layout.covers(part, x) else None
