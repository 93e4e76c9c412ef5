"""The blueprint editor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from engine.text.diagnostics import Diagnostic
from engine.text.spans import Span, TextEdit, difference, visible
from studio.session.reference import explained
from studio.tui.action import Place
from studio.tui.editor.completion_controller import CompletionController
from studio.tui.editor.diagnostic_marks import Marks, worst
from studio.tui.editor.line_break import (
    LineBreak,
    break_line,
    is_behind_colon,
    is_behind_dash,
    leading_tabs_to_spaces,
    may_be_dash,
    remember_break,
    step_back,
    take_dash,
    toggle_comments,
    with_line_ends,
)
from studio.tui.editor.painted_area import PaintedArea
from studio.tui.editor.painting import SIGNS, PaintStyles, Stroke
from studio.tui.editor.source_document import Part, Replacement
from studio.tui.editor.source_edit import Change
from studio.tui.editor.syntax import Kind, Syntax
from studio.tui.editor.wrapping import line_cells
from studio.tui.editor.yaml_line import BLANKS
from studio.tui.field_limit import MOST_CHARACTERS
from studio.tui.key_bindings import bindings
from studio.tui.pieces import Piece

if TYPE_CHECKING:
    from studio.session.views.result_view import TextScores

Beside = TypeVar("Beside")
_FAR = 1 << 60
"""A column behind the end of any line."""


class Match(NamedTuple):
    """Columns of one line that match the search; `current` for the match at which the search is."""

    start: int
    end: int
    current: bool


def _follow(of_rows: list[Beside], lines: Replacement, blank: Beside) -> None:
    """Let what stands beside lines go where these went."""
    before = of_rows[lines.first : lines.after]
    of_rows[lines.first : lines.after] = [*before, *[blank] * lines.rows][: lines.rows]


class BlueprintEditor(PaintedArea):
    """A text area for one blueprint.

    Offsets are code points of the source text, as everywhere in the engine. `revision` grows with each edit, undo and
    redo, and with each text that is loaded; diagnostics say which revision they were made from and are moved through
    the edits made since.
    """

    place = Place.EDITOR
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.EDITOR),
        Binding("enter", "new_line", "New line", show=False),
        Binding("tab", "indent", "Indent", show=False),
        Binding("shift+tab", "outdent", "Outdent", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        self.completing = CompletionController(self)
        super().__init__(id=id)

    def document_replaced(self) -> None:
        self.completing.close()
        self._matches: dict[int, list[Match]] = {}
        self._marks = Marks(self.document.line_count)
        self._notes = [""] * self.document.line_count
        self._shown_scores: TextScores | None = None
        self._scores: list[Piece | None] = [None] * self.document.line_count
        self._syntax = Syntax(self.document)

    def text_changed(self, change: Change, lines: Replacement) -> None:
        self._matches = {}
        self._marks.follow(self.document, change, lines)
        _follow(self._notes, lines, "")
        _follow(self._scores, lines, None)
        self._syntax.follow()

    tooltip_at: Callable[[int], str | None] = staticmethod(lambda _offset: None)
    """The tooltip text for an offset, None without one; set by the screen."""

    # --- Painting

    @property
    def gutter_width(self) -> int:
        return self._digits + 3

    @property
    def _digits(self) -> int:
        return max(3, len(str(self.document.line_count)))

    def gutter_of(self, part: Part, styles: PaintStyles) -> tuple[tuple[str, Style], ...]:
        style = styles.current_number if part.row == self.cursor_location[0] else styles.number
        if part.number:
            return ((" " * self.gutter_width, style),)
        severity = worst(self._marks.on(part.row))
        number = f"{part.row + 1:>{self._digits}} "
        if severity is None:
            return ((f"{number}  ", style),)
        return (number, style), (f"{SIGNS[severity]} ", style + styles.signs[severity])

    def note_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        note = self._notes[part.row] if part.last else ""
        return (note, styles.syntax[Kind.COMMENT]) if note else None

    def score_on(self, part: Part, styles: PaintStyles) -> tuple[str, Style] | None:
        score = self._scores[part.row] if part.last else None
        return None if score is None else (score[0], styles.scores[score[1]])

    def strokes_on(self, row: int, start: int, end: int, styles: PaintStyles) -> list[Stroke]:
        marks = [mark for mark in reversed(self._marks.on(row)) if mark.start <= end and mark.end >= start]
        matches = [match for match in self._matches.get(row, ()) if match.start <= end and match.end >= start]
        return [
            *(Stroke(one.start, one.end, styles.syntax[one.kind]) for one in self._syntax.on(row, start, end)),
            *(Stroke(mark.start, mark.shown_end, styles.marks[mark.diagnostic.severity]) for mark in marks),
            *(Stroke(match.start, match.end, styles.found if match.current else styles.match) for match in matches),
        ]

    # --- Typing

    async def _on_key(self, event: events.Key) -> None:
        """Pass Escape to the app when nothing is selected. A key that comes while a dialog opens changes no text."""
        is_covered = self.app.screen is not self.screen
        if is_covered or self.completing.take(event) or take_dash(self, event.character):
            event.stop().prevent_default()
        elif event.key == "escape" and not self.selection.is_empty:
            event.stop()
            self.move_cursor(self.cursor_location)

    def type_text(self, text: str) -> None:
        self.completing.typing()
        while text and may_be_dash(self, text[0]):
            if not take_dash(self, text[0]):
                super().type_text(text[0])
            text = text[1:]
        if text:
            super().type_text(text)

    def action_new_line(self) -> None:
        """Break the line, with the indentation and the list marker that the next one needs."""
        if self.read_only:
            return
        top, bottom = sorted(self.selection)
        row, column = top
        made = break_line(self.document.lines, row, column if top == bottom else None)
        if made.replaces:
            self._replace_via_keyboard(made.begins, (row, 0), (row, len(self.document[row])))
        else:
            if made.behind:
                top = bottom = (row, len(self.document[row]))
            self._replace_via_keyboard(self.document.newline_at(row) + made.begins, top, bottom)
        remember_break(self, made)

    def action_indent(self) -> None:
        """Leave what completion wrote around the cursor; else insert up to two spaces, or shift the selected lines."""
        if self.read_only or self.completing.leave():
            return
        top, bottom = sorted(self.selection)
        if top[0] == bottom[0]:
            column = self.document[top[0]][: top[1]]
            self._replace_via_keyboard(" " * (2 - line_cells(column).width % 2), top, bottom)
            return
        rows = self._selected_rows()
        self._edit_rows([(row, "  " + self.document[row] if self.document[row].strip() else "") for row in rows])

    def action_delete_left(self) -> None:
        """Delete what is selected or the character before; at the start of a line's text, go back one level.

        From a value to its key nothing is deleted.
        """
        lines, (row, column) = self.document.lines, self.cursor_location
        made = step_back(lines, row, column) if self.selection.is_empty else None
        if self.selection.is_empty and is_behind_colon(lines, row, column):
            self.move_cursor((row, column - 1))
            return
        if made is None or self.read_only:
            super().action_delete_left()
            return
        begins = lines[row].removesuffix(lines[row][column:].lstrip(BLANKS))
        self.apply_edits([difference(begins, made.begins, self.document.line_offset(row))])
        self.typed_here()
        remember_break(self, made)

    def action_outdent(self) -> None:
        """Remove up to two spaces from the start of the selected lines. An automatic dash stays automatic."""
        rows = self._selected_rows()
        is_automatic = is_behind_dash(self)
        self._edit_rows([(row, self.document[row].removeprefix(" ").removeprefix(" ")) for row in rows])
        if is_automatic:
            line = self.document[rows[0]]
            remember_break(self, LineBreak(line, item=line))

    def action_toggle_comment(self) -> None:
        """Comment the selected lines out, or back in."""
        rows = self._selected_rows()
        new = toggle_comments([self.document[row] for row in rows])
        self._edit_rows(list(zip(rows, new, strict=True)))

    def _selected_rows(self) -> range:
        top, bottom = sorted(self.selection)
        last = bottom[0] - 1 if bottom[0] > top[0] and bottom[1] == 0 else bottom[0]
        return range(top[0], last + 1)

    def _edit_rows(self, rows: Iterable[tuple[int, str]]) -> None:
        """Replace rows as one step of undo, changing only what differs so that the cursor keeps its place."""
        if self.read_only:
            return
        edits: list[TextEdit] = []
        for row, new in rows:
            old = self.document[row]
            if old != new:
                edits.append(difference(old, new, self.document.line_offset(row)))
        self.apply_edits(edits)

    def insert_pasted(self, text: str, newline: str) -> None:
        """Insert a pasted text; rows, and several lines, are indented to their place, as one step of undo."""
        text = leading_tabs_to_spaces(text)
        if not self._placed(text, newline):
            super().insert_pasted(text, newline)

    def _placed(self, text: str, newline: str) -> bool:
        """Insert `text` at its place, if it has one."""
        from studio.tui.editor.paste_placement import place_paste

        document, (top, bottom) = self.document, sorted(self.selection)
        lines: Sequence[str] = document.lines
        if top != bottom:
            kept = document[top[0]][: top[1]] + document[bottom[0]][bottom[1] :]
            lines = [*lines[: top[0]], kept, *lines[bottom[0] + 1 :]]
        made = place_paste(lines, *top, text)
        if made is None:
            return False
        start = document.line_offset(made.first)
        end = document.offset_at((made.after - 1 + bottom[0] - top[0], _FAR))
        self.apply_edits([difference(document.slice(start, end), newline.join(made.lines), start)])
        self.move_cursor(made.cursor)
        self.typed_here()
        return True

    # --- Completion

    def action_complete(self) -> None:
        """Open the list of completions."""
        self.completing.ask()

    def write(self, span: Span, text: str, cursor: int) -> None:
        """Replace `span` by `text`, whose lines end with LF, as one step of undo; move the cursor to `cursor` in it."""
        if self.read_only:
            return
        newline = self.document.newline_at(self.location_of(span.start)[0])
        behind = span.start + len(with_line_ends(text[:cursor], newline))
        written = with_line_ends(text, newline)
        if written != self.document.slice(span.start, span.end):
            self.apply_edits([TextEdit(span, written)])
            self.typed_here()
        self.move_cursor(self.location_of(behind))

    def on_source_area_edited(self) -> None:
        """Completion follows what is typed."""
        self.completing.edited()

    def on_source_area_cursor_moved(self) -> None:
        """Close the list of completions when the cursor leaves it."""
        self.completing.cursor_moved()

    def on_blur(self) -> None:
        """Close the list when the editor loses the focus, is scrolled or is clicked."""
        self.completing.close()

    on_mouse_down = on_mouse_scroll_down = on_mouse_scroll_up = on_scroll_to = on_blur

    def on_resize(self) -> None:
        """Let the list follow its word when a pane beside the text grows or shrinks."""
        self.completing.resized()

    # --- Diagnostics

    def show_diagnostics(
        self, revision: int, diagnostics: Iterable[Diagnostic], notes: Iterable[tuple[int, str]] = ()
    ) -> None:
        """Replace all marks by those of `diagnostics`, made from the text at `revision`, and the notes by `notes`.

        Spans are moved through the edits made since; deleted text is not marked. Diagnostics of a revision whose
        edits are no longer known are not shown. Notes, by their row, are those of the present text, or stay.
        """
        changes = self._log.since(revision)
        if changes is None:
            return
        self._marks.show(self.document, diagnostics, changes)
        if not changes:
            self._notes = [""] * self.document.line_count
            for row, note in notes:
                self._notes[row] = note
        self.refresh_changed()

    def show_scores(self, shown: TextScores | None, piece: Callable[[float], Piece]) -> None:
        """Show each score, as `piece` of it, at the end of its line, in place of all others; None for none."""
        if shown is self._shown_scores:
            return
        self._shown_scores, self._scores = shown, [None] * self.document.line_count
        if shown is not None:
            placed = ((self.carry(offset, shown.revision), score) for offset, score in shown.scores)
            for at, score in placed:
                if at is not None:
                    self._scores[self.location_of(at)[0]] = piece(score)
        self.refresh_changed()

    def diagnostics_on_cursor_line(self) -> Sequence[Diagnostic]:
        """The diagnostics that touch the line of the cursor, worst first."""
        return [mark.diagnostic for mark in self._marks.on(self.cursor_location[0])]

    async def _on_mouse_move(self, event: events.MouseMove) -> None:
        tooltip = None if self._selecting else self._tooltip_under(event)
        if tooltip != self.tooltip:
            self.tooltip = tooltip

    def _tooltip_under(self, event: events.MouseMove) -> Content | None:
        """The tooltip: the problems underlined under the mouse, beside the text those that begin on the line.

        Otherwise the text of `tooltip_at`.
        """
        y, is_beside = event.y + self.scroll_offset.y, event.x < self.gutter_width
        at = None if is_beside else self.location_under(event.offset)
        if y >= self.row_layout.height or (at is None and not is_beside):
            return None
        row = self.row_layout.part_at(y).row
        marks = self._marks.on(row)
        found = [mark for mark in marks if (mark.first if at is None else mark.start <= at[1] < mark.shown_end)]
        said = [visible(explained(mark.diagnostic)) for mark in found]
        if not said and at is not None:
            said = [visible(each) for each in (self._notes[row], self.tooltip_at(self.offset_at(at))) if each]
        return Content("\n\n".join(said)) if said else None

    # --- Finding

    def action_find(self) -> None:
        """Find and replace, beginning with what is selected within one line."""
        from studio.tui.editor.find_bar import FindBar

        top, bottom = self.selection
        is_searchable = top[0] == bottom[0] and abs(bottom[1] - top[1]) <= MOST_CHARACTERS
        self.app.push_screen(FindBar(self, self.selected_text if is_searchable else ""))

    def action_go_to_line(self) -> None:
        """Ask for a line number and go there."""
        from studio.tui.editor.find_bar import GoToLine

        self.app.push_screen(GoToLine(self))

    def show_matches(self, spans: Sequence[Span], current: int) -> None:
        """Highlight the matches until the next edit, and scroll to number `current`."""
        matches: dict[int, list[Match]] = {}
        for number, span in enumerate(spans):
            row, start = self.location_of(span.start)
            matches.setdefault(row, []).append(Match(start, start + span.end - span.start, number == current))
        self._matches = matches
        if spans:
            self.go_to(spans[current].start)
        self.refresh_changed()
