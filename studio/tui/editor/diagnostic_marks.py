"""Diagnostics as marks on lines that move with the text until newer diagnostics replace them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span
from studio.tui.editor.source_document import Replacement, SourceDocument
from studio.tui.editor.source_edit import Change

_MAXIMUM_EDITS = 4096


class Mark(NamedTuple):
    """The part of one diagnostic that lies on one line: columns from `start` up to `end`, equal for an empty span.

    `first` is set if the diagnostic begins on this line; the gutter shows it there.
    """

    start: int
    end: int
    diagnostic: Diagnostic
    first: bool

    @property
    def shown_end(self) -> int:
        """The column up to which it is drawn: an empty one covers one column."""
        return max(self.end, self.start + 1)


class EditLog:
    """The changes since each revision, to map an offset of an older text to the present one."""

    def __init__(self) -> None:
        self.revision = 0
        self._oldest = 0
        self._changes: deque[tuple[int, Change]] = deque(maxlen=_MAXIMUM_EDITS)

    def add(self, change: Change) -> None:
        """Add a change that led to the present revision."""
        if len(self._changes) == _MAXIMUM_EDITS:
            self._oldest = self._changes[0][0]
        self._changes.append((self.revision, change))

    def forget(self) -> None:
        """Forget all changes: a new text was loaded."""
        self._changes.clear()
        self._oldest = self.revision

    def since(self, revision: int) -> list[Change] | None:
        """The changes made after `revision`, oldest first; None if they are no longer known."""
        if not self._oldest <= revision <= self.revision:
            return None
        changes: list[Change] = []
        for made_at, change in reversed(self._changes):
            if made_at <= revision:
                break
            changes.append(change)
        return changes[::-1]

    def carry(self, offset: int, revision: int) -> int | None:
        """Where an offset of the text at `revision` is now; None if that is no longer known."""
        changes = self.since(revision)
        if changes is None:
            return None
        for change in changes:
            offset = change.carry(offset)
        return offset


def carry_span(span: Span, change: Change) -> Span | None:
    """`span` after `change`; None if all of its text was removed."""
    if span.start == span.end:
        position = change.carry(span.start)
        inside = change.start < span.start < change.start + len(change.removed)
        return None if inside else Span(position, position)
    start, end = change.carry(span.start), change.carry(span.end, sticky=True)
    return Span(start, end) if start < end else None


class Marks:
    """The marks of each line of one document, worst first."""

    def __init__(self, line_count: int) -> None:
        self._rows: list[Sequence[Mark]] = [()] * line_count

    def on(self, row: int) -> Sequence[Mark]:
        """The marks on `row`."""
        return self._rows[row]

    def show(self, document: SourceDocument, diagnostics: Iterable[Diagnostic], changes: Sequence[Change]) -> None:
        """Replace all marks by `diagnostics`, with their spans moved by `changes`."""
        rows: dict[int, list[Mark]] = {}
        for diagnostic in diagnostics:
            span: Span | None = diagnostic.span
            for change in changes:
                span = carry_span(span, change)
                if span is None:
                    break
            if span is not None:
                _spread(document, span, diagnostic, True, rows)
        self._rows = [()] * document.line_count
        for row, marks in rows.items():
            self._rows[row] = _worst_first(marks)

    def follow(self, document: SourceDocument, change: Change, lines: Replacement) -> None:
        """Move the marks as `change` moved the text, which replaced `lines` of `document`."""
        old = self._rows[lines.first : lines.after]
        new: list[Sequence[Mark]] = [()] * lines.rows
        if any(old):
            rows: dict[int, list[Mark]] = {}
            for start, marks in zip(lines.offsets, old, strict=True):
                for mark in marks:
                    span = carry_span(Span(start + mark.start, start + mark.end), change)
                    if span is not None:
                        _spread(document, span, mark.diagnostic, mark.first, rows)
            new = [_worst_first(rows.get(row, [])) for row in range(lines.first, lines.first + lines.rows)]
        self._rows[lines.first : lines.after] = new


def _spread(
    document: SourceDocument, span: Span, diagnostic: Diagnostic, first: bool, rows: dict[int, list[Mark]]
) -> None:
    top, start = document.location_of(span.start)
    bottom, end = document.location_of(span.end)
    if span.end > span.start and bottom > top and end == 0:  # it ends with a line end: no mark on the next line
        bottom -= 1
        end = len(document[bottom])
    for row in range(top, bottom + 1):
        from_column = start if row == top else 0
        to_column = end if row == bottom else len(document[row])
        if from_column == to_column and row > top:  # an empty line within the span
            continue
        rows.setdefault(row, []).append(Mark(from_column, to_column, diagnostic, first and row == top))


def _worst_first(marks: list[Mark]) -> Sequence[Mark]:
    return tuple(sorted(marks, key=lambda mark: mark.diagnostic.severity.rank))


def worst(marks: Iterable[Mark]) -> Severity | None:
    """The worst severity of the diagnostics that begin on a line; None without any."""
    return min((mark.diagnostic.severity for mark in marks if mark.first), key=lambda one: one.rank, default=None)
