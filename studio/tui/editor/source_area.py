"""A text area over the exact text of a file: offsets, revisions, edits that undo to the last code point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from engine.text.record import replace
from engine.text.spans import TextEdit, difference, visible
from engine.text.text_limits import too_long_with
from studio.tui.closing import stop_watching
from studio.tui.editor.diagnostic_marks import EditLog
from studio.tui.editor.line_break import with_line_ends
from studio.tui.editor.source_document import Replacement, RowLayout, RowNavigator, SourceDocument
from studio.tui.editor.source_edit import Change, SourceEdit, changes_of, typed
from studio.tui.textual_internals import Edit, EditResult, Location, Selection
from studio.tui.type_ahead import TypedText

_KEYS_USED_ELSEWHERE = {"f6", "f7", "ctrl+k"}
"""Keys of the stock text area (select line, select all, delete to the end of the line) that do other things here."""

_EDITING_ACTIONS = ("delete_", "cut", "paste", "undo", "redo", "new_line", "indent", "outdent", "toggle_comment")
"""How the names of actions begin that change the text."""

_DELETING_SELECTED = ("delete_word_", "delete_to_")
"""How the names of actions begin that delete what is selected, if something is. Textual's own would not always."""

_SECONDS_BETWEEN_REFUSALS = 10.0


def _bindings() -> list[BindingType]:
    """The stock text area's bindings without the keys used elsewhere, and further bindings that authors expect."""
    stock = [binding for binding in TextArea.BINDINGS if isinstance(binding, Binding)]
    used = [binding for binding in stock if binding.key not in _KEYS_USED_ELSEWHERE]
    home = [replace(binding, key="home") if binding.key == "home,ctrl+a" else binding for binding in used]
    return [
        *home,
        Binding("ctrl+a", "select_all", "Select all", show=False),
        Binding("ctrl+home", "cursor_text_start", "To the start", show=False),
        Binding("ctrl+end", "cursor_text_end", "To the end", show=False),
        Binding("ctrl+shift+home", "cursor_text_start(True)", "Select to the start", show=False),
        Binding("ctrl+shift+end", "cursor_text_end(True)", "Select to the end", show=False),
        Binding("shift+pageup", "cursor_page_up(True)", "Select a page up", show=False),
        Binding("shift+pagedown", "cursor_page_down(True)", "Select a page down", show=False),
    ]


class SourceArea(TextArea, inherit_bindings=False):
    """A text area whose document is a `SourceDocument`.

    Offsets are code points of the source text, as everywhere in the engine. `revision` grows with each edit, undo and
    redo, and with each text that is loaded.
    """

    BINDINGS: ClassVar[list[BindingType]] = _bindings()

    document: SourceDocument

    class Edited(Message):
        """The text changed and is painted. Several edits may have led to the newest `revision`."""

    class CursorMoved(Message):
        """The cursor has moved, or its offset has changed because text before it changed."""

    tell_refused: Callable[[], None] = staticmethod(lambda: None)
    """Called when a key would change a text that is read-only; set by the screen."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._log = EditLog()
        self._reported_offset = -1
        self._reporting = False
        self._copied = ""
        self._typed_at = (-1, -1)
        self._last_refusal = -_SECONDS_BETWEEN_REFUSALS
        self.row_layout = RowLayout(SourceDocument(""))
        super().__init__(max_checkpoints=1000, id=id, classes=classes)
        self.cursor_blink = False

    # --- The text

    def on_unmount(self) -> None:
        """Stop following the theme: the application would keep a closed editor, with its screen."""
        stop_watching(self, self.app)

    def load(self, text: str, *, read_only: bool = False) -> None:
        """Load `text`, with the cursor at its start, an empty undo history and no marks."""
        self.history.clear()
        self._set_document(text, None)
        self.read_only = read_only
        if self.is_mounted:
            self.scroll_to(0, 0, animate=False)

    def text_out(self) -> str:
        """The text, exactly as loaded except for the edits."""
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
        """The offset of the cursor."""
        return self.document.offset_at(self.cursor_location)

    def carry(self, offset: int, revision: int) -> int | None:
        """Where an offset of the text at `revision` is now; None if that is no longer known."""
        return self._log.carry(offset, revision)

    @property
    def typed_at(self) -> int | None:
        """Where the author typed, pasted or deleted last; None if nowhere yet. Fixes and undo do not count."""
        return self.carry(*self._typed_at)

    def typed_here(self) -> None:
        """Remember the cursor's place as the one where the author typed last."""
        self._typed_at = self.cursor_offset, self.revision

    def _set_document(self, text: str, language: str | None) -> None:
        self.document = SourceDocument(text)  # pyright: ignore[reportIncompatibleVariableOverride]
        self.wrapped_document = self.row_layout = RowLayout(self.document, self._width_now())
        self.navigator = RowNavigator(self.row_layout)
        self._log.revision += 1
        self._log.forget()
        self._reported_offset = -1
        self.document_replaced()
        self.selection = Selection()
        self._refresh_size()
        self.refresh()
        self._report_edited()

    def _width_now(self) -> int | None:
        """The width in cells at which to wrap the text; unchanged while the area is not on the screen."""
        return (self.wrap_width or self.row_layout.width) if self.soft_wrap else None

    def document_replaced(self) -> None:
        """Called when `document` is a new one."""

    def text_changed(self, change: Change, lines: Replacement) -> None:
        """Called after each change on the text, which replaced `lines`."""

    # --- Editing

    async def _on_key(self, event: events.Key) -> None:
        """Run the action of the key at once.

        Textual would send a bound key up to the app first, and letters that arrived with it would overtake it:
        Backspace would delete the wrong one. Textual calls the handler of each class in turn; the text area's own,
        which inserts letters, follows unless it is prevented.
        """
        found = self._bindings.key_to_bindings.get(event.key, ())
        if event.is_printable or any(binding.action.startswith(_EDITING_ACTIONS) for binding in found):
            self.is_refused()
        for action in (binding.action for binding in found):
            deletes_selected = action.startswith(_DELETING_SELECTED) and not self.selection.is_empty
            if await self.app.run_action("delete_left" if deletes_selected else action, self):
                event.stop().prevent_default()
                return

    def is_refused(self) -> bool:
        """Whether the text must not be changed; then says so, once in a while."""
        if self.read_only and monotonic() - self._last_refusal >= _SECONDS_BETWEEN_REFUSALS:
            self._last_refusal = monotonic()
            self.tell_refused()
        return self.read_only

    def edit(self, edit: Edit) -> EditResult:
        is_typed = not isinstance(edit, SourceEdit)
        if not isinstance(edit, SourceEdit):
            start = self.offset_at(edit.top)
            edit = SourceEdit.of(edit, start, self.document.slice(start, self.offset_at(edit.bottom)))
        self._log.revision += 1
        result = self._make(edit)
        self.history.record(edit)
        self._edited(edit.selected_after)
        if is_typed:
            self.typed_here()
        return result

    def _make(self, edit: SourceEdit) -> EditResult:
        before = self.selection
        anchor, cursor = map(self.offset_at, before)
        self._change(edit.changes)
        end = self.location_of(edit.changes[-1].start + len(edit.changes[-1].inserted))
        if not edit.maintain_selection_offset:
            return edit.note(before, Selection.cursor(end), end)
        for change in edit.changes:
            anchor, cursor = change.carry(anchor), change.carry(cursor)
        return edit.note(before, Selection(self.location_of(anchor), self.location_of(cursor)), end)

    def on_typed_text(self, event: TypedText) -> None:
        """Insert letters that waited together."""
        if not self.is_refused():
            self.type_text(event.text)

    def type_text(self, text: str) -> None:
        """Insert `text`, printable and on one line, as if typed letter by letter. Undo takes it apart likewise."""
        if not self.selection.is_empty:
            self._replace_via_keyboard(text[0], *self.selection)
            text = text[1:]
        if not text:
            return
        edits = typed(text, self.cursor_offset, self.cursor_location)
        self._log.revision += len(text)
        self._change([Change(self.cursor_offset, "", text)])
        for edit in edits:
            self.history.record(edit)
        self._edited(edits[-1].selected_after)
        self.typed_here()

    def apply_edits(self, edits: Iterable[TextEdit]) -> None:
        """Make `edits`, whose spans refer to the present text, as one step of undo.

        The cursor keeps its place in the text. Does nothing but say so if the text would become too long. Raises
        `ValueError` if edits overlap or lie outside the text.
        """
        edit = SourceEdit.of_text_edits(edits, self.document.text)
        if self._may_insert("".join([change.removed for change in edit.changes]), edit.text):
            self._make_step(edit)

    def _make_step(self, edit: SourceEdit) -> None:
        if edit.changes:
            self.history.checkpoint()
            self.edit(edit)
            self.history.checkpoint()

    def replace_text(self, text: str, edits: Sequence[TextEdit] = ()) -> None:
        """Make `text` the whole text, by `edits` if there are some, as one step of undo.

        The cursor keeps its place in what stays.
        """
        if text != self.document.text:
            self._make_step(
                SourceEdit.of_text_edits(edits or [difference(self.document.text, text, 0)], self.document.text)
            )

    def _may_insert(self, removed: str, inserted: str) -> bool:
        """Whether the text stays within its limit with `inserted` instead of `removed`. If not, says so.

        A longer text could not be opened again, and the recovery journal would fall behind.
        """
        problem = too_long_with(self.document.text, removed, inserted)
        if problem is not None:
            self.notify(problem, severity="warning", timeout=10, markup=False)
        return problem is None

    def _change(self, changes: Iterable[Change]) -> None:
        """Make changes of the text one after the other, and update what depends on the text."""
        for change in changes:
            lines = self.document.replace(change.start, change.start + len(change.removed), change.inserted)
            self.row_layout.follow(lines)
            self._log.add(change)
            self.text_changed(change, lines)

    def action_undo(self) -> None:
        """Undo the last step, unless the text must not be changed."""
        if not self.read_only:
            super().action_undo()

    def action_redo(self) -> None:
        """Redo the last step that was undone, unless the text must not be changed."""
        if not self.read_only:
            super().action_redo()

    def _undo_batch(self, edits: Sequence[Edit]) -> None:
        self._log.revision += 1
        self._change(change.inverse for change in reversed(changes_of(edits)))
        self.history.checkpoint()  # what is typed next must not become a part of the step before
        if isinstance(first := edits[0], SourceEdit):
            self._edited(first.selected_before)

    def _redo_batch(self, edits: Sequence[Edit]) -> None:
        self._log.revision += 1
        self._change(changes_of(edits))
        if isinstance(last := edits[-1], SourceEdit):
            self._edited(last.selected_after)

    def _edited(self, selection: Selection) -> None:
        if self.row_layout.width != self._width_now():  # the gutter needs more digits, or fewer
            self._rewrap_and_refresh_virtual_size()
        if self.virtual_size.height != self.row_layout.height:
            self.refresh()
        self._refresh_size()
        self.selection = selection
        self.record_cursor_width()
        self._report_edited()

    def _report_edited(self) -> None:
        """Post `Edited` once the edit is on the screen, so that its handlers do not delay the echo."""
        if not self.is_mounted:
            self._post_edited()
        elif not self._reporting:
            self._reporting = self.call_after_refresh(self._post_edited)

    def _post_edited(self) -> None:
        self._reporting = False
        self.post_message(self.Edited())

    def action_copy(self) -> None:
        """Copy what is selected here, else elsewhere on the screen, else the line of the cursor."""
        if self.selection.is_empty and self.screen.selections:
            raise SkipAction
        row = self.cursor_location[0]
        self._copy(self.selected_text or self.get_text_range((row, 0), (row + 1, 0)))

    def action_cut(self) -> None:
        if self.read_only:
            return
        start, end = self.selection
        cut = self._delete_cursor_line() if start == end else self._delete_via_keyboard(start, end)
        if cut is not None:
            self._copy(cut.replaced_text)

    def _copy(self, text: str) -> None:
        """Put `text` on the clipboard with its control characters made visible; pasted here, it is itself again."""
        self._copied = text
        self.app.copy_to_clipboard(visible(text))

    @property
    def clipboard(self) -> str:
        """The text to paste."""
        clipboard = self.app.clipboard
        return self._copied if clipboard == visible(self._copied) else clipboard

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def action_paste(self) -> None:
        self._paste(self.clipboard)

    def _paste(self, text: str) -> None:
        if not text or self.is_refused() or not self._may_insert(self.selected_text, text):
            return
        self.insert_pasted(text, self.document.newline_at(min(self.selection)[0]))

    def insert_pasted(self, text: str, newline: str) -> None:
        """Insert a pasted text with the document's line ends."""
        self._replace_via_keyboard(with_line_ends(text, newline), *self.selection)

    def action_cursor_text_start(self, select: bool = False) -> None:
        """To the start of the text."""
        self.move_cursor((0, 0), select=select)

    def action_cursor_text_end(self, select: bool = False) -> None:
        """To the end of the text."""
        self.move_cursor(self.document.end, select=select)

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        if not self.is_mounted:
            return
        offset = self.cursor_offset
        if offset != self._reported_offset:
            self._reported_offset = offset
            self.post_message(self.CursorMoved())
