"""The blueprint editor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.document._document import EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.geometry import Region, Size, Spacing
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import TextArea

from engine.diagnostics import Diagnostic
from engine.text import Span, TextEdit, visible
from studio.editor.cells import line_cells
from studio.editor.document import SourceDocument
from studio.editor.edits import Change, SourceEdit
from studio.editor.marks import EditLog, Mark, Marks, worst
from studio.editor.painting import Look, Stroke, paint
from studio.editor.palette import SIGNS, Palette
from studio.editor.syntax import Syntax
from studio.editor.typing import continue_line, leading_tabs_to_spaces, toggle_comments
from studio.editor.view import UnwrappedView

_CONTEXT = 3
"""Lines kept in sight above and below a place that the editor goes to."""

_BRACKET_REACH = 200
"""How many lines away a matching bracket is looked for: it is drawn only where it can be seen."""


class BlueprintEditor(TextArea):
    """A text area for one blueprint.

    Offsets are code points of the source text, as everywhere in the engine. `revision` grows with each edit, undo and
    redo, and with each text that is loaded; diagnostics say which revision they were made from and are moved through
    the edits made since.
    """

    DEFAULT_CSS = """
    BlueprintEditor {
        border: none;
        padding: 0;
        background: $background;
        &:focus { border: none; }
        & .text-area--gutter { color: $text-muted; }
        & .text-area--cursor-gutter { color: $foreground; background: $boost; }
        & .blueprint-editor--key { color: $text-primary; }
        & .blueprint-editor--string { color: $foreground; }
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
        "blueprint-editor--string",
        "blueprint-editor--escape",
        "blueprint-editor--number",
        "blueprint-editor--comment",
        "blueprint-editor--anchor",
        "blueprint-editor--punctuation",
        "blueprint-editor--error",
        "blueprint-editor--warning",
        "blueprint-editor--hint",
        "blueprint-editor--match",
        "blueprint-editor--found",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+underscore,ctrl+slash", "toggle_comment", "Comment", show=False),
        Binding("shift+tab", "outdent", "Outdent", show=False),
    ]

    # The rows that changed are repainted, not all of them: see `_refresh_changed`.
    selection: Reactive[Selection] = reactive(Selection(), init=False, always_update=True, repaint=False)

    document: SourceDocument

    @dataclass
    class Edited(Message):
        """The text changed; `revision` is the new one."""

        editor: BlueprintEditor
        revision: int

        @property
        def control(self) -> BlueprintEditor:
            """The editor that was edited."""
            return self.editor

    @dataclass
    class CursorMoved(Message):
        """The cursor stands elsewhere in the text, or at another offset because text before it changed."""

        editor: BlueprintEditor
        offset: int

        @property
        def control(self) -> BlueprintEditor:
            """The editor whose cursor moved."""
            return self.editor

    def __init__(
        self, text: str = "", *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        self._log = EditLog()
        self._palette: Palette | None = None
        self._looks: dict[int, Look] = {}
        self._strips: LRUCache[tuple[Look, int, int], Strip] = LRUCache(512)
        self._matches: Sequence[tuple[int, int]] = ()
        self._reported_offset = -1
        super().__init__(
            text,
            soft_wrap=False,
            show_line_numbers=True,
            tab_behavior="indent",
            max_checkpoints=1000,
            name=name,
            id=id,
            classes=classes,
        )
        self.cursor_blink = False
        self.indent_width = 2

    # --- The text

    def load(self, text: str, *, read_only: bool = False) -> None:
        """Show `text`, cursor at its start, nothing to undo, no marks."""
        self.history.clear()
        self._set_document(text, None)
        self.read_only = read_only
        if self.is_mounted:
            self.scroll_to(0, 0, animate=False)

    def load_text(self, text: str) -> None:
        self.load(text, read_only=self.read_only)

    def text_out(self) -> str:
        """The text, exactly as loaded but for what was edited."""
        return self.document.text

    @property
    def revision(self) -> int:
        """The number of the present text; it only grows."""
        return self._log.revision

    def offset_at(self, location: Location) -> int:
        """The offset of a row and column, both from 0."""
        return self.document.offset_at(location)

    def location_of(self, offset: int) -> Location:
        """The row and column, both from 0, of an offset."""
        return self.document.location_of(offset)

    @property
    def cursor_offset(self) -> int:
        """The offset at which the cursor stands."""
        return self.document.offset_at(self.cursor_location)

    def carry(self, offset: int, revision: int) -> int | None:
        """Where an offset of the text at `revision` stands now; None where that is no longer known."""
        return self._log.carry(offset, revision)

    def _set_document(self, text: str, language: str | None) -> None:
        self.document = SourceDocument(text)
        self.wrapped_document = UnwrappedView(self.document)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._syntax = Syntax(self.document)
        self._marks = Marks(self.document.line_count)
        self._log.revision += 1
        self._log.forget()
        self._matches = ()
        self._reported_offset = -1
        self.selection = Selection()
        self._refresh_size()
        self.refresh()
        self.post_message(self.Edited(self, self.revision))

    # --- Editing

    def edit(self, edit: Edit) -> EditResult:
        if not isinstance(edit, SourceEdit):
            start = self.offset_at(edit.top)
            edit = SourceEdit.of(edit, start, self.document.slice(start, self.offset_at(edit.bottom)))
        self._log.revision += 1
        result = edit.do(self)
        self.history.record(edit)
        self._edited(edit)
        return result

    def apply_edits(self, edits: Iterable[TextEdit]) -> None:
        """Make `edits`, whose spans refer to the present text, as one step of undo.

        The cursor stays where it was in the text. Raises `ValueError` where edits overlap or lie outside the text.
        """
        edit = SourceEdit.of_text_edits(edits, self.document.text)
        if edit.changes:
            self.history.checkpoint()
            self.edit(edit)
            self.history.checkpoint()

    def change_text(self, change: Change) -> None:
        """Make one change on the text and all that follows it; for `SourceEdit`."""
        end = change.start + len(change.removed)
        lines = self.document.replace(change.start, end, change.inserted)
        self._log.add(change)
        self._syntax.follow(lines)
        self._marks.follow(self.document, change, lines)

    def _undo_batch(self, edits: Sequence[Edit]) -> None:
        self._log.revision += 1
        for edit in reversed(edits):
            edit.undo(self)
        self._edited(edits[0])

    def _redo_batch(self, edits: Sequence[Edit]) -> None:
        self._log.revision += 1
        for edit in edits:
            edit.do(self, record_selection=False)
        self._edited(edits[-1])

    def _edited(self, edit: Edit) -> None:
        self._matches = ()
        if self.virtual_size.height != self.document.line_count:
            self.refresh()
        self._refresh_size()
        edit.after(self)
        self._refresh_changed()
        self.post_message(self.Edited(self, self.revision))

    def _build_highlight_map(self) -> None:
        """Nothing to do: lines are highlighted when they are painted."""

    async def _on_key(self, event: events.Key) -> None:
        if self.read_only or event.key not in ("enter", "tab"):
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        if event.key == "enter":
            self._new_line()
        else:
            self._indent()

    def _new_line(self) -> None:
        top, bottom = sorted(self.selection)
        row, column = top
        replaced, indent = continue_line(self.document[row], column if top == bottom else None)
        if replaced is not None:
            self._replace_via_keyboard(replaced, (row, 0), (row, len(self.document[row])))
            return
        self._replace_via_keyboard(self.document.newline_at(row) + indent, top, bottom)

    def _indent(self) -> None:
        top, bottom = sorted(self.selection)
        if top[0] == bottom[0]:
            column = self.document[top[0]][: top[1]]
            self._replace_via_keyboard(" " * (2 - line_cells(column).width % 2), top, bottom)
            return
        rows = self._selected_rows()
        self._edit_rows([(row, "  " + self.document[row] if self.document[row].strip() else "") for row in rows])

    def action_outdent(self) -> None:
        """Take up to two spaces from the start of the selected lines."""
        rows = self._selected_rows()
        self._edit_rows([(row, self.document[row].removeprefix(" ").removeprefix(" ")) for row in rows])

    def action_toggle_comment(self) -> None:
        """Make comments of the selected lines, or lines of the comments."""
        rows = self._selected_rows()
        new = toggle_comments([self.document[row] for row in rows])
        self._edit_rows(list(zip(rows, new, strict=True)))

    def _selected_rows(self) -> range:
        top, bottom = sorted(self.selection)
        last = bottom[0] - 1 if bottom[0] > top[0] and bottom[1] == 0 else bottom[0]
        return range(top[0], last + 1)

    def _edit_rows(self, rows: Iterable[tuple[int, str]]) -> None:
        """Put new text on rows as one step, touching only what differs so that the cursor keeps its place."""
        if self.read_only:
            return
        edits: list[TextEdit] = []
        for row, new in rows:
            old = self.document[row]
            if old != new:
                edits.append(_difference(old, new, self.document.line_offset(row)))
        self.apply_edits(edits)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _paste(self, text: str) -> None:
        newline = self.document.newline_at(min(self.selection)[0])
        self._replace_via_keyboard(leading_tabs_to_spaces(text, newline), *self.selection)

    def action_copy(self) -> None:
        if self.selection.is_empty:
            super().action_copy()
        else:
            self.app.copy_to_clipboard(visible(self.selected_text))

    # --- Diagnostics

    def show_diagnostics(self, revision: int, diagnostics: Iterable[Diagnostic]) -> None:
        """Mark `diagnostics`, made from the text at `revision`, in the place of all marks shown so far.

        Spans are moved through the edits made since; what was deleted meanwhile is not marked. Diagnostics of a text
        that the editor no longer knows the way from are not shown.
        """
        changes = self._log.since(revision)
        if changes is None:
            return
        self._marks.show(self.document, diagnostics, changes)
        self._refresh_changed()

    def diagnostics_at(self, location: Location) -> Sequence[Diagnostic]:
        """The diagnostics whose underline covers `location`, worst first."""
        row, column = location
        return [mark.diagnostic for mark in self._marks.on(row) if mark.start <= column < max(mark.end, mark.start + 1)]

    async def _on_mouse_move(self, event: events.MouseMove) -> None:
        await super()._on_mouse_move(event)
        found = () if self._selecting else self.diagnostics_at(self.get_target_document_location(event))
        tooltip = _explained(found) if found else None
        if tooltip != self.tooltip:
            self.tooltip = tooltip

    # --- Moving

    def go_to(self, offset: int) -> None:
        """Put the cursor at `offset` and scroll just so far that it is seen with some lines around it."""
        self.move_cursor(self.location_of(offset))
        x, y = self._cursor_offset
        self.scroll_to_region(
            Region(x, y, 3, 1),
            spacing=Spacing(top=_CONTEXT, bottom=_CONTEXT, right=self.gutter_width),
            animate=False,
            force=True,
        )

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        if not self.is_mounted:
            return
        self._refresh_changed()
        offset = self.cursor_offset
        if offset != self._reported_offset:
            self._reported_offset = offset
            self.post_message(self.CursorMoved(self, offset))

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

    # --- Painting

    @property
    def gutter_width(self) -> int:
        return self._digits + 3

    @property
    def _digits(self) -> int:
        return max(3, len(str(self.document.line_count)))

    def _refresh_size(self) -> None:
        width, height = self.document.get_size(self.indent_width)
        self.virtual_size = Size(width + self.gutter_width + 1, height)
        self._refresh_scrollbars()

    def notify_style_update(self) -> None:
        self._palette = None
        super().notify_style_update()

    def _app_theme_changed(self) -> None:
        self._palette = None
        super()._app_theme_changed()

    def get_line_look(self, row: int) -> Look:
        """All that decides how `row` looks now."""
        palette = self._styles_now()
        line = self.document[row]
        marks = self._marks.on(row)
        current = row == self.cursor_location[0]
        severity = worst(marks)
        number_style = palette.current_number if current else palette.number
        strokes = [
            Stroke(start, end, palette.syntax[name])
            for start, end, name in self._syntax.on(row)
            if name in palette.syntax
        ]
        strokes += [_underline(mark, palette) for mark in reversed(marks)]
        strokes += self._selection_strokes(row, line, palette)
        return Look(
            line=line,
            number=f"{row + 1:>{self._digits}} ",
            number_style=number_style,
            sign=f"{SIGNS[severity] if severity else ' '} ",
            sign_style=number_style + palette.signs[severity] if severity else number_style,
            base=palette.base + palette.current if current else palette.base,
            strokes=tuple(strokes),
        )

    def _selection_strokes(self, row: int, line: str, palette: Palette) -> list[Stroke]:
        strokes: list[Stroke] = []
        top, bottom = sorted(self.selection)
        if top != bottom and top[0] <= row <= bottom[0]:
            start = top[1] if row == top[0] else 0
            end = bottom[1] if row == bottom[0] else len(line) + 1
            strokes.append(Stroke(start, end, palette.selection))
        bracket = self._matching_bracket_location
        cursor_row, cursor_column = self.selection.end
        if bracket is not None and top == bottom and self.match_cursor_bracket:
            strokes += [
                Stroke(at[1], at[1] + 1, palette.bracket) for at in (bracket, self.selection.end) if at[0] == row
            ]
        if row == cursor_row and self._draw_cursor:
            strokes.append(Stroke(*line_cells(line).whole(cursor_column), palette.cursor))
        return strokes

    def _styles_now(self) -> Palette:
        if self._palette is None:
            self._palette = Palette.read(
                self.rich_style,
                self.get_component_rich_style,
                lambda name: self.get_component_rich_style(name, partial=True),
            )
            self._looks.clear()
        return self._palette

    def _refresh_changed(self) -> None:
        """Repaint the rows on the screen that no longer look as they were painted."""
        if not self.is_mounted or not self._looks:
            return
        top = self.scroll_offset.y
        for row in range(top, min(top + self.size.height, self.document.line_count)):
            if self._looks.get(row) != self.get_line_look(row):
                self.refresh_lines(row)

    def render_lines(self, crop: Region) -> list[Strip]:
        return ScrollView.render_lines(self, crop)

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        row = scroll_y + y
        width = self.scrollable_content_region.width
        if row >= self.document.line_count:
            return Strip.blank(width, self._styles_now().base)
        look = self.get_line_look(row)
        self._looks[row] = look
        key = (look, scroll_x, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = paint(look, scroll_x, width)
        return strip


def _underline(mark: Mark, palette: Palette) -> Stroke:
    return Stroke(mark.start, max(mark.end, mark.start + 1), palette.marks[mark.diagnostic.severity])


def _explained(diagnostics: Sequence[Diagnostic]) -> Content:
    """Message and reason of each diagnostic as plain text."""
    return Content("\n\n".join(visible(f"{one.message}\n{one.why}".strip()) for one in diagnostics))


def _difference(old: str, new: str, offset: int) -> TextEdit:
    """The smallest edit that makes `new` of the line `old`, which stands at `offset`."""
    start = len(commonprefix((old, new)))
    tail = len(commonprefix((old[start:][::-1], new[start:][::-1])))
    return TextEdit(Span(offset + start, offset + len(old) - tail), new[start : len(new) - tail])
