"""The source with wrapped lines, where the cursor moves by rows of the screen; only rows that changed are painted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import ClassVar, NamedTuple

from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Offset, Region, Size, Spacing
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.text.diagnostics import Severity
from engine.text.spans import Span, TextEdit
from studio.tui.editor.painting import SCORE_INKS, Look, PaintStyles, Stroke, paint
from studio.tui.editor.source_area import SourceArea
from studio.tui.editor.source_document import Part
from studio.tui.editor.syntax import Kind
from studio.tui.editor.wrapping import line_cells
from studio.tui.textual_internals import Location, Selection

_CONTEXT = 3
"""Rows kept visible above and below a place that the editor goes to."""


class _Place(NamedTuple):
    """A location in the text and the row of the area on which it is drawn."""

    location: Location
    row: int
    is_cursor: bool


_MAXIMUM_LOOKS = 512
"""How many painted rows are cached: many more than fit on a screen."""

_BRACKET_REACH = 10_000
"""How many characters are searched for a matching bracket: it is drawn only if visible."""


class PaintedArea(SourceArea):
    """A source area that wraps long lines between words unless `soft_wrap` is off.

    It paints its text with control characters made visible, and the marks of its subclasses.
    """

    DEFAULT_CSS = """
    PaintedArea {
        border: none;
        padding: 0;
        background: $background;
        &:focus { border: none; }
        & .text-area--gutter { color: $text-muted; }
        & .text-area--cursor-gutter { color: $foreground; background: $boost; }
        & .blueprint-editor--key { color: $text-primary; }
        & .blueprint-editor--escape { color: $text-accent; }
        & .blueprint-editor--number { color: $text-accent; }
        & .blueprint-editor--comment { color: $text-muted; text-style: italic; }
        & .blueprint-editor--anchor { color: $text-accent; text-style: bold; }
        & .blueprint-editor--punctuation { color: $text-muted; }
        & .blueprint-editor--error { color: $text-error; }
        & .blueprint-editor--warning { color: $text-warning; }
        & .blueprint-editor--hint { color: $text-secondary; }
        & .blueprint-editor--match { background: $warning 30%; }
        & .blueprint-editor--found { background: $warning 60%; text-style: bold; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"blueprint-editor--{name}" for name in (*Kind, *(each.value for each in Severity), "match", "found")),
        *SCORE_INKS,
    }

    # The rows that changed are repainted, not all of them: see `refresh_changed`.
    selection: Reactive[Selection] = reactive(Selection(), init=False, always_update=True, repaint=False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._paint_styles: PaintStyles | None = None
        self._looks: dict[int, Look] = {}
        self._strips: LRUCache[tuple[Look, int, int], Strip] = LRUCache(512)
        super().__init__(id=id, classes=classes)

    # --- Wrapping

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or let them run past the right edge."""
        self.soft_wrap = not self.soft_wrap

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        place = self._place()
        resized = super()._size_updated(size, virtual_size, container_size, layout)
        if resized:
            self._rewrap(place)
        return resized

    def _rewrap_and_refresh_virtual_size(self) -> None:
        self._rewrap(self._place())

    _watch_soft_wrap = _watch_show_vertical_scrollbar = _rewrap_and_refresh_virtual_size

    def _rewrap(self, place: _Place) -> None:
        """Lay the text out for the present width, and keep `place` on its row. A cursor in sight stays in sight."""
        if not self.row_layout.set_width(self._width_now()):
            self._refresh_size()
            if place.is_cursor:
                self.scroll_cursor_visible()
            return
        self._refresh_size()
        self._looks.clear()
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

    # --- Painting

    def gutter_of(self, part: Part, styles: PaintStyles) -> tuple[tuple[str, Style], ...]:
        """The gutter beside `part`, `gutter_width` cells in all."""
        return ()

    def note_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        """What is said behind `part`, dimly, if there is room; None for nothing."""

    def score_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        """The score of the criterion that ends in `part`; None for nothing."""

    def strokes_on(self, row: int, start: int, end: int, styles: PaintStyles) -> Sequence[Stroke]:
        """The highlighting and marks of line `row` that touch columns `start` up to `end`, outer before inner."""
        return ()

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        self.refresh_changed()

    def notify_style_update(self) -> None:
        self._paint_styles = None
        super().notify_style_update()

    def _app_theme_changed(self) -> None:
        self._paint_styles = None
        super()._app_theme_changed()

    def look_of(self, y: int) -> Look:
        """Everything that determines how row `y` of the text looks now."""
        styles = self._styles_now()
        part = self.row_layout.part_at(y)
        row, start, end = part.row, part.start, part.end
        line = self.document[row]
        if not self.row_layout.wrapped:
            cells = line_cells(line)
            start, end = cells.column(self.scroll_offset.x), cells.column(self.scroll_offset.x + self.size.width)
        strokes = [
            *self.strokes_on(row, start, end, styles),
            *self._selection_strokes(row, line, styles),
        ]
        current = self.highlight_cursor_line and row == self.cursor_location[0]
        return Look(
            line=line,
            start=part.start,
            end=part.end,
            indent=part.indent,
            gutter=self.gutter_of(part, styles),
            base=styles.base + styles.current if current else styles.base,
            strokes=tuple(stroke for stroke in strokes if stroke.start <= end and stroke.end >= start),
            note=self.note_on(part, styles),
            score=self.score_on(part, styles),
        )

    def _selection_strokes(self, row: int, line: str, styles: PaintStyles) -> list[Stroke]:
        strokes: list[Stroke] = []
        top, bottom = sorted(self.selection)
        if top != bottom and top[0] <= row <= bottom[0]:
            start = top[1] if row == top[0] else 0
            end = bottom[1] if row == bottom[0] else len(line) + 1
            strokes.append(Stroke(start, end, styles.selection))
        bracket = self._matching_bracket_location
        cursor_row, cursor_column = self.selection.end
        if bracket is not None and top == bottom and self.match_cursor_bracket:
            strokes += [
                Stroke(at[1], at[1] + 1, styles.bracket) for at in (bracket, self.selection.end) if at[0] == row
            ]
        if row == cursor_row and self._draw_cursor:
            strokes.append(Stroke(*line_cells(line).whole(cursor_column), styles.cursor))
        return strokes

    def _styles_now(self) -> PaintStyles:
        if self._paint_styles is None:
            self._paint_styles = PaintStyles.of(self)
            self._looks.clear()
        return self._paint_styles

    def refresh_changed(self) -> None:
        """Repaint the rows on the screen that no longer look as they were painted."""
        if not self.is_mounted or not self._looks:
            return
        top = self.scroll_offset.y
        for y in range(top, min(top + self.size.height, self.row_layout.height)):
            if self._looks.get(y) != self.look_of(y):
                self.refresh_lines(y)

    def render_lines(self, crop: Region) -> list[Strip]:
        return ScrollView.render_lines(self, crop)

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        width = self.scrollable_content_region.width
        if scroll_y + y >= self.row_layout.height:
            return Strip.blank(width, self._styles_now().base)
        look = self.look_of(scroll_y + y)
        if len(self._looks) >= _MAXIMUM_LOOKS:
            self._looks.clear()
        self._looks[scroll_y + y] = look
        key = (look, scroll_x, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = paint(look, scroll_x, width)
        return strip

    def _yield_character_locations(self, start: Location) -> Iterable[tuple[str, Location]]:
        return islice(super()._yield_character_locations(start), _BRACKET_REACH)

    def _yield_character_locations_reverse(self, start: Location) -> Iterable[tuple[str, Location]]:
        return islice(super()._yield_character_locations_reverse(start), _BRACKET_REACH)


class PlainEditor(PaintedArea):
    """An editor for text that an author types or pastes, such as an answer.

    Long lines are wrapped. Control characters are made visible and never sent to the terminal; `text_out` returns them
    unchanged. Tab moves the focus to the next pane.
    """

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.highlight_cursor_line = False
