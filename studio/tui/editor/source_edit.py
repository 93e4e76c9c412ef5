"""Edits stored by offset, so that undo restores the text to the last code point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from engine.text.spans import TextEdit
from studio.tui.textual_internals import Edit, EditResult, Location, Selection

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


@dataclass
class SourceEdit(Edit):
    """One step of undo: changes made one after the other, each at offsets of the text left by those before it.

    `selected_before` and `selected_after` are the selections before and after it. `line_break` is set if this is an
    edit by Enter.
    """

    changes: tuple[Change, ...] = ()
    selected_before: Selection = field(default_factory=Selection)
    selected_after: Selection = field(default_factory=Selection)
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

    def note(self, before: Selection, after: Selection, end: Location) -> EditResult:
        """Note the selections before and after it, and its result: the text it inserted goes up to `end`."""
        self.selected_before, self.selected_after = before, after
        self._edit_result = EditResult(end, "".join(change.removed for change in self.changes))
        return self._edit_result


def typed(text: str, offset: int, location: Location) -> list[SourceEdit]:
    """The edits that typing `text`, which is on one line, at a place would be: one for each letter, made already."""
    row, column = location
    edits: list[SourceEdit] = []
    for number, letter in enumerate(text):
        before, behind = (row, column + number), (row, column + number + 1)
        edit = SourceEdit(letter, before, before, False, (Change(offset + number, "", letter),))
        edit.note(Selection.cursor(before), Selection.cursor(behind), behind)
        edits.append(edit)
    return edits


def changes_of(edits: Iterable[Edit]) -> list[Change]:
    """The changes of edits made one after the other. Letters typed or deleted together are one change."""
    joined: list[Change] = []
    for change in (change for edit in edits if isinstance(edit, SourceEdit) for change in edit.changes):
        both = _joined(joined[-1], change) if joined else None
        joined[-1:] = [both] if both is not None else [*joined[-1:], change]
    return joined


def _joined(one: Change, other: Change) -> Change | None:
    """Two changes made one after the other as one; None if they do not touch."""
    if not one.removed and not other.removed and other.start == one.start + len(one.inserted):
        return Change(one.start, "", one.inserted + other.inserted)
    if not one.inserted and not other.inserted and other.start + len(other.removed) == one.start:
        return Change(other.start, other.removed + one.removed, "")
    if not one.inserted and not other.inserted and other.start == one.start:
        return Change(one.start, one.removed + other.removed, "")
    return None
