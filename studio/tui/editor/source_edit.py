"""Edits stored by offset, so that undo restores the text to the last code point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from textual.widgets import TextArea

from engine.text.spans import TextEdit
from studio.tui.textual_internals import Edit, EditResult, Selection

if TYPE_CHECKING:
    from studio.tui.editor.line_break import LineBreak


class Change(NamedTuple):
    """At offset `start`, `removed` was replaced by `inserted`."""

    start: int
    removed: str
    inserted: str

    @property
    def inverse(self) -> Change:
        """The change that undoes this one."""
        return Change(self.start, self.inserted, self.removed)

    def carry(self, offset: int, *, sticky: bool = False) -> int:
        """Where `offset` of the text before is in the text after.

        An offset at which text is inserted moves behind it, or with `sticky` stays before it; one within what was
        removed goes to the end of what came instead (with `sticky`, to its start).
        """
        end = self.start + len(self.removed)
        if offset < self.start or (sticky and offset == self.start):
            return offset
        if offset >= end:
            return offset + len(self.inserted) - len(self.removed)
        return self.start if sticky else self.start + len(self.inserted)


class Editable(Protocol):
    """What an edit needs of the text area whose text it changes."""

    def change_text(self, change: Change) -> None: ...

    def offset_at(self, location: tuple[int, int]) -> int: ...

    def location_of(self, offset: int) -> tuple[int, int]: ...


@dataclass
class SourceEdit(Edit):
    """One step of undo: changes made one after the other, each at offsets of the text left by those before it.

    `made_on` and `made` are the `wording` numbers of the text before and after it. `line_break` is set if this is an
    edit by Enter.
    """

    changes: tuple[Change, ...] = ()
    made_on: int = 0
    made: int = 0
    line_break: LineBreak | None = None

    @classmethod
    def of(cls, edit: Edit, start: int, removed: str) -> SourceEdit:
        """`edit`, which replaces the text `removed` at `start`."""
        change = Change(start, removed, edit.text)
        return cls(edit.text, edit.from_location, edit.to_location, edit.maintain_selection_offset, (change,))

    @classmethod
    def of_text_edits(cls, edits: Iterable[TextEdit], text: str) -> SourceEdit:
        """`edits` on `text` as one step. Raises `ValueError` if they overlap or lie outside the text."""
        changes: list[Change] = []
        before = len(text)
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            if edit.span.end > before or edit.span.start > edit.span.end or edit.span.start < 0:
                raise ValueError(f"edit {edit.span} overlaps another or lies outside the text")
            changes.append(Change(edit.span.start, edit.span.of(text), edit.text))
            before = edit.span.start
        inserted = "".join(change.inserted for change in changes)
        return cls(inserted, (0, 0), (0, 0), True, tuple(changes))

    def do(self, text_area: TextArea, record_selection: bool = True) -> EditResult:
        source = cast("Editable", text_area)
        before = text_area.selection
        if record_selection:
            self._original_selection = before
        anchor, cursor = source.offset_at(before.start), source.offset_at(before.end)
        _change_all(source, self.changes)
        last = self.changes[-1] if self.changes else Change(cursor, "", "")
        end = source.location_of(last.start + len(last.inserted))
        if self.maintain_selection_offset:
            for change in self.changes:
                anchor, cursor = change.carry(anchor), change.carry(cursor)
            self._updated_selection = Selection(source.location_of(anchor), source.location_of(cursor))
        else:
            self._updated_selection = Selection.cursor(end)
        self._edit_result = EditResult(end, "".join(change.removed for change in self.changes))
        return self._edit_result

    def undo(self, text_area: TextArea) -> EditResult:
        source = cast("Editable", text_area)
        undone = [change.inverse for change in reversed(self.changes)]
        _change_all(source, undone)
        self._updated_selection = self._original_selection
        last = undone[-1] if undone else Change(0, "", "")
        return EditResult(source.location_of(last.start + len(last.inserted)), last.removed)


def typed(text: str, offset: int, location: tuple[int, int], made_on: int, revision: int) -> list[SourceEdit]:
    """The edits that typing `text`, which is on one line, at a place would be: one for each letter, made already.

    `made_on` is the `wording` of the text before, `revision` the number of its last revision.
    """
    row, column = location
    edits: list[SourceEdit] = []
    for number, letter in enumerate(text):
        before, behind = (row, column + number), (row, column + number + 1)
        edit = SourceEdit(letter, before, before, False, (Change(offset + number, "", letter),))
        edit.made_on, edit.made = made_on, revision + number + 1
        edit._original_selection, edit._updated_selection = Selection.cursor(before), Selection.cursor(behind)
        edit._edit_result = EditResult(behind, "")
        edits.append(edit)
        made_on = edit.made
    return edits


def undo_all(text_area: TextArea, edits: Sequence[Edit]) -> None:
    """Undo `edits`, the last one first. Letters typed or deleted one after the other are one change of the text."""
    changes = _changes_of(edits)
    if changes is None:
        for edit in reversed(edits):
            edit.undo(text_area)
        return
    _change_all(cast("Editable", text_area), [change.inverse for change in reversed(changes)])
    edits[0]._updated_selection = edits[0]._original_selection


def redo_all(text_area: TextArea, edits: Sequence[Edit]) -> None:
    """Make `edits` again, likewise."""
    changes = _changes_of(edits)
    if changes is None:
        for edit in edits:
            edit.do(text_area, record_selection=False)
        return
    source, last = cast("Editable", text_area), changes[-1]
    _change_all(source, changes)
    edits[-1]._updated_selection = Selection.cursor(source.location_of(last.start + len(last.inserted)))


def _changes_of(edits: Sequence[Edit]) -> list[Change] | None:
    """The changes of several edits after which the cursor stands, joined as far as possible; None for other edits."""
    joined: list[Change] = []
    for edit in edits:
        if not isinstance(edit, SourceEdit) or edit.maintain_selection_offset or len(edits) == 1:
            return None
        for change in edit.changes:
            both = _joined(joined[-1], change) if joined else None
            joined[-1:] = [both] if both is not None else [*joined[-1:], change]
    return joined or None


def _joined(one: Change, other: Change) -> Change | None:
    """Two changes made one after the other as one; None if they do not touch."""
    if not one.removed and not other.removed and other.start == one.start + len(one.inserted):
        return Change(one.start, "", one.inserted + other.inserted)
    if not one.inserted and not other.inserted and other.start + len(other.removed) == one.start:
        return Change(other.start, other.removed + one.removed, "")
    if not one.inserted and not other.inserted and other.start == one.start:
        return Change(one.start, one.removed + other.removed, "")
    return None


def _change_all(source: Editable, changes: Sequence[Change]) -> None:
    for change in changes:
        source.change_text(change)
