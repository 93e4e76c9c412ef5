"""Paints the source: only rows on the screen, and of those only the ones whose look has changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from studio.tui.editor.line_cells import line_cells
from studio.tui.editor.paint_styles import SCORE_INKS, PaintStyles
from studio.tui.editor.painting import Look, Stroke, paint
from studio.tui.editor.row_layout import Part
from studio.tui.editor.wrapped_area import WrappedArea
from studio.tui.textual_internals import Location, Selection

_MAXIMUM_LOOKS = 512
"""How many painted rows are cached: many more than fit on a screen."""

_BRACKET_REACH = 200
"""How many lines are searched for a matching bracket: it is drawn only if visible."""


class PaintedArea(WrappedArea):
    """A source area that paints its text, with control characters made visible, and the marks of its subclasses."""

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
        "blueprint-editor--key",
        "blueprint-editor--escape",
        "blueprint-editor--number",
        "blueprint-editor--comment",
        "blueprint-editor--anchor",
        "blueprint-editor--punctuation",
        "blueprint-editor--error",
        "blueprint-editor--warning",
        "blueprint-editor--hint",
        *SCORE_INKS,
        "blueprint-editor--match",
        "blueprint-editor--found",
    }

    # The rows that changed are repainted, not all of them: see `refresh_changed`.
    selection: Reactive[Selection] = reactive(Selection(), init=False, always_update=True, repaint=False)

    def __init__(
        self, text: str = "", *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        self._paint_styles: PaintStyles | None = None
        self._looks: dict[int, Look] = {}
        self._strips: LRUCache[tuple[Look, int, int], Strip] = LRUCache(512)
        super().__init__(text, name=name, id=id, classes=classes)

    def gutter_of(self, part: Part, styles: PaintStyles) -> tuple[tuple[str, Style], ...]:
        """The gutter beside `part`, `gutter_width` cells in all."""
        return ()

    def highlights_on(self, row: int, start: int, end: int, styles: PaintStyles) -> Sequence[Stroke]:
        """The highlighting of line `row` that touches columns `start` up to `end`, outer before inner."""
        return ()

    def note_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        """What is said behind `part`, dimly, if there is room; None for nothing."""

    def score_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        """The score of the criterion that ends in `part`; None for nothing."""

    def strokes_on(self, row: int, start: int, end: int, styles: PaintStyles) -> Sequence[Stroke]:
        """The marks on the same columns: over the highlighting, under selection and cursor."""
        return ()

    def after_edit(self) -> None:
        self.refresh_changed()

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        self.refresh_changed()

    @property
    def gutter_width(self) -> int:
        return 0

    def notify_style_update(self) -> None:
        self._paint_styles = None
        super().notify_style_update()

    def _app_theme_changed(self) -> None:
        self._paint_styles = None
        super()._app_theme_changed()

    def laid_out(self) -> None:
        super().laid_out()
        self._looks.clear()

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
            *self.highlights_on(row, start, end, styles),
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
            self._paint_styles = PaintStyles.read(
                self.rich_style,
                self.get_component_rich_style,
                lambda name: self.get_component_rich_style(name, partial=True),
            )
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
        column = start[1]
        for row in range(start[0], min(self.document.line_count, start[0] + _BRACKET_REACH)):
            for at, character in enumerate(self.document[row][column:], column):
                yield character, (row, at)
            column = 0

    def _yield_character_locations_reverse(self, start: Location) -> Iterable[tuple[str, Location]]:
        line = self.document[start[0]][: start[1] + 1]
        for row in range(start[0], max(-1, start[0] - _BRACKET_REACH), -1):
            if row != start[0]:
                line = self.document[row]
            for at in range(len(line) - 1, -1, -1):
                yield line[at], (row, at)
