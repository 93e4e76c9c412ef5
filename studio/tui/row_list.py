"""A list of one-line rows. It draws only visible rows, and keeps selection and scroll position when refreshed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from studio.tui.pieces import Piece, fit

Row = TypeVar("Row")


def _nearby(place: int, length: int) -> Iterator[int]:
    """Every index of a list of `length`, nearest to `place` first."""
    for away in range(max(place, length - place) + 1):
        for index in (place - away, place + away) if away else (place,):
            if 0 <= index < length:
                yield index


class Rows(ScrollView, Generic[Row], can_focus=True):
    """A list of rows, one of them selected. Subclasses define how a row is drawn and when two rows are the same."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--selected",
        "rows--dim",
        "rows--strong",
        "rows--error",
        "rows--warning",
        "rows--hint",
        "rows--bar",
    }

    DEFAULT_CSS = """
    Rows {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
    }
    Rows > .rows--selected { background: $row-selected; }
    Rows > .rows--dim { color: $ink-dim; }
    Rows > .rows--strong { text-style: bold; }
    Rows > .rows--error { color: $ink-error; }
    Rows > .rows--warning { color: $ink-warning; }
    Rows > .rows--hint { color: $ink-hint; }
    Rows > .rows--bar { color: $ink-focus; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move_to(0)", "First", show=False),
        Binding("end", "move_to(-1)", "Last", show=False),
    ]

    BLURRED_BAR = "▏"
    """Marks the selected row while the focus is elsewhere."""

    selected: reactive[int] = reactive(0)

    class Selected(Message):
        """Another row was selected, by key or click."""

        def __init__(self, rows: Rows) -> None:  # pyright: ignore[reportMissingTypeArgument]
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> Rows:  # pyright: ignore[reportMissingTypeArgument]
            """The list."""
            return self.rows

    class Chosen(Selected):
        """The selected row was chosen, by Enter or a click on it."""

    def __init__(self, empty: str, *, id: str | None = None) -> None:
        """`empty` is shown while there are no rows: the next step for the author, in one line."""
        super().__init__(id=id)
        self._rows: Sequence[Row] = ()
        self._empty = empty

    def draw(self, row: Row, width: int) -> list[Piece]:
        """The pieces of one row for a line of `width` cells."""
        raise NotImplementedError

    def same(self, old: Row, new: Row) -> bool:
        """Whether `new` shows the same thing as `old` did before a refresh."""
        return old == new

    @property
    def rows(self) -> Sequence[Row]:
        """All rows."""
        return self._rows

    @property
    def row(self) -> Row | None:
        """The selected row."""
        return self._rows[self.selected] if 0 <= self.selected < len(self._rows) else None

    def show_rows(self, rows: Sequence[Row], *, empty: str | None = None, selected: int | None = None) -> None:
        """Replace the rows, and select the one with the index `selected`.

        Without it, the selection stays on the same row; if that is gone, at the same index.
        """
        before, place = self.row, self.selected
        self._rows = rows
        if empty is not None:
            self._empty = empty
        if selected is not None:
            place = selected
        elif before is not None and not (place < len(rows) and self.same(before, rows[place])):
            place = next((index for index in _nearby(place, len(rows)) if self.same(before, rows[index])), place)
        self.set_reactive(Rows.selected, max(0, min(place, len(rows) - 1)))
        self._resize()
        self.refresh()

    def select(self, index: int) -> None:
        """Select a row and bring it into view, without posting `Selected`."""
        with self.prevent(Rows.Selected):
            self.selected = index

    def on_resize(self) -> None:
        """Keep the selection in view."""
        self._resize()
        self.bring_selected_into_view()

    def _resize(self) -> None:
        """Set the virtual size for the rows. Not by the reactive, which would lay out the whole screen again."""
        size = Size(self.scrollable_content_region.width, max(len(self._rows), 1))
        if size != self.virtual_size:
            self.set_reactive(Rows.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)
            self.refresh()

    def validate_selected(self, index: int) -> int:
        """Keep the selection within the rows."""
        return max(0, min(index, len(self._rows) - 1))

    def watch_selected(self, old: int, new: int) -> None:
        """Bring the selection into view, and report it."""
        if not self.is_mounted:
            return
        self.refresh()
        self.bring_selected_into_view()
        if self._rows:
            self.post_message(Rows.Selected(self))

    def bring_selected_into_view(self) -> None:
        """Scroll until the selected row is visible."""
        width, height = self.scrollable_content_region.size
        if width and height:
            self.scroll_to_region(Region(0, self.selected, width, 1), animate=False, force=True, immediate=True)

    def action_move(self, by: int) -> None:
        """One row up or down."""
        self.selected += by

    def action_page(self, by: int) -> None:
        """One page up or down."""
        self.selected += by * max(self.scrollable_content_region.height - 1, 1)

    def action_move_to(self, index: int) -> None:
        """To the first (0) or last (-1) row."""
        self.selected = index if index >= 0 else len(self._rows) - 1

    def choose(self) -> None:
        """Choose the selected row."""
        if self.row is not None:
            self.post_message(Rows.Chosen(self))

    def on_click(self, event: events.Click) -> None:
        """A click selects and chooses."""
        line = event.y + round(self.scroll_y)
        if line < len(self._rows):
            self.selected = line
            self.choose()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the list."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        base = self.rich_style
        if not self._rows:
            if y > 0:
                return Strip.blank(width, base)
            return self._strip([(" " + fit(self._empty, width - 1), "rows--dim")], base, width)
        if index >= len(self._rows):
            return Strip.blank(width, base)
        is_selected = index == self.selected
        style = base + self.get_component_rich_style("rows--selected", partial=True) if is_selected else base
        bar = ("▌" if self.has_focus else self.BLURRED_BAR) if is_selected else " "
        return self._strip([(bar, "rows--bar"), *self.draw(self._rows[index], width - 1)], style, width)

    def _strip(self, pieces: list[Piece], base: Style, width: int) -> Strip:
        segments = [
            Segment(text, base + self.get_component_rich_style(name, partial=True) if name else base)
            for text, name in pieces
        ]
        return Strip(segments).adjust_cell_length(width, base)
